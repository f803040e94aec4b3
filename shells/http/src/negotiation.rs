//! Content negotiation: which forms of an answer a client accepts (RFC 9110, section 12).

use salvo::http::{HeaderMap, header};

/// What forms of an answer are wanted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Accepts {
    /// A stream of events.
    pub(crate) event_stream: bool,
    /// A page for people rather than JSON.
    pub(crate) html: bool,
    /// A page for people where there is nothing else.
    pub(crate) any_html: bool,
    /// The id of the last event that the reader of a stream has seen.
    pub(crate) last_event: Option<String>,
}

impl Accepts {
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let lines = headers.get_all(header::ACCEPT).iter().filter_map(|line| line.to_str().ok());
        let kinds: Vec<(&str, u32)> = lines.flat_map(|line| line.split(',')).map(quality).collect();
        let named = |name: &str| {
            let named =
                kinds.iter().filter(|(kind, _)| kind.eq_ignore_ascii_case(name)).map(|(_, quality)| *quality);
            named.max()
        };
        let wish = |name: &str| named(name).unwrap_or(0);
        let last_event = headers.get("last-event-id").and_then(|id| id.to_str().ok()).map(str::to_owned);
        // Who names pages and JSON alike gets JSON; who names pages, and JSON only among everything else, a page.
        let page = wish("text/html");
        let html = match named("application/json") {
            Some(json) => page > json,
            None => page > 0 && page >= named("application/*").unwrap_or_else(|| wish("*/*")),
        };
        // A client that wants both equally gets the stream: it names JSON for failures.
        let stream = wish("text/event-stream");
        let event_stream = stream > 0 && stream >= wish("application/json");
        let any_html = kinds.iter().all(|(kind, _)| kind.is_empty())
            || ["text/html", "text/*", "*/*"].iter().any(|kind| wish(kind) > 0);
        Self { event_stream, html, any_html, last_event }
    }
}

/// A media type or a coding and how much it is wanted, in thousandths.
pub(crate) fn quality(kind: &str) -> (&str, u32) {
    let mut parts = kind.split(';').map(str::trim);
    let name = parts.next().unwrap_or_default();
    let thousandths = |text: &str| {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits: String = fraction.chars().chain("000".chars()).take(3).collect();
        Some(whole.parse::<u32>().ok()?.min(1) * 1_000 + digits.parse::<u32>().ok()?)
    };
    let wanted = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
    (name, wanted.map_or(1_000, |text| thousandths(text).unwrap_or(1_000).min(1_000)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use salvo::http::HeaderValue;

    #[test]
    fn browsers_get_a_page_and_all_other_clients_get_the_envelope() {
        for (accept, html, any_html, event_stream) in [
            ("*/*", false, true, false),
            ("text/*", false, true, false),
            ("application/json", false, false, false),
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true, true, false),
            ("application/json, text/html;q=0.9", false, true, false),
            ("application/json;q=0.5, text/html;q=0.9", true, true, false),
            ("text/html;q=0", false, false, false),
            ("text/html, */*", true, true, false),
            ("text/html;q=0.5, */*", false, true, false),
            ("application/*, text/html;q=0.1, */*;q=0.05", false, true, false),
            ("application/*;q=0.1, text/html;q=0.2, */*", true, true, false),
            ("text/event-stream", false, false, true),
            ("application/json, Text/Event-Stream", false, false, true),
            ("application/json;q=0.5, text/event-stream;q=0.6, */*", false, true, true),
            ("text/event-stream;q=0.5, application/json;q=0.9", false, false, false),
            ("text/event-stream;q=0", false, false, false),
            ("", false, true, false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
            let accepts = Accepts::of(&headers);
            let found = (accepts.html, accepts.any_html, accepts.event_stream);
            assert_eq!(found, (html, any_html, event_stream), "{accept}");
        }
        assert!(Accepts::of(&HeaderMap::new()).any_html, "who names nothing takes anything");
    }
}
