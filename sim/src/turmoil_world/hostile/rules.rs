//! Which answers there may be, and what is wrong with others.

use super::super::kept::Kept;
use hall_client::wire::{Digest, GameId, Player};
use serde_json::Value;
use std::collections::BTreeMap;

/// Pairs of status and code; the code is empty where the hall agrees.
pub(super) type Allowed = &'static [(u16, &'static str)];

/// A body that must never resolve a turn.
#[derive(Clone, Debug)]
pub(in super::super) struct Unapplied {
    /// What was done with it.
    pub(in super::super) name: &'static str,
    /// What is broken if it does.
    pub(in super::super) invariant: &'static str,
    /// In this game.
    pub(in super::super) game: GameId,
    /// Its hash.
    pub(in super::super) body: Digest,
}

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

/// What the answer to an illegal move says is what the three steps are (M6, M7). `least` and `most` say the
/// how-manieth of its turn it may have been: earlier ones whose answers were lost may have counted.
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

/// What must not have happened has not, and what was counted is kept.
pub(in super::super) fn judge(
    unapplied: &[Unapplied],
    illegal: &BTreeMap<(GameId, u32), IllegalCount>,
    kept: &Kept,
) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    for Unapplied { name, invariant, game, body } in unapplied {
        let turns = kept.games.get(game).map(|game| game.turns.as_slice()).unwrap_or_default();
        if turns.iter().any(|turn| turn.body == Some(*body)) {
            found.push((*invariant, format!("{game}: a body was applied that is {name}")));
        }
    }
    for ((game, turn_index), IllegalCount { sent, told }) in illegal {
        let attempts = kept.games.get(game).map(|game| &game.attempts);
        let count = attempts.and_then(|attempts| attempts.get(turn_index)).copied().unwrap_or_default();
        let text = || {
            format!("{game}, turn {turn_index}: of {sent} illegal moves {told} were told, {count} are kept")
        };
        if count < *told {
            found.push(("D1", text()));
        }
        if count > *sent {
            found.push(("M6", text()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turmoil_world::kept::{KeptGame, KeptTurn};
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
    fn a_wrong_count_a_list_that_is_missing_and_a_penalty_that_is_none_are_reported() {
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

    #[test]
    fn a_body_that_must_not_apply_and_a_lost_or_invented_attempt_are_reported() {
        let (game, body) = (GameId::from_bytes([1; 16]), Digest::of(b"stale"));
        let turn = KeptTurn { body: Some(body), state: Digest::of(b"") };
        let judged = |turns: &[KeptTurn], attempts: u8, sent: u8, told: u8| {
            let (mut of_game, mut kept) = (KeptGame::default(), Kept::default());
            of_game.turns = turns.to_vec();
            of_game.attempts = BTreeMap::from([(4, attempts)]);
            kept.games.insert(game, of_game);
            let unapplied = [Unapplied { name: "stale", invariant: "M5", game, body }];
            let illegal = BTreeMap::from([((game, 4), IllegalCount { sent, told })]);
            let found = judge(&unapplied, &illegal, &kept);
            found.into_iter().map(|(invariant, _)| invariant).collect::<Vec<_>>()
        };
        assert_eq!(judged(&[], 1, 2, 1), [""; 0]);
        assert_eq!(judged(&[turn], 1, 2, 1), ["M5"]);
        assert_eq!(judged(&[], 0, 2, 1), ["D1"]);
        assert_eq!(judged(&[], 3, 2, 2), ["M6"]);
    }
}
