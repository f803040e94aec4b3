//! Facts: accomplished changes, the only thing that changes state.
//!
//! Facts carry results, not only inputs, so that a journal stays readable when an algorithm changes. Each kind is
//! named with its version; a kind that must change gets a new version beside the old one, and journals of every
//! version stay readable. Each owner has its own kinds; in a journal they share one list of names.

use crate::desk::fact::{DeskFact, GovernanceFact};
use crate::doorbell::DoorbellFact;
use crate::keys::KeyPurpose;
use crate::settings::HallSettings;
use crate::tagged::Tagged;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use hall_rooms::{RoomFact, Word};
use hall_wire::{Digest, GameId, Timestamp};
use serde::de::{EnumAccess, VariantAccess as _, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An accomplished change, by owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// Something happened in a room (`room/1`). The start of a game takes its agents out of the lobby. Shared, because
    /// the record, the streams and the spectators all need it.
    Room(Arc<RoomFact>),
    /// Something changed for agents.
    Desk(DeskFact),
    /// Something happened to the doorbell of an agent (`doorbell/1`).
    Doorbell(Box<DoorbellFact>),
    /// The hall's operator changed something.
    Governance(GovernanceFact),
    /// Something changed for the hall as a whole.
    Hall(HallFact),
}

/// What changed for the hall as a whole. `leaf` is the canonical text of the fact's leaf in the hall's log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub enum HallFact {
    /// The hall runs with these settings from now on.
    #[serde(rename = "rules_set/1")]
    SettingsSet {
        /// Core time of the change.
        at: Timestamp,
        #[serde(rename = "rules")]
        settings: HallSettings,
    },
    /// The hall signs with this key from now on.
    #[serde(rename = "key_published/1")]
    KeyPublished {
        /// Core time of the change.
        at: Timestamp,
        purpose: KeyPurpose,
        /// A note verifier key or `whpk_…`.
        public_key: String,
        /// By the previous key of that purpose, lowercase hexadecimal; none for the first.
        signature: Option<String>,
        leaf: String,
    },
    /// An ended game is in the archive and has left memory.
    #[serde(rename = "game_archived/1")]
    GameArchived {
        /// Core time of the change.
        at: Timestamp,
        game: GameId,
    },
    /// The hall signs that its log has this many leaves and this root.
    #[serde(rename = "checkpoint_cut/1")]
    CheckpointTaken {
        /// Core time of the change.
        at: Timestamp,
        /// Leaves.
        size: u64,
        /// Root of the tree over them.
        root: Digest,
    },
    /// The hall plays new games by these versions of their rules, which it had not offered before. First versions are
    /// not told (decision 13.11).
    #[serde(rename = "rules_offered/1")]
    RulesOffered {
        /// Core time of the change.
        at: Timestamp,
        /// Such as `chess/2`.
        versions: Vec<Word>,
    },
    /// The hall shut down cleanly; time counted until then.
    #[serde(rename = "hall_stopped/1")]
    Stopped {
        /// Core time of the change.
        at: Timestamp,
    },
}

impl Fact {
    /// Core time of the change.
    #[must_use]
    pub fn at(&self) -> Timestamp {
        match self {
            Self::Room(fact) => fact.at,
            Self::Desk(fact) => fact.at(),
            Self::Doorbell(fact) => fact.at,
            Self::Governance(fact) => fact.at(),
            Self::Hall(fact) => fact.at(),
        }
    }

    /// The fact of a room, if this is one.
    #[must_use]
    pub fn in_room(&self) -> Option<&RoomFact> {
        if let Self::Room(fact) = self { Some(fact) } else { None }
    }

    /// The canonical text of this fact's leaf in the hall's log, if it has one.
    #[must_use]
    pub fn leaf(&self) -> Option<&str> {
        match self {
            Self::Room(fact) => fact.event.as_ref().map(|event| event.leaf.as_str()),
            Self::Desk(fact) => fact.leaf(),
            Self::Governance(fact) => fact.leaf(),
            Self::Hall(HallFact::KeyPublished { leaf, .. }) => Some(leaf),
            Self::Doorbell(_) | Self::Hall(_) => None,
        }
    }
}

impl HallFact {
    /// Core time of the change.
    #[must_use]
    pub const fn at(&self) -> Timestamp {
        match self {
            Self::SettingsSet { at, .. }
            | Self::KeyPublished { at, .. }
            | Self::GameArchived { at, .. }
            | Self::CheckpointTaken { at, .. }
            | Self::RulesOffered { at, .. }
            | Self::Stopped { at } => *at,
        }
    }
}

impl From<DeskFact> for Fact {
    fn from(fact: DeskFact) -> Self {
        Self::Desk(fact)
    }
}

impl From<DoorbellFact> for Fact {
    fn from(fact: DoorbellFact) -> Self {
        Self::Doorbell(Box::new(fact))
    }
}

impl From<GovernanceFact> for Fact {
    fn from(fact: GovernanceFact) -> Self {
        Self::Governance(fact)
    }
}

impl From<HallFact> for Fact {
    fn from(fact: HallFact) -> Self {
        Self::Hall(fact)
    }
}

impl Serialize for Fact {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Room(fact) => out.serialize_newtype_variant("Fact", 0, "room/1", &**fact),
            Self::Doorbell(fact) => out.serialize_newtype_variant("Fact", 0, "doorbell/1", fact),
            Self::Desk(fact) => fact.serialize(out),
            Self::Governance(fact) => fact.serialize(out),
            Self::Hall(fact) => fact.serialize(out),
        }
    }
}

impl<'de> Deserialize<'de> for Fact {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_enum("Fact", &[], FactVisitor)
    }
}

struct FactVisitor;

impl<'de> Visitor<'de> for FactVisitor {
    type Value = Fact;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a fact")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, input: A) -> Result<Fact, A::Error> {
        let (kind, content) = input.variant::<String>()?;
        match kind.as_str() {
            "room/1" => content.newtype_variant().map(|fact: RoomFact| Fact::Room(Arc::new(fact))),
            "doorbell/1" => content.newtype_variant().map(Fact::Doorbell),
            "rules_set/1" | "key_published/1" | "game_archived/1" | "checkpoint_cut/1"
            | "rules_offered/1" | "hall_stopped/1" => Tagged { tag: &kind, content }.read().map(Fact::Hall),
            "season_opened/1"
            | "season_closed/1"
            | "docket_entered/1"
            | "agent_suspended/1"
            | "agent_restored/1"
            | "operator_suspended/1"
            | "operator_restored/1"
            | "text_withheld/1" => Tagged { tag: &kind, content }.read().map(Fact::Governance),
            _ => Tagged { tag: &kind, content }.read().map(Fact::Desk),
        }
    }
}
