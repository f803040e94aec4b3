//! The deterministic core of the hall: it decides and never acts.
//!
//! A [`Command`] is a request, a [`Fact`] an accomplished change and the only thing that changes state, an [`Effect`]
//! an instruction to a shell, a [`Rejection`] a refusal. [`Hall::decide`] looks at the state and answers with a
//! [`Decision`]; [`Hall::apply`] turns facts into state, both in live operation and in recovery.
//!
//! The core has no clock, no source of randomness, no I/O, no threads, no dependence on hash-map order, and no
//! floating point in state. Time comes in as a parameter, randomness through [`Entropy`]. The same commands with the
//! same times and the same entropy give the same facts and the same [`Hall::digest`], on every machine.
//!
//! The hall is a [`desk`] (agents, operators, homologations, seasons, lobbies, quotas, standings, feedback, docket)
//! and [`rooms`] (each game by itself). Beside them are two small pure state machines whose state is not made of facts
//! and is lost at restart on purpose: the [`challenge`] book and the [`rate`] limiter.
#![no_std]
#![warn(clippy::float_arithmetic)]

extern crate alloc;

pub mod challenge;
mod command;
mod decide;
mod decision;
pub mod desk;
mod doorbell;
mod entropy;
mod fact;
#[cfg(feature = "fixtures")]
pub mod fixtures;
mod hall;
mod hall_commands;
mod keys;
mod leaf;
pub mod limits;
mod log;
mod notices;
pub mod rate;
mod rejection;
mod reply;
mod ringing;
mod settings;
mod tagged;

pub use hall_rooms as rooms;

pub use command::{Caller, Command, HallCommand};
pub use decision::{Answer, Decision, Effect};
pub use desk::{
    AdapterKind, DeskCommand, DeskFact, DocketEntry, DocketKind, DocketMatter, DocketText, DocketWording,
    FeedbackKind, Filing, GovernanceCommand, GovernanceFact, JoinLobby, LeaveCause, Lobby, NewAgent,
    NewFeedback, RatedSeat, ToolAccess, Withheld,
};
pub use doorbell::{
    AddressCheck, DoorbellChange, DoorbellCommand, DoorbellFact, RingFailure, RingOutcome, RingReport,
    RingTurn, SuspensionCause,
};
pub use entropy::{Entropy, RecordedEntropy, RecordingEntropy};
pub use fact::{Fact, HallFact};
pub use hall::{Hall, RestoreError};
pub use hall_rooms::{
    BeaconChain, Choice, Division, GameVariant, GameVerdict, GapCause, MoveSubmission, RoomCommand,
    RoomRejection, RoomReply, SeasonId, SignatureCheck, SignedBody, Timing, TurnBrief, TurnStatus, Word,
};
pub use keys::{HallKeys, KeyOccasion, KeyPurpose};
pub use log::LogHead;
pub use rejection::Rejection;
pub use reply::Reply;
pub use ringing::DueRing;
pub use settings::HallSettings;
