//! The hall in a process that does not write: it applies what is durable, shows it, and can become the writer.

use crate::archive::Archive;
use crate::arrivals::Arrivals;
use crate::clock::HallClock;
use crate::commits::Committed;
use crate::durable::Durable;
use crate::ends::{EndKey, NewestEnds};
use crate::engine::Engine;
use crate::hall_events::HallEvents;
use crate::log::{FillError, LogReader};
use crate::play_counts::PlayCounter;
use crate::record::RecordedFacts;
use crate::recovery::{RecoverError, Recovered, decode, recover};
use crate::shared::{Drain, Lead, Shared, State};
use crate::start_error::{FollowError, StartError};
use crate::statistics::Statistics;
use crate::watched::Watched;
use crate::writer::effects::Effects;
use hall_core::{Fact, Hall};
use hall_games::Catalog;
use hall_journal::backend_parts::next_head;
use hall_journal::{Head, JournalReader, Record};
use hall_wire::Timestamp;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// Records read at a time.
const PAGE: usize = 256;

/// What a hall follows.
pub struct FollowOptions {
    /// The games on offer.
    pub catalog: Catalog,
    /// The journal that another process may be writing.
    pub reader: Arc<dyn JournalReader>,
    /// The record up to which the journal is known to be durable; `None` where everything that it shows is.
    pub until: Option<u64>,
    /// The hall's clock.
    pub clock: Arc<dyn HallClock>,
    /// Whether checkpoints of the log are published from the start, and signed when this process leads.
    pub signing: bool,
}

/// A hall that follows a journal which another process may be writing.
///
/// Shells use its [`Engine`] as they use that of a writer: the same value goes on when this process leads.
pub struct Follower {
    pub(crate) shared: Arc<Shared>,
    pub(crate) reader: Arc<dyn JournalReader>,
    pub(crate) head: Head,
    /// When a gap began that had not been noted by the last record, if there is one.
    pub(crate) away_since: Option<Timestamp>,
    pub(crate) recovered: (u64, Option<u64>, u64),
}

impl Follower {
    /// Rebuilds the state.
    ///
    /// # Errors
    /// The journal cannot be read, or is damaged.
    pub fn open(options: FollowOptions) -> Result<Self, StartError> {
        let FollowOptions { catalog, reader, until, clock, signing } = options;
        let Recovered { hall, seq, from_snapshot, facts, away_since } =
            recover(&*reader, catalog, true, until)?;
        let last = reader.record(seq).map_err(RecoverError::from)?;
        let head = last.map_or(Head::EMPTY, |record| record.head());
        let durable = Durable { seq, at: hall.clock(), failed: false };
        let durable = Arc::new(Watched::new(durable));
        let archive = Archive::new(Arc::clone(&reader), catalog, Arc::clone(&durable));
        clock.raise_to(hall.clock());
        let newest = hall.log_head().map(|checkpoint| checkpoint.size);
        let shared = Arc::new(Shared {
            arrivals: Arrivals::new(Arc::clone(&clock)),
            clock,
            queue: crate::queue::Queue::default(),
            lead: Watched::new(Lead::Nowhere),
            right: RwLock::new(Arc::new(|| true)),
            commits: crate::commits::CommitSender::default(),
            play: PlayCounter::new(&hall),
            drain: Drain::default(),
            deferred: AtomicUsize::new(0),
            steps: AtomicU64::new(0),
            state: RwLock::new(State { hall, applied: seq }),
            ends: NewestEnds::behind(EndKey::last_of(&durable.get())),
            durable,
            feeds: Arc::default(),
            events: HallEvents::new(seq),
            log: LogReader::new(archive.clone(), newest, signing).map_err(FillError::from)?,
            statistics: Statistics::new(archive.clone()),
            archive,
            counters: crate::counters::Counters::default(),
            stopping: Arc::default(),
            writable: AtomicBool::new(true),
            free_bytes: AtomicU64::new(u64::MAX),
            #[cfg(feature = "holds")]
            holds: std::sync::OnceLock::new(),
        });
        Ok(Self { shared, reader, head, away_since, recovered: (seq, from_snapshot, facts) })
    }

    /// The handle for shells.
    #[must_use]
    pub fn engine(&self) -> Engine {
        Engine { shared: Arc::clone(&self.shared) }
    }

