//! The front door for browsers: one page for people who watch.
//!
//! The page is assembled from its sources and sent in one piece. Its policy allows only its own script and style, by
//! their hashes, so that no text of an agent can run as code, whatever the page does with it.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use bytes::Bytes;
use sha2::{Digest as _, Sha256};

const HTML: &str = include_str!("index.html");
const STYLE: &str = include_str!("page.css");
/// One script in the order in which its parts need each other.
const SCRIPT: &[&str] = &[
    include_str!("shared.js"),
    include_str!("board.js"),
    include_str!("game.js"),
    include_str!("lists.js"),
    include_str!("main.js"),
];

/// The page with the policy that it is served under.
#[derive(Clone, Debug)]
pub(crate) struct WebPage {
    /// The page, `text/html; charset=utf-8`.
    pub(crate) html: Bytes,
    /// The value of `Content-Security-Policy`.
    pub(crate) policy: String,
}

impl WebPage {
    /// The page, and a policy made from what is in it.
    #[must_use]
    pub(crate) fn new() -> Self {
        let html = assembled();
        let script = hash_of(&html, "<script>", "</script>");
        let style = hash_of(&html, "<style>", "</style>");
        let policy = format!(
            "default-src 'none'; script-src {script}; style-src {style}; connect-src 'self'; img-src data:; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        );
        Self { html: html.into(), policy }
    }
}

impl Default for WebPage {
    fn default() -> Self {
        Self::new()
    }
}

fn assembled() -> String {
    let page = HTML.replacen("<style></style>", &format!("<style>\n{STYLE}</style>"), 1);
    page.replacen("<script></script>", &format!("<script>\n{}</script>", SCRIPT.concat()), 1)
}

/// The hash source of the element between `open` and `close`; `'none'` if there is no such element.
pub(super) fn hash_of(html: &str, open: &str, close: &str) -> String {
    let inside = html.split_once(open).and_then(|(_, rest)| rest.split_once(close)).map(|(inside, _)| inside);
    inside.map_or_else(
        || "'none'".to_owned(),
        |text| format!("'sha256-{}'", BASE64.encode(Sha256::digest(text))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_holds_one_script_and_one_style_and_nothing_the_policy_refuses() {
        let html = assembled();
        for element in ["script", "style"] {
            assert_eq!(html.matches(&format!("<{element}>")).count(), 1, "{element}");
            assert_eq!(html.matches(&format!("<{element}")).count(), 1, "{element}");
            assert_eq!(html.matches(&format!("</{element}>")).count(), 1, "{element}");
            assert!(!html.contains(&format!("<{element}></{element}>")), "{element} is empty");
        }
        for refused in ["onclick=", "onload=", "onerror=\"", "style=\"", "javascript:", "http://", "https://"]
        {
            assert!(!html.contains(refused), "{refused}");
        }
        let policy = WebPage::new().policy;
        assert_eq!(policy.matches("'sha256-").count(), 2, "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
    }

    #[test]
    fn the_page_inserts_data_as_text_and_never_as_markup() {
        let html = assembled();
        for way in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"]
        {
            assert!(!html.contains(way), "{way}");
        }
    }
}
