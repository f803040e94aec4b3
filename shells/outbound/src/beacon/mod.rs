//! The randomness beacon: a client of drand's HTTP API, version 1 (decision 6).
//!
//! | module | what it owns |
//! |---|---|
//! | `chain` | a pinned chain: when a round is due, and whether a signature is its own |
//! | `relay`, `answer` | one relay: where it has a round, what it may answer, and what else it does |
//! | `relays` | all of them: who is asked first, who next, and when to give up |
//! | `schedule` | which round is fetched when, as a plain value without clock or network |
//! | `watch` | the loop that ties them together |
//! | `games` | the same for the games of a running hall |
//!
//! **The invariant:** a [`VerifiedRound`] exists only if its signature was checked against the chain's pinned key, and
//! its randomness is the hash of that signature. A relay's `randomness` field is not read at all. So the worst that
//! all relays together can do is to send no valid round.

mod answer;
mod chain;
mod games;
mod relay;
mod relays;
mod schedule;
mod watch;

pub use chain::{ChainError, DrandChain, RoundId, UnverifiedRound, VerifiedRound};
pub use games::serve_games;
pub use relay::RelayError;
pub use relays::{FetchError, RelayLimits, Relays, RelaysError};
pub use schedule::{RoundSchedule, RoundStep};
pub use watch::{RoundReport, run};

/// Relays of the default chain (decision 6.1), in the order in which they are asked.
pub const DEFAULT_RELAYS: [&str; 4] = [
    "https://api.drand.sh",
    "https://api2.drand.sh",
    "https://api3.drand.sh",
    "https://drand.cloudflare.com",
];
