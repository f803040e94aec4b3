//! The mapping from the core's rejections to failures of the interface.

use crate::errors::ApiCode;
use crate::payload::{OutcomeData, RetryAfterData, RoomReport, WhichSignature};
use crate::rate_policy::RatePolicy;
use crate::requests::single_problem;
use crate::response::Failure;
use hall_core::{Rejection, RoomRejection, TurnStatus, limits};
use hall_driver::{ArchiveError, LogError, Unavailable};
use hall_wire::Span;
use serde_json::json;
use std::borrow::Cow;
use std::cmp::Ordering;

impl From<Rejection> for Failure {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the code says it all, unless more is known")]
    fn from(rejection: Rejection) -> Self {
        let code = ApiCode::from(&rejection);
        match rejection {
            Rejection::QuotaJoins { retry_after } | Rejection::FeedbackQuota { retry_after } => {
                Self::from(code).retry_after(seconds(retry_after))
            }
            Rejection::DoorbellVerifications { retry_after } => {
                let seconds = seconds(retry_after);
                let message = format!(
                    "A doorbell can be verified {} times in an hour, failures included. Wait {seconds} seconds.",
                    limits::DOORBELL_VERIFICATIONS
                );
                let most = u64::try_from(limits::DOORBELL_VERIFICATIONS).unwrap_or(u64::MAX);
                rate_limited(message, RatePolicy::hourly("verifications", most), seconds)
            }
            Rejection::Room(RoomRejection::WrongTurn(report)) => out_of_turn(report.turn_index, *report),
            Rejection::Room(RoomRejection::IllegalMove(report)) => {
                let message = third_attempt(&report).or_else(|| did_you_mean(&report));
                Self { message, ..of_room(code, *report) }
            }
            Rejection::Room(RoomRejection::GameNotLive(report) | RoomRejection::NoDrawOffer(report)) => {
                of_room(code, *report)
            }
            Rejection::Room(RoomRejection::MoveMissing) => single_problem(
                code,
                "move",
                "is required: the opponent offers no draw, so an offer needs a move",
            ),
            Rejection::Room(RoomRejection::DrawOfferImpossible) => single_problem(
                code,
                "draw_offer",
                "must be left out: draws are offered only at tables of two that move in turn",
            ),
            rejection => {
                if code == ApiCode::Internal {
                    tracing::error!(
                        ?rejection,
                        "a request was refused for a reason that no request can have"
                    );
                }
                code.into()
            }
        }
    }
}

impl From<Unavailable> for Failure {
    /// Decision: a hall that is overloaded or restarts is back within seconds; a full disk needs a person. A drain
    /// lasts longer than the 70 s that clients wait within a call, so that a join does not keep their live games
    /// waiting.
    fn from(why: Unavailable) -> Self {
        let (message, retry_after) = match why {
            Unavailable::LowDisk => (
                "The hall takes no writes now, because it has too little disk space left. Reads work; agents lose no time. Try \
                 again later.",
                60,
            ),
            Unavailable::Overloaded => (
                "The hall is overloaded. Wait as long as Retry-After says, then try again with a fresh challenge.",
                2,
            ),
            Unavailable::Stopping => (
                "The hall is shutting down or restarting. Try again when it is back; agents lose no time.",
                5,
            ),
            Unavailable::Draining => (
                "The hall begins no new games now; games that are live go on. Agents that wait in a lobby keep their places. \
                 Join again when Retry-After seconds have passed; only the challenge was spent.",
                90,
            ),
            Unavailable::NoLeader => (
                "The machine that decides for this hall is being replaced, which takes some seconds. Nothing was done, and agents \
                 lose no time. Try again with a fresh challenge.",
                1,
            ),
            Unavailable::Unknown => (
                "The hall stopped or lost the machine that decides for it while it had this request, which may have been taken \
                 or not. Read the state again before you repeat it; agents lose no time.",
                1,
            ),
        };
        let failure = Self::saying(ApiCode::Unavailable, message).retry_after(retry_after);
        if why == Unavailable::Unknown {
            failure.with_data(json!(OutcomeData { outcome: "unknown" }))
        } else {
            failure
        }
    }
}

impl From<ArchiveError> for Failure {
    fn from(error: ArchiveError) -> Self {
        if error.is_outage() {
            return of_outage();
        }
        tracing::error!(%error, "something cannot be read from disk");
        ApiCode::Internal.into()
    }
}

impl From<LogError> for Failure {
    fn from(error: LogError) -> Self {
        if error.is_outage() {
            return of_outage();
        }
        tracing::error!(%error, "the log cannot be read from disk");
        ApiCode::Internal.into()
    }
}

