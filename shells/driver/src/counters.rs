//! What the writer counts, for metrics. Counters only rise; they are not part of the hall's state.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Upper bounds of the commit time histogram, in seconds.
pub const SECONDS_BUCKETS: [f64; 9] = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.2, 1.0, 5.0];

/// Counts since the start of the process.
#[derive(Debug, Default)]
pub struct Counters {
    /// Batches made durable.
    pub commits: AtomicU64,
    /// Records made durable.
    pub records: AtomicU64,
    /// Facts made durable.
    pub facts: AtomicU64,
    /// Commands decided, refused ones included.
    pub commands: AtomicU64,
    /// Gaps noted.
    pub gaps: AtomicU64,
    /// Commands answered without being decided: disk low, stopping, overloaded, draining.
    pub turned_away: AtomicU64,
    /// Snapshots written.
    pub snapshots: AtomicU64,
    /// How often the background scrub has read all records.
    pub scrub_rounds: AtomicU64,
    /// Pieces of damage that the scrub has found; the same piece counts again in the next round.
    pub damage_found: AtomicU64,
    /// Time spent in commits, in microseconds.
    pub commit_micros: AtomicU64,
    /// Commits by duration: one more bucket than [`SECONDS_BUCKETS`], the last without bound.
    pub commit_buckets: [AtomicU64; 10],
}

impl Counters {
    /// Adds to a counter.
    pub fn add(counter: &AtomicU64, more: usize) {
        counter.fetch_add(u64::try_from(more).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    pub(crate) fn commit(&self, took: Duration) {
        let seconds = took.as_secs_f64();
        let place =
            SECONDS_BUCKETS.iter().position(|bound| seconds <= *bound).unwrap_or(SECONDS_BUCKETS.len());
        if let Some(bucket) = self.commit_buckets.get(place) {
            Self::add(bucket, 1);
        }
        self.commit_micros.fetch_add(u64::try_from(took.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
        Self::add(&self.commits, 1);
    }
}
