//! What the ended games of an agent come to: how it played them, and how it fared against each opponent.
//!
//! None of this is state. It follows from rows and facts that are there already, is derived when somebody asks, and is kept for
//! the next reader: an ended game never changes, so a tally only goes on behind the last end that it has seen.
//!
//! | module | what it derives |
//! |---|---|
//! | `play` | how each seat of one game was played: legal at the first try, forced, how fast |
//! | `tally` | the rated games of an agent by opponent |

mod play;
mod tally;

pub use play::SeatPlay;
pub use tally::{Counted, Pairing, Score, Tally};

use crate::archive::Archive;
use crate::recent::Recent;
use hall_wire::{AgentId, GameId};
use std::sync::{Arc, Mutex};

/// Games whose play is kept.
const PLAYS: usize = 4_096;
/// Agents whose tally is kept.
const TALLIES: usize = 256;

/// What can be derived from the archive, with what was derived last.
pub struct Statistics {
    archive: Archive,
    plays: Mutex<Recent<GameId, Arc<[SeatPlay]>>>,
    tallies: Mutex<Recent<AgentId, Arc<Tally>>>,
}

impl Statistics {
    pub(crate) fn new(archive: Archive) -> Self {
        Self { archive, plays: Mutex::default(), tallies: Mutex::default() }
    }
}
