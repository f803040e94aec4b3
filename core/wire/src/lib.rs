//! Formats shared by hall, agents and verifiers: identifiers, time, text, JSON and signatures.
//!
//! Everything here is a format: the bytes that cross the wire, that are hashed and that are signed. The crate
//! holds no state, reads no clock, draws no randomness and does no I/O, so that the hall's core, the client and
//! a verifier can share it and can never disagree about a byte.
//!
//! | module | what it owns |
//! |---|---|
//! | [`id`] | `a_…`, `g_…` and their kin, players `p0`, `p1`, … |
//! | [`time`] | timestamps and spans in integer milliseconds |
//! | [`text`] | handles, bounded plain text, hexadecimal, percent-encoding |
//! | [`json`] | strict parsing and the canonical form (RFC 8785) |
//! | [`key`] | Ed25519 keys and signatures, verified strictly |
//! | [`message`] | the exact strings that are signed or hashed |
//! | [`roll`] | commitment to a seed, and the rolls made from it |
//! | [`merkle`] | the tree of the log: hashes, roots, inclusion and consistency paths |
//! | [`note`] | checkpoints as signed notes |
//! | [`words!`] | enums of fixed words |
#![no_std]
#![warn(clippy::float_arithmetic)]

extern crate alloc;

pub mod digest;
pub mod id;
mod inline_text;
pub mod json;
pub mod key;
pub mod merkle;
pub mod message;
pub mod note;
pub mod roll;
pub mod text;
pub mod time;
mod words;

pub use digest::Digest;
pub use id::{AgentId, FeedbackId, GameId, HomologationId, OperatorId, Player, RingId};
pub use inline_text::{InlineText, LONGEST_NOTATION, Notation};
pub use key::{PublicKey, Signature};
pub use text::Handle;
pub use time::{Span, Timestamp};
