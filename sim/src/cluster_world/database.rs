//! The database that the nodes share, at its worst within what it promises.
//!
//! It promises what a PostgreSQL with a synchronous standby does. A statement writes only under the newest epoch and at the
//! right place. What it acknowledged is on the standby, and survives a promotion. What it did not acknowledge may have
//! happened, may happen later, and may be shown until a promotion takes it back. Who has no connection to it knows nothing.

use super::plan::Weakness;
use super::reached::Reached;
use crate::dice::Dice;
use hall_journal::{Batch, Head, Journal as _, JournalError, JournalReader, MemoryJournal, MemoryStorage};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How often, in 1,000, a statement that changes something meets trouble of a kind.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StatementTrouble {
    /// The connection breaks before it is there.
    pub(super) lost: u32,
    /// It is done, and the answer is lost.
    pub(super) unanswered: u32,
    /// The connection breaks, and it is done some time later.
    pub(super) late: u32,
    /// It takes seconds.
    pub(super) slow: u32,
}

/// The database, as everybody reaches it.
#[derive(Clone)]
pub(super) struct Database(Arc<Mutex<Server>>);

/// The row that says who owns the journal.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) epoch: u64,
    pub(super) owner: String,
    /// The end of its lease; none if it has no owner.
    pub(super) until: Option<Instant>,
    /// How far the clock of the server was ahead when that was written, in milliseconds.
    pub(super) ahead: i64,
    pub(super) durable: u64,
}

impl Part {
    /// A journal that nobody has owned.
    const NEW: Self = Self { epoch: 0, owner: String::new(), until: None, ahead: 0, durable: 0 };
}

/// What a statement has changed, in the order of the write-ahead log.
struct Change {
    batch: Option<Batch>,
    part: Part,
}

/// A process that took the journal over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) epoch: u64,
    pub(super) owner: String,
    /// The last record then.
    pub(super) seq: u64,
}

pub(super) struct Server {
    pub(super) dice: Dice,
    trouble: StatementTrouble,
    /// How far its clock is ahead, in milliseconds.
    ahead: i64,
    /// What the primary shows.
    shown: MemoryStorage,
    pub(super) part: Part,
    changes: Vec<Change>,
    /// How many of them the standby has.
    replicated: usize,
    has_standby: bool,
    is_away: bool,
    /// Machines that do not reach it.
    cut: BTreeSet<usize>,
    /// Machines to which it says nothing: what they ask waits.
    pub(super) silent: BTreeSet<usize>,
    taken: Vec<Taken>,
    /// When each record was appended, the last time.
    written: BTreeMap<u64, Instant>,
    /// When it last did not do as it was asked.
    troubled: Instant,
    pub(super) counts: DatabaseCounts,
    /// What is wrong with it on purpose.
    pub(super) weakness: Option<Weakness>,
}

/// What happened to statements.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DatabaseCounts {
    pub(super) fenced: u64,
    pub(super) lost: u64,
    pub(super) unanswered: u64,
    pub(super) late: u64,
    pub(super) late_and_done: u64,
    pub(super) unconfirmed: u64,
    pub(super) taken_back: u64,
    pub(super) largest_batch: usize,
}

/// What becomes of a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Done,
    Lost,
    Unanswered,
    Late,
}

impl Database {
    pub(super) fn new(seed: u64, trouble: StatementTrouble, weakness: Option<Weakness>) -> Self {
        Self(Arc::new(Mutex::new(Server {
            dice: Dice::of(seed, "database", 0),
            trouble,
            ahead: 0,
            shown: MemoryStorage::new(),
            part: Part::NEW,
            changes: Vec::new(),
            replicated: 0,
            has_standby: true,
            is_away: false,
            cut: BTreeSet::new(),
            silent: BTreeSet::new(),
            taken: Vec::new(),
            written: BTreeMap::new(),
            troubled: Instant::now(),
            counts: DatabaseCounts::default(),
            weakness,
        })))
    }

    /// As a process on a machine reaches it.
    pub(super) fn reached_by(&self, machine: usize) -> Reached {
        Reached::new(self.clone(), machine)
    }

    /// Everything that it shows, for the judges.
    pub(super) fn reader(&self) -> Arc<dyn JournalReader> {
        MemoryJournal::open(&self.lock().shown).reader()
    }

    pub(super) fn head(&self) -> Head {
        self.lock().head()
    }

    /// Who took the journal over, and when, of what was not taken back.
    pub(super) fn taken(&self) -> Vec<Taken> {
        self.lock().taken.clone()
    }

    /// When each record was appended; one that was taken back, when it was appended again.
    pub(super) fn written(&self) -> BTreeMap<u64, Instant> {
        self.lock().written.clone()
    }

