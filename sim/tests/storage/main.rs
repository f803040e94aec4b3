//! The simulated disk and the journal on it: the contract of all journals, every crash, every fault.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../../../shells/journal/tests/support/claims.rs"]
mod claims;
mod contract;
mod crashes;
mod faults;
mod plans;
mod subject;
#[path = "../../../shells/journal/tests/support/mod.rs"]
mod support;
