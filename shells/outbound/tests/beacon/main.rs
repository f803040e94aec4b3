//! The beacon client against local relays that speak drand's HTTP API and have real rounds of quicknet.
#![expect(clippy::unwrap_used, reason = "what fails here is the test")]

mod chain;
mod hedging;
mod relay;
mod schedule;
mod simulated;
mod sockets;
mod watching;