    /// The epoch in which a process leads whose lease has not passed, whatever the clock of the server says.
    pub(super) fn led_by(&self, owner: &str) -> Option<u64> {
        let server = self.lock();
        let Part { epoch, owner: leader, until, .. } = &server.part;
        (leader == owner && until.is_some_and(|until| until > Instant::now())).then_some(*epoch)
    }

    pub(super) fn counts(&self) -> DatabaseCounts {
        self.lock().counts
    }

    /// For how long it has done as it was asked.
    pub(super) fn untroubled_for(&self) -> Duration {
        self.lock().troubled.elapsed()
    }

    /// How often a commit takes seconds, in 1,000.
    pub(super) fn slow_commits(&self) -> u32 {
        self.lock().trouble.slow
    }

    /// Something goes wrong at it, or has just stopped to.
    pub(super) fn disturb(&self) {
        self.lock().troubled = Instant::now();
    }

    pub(super) fn reaches(&self, machine: usize) -> bool {
        let server = self.lock();
        server.answers(machine)
    }

    pub(super) fn is_whole(&self) -> bool {
        let server = self.lock();
        !server.is_away && server.has_standby
    }

    pub(super) fn cut(&self, machine: usize) {
        self.lock().cut.insert(machine);
    }

    /// It says nothing to a machine any more.
    pub(super) fn fall_silent(&self, machine: usize) {
        self.lock().silent.insert(machine);
    }

    pub(super) fn heal(&self, machine: usize) {
        let mut server = self.lock();
        server.cut.remove(&machine);
        server.silent.remove(&machine);
    }

    /// Nobody reaches it. Returns whether it was there.
    pub(super) fn go_away(&self) -> bool {
        !std::mem::replace(&mut self.lock().is_away, true)
    }

    pub(super) fn come_back(&self) {
        self.lock().is_away = false;
    }

    /// The standby is gone: nothing is acknowledged until it is back. Returns whether it was there.
    pub(super) fn lose_standby(&self) -> bool {
        std::mem::replace(&mut self.lock().has_standby, false)
    }

    /// The standby is back, and has caught up.
    pub(super) fn regain_standby(&self) {
        let mut server = self.lock();
        server.has_standby = true;
        server.replicated = server.changes.len();
    }

    /// Its clock is set, by so many milliseconds.
    pub(super) fn step_clock(&self, by: i64) {
        self.lock().ahead += by;
    }

    /// The primary is lost, and the standby takes its place.
    pub(super) fn promote(&self) {
        let mut server = self.lock();
        let replicated = server.replicated;
        let lost = server.changes.split_off(replicated);
        server.counts.taken_back += u64::from(lost.iter().any(|change| change.batch.is_some()));
        server.part = server.changes.last().map_or(Part::NEW, |change| change.part.clone());
        let epoch = server.part.epoch;
        server.taken.retain(|taken| taken.epoch <= epoch);
        let shown = MemoryStorage::new();
        if server.weakness == Some(Weakness::ChangedRecord)
            && let Some(Batch { records, .. }) =
                server.changes.iter_mut().rev().find_map(|change| change.batch.as_mut())
        {
            // A space more in its text.
            records.iter_mut().for_each(|record| record.push(b' '));
        }
        for batch in server.changes.iter().filter_map(|change| change.batch.as_ref()) {
            // These went into another one before.
            let _ = MemoryJournal::open(&shown).append(batch);
        }
        server.shown = shown;
        server.has_standby = true;
        server.troubled = Instant::now();
    }

