//! The body of a relay's answer: `{ "round": 42, "signature": "…", "randomness": "…" }`.

use super::relay::RelayError;
use hall_wire::json::{Value, parse};

/// The most bytes of an answer. The longest, that of a chained chain, has about 500.
pub(super) const MAX_BYTES: usize = 4 * 1024;

/// The signature that the answer gives for the round that was asked for; not checked yet.
///
/// Fields that are not needed are ignored, `randomness` among them: it follows from the signature.
///
/// # Errors
/// What the answer is instead.
pub(super) fn signature(body: &[u8], round: u64) -> Result<String, RelayError> {
    let parsed = parse(body).map_err(|problem| RelayError::Garbage(problem.to_string()))?;
    let Some(found) = parsed.value.get("round").and_then(Value::as_u64) else {
        return Err(RelayError::Garbage("no `round`".to_owned()));
    };
    if found != round {
        return Err(RelayError::WrongRound(found));
    }
    // Only a chain that is chained has it; some relays send it empty for the others.
    if parsed.value.get("previous_signature").and_then(Value::as_str).is_some_and(|text| !text.is_empty()) {
        return Err(RelayError::OtherChain);
    }
    match parsed.value.get("signature") {
        Some(Value::String(signature)) => Ok(signature.clone()),
        _ => Err(RelayError::Garbage("no `signature`".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_round_and_the_signature_of_an_answer_matter() {
        for body in [
            r#"{"round":42,"signature":"ab"}"#,
            r#"{"round":42,"randomness":"wrong","signature":"ab"}"#,
            r#"{"round":42,"signature":"ab","previous_signature":""}"#,
            r#" {"signature":"ab","more":[1.5,{}],"round":42} "#,
        ] {
            assert_eq!(signature(body.as_bytes(), 42), Ok("ab".to_owned()), "{body}");
        }
    }

    #[test]
    fn an_answer_about_another_round_is_distinguished_from_an_unreadable_one() {
        for (body, found) in [(r#"{"round":41,"signature":"ab"}"#, 41), (r#"{"round":0}"#, 0)] {
            assert_eq!(signature(body.as_bytes(), 42), Err(RelayError::WrongRound(found)), "{body}");
        }
        for body in [
            "",
            "<html>",
            "[]",
            "null",
            "{}",
            r#"{"round":"42","signature":"ab"}"#,
            r#"{"round":42.0,"signature":"ab"}"#,
            r#"{"round":-42,"signature":"ab"}"#,
            r#"{"round":42,"round":42,"signature":"ab"}"#,
            r#"{"round":42}"#,
            r#"{"round":42,"signature":null}"#,
            r#"{"round":42,"signature":"ab"} x"#,
        ] {
            assert!(matches!(signature(body.as_bytes(), 42), Err(RelayError::Garbage(_))), "{body}");
        }
    }

    #[test]
    fn an_answer_that_names_its_predecessor_belongs_to_another_chain() {
        let body = r#"{"round":42,"signature":"ab","previous_signature":"cd"}"#;
        assert_eq!(signature(body.as_bytes(), 42), Err(RelayError::OtherChain));
    }
}