/// The database of a hall on several machines cannot be reached. The node itself logs that, once.
fn of_outage() -> Failure {
    let message = "What was asked for is in the hall's database, which cannot be reached now. Try again when Retry-After \
                   seconds have passed.";
    Failure::saying(ApiCode::Unavailable, message).retry_after(2)
}

/// RATE_LIMITED until so many seconds have passed, because the client has `used_up` what it may do.
pub(crate) fn rate_limited(message: String, used_up: RatePolicy, seconds: u64) -> Failure {
    let data = RetryAfterData { retry_after_seconds: seconds };
    let failure = Failure::saying(ApiCode::RateLimited, message).with_data(json!(data)).retry_after(seconds);
    Failure { used_up: Some(Box::new(used_up)), ..failure }
}

/// SIG_INVALID for the signature in the `header` or in the `body`, which does not sign `expected`. The message holds
/// nothing but what the caller sent.
pub(crate) fn bad_signature(which: &'static str, expected: String) -> Failure {
    Failure::from(ApiCode::SigInvalid).with_data(json!(WhichSignature { which, expected_message: expected }))
}

/// A refusal of the game room with its report.
fn of_room(code: ApiCode, report: TurnStatus) -> Failure {
    Failure::from(code).with_data(json!(RoomReport::from(report)))
}

/// The refusal of a move for turn `asked`, which is over, has not begun, or is not the caller's.
pub(crate) fn out_of_turn(asked: u32, report: TurnStatus) -> Failure {
    let current = report.turn_index;
    let has_moved = report.your_last.is_some_and(|last| last.turn_index == current);
    let message = match asked.cmp(&current) {
        Ordering::Less => format!(
            "Turn {asked} is over; the current one is {current}. Compare data.your_last with your move to see whether it was \
             taken; if its forced is not null, the hall moved for you (deadline: yours had passed). Read the view before you \
             move again."
        ),
        Ordering::Equal if has_moved => format!(
            "You have moved in turn {current} already, and that move stands: it is data.your_last; if its forced is not null, the hall \
             moved for you. Wait with GET /api/pulse?wait=25 until the others have moved, and move when the pulse lists the game as \
             waiting on you."
        ),
        Ordering::Equal if report.to_move.is_empty() => format!(
            "Nobody is to move in turn {current} now: the game waits for public randomness, which comes by itself. Wait with GET \
             /api/pulse?wait=25, and act when the pulse lists the game as waiting on you."
        ),
        Ordering::Equal => format!(
            "Turn {current} is not yours to play: data.to_move says whose it is. Wait with GET /api/pulse?wait=25, and move when the pulse lists the game as waiting on you."
        ),
        Ordering::Greater => format!(
            "Turn {asked} has not begun; the current one is {current}. Read the view, and send the turn_index that it shows."
        ),
    };
    Failure { message: Some(message.into()), ..of_room(ApiCode::WrongTurn, report) }
}

/// The consequence of the third illegal move in a turn; none for the first two.
fn third_attempt(report: &TurnStatus) -> Option<Cow<'static, str>> {
    let applied = report.applied.as_ref()?;
    let message = match (applied.notation, &report.result) {
        (Some(_), None) => {
            "That was the third illegal move in this turn: it cost a strike, and the hall played a random legal move for you (data.applied). Wait for your next turn, and choose an entry of legal_moves from its view."
        }
        (Some(_), Some(_)) => {
            "That was the third illegal move in this turn: it cost a strike, and the random legal move that the hall played for you (data.applied) ended the game. data.result says how."
        }
        (None, _) => {
            "That was the third illegal move in this turn, and the strike for it ended the game. data.result says how."
        }
    };
    Some(message.into())
}

/// Names the legal move that was probably meant, if there is one.
fn did_you_mean(report: &TurnStatus) -> Option<Cow<'static, str>> {
    let meant = report.did_you_mean?;
    let message = format!(
        "That is not a legal move as written; you probably mean {meant} (data.did_you_mean). Send exactly that, or another entry \
         of legal_moves from the view; {{ \"index\": n }} always works. data.illegal_attempts counts; the \
         third is replaced by a random legal move and costs a strike."
    );
    Some(message.into())
}

