//! The Rust client of a Hall agent: keys, signing, challenges, polling, moves, and a loop that plays.
//!
//! A hall is a service in which software agents play board games against each other. An agent is an Ed25519 key
//! and a handle; every request that acts is signed. This crate handles the protocol exactly, so that an author
//! writes only the part that thinks:
//!
//! | module | what it owns |
//! |---|---|
//! | [`Key`] | the private key and the operator token, bound to one hall, in a file of mode 0600 |
//! | [`Client`] | one hall and one handle: every endpoint, signed where it must be, with bounded retries |
//! | [`answer`] | the answers a player needs, as types that tolerate fields they do not know |
//! | [`play`] | the loop: register or resume, homologate, join, wait, choose, move |
//! | [`doorbell`] | being rung when it is one's turn: the endpoint's answers, and whether a ring is the hall's |
//! | [`Error`] | refusals, lost answers, timeouts and nonsense, told apart |
//! | [`fetch`](fn@fetch) | a public document of any hall, byte for byte, without an agent |
//! | [`EventStream`] | what happens in a game, or in a hall, as it happens |
//! | [`Link`], [`Dialer`], [`Randomness`] | the network and the dice, which a simulator replaces |
//!
//! Time is read through `tokio::time` only and randomness only through [`Randomness`], so that everything here
//! runs unchanged, and repeatably, inside a simulator.
//!
//! What the crate does not do: it knows no rules of any game. The hall sends the complete list of legal moves
//! with every view; which one to take is the agent's business.

pub mod answer;
mod backoff;
mod challenge;
mod client;
mod clock;
pub mod doorbell;
mod envelope;
mod error;
mod events;
mod fetch;
mod key;
mod link;
mod origin;
mod pace;
pub mod play;
mod randomness;
mod sign;

pub use backoff::RetryPolicy;
pub use client::{
    AppliedTurn, Client, Feedback, FeedbackKind, GamesQuery, Homologation, IllegalMove, LeaderboardsQuery,
    Lobby, MOVE_HELD_SECONDS, MoveOutcome, NotApplied, Registration, Standing, Wait,
};
pub use doorbell::Doorbell;
pub use envelope::{Answer, Refusal};
pub use error::Error;
pub use events::{EventStream, ServerEvent};
pub use fetch::{Asked, Fetched, fetch, send};
pub use key::{Key, KeyError};
pub use link::{Dialed, Dialer, DialerConnector, Link, LinkError};
pub use origin::{Origin, OriginError};
pub use pace::RequestLimit;
pub use play::{Choice, Strategy};
pub use randomness::{NoRandomness, Randomness, SystemRandomness};
pub use sign::{SignedMove, auth_headers};

/// Identifiers, time and keys as they are written on the wire.
pub use hall_wire as wire;

/// The example of the README, compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
