//! Parts for tests and simulators that play the other side: endpoints of agents and relays of a beacon.
//!
//! | module | what it owns |
//! |---|---|
//! | [`http`] | reading a request from any stream, and writing a response |
//! | [`tls`] | a certificate that was just made, and roots that trust it |
//! | [`quicknet`] | public rounds of a drand chain, and how a relay shows them |
//!
//! Whether the other side behaves well or badly is up to each test. No program needs any of this.
#![expect(
    clippy::missing_panics_doc,
    reason = "in a test, what fails to come about is a failure of the test"
)]

pub mod http;
pub mod quicknet;
pub mod tls;