    /// No more trouble.
    pub(super) fn calm_down(&self) {
        let mut server = self.lock();
        server.trouble = StatementTrouble::default();
        server.cut.clear();
        server.silent.clear();
        server.is_away = false;
        drop(server);
        self.regain_standby();
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Server> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Server {
    pub(super) fn head(&self) -> Head {
        MemoryJournal::open(&self.shown).head()
    }

    pub(super) fn answers(&self, machine: usize) -> bool {
        !self.is_away && !self.cut.contains(&machine) && !self.silent.contains(&machine)
    }

    /// What is left of the lease by the clock of the server.
    pub(super) fn left(&self) -> Duration {
        let Part { until, ahead, .. } = self.part;
        let millis = |duration: Duration| i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        until.map_or(Duration::ZERO, |until| {
            let now = Instant::now();
            let left =
                millis(until.saturating_duration_since(now)) - millis(now.saturating_duration_since(until));
            Duration::from_millis(u64::try_from(left + ahead - self.ahead).unwrap_or(0))
        })
    }

    /// The lease: another text with each renewal.
    pub(super) fn lease(&self) -> String {
        format!("{:?} {}", self.part.until, self.part.ahead)
    }

    /// What becomes of a statement of this machine that changes something.
    pub(super) fn fate(&mut self, machine: usize) -> Fate {
        if !self.answers(machine) {
            self.troubled = Instant::now();
            // It may have been there just before.
            return if self.dice.permille(100) { Fate::Late } else { Fate::Lost };
        }
        let StatementTrouble { lost, unanswered, late, .. } = self.trouble;
        let fate = match self.dice.below(1_000) {
            drawn if drawn < u64::from(lost) => Fate::Lost,
            drawn if drawn < u64::from(lost + unanswered) => Fate::Unanswered,
            drawn if drawn < u64::from(lost + unanswered + late) => Fate::Late,
            _ => Fate::Done,
        };
        if fate != Fate::Done {
            self.troubled = Instant::now();
        }
        match fate {
            Fate::Done => {}
            Fate::Lost => self.counts.lost += 1,
            Fate::Unanswered => self.counts.unanswered += 1,
            Fate::Late => self.counts.late += 1,
        }
        fate
    }

    /// Keeps a change. Whether the standby has it, so that it may be acknowledged.
    fn keep(&mut self, batch: Option<Batch>, part: Part) -> bool {
        self.part = part.clone();
        self.changes.push(Change { batch, part });
        if self.has_standby {
            self.replicated = self.changes.len();
        } else {
            self.counts.unconfirmed += 1;
            self.troubled = Instant::now();
        }
        self.has_standby || self.weakness == Some(Weakness::AcknowledgedAlone)
    }

    /// Appends where epoch and place are right; the head, and whether it may be acknowledged.
    pub(super) fn append(
        &mut self,
        epoch: u64,
        after: Head,
        batch: &Batch,
    ) -> Result<(Head, bool), JournalError> {
        let is_fenced = self.part.epoch != epoch || self.head() != after;
        self.counts.fenced += u64::from(is_fenced);
        if is_fenced && self.weakness != Some(Weakness::NoFence) {
            return Err(JournalError::Fenced);
        }
        let head = MemoryJournal::open(&self.shown).append(batch)?;
        self.written.extend((after.seq + 1..=head.seq).map(|seq| (seq, Instant::now())));
        self.counts.largest_batch = self.counts.largest_batch.max(batch.records.len());
        // An owner goes on only after an acknowledgement.
        let confirmed = if self.weakness == Some(Weakness::AllIsDurable) { head.seq } else { after.seq };
        let part = Part { durable: self.part.durable.max(confirmed), ..self.part.clone() };
        let confirmed = self.keep(Some(batch.clone()), part);
        Ok((head, confirmed))
    }

    pub(super) fn take(&mut self, owner: &str, lease: Duration, seen: &(u64, String)) -> Option<(u64, bool)> {
        let nobody = self.weakness == Some(Weakness::NobodyTakes) && self.part.epoch > 1;
        if nobody || (self.part.epoch, self.lease()) != *seen {
            return None;
        }
        let lease = match self.weakness {
            Some(Weakness::LongLease) => lease * 30,
            Some(Weakness::LongerLease) => lease * 3,
            _ => lease,
        };
        let another = u64::from(self.part.epoch == 0 || self.weakness != Some(Weakness::SameEpoch));
        let (epoch, seq) = (self.part.epoch + another, self.head().seq);
        let until = Some(Instant::now() + lease);
        let Part { durable, .. } = self.part;
        let part = Part { epoch, owner: owner.to_owned(), until, ahead: self.ahead, durable };
        self.taken.push(Taken { epoch, owner: owner.to_owned(), seq });
        let confirmed = self.keep(None, part);
        Some((epoch, confirmed))
    }

    pub(super) fn renew(
        &mut self,
        epoch: u64,
        lease: Duration,
        confirmed: u64,
    ) -> Result<bool, JournalError> {
        if self.part.epoch != epoch {
            return Err(JournalError::Fenced);
        }
        let durable = self.part.durable.max(confirmed);
        let lease = if self.weakness == Some(Weakness::LongerLease) { lease * 3 } else { lease };
        let (until, ahead) = (Some(Instant::now() + lease), self.ahead);
        let part = Part { until, ahead, durable, ..self.part.clone() };
        Ok(self.keep(None, part))
    }

    pub(super) fn release(&mut self, epoch: u64, confirmed: u64) {
        if self.part.epoch == epoch {
            let durable = self.part.durable.max(confirmed);
            let part = Part { until: None, durable, ..self.part.clone() };
            self.keep(None, part);
        }
    }
}
