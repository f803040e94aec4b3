//! Replies to commands that were granted.

use crate::desk::lobby::Lobby;
use alloc::boxed::Box;
use hall_rooms::{Division, RoomReply, SeasonId};
use hall_wire::message::Challenge;
use hall_wire::{AgentId, Digest, FeedbackId, GameId, HomologationId, OperatorId, Timestamp};
use serde::{Deserialize, Serialize};

/// The answer to a command that was not refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub enum Reply {
    /// The agent exists.
    Registered {
        /// Its identifier, made from its key.
        agent: AgentId,
        operator: OperatorId,
    },
    /// The entry stands.
    Homologated {
        id: HomologationId,
        /// Hash of the filed fields.
        hash: Digest,
        division: Division,
        /// The season, resolved.
        season: SeasonId,
        /// The entry that this one voids.
        voided_previous: Option<HomologationId>,
        /// Whether the same was on file already.
        unchanged: bool,
    },
    /// The agent waits, or was paired immediately.
    Joined {
        lobby: Lobby,
        /// The game, if the agent was paired immediately.
        game: Option<GameId>,
    },
    /// The agent waits no longer.
    Left { lobby: Lobby },
    /// The post is kept.
    FeedbackTaken {
        id: FeedbackId,
        /// Posts left today; `None` without a quota.
        remaining_today: Option<u32>,
    },
    /// The address waits for its endpoint to be verified.
    DoorbellRegistered {
        /// What the endpoint must sign.
        challenge: Challenge,
        /// When the challenge expires.
        expires: Timestamp,
    },
    /// The verification is counted, and the endpoint is to be asked now.
    DoorbellVerifying {
        url: Box<str>,
        /// What it must sign.
        challenge: Challenge,
    },
    /// The endpoint has proven itself.
    DoorbellVerified {
        /// When it became true.
        at: Timestamp,
    },
    /// A docket entry was made.
    DocketEntered { id: u64 },
    /// Done; there is nothing to report.
    Done,
    /// A room granted it.
    #[serde(untagged)]
    Room(RoomReply),
}
