//! Commands: what agents, the hall's operator and the hall itself may ask for.
//!
//! A command comes from a request whose shape, header signature and challenge a shell has checked already; what
//! depends on state is checked here. Commands are journaled with their decision, so they hold no secrets, and
//! signed bodies are kept once, in the facts. Each owner has its own kinds; in a journal they share one list of names.

use crate::desk::command::{DeskCommand, GovernanceCommand};
use crate::doorbell::DoorbellCommand;
use crate::keys::{HallKeys, KeyOccasion, KeyPurpose};
use crate::settings::HallSettings;
use crate::tagged::Tagged;
use alloc::string::String;
use core::fmt;
use hall_rooms::RoomCommand;
use hall_wire::{AgentId, Digest, GameId, Signature};
use serde::de::{EnumAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Caller {
    /// An agent whose header signature was verified.
    Agent(AgentId),
    /// The hall's operator, through the admin socket.
    Operator,
    /// The hall itself, or somebody who is not registered yet.
    Hall,
}

/// A command, by owner. The caller is named beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Command {
    /// To a room.
    Room(RoomCommand),
    /// From an agent to the desk.
    Desk(DeskCommand),
    /// To a doorbell.
    Doorbell(DoorbellCommand),
    /// From the hall's operator to the desk.
    Governance(GovernanceCommand),
    /// To the hall as a whole.
    Hall(HallCommand),
}

/// A command to the hall as a whole. The serialized names stand in journals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub enum HallCommand {
    /// The hall begins to run: the settings in force are fixed, and a first season is opened if there was none.
    #[serde(rename = "start_hall")]
    Start {
        #[serde(rename = "rules")]
        settings: HallSettings,
        /// The public keys of the hall, which are the first two leaves of its log.
        keys: HallKeys,
    },
    /// The hall shuts down cleanly.
    #[serde(rename = "stop_hall")]
    Stop,
    /// Time has passed: the next due thing is done (a missed deadline, the end of a wait, a pairing sweep).
    #[serde(rename = "sweep")]
    Sweep,
    /// Another key takes the place of one of the hall's own.
    #[serde(rename = "replace_key")]
    ReplaceKey {
        purpose: KeyPurpose,
        /// A note verifier key or `whpk_…`.
        public_key: String,
        /// The key whose place it takes, which has signed it: nothing is replaced if it is no longer the present one. `None`
        /// in commands of before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        replaces: Option<String>,
        /// By the old key over [`hall_wire::message::key_succession`]; a shell has made it.
        signature: Signature,
        /// The occasion of the change.
        occasion: KeyOccasion,
        /// Why, for the docket.
        reason: String,
    },
    /// The log has grown: what it holds now is to be signed (decision 8.2). The shell that keeps the tree names its size
    /// and root; that they are to be signed is durable before they are.
    #[serde(rename = "cut_checkpoint")]
    TakeCheckpoint {
        /// Leaves of the log.
        size: u64,
        /// Root of the tree.
        root: Digest,
    },
    /// An ended game is durable in the archive and may leave memory.
    #[serde(rename = "archive_game")]
    ArchiveGame { game: GameId },
}

impl Command {
    /// Time has passed: the next due thing is done.
    pub const SWEEP: Self = Self::Hall(HallCommand::Sweep);

    /// Whether an agent may send this command; all others are for the hall and its operator.
    #[must_use]
    pub const fn is_open_to_agents(&self) -> bool {
        match self {
            Self::Desk(what) => !matches!(what, DeskCommand::RegisterAgent(_)),
            Self::Doorbell(what) => match what {
                DoorbellCommand::Register { .. }
                | DoorbellCommand::BeginVerification
                | DoorbellCommand::Disable => true,
                DoorbellCommand::Confirm { .. } | DoorbellCommand::ReportRing(_) => false,
            },
            Self::Room(what) => matches!(what, RoomCommand::Submit(_)),
            Self::Governance(_) | Self::Hall(_) => false,
        }
    }
}

impl<'de> Deserialize<'de> for Command {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_enum("Command", &[], CommandVisitor)
    }
}

struct CommandVisitor;

impl<'de> Visitor<'de> for CommandVisitor {
    type Value = Command;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a command")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, input: A) -> Result<Command, A::Error> {
        let (kind, content) = input.variant::<String>()?;
        let tagged = Tagged { tag: &kind, content };
        match kind.as_str() {
            "submit_move" | "decide_game" | "vacate_seat" | "note_gap" | "receive_beacon" => {
                tagged.read().map(Command::Room)
            }
            "register_agent" | "file_homologation" | "join_lobby" | "leave_lobby" | "post_feedback" => {
                tagged.read().map(Command::Desk)
            }
            "register_doorbell"
            | "begin_doorbell_verification"
            | "disable_doorbell"
            | "confirm_doorbell"
            | "report_ring" => tagged.read().map(Command::Doorbell),
            "start_hall" | "stop_hall" | "sweep" | "replace_key" | "cut_checkpoint" | "archive_game" => {
                tagged.read().map(Command::Hall)
            }
            _ => tagged.read().map(Command::Governance),
        }
    }
}
