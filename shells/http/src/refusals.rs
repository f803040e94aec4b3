//! The one map from what the core refuses to what is answered.

use crate::answer::Failure;
use crate::documents::ApiCode;
use crate::payload::{RetryAfterData, RoomReport, WhichSignature};
use crate::requests::single_problem;
use hall_core::{Rejection, Report, limits};
use hall_driver::{ArchiveError, LogError, Unavailable};
use hall_wire::Span;
use serde_json::json;
use std::borrow::Cow;

impl From<Rejection> for Failure {
    fn from(rejection: Rejection) -> Self {
        match rejection {
            Rejection::AgentSuspended => ApiCode::AgentSuspended.into(),
            Rejection::AgentNotFound => ApiCode::AgentNotFound.into(),
            Rejection::NotYourAgent => ApiCode::NotYourAgent.into(),
            Rejection::HandleTaken => ApiCode::HandleTaken.into(),
            Rejection::KeyAlreadyRegistered => ApiCode::KeyAlreadyRegistered.into(),
            Rejection::SeasonNotFound => ApiCode::SeasonNotFound.into(),
            Rejection::DivisionMismatch => ApiCode::DivisionMismatch.into(),
            Rejection::GameUnknown => ApiCode::GameUnknown.into(),
            Rejection::VariantUnknown => ApiCode::VariantUnknown.into(),
            Rejection::NotHomologated => ApiCode::NotHomologated.into(),
            Rejection::AlreadyInLobby => ApiCode::AlreadyInLobby.into(),
            Rejection::NotInLobby => ApiCode::NotInLobby.into(),
            Rejection::QuotaConcurrent => ApiCode::QuotaConcurrent.into(),
            Rejection::QuotaJoins { retry_after } => {
                Self::from(ApiCode::QuotaJoins).retry_after(seconds(retry_after))
            }
            Rejection::FeedbackQuota { retry_after } => {
                Self::from(ApiCode::FeedbackQuota).retry_after(seconds(retry_after))
            }
            Rejection::DoorbellUrlRefused => ApiCode::DoorbellUrlRefused.into(),
            Rejection::DoorbellNotRegistered => ApiCode::DoorbellNotRegistered.into(),
            Rejection::DoorbellVerifications { retry_after } => {
                let seconds = seconds(retry_after);
                let message = format!(
                    "A doorbell can be verified {} times in an hour, whatever comes of it. Wait {seconds} seconds.",
                    limits::DOORBELL_VERIFICATIONS
                );
                rate_limited(message, retry_after)
            }
            Rejection::GameNotFound => ApiCode::GameNotFound.into(),
            Rejection::NotSeated => ApiCode::NotSeated.into(),
            Rejection::BodySignatureInvalid => ApiCode::SigInvalid.into(),
            Rejection::GameNotLive(report) => of_room(ApiCode::GameNotLive, *report),
            Rejection::WrongTurn(report) => of_room(ApiCode::WrongTurn, *report),
            Rejection::IllegalMove(report) => {
                let message = third_attempt(&report);
                Self { message, ..of_room(ApiCode::IllegalMove, *report) }
            }
            Rejection::NoDrawOffer(report) => of_room(ApiCode::NoDrawOffer, *report),
            Rejection::MoveMissing => single_problem(
                ApiCode::InvalidBody,
                "move",
                "is required: the opponent offers no draw, so an offer goes together with a move",
            ),
            // These answer commands that only the hall's operator gives, over another way in.
            Rejection::OperatorNotFound
            | Rejection::SeasonAlreadyOpen
            | Rejection::SeasonNameUsed
            | Rejection::PlayerUnknown
            | Rejection::NothingToChange => {
                tracing::error!(?rejection, "a request was refused for a reason that no request can have");
                ApiCode::Internal.into()
            }
        }
    }
}

impl From<Unavailable> for Failure {
    /// Decision: a hall that is overloaded or restarts is back within seconds; a full disk takes a person.
    fn from(why: Unavailable) -> Self {
        let (message, retry_after) = match why {
            Unavailable::LowDisk => (
                "The hall takes no writes now, because it has too little disk space left. Reads work; no agent loses time by it. Try again later.",
                60,
            ),
            Unavailable::Overloaded => (
                "The hall has more to do than it can do now. Wait as long as Retry-After says, then try again with a fresh challenge.",
                2,
            ),
            Unavailable::Stopping => (
                "The hall is shutting down or restarting. Try again when it is back; no agent loses time by it.",
                5,
            ),
        };
        Self::saying(ApiCode::Unavailable, message).retry_after(retry_after)
    }
}

impl From<ArchiveError> for Failure {
    fn from(error: ArchiveError) -> Self {
        tracing::error!(%error, "something cannot be read from disk");
        ApiCode::Internal.into()
    }
}

impl From<LogError> for Failure {
    fn from(error: LogError) -> Self {
        tracing::error!(%error, "the log cannot be read from disk");
        ApiCode::Internal.into()
    }
}

/// RATE_LIMITED for something else than the number of requests.
pub(crate) fn rate_limited(message: String, retry_after: Span) -> Failure {
    let seconds = seconds(retry_after);
    let data = RetryAfterData { retry_after_seconds: seconds };
    Failure::saying(ApiCode::RateLimited, message).with_data(json!(data)).retry_after(seconds)
}

/// SIG_INVALID for the signature in the `header` or in the `body`, which does not sign `expected`. The message holds
/// nothing but what the caller sent.
pub(crate) fn bad_signature(which: &'static str, expected: String) -> Failure {
    Failure::from(ApiCode::SigInvalid).with_data(json!(WhichSignature { which, expected_message: expected }))
}

/// A refusal of the game room with its report.
pub(crate) fn of_room(code: ApiCode, report: Report) -> Failure {
    Failure::from(code).with_data(json!(RoomReport::from(report)))
}

/// What the third illegal move in a turn led to; none for the first two.
fn third_attempt(report: &Report) -> Option<Cow<'static, str>> {
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

/// Whole seconds, rounded up.
fn seconds(span: Span) -> u64 {
    span.as_millis().div_ceil(1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_time_cures_says_when() {
        let failure = Failure::from(Rejection::QuotaJoins { retry_after: Span::from_millis(1_001) });
        assert_eq!((failure.code, failure.retry_after), (ApiCode::QuotaJoins, Some(2)));
        assert_eq!(Failure::from(Rejection::QuotaConcurrent).retry_after, None);
        for why in [Unavailable::LowDisk, Unavailable::Overloaded, Unavailable::Stopping] {
            assert!(Failure::from(why).retry_after.is_some_and(|seconds| seconds > 0));
        }
    }

    #[test]
    fn a_missing_move_that_only_the_state_forbids_names_its_field() {
        let failure = Failure::from(Rejection::MoveMissing);
        assert_eq!(failure.code, ApiCode::InvalidBody);
        assert_eq!(failure.data.unwrap()["problems"][0]["field"], "move");
    }
}
