//! What the hall asks of others over the network. The core never does: it says what it wants to know, and what is
//! learned here comes back to it as a command.
//!
//! | module | what it owns |
//! |---|---|
//! | [`doorbell`] | the endpoints of agents: verified, and rung when a turn waits |
//! | [`beacon`] | the rounds of a drand chain: when they are due, who is asked, and whether the answer is true |
//! | [`witness`] | submitting checkpoints of the log to a witness, and whether its cosignature is one |
//!
//! Nothing here is trusted: every answer is bounded in size and time, no redirect is followed, and no proxy is taken
//! from the environment. Time comes from outside, connections from a connector that a simulator replaces.

mod base_url;
pub mod beacon;
pub mod doorbell;
mod exchange;
#[cfg(feature = "fixtures")]
pub mod fixtures;
pub mod witness;

pub use base_url::{BaseUrl, BaseUrlError};
