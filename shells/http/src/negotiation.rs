//! Content negotiation: which forms of an answer a client accepts (RFC 9110, section 12).

use salvo::http::{HeaderMap, header};

/// What forms of an answer are wanted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Accepts {
    /// A stream of events.
    pub(crate) event_stream: bool,
    /// A page for people.
    pub(crate) html: bool,
    /// The last event that a stream has seen.
    pub(crate) last_event: Option<u32>,
}

impl Accepts {
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let lines = headers.get_all(header::ACCEPT).iter().filter_map(|line| line.to_str().ok());
        let kinds: Vec<(&str, u32)> = lines.flat_map(|line| line.split(',')).map(quality).collect();
        let wish = |name: &str| {
            let named =
                kinds.iter().filter(|(kind, _)| kind.eq_ignore_ascii_case(name)).map(|(_, quality)| *quality);
            named.max().unwrap_or(0)
        };
        let last_event =
            headers.get("last-event-id").and_then(|id| id.to_str().ok()).and_then(|id| id.parse().ok());
        let html = wish("text/html") > wish("application/json");
        Self { event_stream: wish("text/event-stream") > 0, html, last_event }
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
        for (accept, html, event_stream) in [
            ("", false, false),
            ("*/*", false, false),
            ("application/json", false, false),
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true, false),
            ("application/json, text/html;q=0.9", false, false),
            ("application/json;q=0.5, text/html;q=0.9", true, false),
            ("text/html;q=0", false, false),
            ("text/event-stream", false, true),
            ("application/json, Text/Event-Stream;q=0.1", false, true),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
            let accepts = Accepts::of(&headers);
            assert_eq!((accepts.html, accepts.event_stream), (html, event_stream), "{accept}");
        }
    }
}
