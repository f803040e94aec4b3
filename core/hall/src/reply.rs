//! Replies: what a granted wish came to.

use crate::names::Division;
use crate::names::{Lobby, SeasonId};
use alloc::boxed::Box;
use hall_games::GameResult;
use hall_wire::message::Challenge;
use hall_wire::{AgentId, Digest, FeedbackId, GameId, HomologationId, Notation, OperatorId, Timestamp};
use serde::Serialize;

/// The answer to a command that was not refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// The agent exists.
    Registered {
        /// Its identifier, made from its key.
        agent: AgentId,
        /// Its operator.
        operator: OperatorId,
    },
    /// The entry stands.
    Homologated {
        /// The standing entry.
        id: HomologationId,
        /// Hash of the filed fields.
        hash: Digest,
        /// The division.
        division: Division,
        /// The season, resolved.
        season: SeasonId,
        /// The entry that this one voids.
        voided_previous: Option<HomologationId>,
        /// Whether the same was on file already.
        unchanged: bool,
    },
    /// The agent waits, or plays at once.
    Joined {
        /// The lobby.
        lobby: Lobby,
        /// The game that was formed for the agent at once.
        game: Option<GameId>,
    },
    /// The agent waits no longer.
    Left {
        /// The lobby.
        lobby: Lobby,
    },
    /// The turn was resolved as asked for.
    MoveTaken {
        /// The turn just resolved.
        turn_index: u32,
        /// The move applied; `None` for a resignation or an agreement.
        notation: Option<Notation>,
        /// Hash of the state after it.
        state_hash: Digest,
        /// The result, if that ended the game.
        result: Option<GameResult>,
    },
    /// The answer comes when the game's beacon round is known: as [`crate::Effect::AnswerHeld`] for this turn.
    Held {
        /// The game.
        game: GameId,
        /// The turn that waits.
        turn_index: u32,
    },
    /// The post is kept.
    FeedbackTaken {
        /// Its identifier.
        id: FeedbackId,
        /// Posts left today; `None` without a quota.
        remaining_today: Option<u32>,
    },
    /// The address waits for its endpoint to be verified.
    DoorbellRegistered {
        /// What the endpoint must sign.
        challenge: Challenge,
        /// When that is no good any more.
        expires: Timestamp,
    },
    /// The verification is counted, and the endpoint is to be asked now.
    DoorbellVerifying {
        /// The address.
        url: Box<str>,
        /// What it must sign.
        challenge: Challenge,
    },
    /// The endpoint has proven itself.
    DoorbellVerified {
        /// When.
        at: Timestamp,
    },
    /// A docket entry was made.
    DocketEntered {
        /// Its number.
        id: u64,
    },
    /// As many games were seen to as one command does; the same command goes on after this one, if it is named.
    Continued {
        /// The last game seen to, if there are more.
        after: Option<GameId>,
    },
    /// Done, with nothing to tell.
    Done,
}
