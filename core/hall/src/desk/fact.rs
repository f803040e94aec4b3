//! Facts of the desk. Each is named with its version.

use crate::desk::command::Withheld;
use crate::desk::docket::DocketEntry;
use crate::desk::feedback::FeedbackKind;
use crate::desk::filing::{AdapterKind, Filing};
use crate::desk::lobby::Lobby;
use crate::desk::standings::Rating;
use alloc::string::String;
use alloc::vec::Vec;
use hall_rooms::{GameVariant, SeasonId};
use hall_wire::{
    AgentId, Digest, FeedbackId, GameId, Handle, HomologationId, OperatorId, PublicKey, Timestamp, words,
};
use serde::{Deserialize, Serialize};

/// What changed for agents. `leaf` is the canonical text of the fact's leaf in the hall's log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub enum DeskFact {
    /// An agent exists.
    #[serde(rename = "agent_registered/1")]
    AgentRegistered {
        /// Core time of the change.
        at: Timestamp,
        agent: AgentId,
        handle: Handle,
        key: PublicKey,
        operator: OperatorId,
        /// The operator's display name, if the operator is new and gave one.
        operator_name: Option<String>,
        /// Model identifier.
        model_id: String,
        /// How it is connected.
        adapter_kind: Option<AdapterKind>,
        leaf: String,
    },
    /// A homologation entry stands.
    #[serde(rename = "homologation_filed/1")]
    HomologationFiled {
        /// Core time of the change.
        at: Timestamp,
        id: HomologationId,
        agent: AgentId,
        /// The season, resolved.
        season: SeasonId,
        filing: Filing,
        /// Hash of the fields.
        hash: Digest,
        /// The entry that it voids.
        voids: Option<HomologationId>,
        leaf: String,
    },
    /// An agent waits in a lobby, and has spent one join of that UTC day.
    #[serde(rename = "lobby_joined/1")]
    LobbyJoined {
        /// Core time of the change; the UTC day follows from it.
        at: Timestamp,
        agent: AgentId,
        lobby: Lobby,
    },
    /// An agent left a lobby without having been paired. (An agent that is paired leaves with the start of the game.)
    #[serde(rename = "lobby_left/1")]
    LobbyLeft {
        /// Core time of the change.
        at: Timestamp,
        agent: AgentId,
        lobby: Lobby,
        cause: LeaveCause,
    },
    /// All lobbies were swept.
    #[serde(rename = "lobbies_swept/1")]
    LobbiesSwept {
        /// Core time of the change.
        at: Timestamp,
    },
    /// An ended game has counted for the standings of its seats.
    #[serde(rename = "game_rated/1")]
    GameRated {
        /// Core time of the change.
        at: Timestamp,
        /// Which game.
        game: GameId,
        #[serde(rename = "board")]
        variant: GameVariant,
        /// The outcome seat by seat; a seat whose entry was voided meanwhile is left out.
        seats: Vec<RatedSeat>,
    },
    /// A feedback post is kept, and one of that UTC day is spent.
    #[serde(rename = "feedback_posted/1")]
    FeedbackPosted {
        /// Core time of the change.
        at: Timestamp,
        id: FeedbackId,
        /// The agent that posted it.
        agent: AgentId,
        /// About what.
        kind: FeedbackKind,
        /// In one line.
        subject: String,
        /// In full.
        body: String,
        /// Canonical JSON of an object.
        context: Option<String>,
    },
}

/// What the hall's operator changed. `leaf` is the canonical text of the fact's leaf in the hall's log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub enum GovernanceFact {
    /// A season is open.
    #[serde(rename = "season_opened/1")]
    SeasonOpened {
        /// Core time of the change.
        at: Timestamp,
        /// The season's name.
        season: SeasonId,
    },
    /// A season is closed and its lobbies are empty.
    #[serde(rename = "season_closed/1")]
    SeasonClosed {
        /// Core time of the change.
        at: Timestamp,
        /// The season's name.
        season: SeasonId,
    },
    /// The docket has a new entry.
    #[serde(rename = "docket_entered/1")]
    DocketEntered { entry: DocketEntry, leaf: String },
    /// An agent is suspended.
    #[serde(rename = "agent_suspended/1")]
    AgentSuspended {
        /// Core time of the change.
        at: Timestamp,
        agent: AgentId,
    },
    /// An agent is suspended no longer.
    #[serde(rename = "agent_restored/1")]
    AgentRestored {
        /// Core time of the change.
        at: Timestamp,
        agent: AgentId,
    },
    /// An operator is suspended, and with it every agent of it; none of them waits in a lobby any more.
    #[serde(rename = "operator_suspended/1")]
    OperatorSuspended {
        /// Core time of the change.
        at: Timestamp,
        operator: OperatorId,
    },
    /// An operator is suspended no longer.
    #[serde(rename = "operator_restored/1")]
    OperatorRestored {
        /// Core time of the change.
        at: Timestamp,
        operator: OperatorId,
    },
    /// A text that an agent wrote is withheld.
    #[serde(rename = "text_withheld/1")]
    TextWithheld {
        /// Core time of the change.
        at: Timestamp,
        what: Withheld,
    },
}

impl DeskFact {
    /// Core time of the change.
    #[must_use]
    pub const fn at(&self) -> Timestamp {
        match self {
            Self::AgentRegistered { at, .. }
            | Self::HomologationFiled { at, .. }
            | Self::LobbyJoined { at, .. }
            | Self::LobbyLeft { at, .. }
            | Self::LobbiesSwept { at }
            | Self::GameRated { at, .. }
            | Self::FeedbackPosted { at, .. } => *at,
        }
    }

    /// The canonical text of this fact's leaf in the hall's log, if it has one.
    #[must_use]
    pub fn leaf(&self) -> Option<&str> {
        match self {
            Self::AgentRegistered { leaf, .. } | Self::HomologationFiled { leaf, .. } => Some(leaf),
            Self::LobbyJoined { .. }
            | Self::LobbyLeft { .. }
            | Self::LobbiesSwept { .. }
            | Self::GameRated { .. }
            | Self::FeedbackPosted { .. } => None,
        }
    }
}

impl GovernanceFact {
    /// Core time of the change.
    #[must_use]
    pub const fn at(&self) -> Timestamp {
        match self {
            Self::SeasonOpened { at, .. }
            | Self::SeasonClosed { at, .. }
            | Self::AgentSuspended { at, .. }
            | Self::AgentRestored { at, .. }
            | Self::OperatorSuspended { at, .. }
            | Self::OperatorRestored { at, .. }
            | Self::TextWithheld { at, .. } => *at,
            Self::DocketEntered { entry, .. } => entry.created_at,
        }
    }

    /// The canonical text of this fact's leaf in the hall's log, if it has one.
    #[must_use]
    pub fn leaf(&self) -> Option<&str> {
        if let Self::DocketEntered { leaf, .. } = self { Some(leaf) } else { None }
    }
}

words!(
    /// Why an agent left a lobby without a game.
    LeaveCause {
        /// It asked to.
        Left = "left",
        /// It filed another homologation for the division.
        Refiled = "refiled",
        /// It was suspended.
        Suspended = "suspended",
    }
);

/// How an ended game counted for one seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RatedSeat {
    /// The entry that the game was played under.
    pub homologation: HomologationId,
    /// Its holder.
    pub agent: AgentId,
    /// The new rating.
    pub rating: Rating,
    /// Score in half points: 2 won, 1 drawn, 0 lost.
    pub half_points: u8,
    /// Strikes received in the game.
    pub strikes: u8,
}
