//! Checks the replay of an ended game (decision 6.4) and says of each claim whether it holds.
//!
//! [`verify`] takes the bytes as a hall serves them. What the caller trusts beforehand is in [`Trust`]: the log's
//! key, drand chains, witnesses. What cannot be checked with that, or cannot be checked at all, is said to be not
//! checked and why; it is never passed over.
//!
//! ```
//! use hall_verify::replay::{Trust, verify};
//!
//! let problem = verify(b"{\"ok\":true}", &Trust::default()).unwrap_err();
//! assert_eq!(problem.to_string(), "it is not a replay: it has no version, game_id, events and moves");
//! ```

mod chain;
mod checks;
mod document;
mod early;
pub mod quicknet;
mod report;
mod rules;
mod trust;

pub use chain::{ChainProblem, TrustedChain};
pub use document::UnreadableReplay;
pub use early::EarlyProof;
pub use report::{Claim, ClaimId, ReplayReport, Verdict};
pub use trust::{RoundCache, Trust};

use document::Replay;
use report::Ledger;

/// Checks a replay, bare or in its envelope.
///
/// # Errors
/// The bytes are not strict JSON, or are no replay at all. A replay with a fault is no error: its report says so.
pub fn verify(bytes: &[u8], trust: &Trust) -> Result<ReplayReport, UnreadableReplay> {
    verify_with(bytes, trust, &mut RoundCache::default())
}

/// The same, for many replays: each drand round is checked once for all that share `rounds`.
///
/// # Errors
/// As [`verify`].
pub fn verify_with(
    bytes: &[u8],
    trust: &Trust,
    rounds: &mut RoundCache,
) -> Result<ReplayReport, UnreadableReplay> {
    let read = document::read(bytes)?;
    let mut ledger = Ledger::new();
    match Replay::of(&read.value) {
        Ok((replay, unknown)) => {
            checks::document(&replay, &read.numbers, &unknown, &mut ledger);
            checks::all(&replay, trust, rounds, &mut ledger);
            Ok(ledger.finish(replay.game_id.to_string()))
        }
        Err(problem) => {
            ledger.fail(ClaimId::Document, problem.to_string());
            ledger.leave_rest("the document could not be read");
            Ok(ledger.finish(document::named_game(&read.value)))
        }
    }
}
