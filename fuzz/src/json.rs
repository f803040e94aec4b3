//! The hall's own JSON, reading and writing, against the common implementations.

use hall_wire::json::{SyntaxProblem, canonical, parse};
use serde_json::Value;

/// Reads a document with the strict parser and with the common one, and writes what was read in canonical form.
///
/// # Panics
/// If the strict parser accepts a document that the common one refuses, or reads it differently; if it calls a
/// well-formed document malformed; if the canonical form differs from an independent writer's, or does not read back.
pub fn documents(bytes: &[u8]) {
    let common: Result<Value, _> = serde_json::from_slice(bytes);
    match (parse(bytes), common) {
        (Ok(parsed), Ok(common)) => {
            if parsed.numbers.is_empty() {
                assert_eq!(parsed.value, common, "read otherwise than in the common parser");
            }
            check_canonical(&parsed.value);
        }
        // The strict parser reports a number that no float can hold as a problem of that number.
        (Ok(parsed), Err(error)) => {
            assert!(!parsed.numbers.is_empty(), "accepted, but the common parser says: {error}");
        }
        (Err(problem), Ok(_)) => {
            // Forms that parsers read differently, or that nobody needs.
            let deliberate = matches!(
                problem,
                SyntaxProblem::DuplicateKey { .. }
                    | SyntaxProblem::TooDeep
                    | SyntaxProblem::LoneSurrogate { .. }
            );
            assert!(deliberate, "well-formed, but refused: {problem}");
        }
        (Err(_), Err(_)) => {}
    }
}

fn check_canonical(value: &Value) {
    let text = canonical(value);
    let independent = serde_json_canonicalizer::to_string(value);
    assert_eq!(independent.ok().as_deref(), Some(text.as_str()), "an independent writer writes otherwise");
    let again = parse(text.as_bytes());
    assert_eq!(again.map(|parsed| parsed.value).as_ref(), Ok(value), "{text} does not read back");
}
