//! What the hall asks of others over the network. The core never does: it says what it wants to know, and what is
//! learned here comes back to it as a command.
//!
//! | module | what it owns |
//! |---|---|
//! | [`doorbell`] | the endpoints of agents: verified, and rung when a turn waits |
//! | [`beacon`] | the rounds of a drand chain: when they are due, who is asked, and whether the answer is true |
//!
//! Nothing here is trusted: every answer is bounded in size and time, no redirect is followed, and no proxy is taken
//! from the environment. Time comes from outside, connections from a connector that a simulator replaces.

pub mod beacon;
pub mod doorbell;
mod exchange;
