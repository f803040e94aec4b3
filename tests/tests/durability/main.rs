//! Acknowledged results stay, whatever happens to the process and the files of the hall.
//!
//! `HALL_KILLS` and `HALL_DAMAGES` set how many kills and damages are tried (defaults fit a test run),
//! `HALL_SEED` repeats a run that failed.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking; the helpers beside the test functions too"
)]

mod damage;
mod export;
mod gaps;
mod kills;
mod ledger;
mod lifecycle;
mod log;
mod player;

/// A number from the environment, else `fallback`.
fn setting(name: &str, fallback: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(fallback)
}
