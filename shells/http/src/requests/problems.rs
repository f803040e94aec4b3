//! Everything that is wrong with a body or a query, collected so that one answer names all of it.

use crate::errors::ApiCode;
use crate::response::Failure;
use serde_json::{Value, json};

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// The path of the field from the top of the body, or the name of the query parameter.
    pub(crate) field: String,
    /// The rule in words.
    pub(crate) rule: String,
}

/// All broken rules, in the order in which they were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Problems(Vec<Problem>);

impl Problems {
    /// Notes that `field` breaks `rule`.
    pub(crate) fn note(&mut self, field: impl Into<String>, rule: impl Into<String>) {
        self.0.push(Problem { field: field.into(), rule: rule.into() });
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