/// Whole seconds, rounded up.
pub(crate) fn seconds(span: Span) -> u64 {
    span.as_millis().div_ceil(1_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_core::rooms::TurnBrief;
    use hall_games::PlayerSet;
    use hall_journal::JournalError;
    use hall_wire::{GameId, Player};

    #[test]
    fn a_temporary_refusal_says_when_to_retry() {
        let failure = Failure::from(Rejection::QuotaJoins { retry_after: Span::from_millis(1_001) });
        assert_eq!((failure.code, failure.retry_after), (ApiCode::QuotaJoins, Some(2)));
        assert_eq!(Failure::from(Rejection::QuotaConcurrent).retry_after, None);
        let failure = Failure::from(Rejection::DoorbellVerifications { retry_after: Span::from_secs(7) });
        let used_up = failure.used_up.unwrap();
        assert_eq!(used_up.allowed(), "\"verifications\";q=5;w=3600");
        assert_eq!(used_up.left(0, failure.retry_after.unwrap()), "\"verifications\";r=0;t=7");
        for why in [
            Unavailable::LowDisk,
            Unavailable::Overloaded,
            Unavailable::Stopping,
            Unavailable::Draining,
            Unavailable::NoLeader,
            Unavailable::Unknown,
        ] {
            let failure = Failure::from(why);
            assert!(failure.retry_after.is_some_and(|seconds| seconds > 0));
            let in_doubt = failure.data == Some(json!({ "outcome": "unknown" }));
            assert_eq!(in_doubt, why == Unavailable::Unknown, "only then the request may have been taken");
        }
    }

    #[test]
    fn a_database_that_is_away_is_unavailable_and_one_that_refuses_is_a_fault_of_the_hall() {
        let (doing, what) = ("reading rows", "no connection");
        let away = || JournalError::Unreachable { doing, what: what.to_owned() };
        for failure in [
            Failure::from(ArchiveError::from(away())),
            Failure::from(LogError::from(away())),
            Failure::from(LogError::from(ArchiveError::from(away()))),
        ] {
            assert_eq!((failure.code, failure.retry_after), (ApiCode::Unavailable, Some(2)));
        }
        let refused = JournalError::Store { doing, what: what.to_owned() };
        assert_eq!(Failure::from(ArchiveError::from(refused)).code, ApiCode::Internal);
    }

    /// Turn 4, in which these players are to move.
    fn report(to_move: PlayerSet) -> TurnStatus {
        TurnStatus {
            game: GameId::from_bytes([7; 16]),
            turn_index: 4,
            to_move,
            illegal_attempts: 0,
            strikes: vec![0, 0],
            last_move: None,
            your_last: None,
            result: None,
            did_you_mean: None,
            legal_moves: None,
            applied: None,
            deadline: None,
        }
    }

    #[test]
    fn the_refusal_of_a_move_out_of_turn_says_if_it_is_late_early_or_of_the_wrong_seat() {
        for (asked, begins) in
            [(3, "Turn 3 is over"), (4, "Turn 4 is not yours"), (5, "Turn 5 has not begun")]
        {
            let failure = out_of_turn(asked, report(PlayerSet::only(Player::new(1))));
            assert_eq!(failure.code, ApiCode::WrongTurn);
            assert!(failure.message.is_some_and(|message| message.starts_with(begins)), "{asked}");
            assert_eq!(failure.data.unwrap()["turn_index"], 4);
        }
    }

    #[test]
    fn a_player_who_has_moved_in_a_shared_turn_is_told_that_the_move_stands() {
        let played = |turn_index| TurnBrief {
            turn_index,
            player: Some(Player::new(0)),
            notation: None,
            forced: None,
            body_sha256: None,
        };
        for (last, begins) in [(4, "You have moved in turn 4"), (3, "Turn 4 is not yours")] {
            let report =
                TurnStatus { your_last: Some(played(last)), ..report(PlayerSet::only(Player::new(1))) };
            let message = out_of_turn(4, report).message.unwrap();
            assert!(message.starts_with(begins) && message.contains("GET /api/pulse?wait=25"), "{message}");
        }
    }

    #[test]
    fn while_nature_is_to_act_a_refused_move_is_not_said_to_be_anybody_elses() {
        let message = out_of_turn(4, report(PlayerSet::EMPTY)).message.unwrap();
        assert!(message.starts_with("Nobody is to move in turn 4 now"), "{message}");
        assert!(message.contains("GET /api/pulse?wait=25"), "{message}");
    }

    #[test]
    fn the_refusal_of_a_missing_move_names_its_field() {
        let failure = Failure::from(Rejection::Room(RoomRejection::MoveMissing));
        assert_eq!(failure.code, ApiCode::InvalidBody);
        assert_eq!(failure.data.unwrap()["problems"][0]["field"], "move");
    }
}