    /// The last record that was applied.
    #[must_use]
    pub const fn head(&self) -> Head {
        self.head
    }

    /// Applies a batch that is durable, and shows it to everybody who waits for it. What was applied before is skipped.
    ///
    /// # Errors
    /// Records before it are missing, or it does not continue what was applied. Nothing was applied then.
    pub fn apply(&mut self, batch: &Committed) -> Result<(), FollowError> {
        let wanted = self.head.seq + 1;
        if batch.first > wanted {
            return Err(FollowError::Gap { first: batch.first, wanted });
        }
        let known = usize::try_from(wanted - batch.first).unwrap_or(usize::MAX);
        let mut head = self.head;
        let mut entries = Vec::new();
        for bytes in batch.records.iter().skip(known) {
            head = next_head(&head, bytes);
            entries.push(decode(head.seq, bytes)?);
        }
        if head.seq == batch.head.seq && head != batch.head {
            return Err(FollowError::Diverged { seq: head.seq });
        }
        self.show(entries, head.seq);
        self.head = head;
        Ok(())
    }

    /// Shows that this process is alive, as a writer does with each of its steps.
    pub fn beat(&self) {
        self.shared.steps.fetch_add(1, Ordering::Relaxed);
    }

    /// Reads the journal on to this record, or to its end if it does not go so far.
    ///
    /// # Errors
    /// The journal cannot be read, or does not continue what was applied.
    pub fn catch_up(&mut self, until: u64) -> Result<(), FollowError> {
        let reader = Arc::clone(&self.reader);
        self.catch_up_from(&*reader, until)
    }

    /// The same, by another reader of the journal.
    pub(crate) fn catch_up_from(
        &mut self,
        reader: &dyn JournalReader,
        until: u64,
    ) -> Result<(), FollowError> {
        while self.head.seq < until {
            let most = usize::try_from(until - self.head.seq).unwrap_or(PAGE).min(PAGE);
            let records = reader.records(self.head.seq + 1, most).map_err(RecoverError::from)?;
            let Some(last) = records.last() else { break };
            let (first, head) = (self.head.seq + 1, last.head());
            let records = records.into_iter().map(|Record { bytes, .. }| bytes).collect();
            self.apply(&Committed { first, records, head })?;
        }
        Ok(())
    }

    /// Applies entries, the last of which is record `last`, and releases what they show.
    fn show(&mut self, entries: Vec<RecordedFacts>, last: u64) {
        let mut effects = Effects::default();
        let Some(newest) = entries.last().map(|entry| (entry.at, entry.away_since)) else { return };
        let clock = {
            let mut state = self.shared.state.write().unwrap_or_else(PoisonError::into_inner);
            // First, as in the writer: even after a panic halfway no reader takes the new state for durable.
            state.applied = last;
            let count = u64::try_from(entries.len()).unwrap_or(u64::MAX);
            let first = last.saturating_add(1).saturating_sub(count);
            for (seq, RecordedFacts { facts, .. }) in (first..).zip(entries) {
                facts.iter().for_each(|fact| state.hall.apply(fact));
                for fact in &facts {
                    self.shared.play.count(fact, &state.hall);
                    wake_seats(fact, &state.hall, &mut effects);
                }
                effects.add_facts(seq, facts, &state.hall);
            }
            state.hall.clock()
        };
        let (at, away_since) = newest;
        self.away_since = away_since;
        self.shared.clock.raise_to(at.max(clock));
        effects.release_ends(&self.shared);
        self.shared.durable.change(|durable| (durable.seq, durable.at) = (last, clock));
        // Ended games leave memory by a fact of the writer's; here nothing is to be done for them.
        let _ = effects.release(&self.shared);
    }
}

/// Everybody at the table looks again. The writer knows whose turns have changed; a follower sees facts alone, and who is
/// woken for nothing sleeps on.
fn wake_seats(fact: &Fact, hall: &Hall, effects: &mut Effects) {
    let Fact::Room(fact) = fact else { return };
    let room = hall.rooms().find(&fact.game);
    room.into_iter().flat_map(|room| room.seats()).for_each(|seat| effects.wake(seat.seat.agent));
}
