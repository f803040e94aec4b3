//! How much of a long answer fits a context window (decision 11.1): what the tools of MCP leave out of the answers
//! of the corresponding HTTP requests. The bridge for chat clients shortens by the same rules.

use serde_json::Value;

/// How many of the last turns the `history` of a tool's answer holds, unless the argument `history` asks for another number.
pub const HISTORY_TURNS: u64 = 10;

/// The most turns of a view's history that can be asked for: more than any game has.
pub const MOST_HISTORY: u64 = 1_000_000;

/// The value of the argument `history` that asks for every turn.
pub const WHOLE_HISTORY: &str = "all";

/// How many legal moves a tool's answer gives in full; of the others it gives the notations alone.
pub const LEGAL_MOVES_IN_FULL: usize = 100;

/// The longest envelope that is repeated as text, in bytes.
const REPEATED_BYTES: usize = 32 * 1024;

/// The text beside an envelope that is not repeated.
pub const NOT_REPEATED: &str = "ok: the answer is the structured content of this result.";

/// An envelope as the text beside the structured content, unless it is long.
///
/// Decision: chat clients pass on the structured content or the text, rarely both, and some know only the text; so the
/// tools for chat clients answer in both.
#[must_use]
pub fn repeated(envelope: &Value) -> String {
    Some(envelope.to_string())
        .filter(|text| text.len() <= REPEATED_BYTES)
        .unwrap_or_else(|| NOT_REPEATED.to_owned())
}

/// Leaves only the notation of each legal move behind the first `in_full` ones, wherever an envelope lists them:
/// in a view, in the list of legal moves, and in the report on a refused move.
pub fn shorten_legal_moves(envelope: &mut Value, in_full: usize) {
    for place in ["/data/view/legal_moves", "/data/legal_moves"] {
        let listed = envelope.pointer_mut(place).and_then(Value::as_array_mut);
        for entry in listed.into_iter().flatten().skip(in_full) {
            if let Some(notation) = entry.get_mut("notation") {
                *entry = notation.take();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn legal_moves_beyond_the_hundredth_are_shortened_to_their_notation() {
        let entry = |index: usize| json!({ "index": index, "move": "m", "notation": format!("n{index}"), "summary": "s" });
        let full: Vec<Value> = (0..103).map(entry).collect();
        let mut shortened = full.clone();
        for (index, entry) in shortened.iter_mut().enumerate().skip(100) {
            *entry = json!(format!("n{index}"));
        }
        for in_view in [true, false] {
            let wrap = |moves: &[Value]| {
                let listed = json!({ "legal_moves": moves });
                if in_view { json!({ "data": { "view": listed } }) } else { json!({ "data": listed }) }
            };
            let mut envelope = wrap(&full);
            shorten_legal_moves(&mut envelope, LEGAL_MOVES_IN_FULL);
            assert_eq!(envelope, wrap(&shortened));
            shorten_legal_moves(&mut envelope, LEGAL_MOVES_IN_FULL);
            assert_eq!(envelope, wrap(&shortened), "once is enough");
        }
        let mut hundred = json!({ "data": { "legal_moves": full.get(..100) } });
        let before = hundred.clone();
        shorten_legal_moves(&mut hundred, LEGAL_MOVES_IN_FULL);
        assert_eq!(hundred, before);
    }
}
