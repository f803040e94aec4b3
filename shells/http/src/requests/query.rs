//! Reading query parameters: unknown ones are ignored, a bad or repeated known one is refused.

use super::problems::Problems;
use crate::errors::ApiCode;
use crate::response::Failure;
use serde_json::{Value, json};

/// The bounds of the number of entries in a list; the minimum is one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entries {
    /// The default.
    pub(crate) usual: u64,
    /// The maximum.
    pub(crate) most: u64,
}

/// The bounds of most lists.
pub(crate) const LIST: Entries = Entries { usual: 50, most: 200 };
/// The bounds of a list of events.
pub(crate) const LISTED_EVENTS: Entries = Entries { usual: 200, most: 1_000 };
/// The bounds of a list of pictures.
pub(crate) const PICTURES: Entries = Entries { usual: 100, most: 500 };
/// The bounds of an export of games.
pub(crate) const EXPORTED_GAMES: Entries = Entries { usual: 100, most: 500 };

impl Entries {
    /// The schema of the parameter `limit`.
    pub(crate) fn schema(self) -> Value {
        json!({ "type": "integer", "minimum": 1, "maximum": self.most, "default": self.usual })
    }
}

/// The parameters of a query, decoded.
pub(crate) struct Query {
    pairs: Vec<(String, Option<String>)>,
    problems: Problems,
}

impl Query {
    /// Parses the query behind the question mark.
    pub(crate) fn parse(query: Option<&str>) -> Self {
        let pairs = query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty()).filter_map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((decode(name)?, decode(value)))
        });
        Self { pairs: pairs.collect(), problems: Problems::default() }
    }

    /// The text of a parameter.
    pub(crate) fn text(&mut self, name: &str) -> Option<String> {
        let mut found = self.pairs.iter().filter(|(known, _)| known == name).map(|(_, value)| value.clone());
        let first = found.next()?;
        if found.next().is_some() {
            self.problems.note(name, "may stand only once");
            return None;
        }
        if first.is_none() {
            self.problems.note(name, "must be percent-encoded UTF-8");
        }
        first
    }

    /// A parameter that `read` parses; `rule` states the requirement in words.
    pub(crate) fn parsed<T>(
        &mut self,
        name: &str,
        rule: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.text(name)?;
        let value = read(&text);
        if value.is_none() {
            self.problems.note(name, rule);
        }
        value
    }

    /// The same for a required parameter.
    pub(crate) fn required<T>(
        &mut self,
        name: &str,
        rule: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        if !self.pairs.iter().any(|(known, _)| known == name) {
            self.problems.note(name, format!("is required: {rule}"));
        }
        self.parsed(name, rule, read)
    }

    /// An integer between `least` and `most`.
    pub(crate) fn number(&mut self, name: &str, least: u64, most: u64) -> Option<u64> {
        let rule = format!("must be an integer from {least} to {most}");
        self.parsed(name, &rule, |text| digits(text).filter(|number| (least..=most).contains(number)))
    }

    /// The requested number of entries.
    pub(crate) fn limit(&mut self) -> usize {
        self.limit_of(LIST)
    }

    /// The same with other bounds.
    pub(crate) fn limit_of(&mut self, entries: Entries) -> usize {
        let limit = self.number("limit", 1, entries.most).unwrap_or(entries.usual);
        usize::try_from(limit).unwrap_or(usize::MAX)
    }

    /// The cursor from which a list continues.
    pub(crate) fn cursor<T>(&mut self, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        self.parsed("cursor", "must be the next_cursor of an earlier answer", read)
    }

    /// Records that a parameter breaks a rule that involves more than the parameter itself.
    pub(crate) fn refuse(&mut self, name: &str, rule: &str) {
        self.problems.note(name, rule);
    }

    /// Fails if any rule was broken.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        self.problems.settle(ApiCode::InvalidQuery)
    }
}

/// Reads plain digits without a leading zero.
pub(crate) fn digits(text: &str) -> Option<u64> {
    let plain = text == "0" || (!text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit()));
    if plain { text.parse().ok() } else { None }
}

/// Undoes percent-encoding as forms use it; `None` where it is broken. The crate `form_urlencoded` accepts broken
/// encoding and broken UTF-8 as other text, so the sender could not be told.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let high = char::from(rest.next()?).to_digit(16)?;
                let low = char::from(rest.next()?).to_digit(16)?;
                u8::try_from(high * 16 + low).ok()?
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded_and_unknown_ones_ignored() {
        let mut query = Query::parse(Some("a=x%2Fy+z&%62=1&junk=%ff&flag&&empty="));
        assert_eq!(query.text("a").as_deref(), Some("x/y z"));
        assert_eq!(query.number("b", 0, 9), Some(1));
        assert_eq!(query.text("flag").as_deref(), Some(""));
        assert_eq!(query.text("absent"), None);
        assert!(query.finish().is_ok());
    }

    #[test]
    fn bad_and_repeated_known_parameters_are_all_named() {
        let mut query = Query::parse(Some("limit=0&since=-1&since=2&status=%ff&cursor=x"));
        assert_eq!(query.limit(), 50);
        assert_eq!(query.number("since", 0, 9), None);
        assert_eq!(query.text("status"), None);
        assert_eq!(query.cursor(|_| None::<u8>), None);
        assert_eq!(query.required("agent", "a handle", |text| Some(text.to_owned())), None);
        let failure = query.finish().unwrap_err();
        let problems = failure.data.unwrap();
        let named: Vec<_> = problems["problems"]
            .as_array()
            .unwrap()
            .iter()
            .map(|problem| problem["field"].as_str().unwrap())
            .collect();
        assert_eq!(named, ["limit", "since", "status", "cursor", "agent"]);
        assert_eq!(failure.code, ApiCode::InvalidQuery);
    }

    #[test]
    fn numbers_have_one_spelling() {
        for (text, number) in [("0", Some(0)), ("200", Some(200)), ("18446744073709551615", Some(u64::MAX))] {
            assert_eq!(digits(text), number);
        }
        for wrong in ["", "01", "+1", "-1", "1.0", "0x1", " 1", "18446744073709551616"] {
            assert_eq!(digits(wrong), None, "{wrong:?}");
        }
    }
}
