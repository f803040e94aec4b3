//! Facts: accomplished changes, the only thing that changes state.
//!
//! Facts carry results, not only inputs, so that a journal stays readable when an algorithm changes. Each kind
//! is named with its version; a kind that must change gets a new version beside the old one, and journals of
//! every version are read for ever.

use crate::command::{Filing, Withheld};
use crate::desk::Rating;
use crate::doorbell::DoorbellFact;
use crate::names::{AdapterKind, Board, DocketKind, FeedbackKind, Lobby, SeasonId};
use crate::rooms::RoomFact;
use crate::rules::Rules;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use hall_wire::{
    AgentId, Digest, FeedbackId, GameId, Handle, HomologationId, OperatorId, PublicKey, Timestamp,
};
use serde::{Deserialize, Serialize};

/// An accomplished change. `leaf` is the canonical text of the fact's leaf in the hall's log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fact {
    /// The hall runs with these settings from now on.
    #[serde(rename = "rules_set/1")]
    RulesSet {
        /// When.
        at: Timestamp,
        /// The settings.
        rules: Rules,
    },
    /// The hall signs with this key from now on.
    #[serde(rename = "key_published/1")]
    KeyPublished {
        /// When.
        at: Timestamp,
        /// What it signs.
        purpose: KeyPurpose,
        /// A note verifier key or `whpk_…`.
        public_key: String,
        /// By the previous key of that purpose, lowercase hexadecimal; none for the first.
        signature: Option<String>,
        /// The leaf.
        leaf: String,
    },
    /// An agent exists.
    #[serde(rename = "agent_registered/1")]
    AgentRegistered {
        /// When.
        at: Timestamp,
        /// Who.
        agent: AgentId,
        /// Its handle.
        handle: Handle,
        /// Its key.
        key: PublicKey,
        /// Its operator.
        operator: OperatorId,
        /// The operator's display name, if the operator is new and gave one.
        operator_name: Option<String>,
        /// Model identifier.
        model_id: String,
        /// How it is connected.
        adapter_kind: Option<AdapterKind>,
        /// The leaf.
        leaf: String,
    },
    /// A homologation entry stands.
    #[serde(rename = "homologation_filed/1")]
    HomologationFiled {
        /// When.
        at: Timestamp,
        /// The entry.
        id: HomologationId,
        /// Whose.
        agent: AgentId,
        /// The season, resolved.
        season: SeasonId,
        /// The fields.
        filing: Filing,
        /// Hash of the fields.
        hash: Digest,
        /// The entry that it voids.
        voids: Option<HomologationId>,
        /// The leaf.
        leaf: String,
    },
    /// A season is open.
    #[serde(rename = "season_opened/1")]
    SeasonOpened {
        /// When.
        at: Timestamp,
        /// Which.
        season: SeasonId,
    },
    /// A season is closed, and nobody waits in its lobbies any more.
    #[serde(rename = "season_closed/1")]
    SeasonClosed {
        /// When.
        at: Timestamp,
        /// Which.
        season: SeasonId,
    },
    /// An agent waits in a lobby, and has spent one join of that UTC day.
    #[serde(rename = "lobby_joined/1")]
    LobbyJoined {
        /// When; the UTC day follows from it.
        at: Timestamp,
        /// Who.
        agent: AgentId,
        /// Where.
        lobby: Lobby,
    },
    /// An agent waits no longer, without having been paired. (Pairing is told by the start of the game.)
    #[serde(rename = "lobby_left/1")]
    LobbyLeft {
        /// When.
        at: Timestamp,
        /// Who.
        agent: AgentId,
        /// Where.
        lobby: Lobby,
        /// Why.
        cause: LeaveCause,
    },
    /// All lobbies were swept.
    #[serde(rename = "lobbies_swept/1")]
    LobbiesSwept {
        /// When.
        at: Timestamp,
    },
    /// Something happened in a room. The start of a game takes its agents out of the lobby. Shared, because the
    /// record, the streams and whoever watches all want it.
    #[serde(rename = "room/1")]
    Room(#[serde(with = "shared")] Arc<RoomFact>),
    /// An ended game has counted for the standings of its seats.
    #[serde(rename = "game_rated/1")]
    GameRated {
        /// When.
        at: Timestamp,
        /// Which game.
        game: GameId,
        /// What was played.
        board: Board,
        /// The outcome seat by seat; a seat whose entry was voided meanwhile is left out.
        seats: Vec<RatedSeat>,
    },
    /// An ended game is in the archive and has left memory.
    #[serde(rename = "game_archived/1")]
    GameArchived {
        /// When.
        at: Timestamp,
        /// Which.
        game: GameId,
    },
    /// A text that an agent wrote is shown no more.
    #[serde(rename = "text_withheld/1")]
    TextWithheld {
        /// When.
        at: Timestamp,
        /// Which.
        what: Withheld,
    },
    /// The hall signs that its log has this many leaves and this root.
    #[serde(rename = "checkpoint_cut/1")]
    CheckpointCut {
        /// When.
        at: Timestamp,
        /// Leaves.
        size: u64,
        /// Root of the tree over them.
        root: Digest,
    },
    /// The hall stopped in good order: until then time counted.
    #[serde(rename = "hall_stopped/1")]
    HallStopped {
        /// When.
        at: Timestamp,
    },
    /// A feedback post is kept, and one of that UTC day is spent.
    #[serde(rename = "feedback_posted/1")]
    FeedbackPosted {
        /// When.
        at: Timestamp,
        /// The entry.
        id: FeedbackId,
        /// By whom.
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
    /// The docket has a new entry.
    #[serde(rename = "docket_entered/1")]
    DocketEntered {
        /// The entry.
        entry: DocketEntry,
        /// The leaf.
        leaf: String,
    },
    /// Something happened to the doorbell of an agent.
    #[serde(rename = "doorbell/1")]
    Doorbell(Box<DoorbellFact>),
    /// An agent is suspended.
    #[serde(rename = "agent_suspended/1")]
    AgentSuspended {
        /// When.
        at: Timestamp,
        /// Who.
        agent: AgentId,
    },
    /// An agent is suspended no longer.
    #[serde(rename = "agent_restored/1")]
    AgentRestored {
        /// When.
        at: Timestamp,
        /// Who.
        agent: AgentId,
    },
    /// An operator is suspended, and with it every agent of it; none of them waits in a lobby any more.
    #[serde(rename = "operator_suspended/1")]
    OperatorSuspended {
        /// When.
        at: Timestamp,
        /// Who.
        operator: OperatorId,
    },
    /// An operator is suspended no longer.
    #[serde(rename = "operator_restored/1")]
    OperatorRestored {
        /// When.
        at: Timestamp,
        /// Who.
        operator: OperatorId,
    },
}

impl Fact {
    /// When it became true.
    #[must_use]
    pub fn at(&self) -> Timestamp {
        match self {
            Self::RulesSet { at, .. }
            | Self::KeyPublished { at, .. }
            | Self::AgentRegistered { at, .. }
            | Self::HomologationFiled { at, .. }
            | Self::SeasonOpened { at, .. }
            | Self::SeasonClosed { at, .. }
            | Self::LobbyJoined { at, .. }
            | Self::LobbyLeft { at, .. }
            | Self::LobbiesSwept { at }
            | Self::GameRated { at, .. }
            | Self::FeedbackPosted { at, .. }
            | Self::AgentSuspended { at, .. }
            | Self::AgentRestored { at, .. }
            | Self::OperatorSuspended { at, .. }
            | Self::OperatorRestored { at, .. }
            | Self::GameArchived { at, .. }
            | Self::CheckpointCut { at, .. }
            | Self::TextWithheld { at, .. }
            | Self::HallStopped { at } => *at,
            Self::Room(fact) => fact.at,
            Self::Doorbell(fact) => fact.at,
            Self::DocketEntered { entry, .. } => entry.created_at,
        }
    }

    /// What happened in a room, if that is what this fact tells.
    #[must_use]
    pub fn in_room(&self) -> Option<&RoomFact> {
        if let Self::Room(fact) = self { Some(fact) } else { None }
    }

    /// The canonical text of this fact's leaf in the hall's log, if it has one.
    #[must_use]
    pub fn leaf(&self) -> Option<&str> {
        match self {
            Self::KeyPublished { leaf, .. }
            | Self::AgentRegistered { leaf, .. }
            | Self::HomologationFiled { leaf, .. }
            | Self::DocketEntered { leaf, .. } => Some(leaf),
            Self::Room(fact) => fact.event.as_ref().map(|event| event.leaf.as_str()),
            Self::RulesSet { .. }
            | Self::SeasonOpened { .. }
            | Self::SeasonClosed { .. }
            | Self::LobbyJoined { .. }
            | Self::LobbyLeft { .. }
            | Self::LobbiesSwept { .. }
            | Self::GameRated { .. }
            | Self::GameArchived { .. }
            | Self::CheckpointCut { .. }
            | Self::TextWithheld { .. }
            | Self::HallStopped { .. }
            | Self::FeedbackPosted { .. }
            | Self::Doorbell(_)
            | Self::AgentSuspended { .. }
            | Self::AgentRestored { .. }
            | Self::OperatorSuspended { .. }
            | Self::OperatorRestored { .. } => None,
        }
    }
}

/// What a key of the hall signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyPurpose {
    /// Checkpoints of the log and the official document.
    Log,
    /// Doorbell rings.
    Ring,
}

impl KeyPurpose {
    /// The written word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Log => "log",
            Self::Ring => "ring",
        }
    }
}

/// Why an agent left a lobby without a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeaveCause {
    /// It asked to.
    Left,
    /// It filed another homologation for the division.
    Refiled,
    /// It was suspended.
    Suspended,
}

/// An entry of the public docket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocketEntry {
    /// 1, 2, 3, …
    pub id: u64,
    /// What it is about.
    pub kind: DocketKind,
    /// In one line.
    pub subject: String,
    /// Why.
    pub reason: String,
    /// What follows from it.
    pub disposition: Option<String>,
    /// When.
    pub created_at: Timestamp,
}

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

/// Writes and reads a shared value as what it holds.
mod shared {
    use alloc::sync::Arc;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<T: Serialize, S: Serializer>(value: &Arc<T>, out: S) -> Result<S::Ok, S::Error> {
        T::serialize(value, out)
    }

    pub(super) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        input: D,
    ) -> Result<Arc<T>, D::Error> {
        T::deserialize(input).map(Arc::new)
    }
}
