//! JSON texts that several checks read: a cache, so that each is parsed only once.

use serde_json::Value;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;

/// How many are cached: those of one fact are its leaf and the body of its move.
const MOST_KEPT: usize = 4;

/// The texts that were read last.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts(RefCell<VecDeque<(String, Arc<Value>)>>);

impl Texts {
    /// The parsed text; null if it is not JSON.
    pub(super) fn read(&self, text: &str) -> Arc<Value> {
        let mut kept = self.0.borrow_mut();
        if let Some((_, value)) = kept.iter().find(|(known, _)| known == text) {
            return Arc::clone(value);
        }
        let value = Arc::new(serde_json::from_str(text).unwrap_or(Value::Null));
        if kept.len() >= MOST_KEPT {
            kept.pop_front();
        }
        kept.push_back((text.to_owned(), Arc::clone(&value)));
        value
    }
}

/// The text under these names, one within the other.
pub(super) fn within<'v>(value: &'v Value, names: &[&str]) -> Option<&'v str> {
    names.iter().try_fold(value, |value, name| value.get(name)).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nested_text_is_found_by_its_path() {
        let value = serde_json::json!({ "a": { "b": "c" }, "d": 1 });
        assert_eq!(within(&value, &["a", "b"]), Some("c"));
        assert!(
            [&["a"][..], &["d"], &["a", "c"], &["d", "b"]].iter().all(|path| within(&value, path).is_none())
        );
    }

    #[test]
    fn a_text_reads_the_same_however_many_are_read_in_between() {
        let texts = Texts::default();
        let first = texts.read("{\"a\":1}");
        assert!(Arc::ptr_eq(&first, &texts.read("{\"a\":1}")));
        for number in 0..20_u64 {
            assert_eq!(texts.read(&number.to_string()).as_u64(), Some(number));
        }
        assert_eq!(texts.read("{\"a\":1}"), first);
        assert_eq!(*texts.read("no JSON"), Value::Null);
    }
}
