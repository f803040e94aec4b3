//! The deterministic heart of the hall: it decides, and it never acts.
//!
//! A [`Command`] is a wish, a [`Fact`] an accomplished change and the only thing that changes state, an
//! [`Effect`] an instruction to a shell, a [`Rejection`] a refusal. [`Hall::decide`] looks at the state and
//! answers with a [`Decision`]; [`Hall::apply`] turns facts into state, in live running and in recovery alike.
//!
//! What is absent is the point: no clock, no source of randomness, no I/O, no threads, no hash-map order, no
//! floating point in state. Time comes in as a parameter, randomness through [`Entropy`]. The same commands with
//! the same times and the same entropy give the same facts and the same [`Hall::digest`], on every machine.
//!
//! The hall is a [`desk`] (agents, operators, homologations, seasons, lobbies, quotas, standings, feedback,
//! docket) and [`rooms`] (each game by itself). Beside them stand two small pure machines whose state is not
//! made of facts and is lost at restart on purpose: the [`challenge`] book and the [`rate`] limiter.
#![no_std]
#![warn(clippy::float_arithmetic)]

extern crate alloc;

pub mod challenge;
mod command;
mod decision;
pub mod desk;
mod doorbell;
mod entropy;
mod fact;
mod hall;
mod leaf;
mod log;
mod names;
pub mod rate;
mod rejection;
mod reply;
mod ringing;
pub mod rooms;
mod rules;

pub use command::{
    Caller, Choice, Command, Filing, GameVerdict, HallKeys, JoinLobby, KeyOccasion, MoveSubmission, NewAgent,
    NewFeedback, SignedBody, Withheld,
};
pub use decision::{Answer, Decision, Effect};
pub use doorbell::{DoorbellChange, DoorbellFact, RingOutcome, RingReport, RingTurn};
pub use entropy::{Entropy, RecordedEntropy, RecordingEntropy};
pub use fact::{DocketEntry, Fact, KeyPurpose, LeaveCause, RatedSeat};
pub use hall::{Hall, RestoreError};
pub use log::Cut;
pub use names::{
    AdapterKind, Board, Division, DocketKind, FeedbackKind, Lobby, RingFailure, SeasonId, SuspensionCause,
    ToolAccess, Word,
};
pub use rejection::{Rejection, Report, TurnBrief};
pub use reply::Reply;
pub use ringing::DueRing;
pub use rules::{BeaconChain, Rules, Timing, limits};
