//! Everything that is wrong with a body or a query, collected so that one answer names all of it.

use crate::errors::ApiCode;
use crate::response::Failure;
use serde_json::{Value, json};

/// The most problems that one answer names.
const MOST_PROBLEMS: usize = 32;
/// The most bytes of a path that it repeats.
const FIELD_BYTES: usize = 128;

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// The path of the field from the top of the body, or the name of the query parameter.
    pub(crate) field: String,
    /// The rule in words.
    pub(crate) rule: String,
}

/// All broken rules, in the order in which they were found, as many as one answer names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Problems(Vec<Problem>);

impl Problems {
    /// Notes that `field` breaks `rule`, unless enough is wrong already. A long name is cut.
    pub(crate) fn note(&mut self, field: impl Into<String>, rule: impl Into<String>) {
        if self.0.len() == MOST_PROBLEMS {
            return;
        }
        let mut field = field.into();
        field.truncate(field.floor_char_boundary(FIELD_BYTES));
        self.0.push(Problem { field, rule: rule.into() });
    }

    /// Whether nothing is wrong.
    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Fails with `code` if anything is wrong.
    pub(crate) fn settle(self, code: ApiCode) -> Result<(), Failure> {
        if self.is_empty() { Ok(()) } else { Err(self.into_failure(code)) }
    }

    /// The failure that names all of it.
    pub(crate) fn into_failure(self, code: ApiCode) -> Failure {
        let problems: Vec<Value> =
            self.0.iter().map(|problem| json!({ "field": problem.field, "rule": problem.rule })).collect();
        Failure::from(code).with_data(json!({ "problems": problems }))
    }
}

/// The failure with a single problem.
pub(crate) fn single(code: ApiCode, field: &str, rule: &str) -> Failure {
    let mut problems = Problems::default();
    problems.note(field, rule);
    problems.into_failure(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_names_at_most_32_problems_and_128_bytes_of_each_field() {
        let mut problems = Problems::default();
        for number in 0..40 {
            problems.note(format!("x{}{number}", "\u{fc}".repeat(100)), "is not a field of this request");
        }
        assert!(!problems.is_empty());
        let data = problems.into_failure(ApiCode::InvalidBody).data.unwrap();
        let named = data["problems"].as_array().unwrap();
        assert_eq!(named.len(), 32);
        assert_eq!(named[31]["field"], format!("x{}", "\u{fc}".repeat(63)), "no letter is cut in two");
    }
}
