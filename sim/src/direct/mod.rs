//! The direct world: a virtual clock, no sockets, tens of thousands of agents, months in minutes.
//!
//! Here the real core runs under the real writer on a simulated disk. Only the transport between agents and hall is
//! simulated: messages with delays and losses instead of sockets, and a gate that checks what the real one checks
//! (challenge, signature, spending) in the same order. HTTP itself is left to the other world.

mod actor;
mod agenda;
mod beacon;
mod bells;
mod gate;
mod host;
mod inside;
mod keeper;
mod keyring;
mod last_moment;
mod network;
mod population;
mod process;
mod readers;
mod shown;
mod store;
mod tally;
mod traffic;
mod trouble;
mod watch;
mod wording;
mod world;

pub(crate) use actor::{Actor, Sent};
pub use gate::{Gate, Gated, SignedRequest};
pub(crate) use gate::{
    answer_brief, carry_out, challenge_code, known_agent, my_games, refused, unavailable_brief, view,
};
pub(crate) use host::Recorder;
pub use host::{Host, HostClock, Observed, Start, UnderWay};
pub(crate) use keyring::Keyring;
pub use network::{Delivery, NetworkConditions};
pub(crate) use population::actors;
pub(crate) use watch::{fold, records};
pub(crate) use wording::TOKEN;
pub use world::{Recording, World};
