//! The journal on real servers: `.ci/postgres` runs these tests with Debian's PostgreSQL, `cargo test` alone does not.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

#[path = "../../../journal/tests/support/claims.rs"]
mod claims;
mod contract;
mod copies;
mod fencing;
mod lost;
mod ownership;
mod reading;
mod refusals;
mod secrets;
mod server;
mod several;
mod standby;
#[path = "../../../journal/tests/support/mod.rs"]
mod support;
mod tls;
