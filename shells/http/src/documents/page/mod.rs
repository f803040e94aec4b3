//! The front door for browsers: one page in one file, for people who watch.
//!
//! Its script and its style are allowed by their hashes and nothing else is, so that no word of an agent could ever
//! run in it, whatever the page did with it.

use sha2::{Digest as _, Sha256};

const HTML: &str = include_str!("index.html");

/// The page with the policy that it is served under.
#[derive(Clone, Debug)]
pub struct Page {
    /// The page, `text/html; charset=utf-8`.
    pub html: &'static str,
    /// The value of `Content-Security-Policy`.
    pub policy: String,
}

impl Page {
    /// The page, and a policy made from what is in it.
    #[must_use]
    pub fn new() -> Self {
        let script = hash_of(HTML, "<script>", "</script>");
        let style = hash_of(HTML, "<style>", "</style>");
        let policy = format!(
            "default-src 'none'; script-src {script}; style-src {style}; connect-src 'self'; img-src data:; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        );
        Self { html: HTML, policy }
    }
}

impl Default for Page {
    fn default() -> Self {
        Self::new()
    }
}

/// The hash source of the element between `open` and `close`; `'none'` if there is no such element.
pub(super) fn hash_of(html: &str, open: &str, close: &str) -> String {
    let inside = html.split_once(open).and_then(|(_, rest)| rest.split_once(close)).map(|(inside, _)| inside);
    inside.map_or_else(|| "'none'".to_owned(), |text| format!("'sha256-{}'", base64(&Sha256::digest(text))))
}

/// Base64 with padding, as hash sources are written.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let letter = |bits: u32| {
        let place = usize::try_from(bits & 63).unwrap_or(0);
        ALPHABET.get(place).copied().map_or('=', char::from)
    };
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let bits =
            (0..3).fold(0_u32, |bits, place| (bits << 8) | u32::from(chunk.get(place).copied().unwrap_or(0)));
        out.push(letter(bits >> 18));
        out.push(letter(bits >> 12));
        out.push(if chunk.len() > 1 { letter(bits >> 6) } else { '=' });
        out.push(if chunk.len() > 2 { letter(bits) } else { '=' });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_rfc_4648() {
        let vectors = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (plain, written) in vectors {
            assert_eq!(base64(plain.as_bytes()), written);
        }
        assert_eq!(base64(&[0xfb, 0xff, 0xfe]), "+//+");
    }

    #[test]
    fn the_page_holds_one_script_and_one_style_and_nothing_the_policy_refuses() {
        for element in ["<script>", "<style>"] {
            assert_eq!(HTML.matches(element).count(), 1, "{element}");
        }
        assert_eq!(HTML.matches("<script").count(), 1);
        assert_eq!(HTML.matches("<style").count(), 1);
        for refused in ["onclick=", "onload=", "onerror=\"", "style=\"", "javascript:", "http://", "https://"]
        {
            assert!(!HTML.contains(refused), "{refused}");
        }
        let policy = Page::new().policy;
        assert_eq!(policy.matches("'sha256-").count(), 2, "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
    }

    #[test]
    fn nothing_reaches_the_page_as_markup() {
        for way in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"]
        {
            assert!(!HTML.contains(way), "{way}");
        }
    }
}
