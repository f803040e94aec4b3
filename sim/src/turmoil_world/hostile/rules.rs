//! Which answers there may be, and what is wrong with others.

use hall_client::wire::Player;
use serde_json::Value;

/// Pairs of status and code; the code is empty where the hall agrees.
pub(super) type Allowed = &'static [(u16, &'static str)];

/// Illegal moves of one turn.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct IllegalCount {
    /// So many were sent.
    pub(in super::super) sent: u8,
    /// So many were answered as illegal ones.
    pub(in super::super) told: u8,
}

/// Whether an answer is one of those that there may be.
pub(super) fn is_allowed(allowed: Allowed, status: u16, code: &str) -> bool {
    allowed.contains(&(status, code))
}

/// Of copies of a move at most one is accepted (M1).
pub(super) fn judge_race(codes: &[String]) -> Option<(&'static str, String)> {
    let accepted = codes.iter().filter(|code| code.is_empty()).count();
    (accepted > 1).then(|| ("M1", format!("of one turn's moves {accepted} were accepted: {codes:?}")))
}

/// Of requests under one challenge at most one is carried out (A2).
pub(super) fn judge_one_challenge(codes: &[String]) -> Option<(&'static str, String)> {
    let passed = codes.iter().filter(|code| *code != "CHALLENGE_SPENT").count();
    (passed > 1).then(|| ("A2", format!("of requests under one challenge {passed} passed: {codes:?}")))
}

/// Checks that the answer to an illegal move follows the three steps (M6, M7). `least` and `most` bound its number
/// among the illegal moves of the turn: earlier ones whose answers were lost may have counted.
pub(super) fn judge_illegal(
    data: &Value,
    player: Player,
    (least, most): (u8, u8),
) -> Option<(&'static str, String)> {
    let told = || format!("illegal move number {least} to {most} was answered {data}");
    let applied = data.get("applied").filter(|applied| applied.is_object());
    if applied.is_some() || data.get("result").is_some_and(Value::is_object) {
        let forced = applied.and_then(|applied| applied.get("forced"));
        let is_forced = forced.is_none_or(|forced| forced.as_str() == Some("illegal_moves"));
        let strikes = data.get("strikes").and_then(|strikes| strikes.get(player.to_string().as_str()));
        let is_struck = strikes.and_then(Value::as_u64).is_some_and(|strikes| strikes > 0);
        return (most < 3 || !is_forced || !is_struck).then(|| ("M7", told()));
    }
    let count = data.get("illegal_attempts").and_then(Value::as_u64).unwrap_or_default();
    if count >= 3 || least >= 3 {
        return Some(("M7", told()));
    }
    let listed = data.get("legal_moves").and_then(Value::as_array).is_some_and(|legal| !legal.is_empty());
    let counted = (u64::from(least)..=u64::from(most)).contains(&count);
    (!counted || (count == 2 && !listed)).then(|| ("M6", told()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn name(found: Option<(&'static str, String)>) -> Option<&'static str> {
        found.map(|(invariant, _)| invariant)
    }

    #[test]
    fn an_answer_of_another_status_or_code_is_not_allowed() {
        let allowed: Allowed = &[(200, ""), (409, "wrong_turn")];
        assert!(is_allowed(allowed, 200, "") && is_allowed(allowed, 409, "wrong_turn"));
        assert!(!is_allowed(allowed, 409, "") && !is_allowed(allowed, 200, "wrong_turn"));
        assert!(!is_allowed(allowed, 500, "INTERNAL"));
    }

    #[test]
    fn two_accepted_moves_of_one_turn_and_two_requests_under_one_challenge_are_reported() {
        let codes = |codes: &[&str]| codes.iter().map(|code| (*code).to_owned()).collect::<Vec<_>>();
        assert_eq!(judge_race(&codes(&["wrong_turn", "", "wrong_turn"])), None);
        assert_eq!(name(judge_race(&codes(&["", ""]))), Some("M1"));
        assert_eq!(judge_one_challenge(&codes(&["wrong_turn", "CHALLENGE_SPENT"])), None);
        assert_eq!(name(judge_one_challenge(&codes(&["wrong_turn", "wrong_turn"]))), Some("A2"));
    }

    #[test]
    fn a_wrong_count_a_missing_list_and_a_wrong_penalty_are_reported() {
        let player = Player::new(0);
        let legal = [json!({ "index": 0 })];
        let answered = |count: u8| json!({ "illegal_attempts": count, "legal_moves": legal, "strikes": {} });
        let judged = |data: &Value, numbers| name(judge_illegal(data, player, numbers));
        assert_eq!(judged(&answered(1), (1, 1)), None);
        assert_eq!(judged(&answered(2), (1, 2)), None, "the first may have counted");
        assert_eq!(judged(&answered(2), (1, 1)), Some("M6"));
        assert_eq!(judged(&answered(0), (1, 1)), Some("M6"));
        assert_eq!(judged(&json!({ "illegal_attempts": 2 }), (2, 2)), Some("M6"), "no list");
        assert_eq!(judged(&answered(3), (3, 3)), Some("M7"), "no penalty");
        let penalty = json!({ "applied": { "forced": "illegal_moves" }, "strikes": { "p0": 1 } });
        assert_eq!(judged(&penalty, (3, 3)), None);
        assert_eq!(judged(&penalty, (2, 2)), Some("M7"), "too early");
        let unpunished = json!({ "applied": { "forced": "illegal_moves" }, "strikes": { "p0": 0 } });
        assert_eq!(judged(&unpunished, (3, 3)), Some("M7"));
        let of_another_cause = json!({ "applied": { "forced": null }, "strikes": { "p0": 1 } });
        assert_eq!(judged(&of_another_cause, (3, 3)), Some("M7"));
    }
}
