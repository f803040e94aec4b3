//! What the oracles are shown of the world: its beginning and end, deaths and starts, the journal, and the state.

use super::host::{Answered, Host, Observed};
use super::world::World;
use crate::oracles::{Death, Ending, Glimpse, Held, Observation, Opened, Recorded, Terms, Vitals};
use hall_core::Hall;
use hall_driver::recover;
use hall_games::Catalog;
use hall_journal::{Journal, JournalReader};
use hall_wire::{AgentId, Digest, Span, Timestamp};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Records up to which all facts are folded at each start, to hold the state against; beyond, at every eighth.
const FOLD_ALWAYS: u64 = 400;
/// A pause that is a gap for certain, whatever the hall's clock makes of its edges.
const SURELY_AWAY: Span = Span::from_millis(5_100);
/// A commit that is a gap for certain.
const SURELY_SLOW: Span = Span::from_millis(1_010);

/// What must be remembered to show the rest.
#[derive(Default)]
pub(super) struct Watch {
    reader: Option<Arc<dyn JournalReader>>,
    /// The last record that was shown.
    shown: u64,
    opened: u64,
    /// Since when the hall has taken no writes.
    full_since: Option<Timestamp>,
    /// The last durable record when a commit was slow, until that gap is noted.
    slow_at: Option<u64>,
    rested: bool,
}

impl World {
    pub(super) fn see_beginning(&mut self) {
        // Where only agents misbehave, honest ones must not be harmed.
        let faultless =
            self.plan.faults == crate::plan::Faults::default() && self.plan.network.is_faultless();
        let honest = |actor: &&super::actor::Actor| actor.player.profile().name == "swift";
        let unharmed: BTreeSet<AgentId> = if faultless {
            let own = self.actors.iter().filter(honest);
            own.map(|actor| AgentId::of_key(&actor.identity().public)).collect()
        } else {
            BTreeSet::new()
        };
        let (crypto, settings) = (self.plan.crypto, self.plan.settings.clone());
        let terms = Terms { at: self.now(), crypto, settings, rings: self.plan.doorbells, unharmed };
        self.oracles.see(Observation::Began(terms));
    }

    fn vitals(&self) -> Option<Vitals> {
        let host = self.host.as_ref()?;
        let status = host.engine().status();
        let (writable, queued) = (status.writable, status.queued);
        let newest = host.engine().log().newest();
        let checkpoint = newest.as_ref().map(|newest| (newest.head.size, newest.head.root));
        let signed_by = newest.map(|newest| newest.key.clone());
        Some(Vitals {
            at: host.now(),
            writable,
            spent_bytes: host.spent_bytes(),
            queued,
            checkpoint,
            signed_by,
            held: Some(Held {
                occupancy: host.engine().occupancy(),
                lingering: self.lingering,
                followed: self.readers.followed(self.report.starts),
            }),
        })
    }

    pub(super) fn see_state(&mut self, started: bool) {
        if let (Some(vitals), Some(host)) = (self.vitals(), &self.host) {
            host.peek(|hall| self.oracles.stepped(hall, &vitals, started));
        }
    }

    /// Notes when the hall was away because a commit took long.
    pub(super) fn see_slow_commit(&mut self, (began, from): (Timestamp, Timestamp)) {
        let Some(host) = &self.host else { return };
        let until = host.now();
        if self.clock.now().since(began) > SURELY_SLOW {
            self.report.mark("hall", "slow_commit");
            self.watch.slow_at = Some(self.report.records);
            self.oracles.see(Observation::Away { from, until, why: "slow_commit" });
        }
    }

    /// Notes when the hall was away because its disk was full, before anybody asks what it has done in that time.
    pub(super) fn see_full_disk(&mut self, (_, from): (Timestamp, Timestamp)) {
        let Some(host) = &self.host else { return };
        let (until, writable) = (host.now(), host.engine().status().writable);
        match self.watch.full_since {
            None if !writable => self.watch.full_since = Some(until),
            Some(since) if writable => {
                self.watch.full_since = None;
                self.report.mark("hall", "low_disk_over");
                self.oracles.see(Observation::Away { from: since, until: from, why: "low_disk" });
            }
            None | Some(_) => {}
        }
    }

    /// The process stands still.
    pub(super) fn pause(&mut self, span: Span) {
        let from = self.host.as_ref().map(Host::now);
        self.clock.pass(span.as_millis());
        if let (Some(from), Some(host)) = (from, &self.host)
            && span > SURELY_AWAY
        {
            self.oracles.see(Observation::Away { from, until: host.now(), why: "pause" });
        }
    }

    /// What readers saw in a step.
    pub(super) fn see_glimpse(&mut self, glimpse: Glimpse) {
        self.report.mark("inside", glimpse.moment.word());
        self.oracles.see(Observation::Glimpsed(Box::new(glimpse)));
    }

    /// The journal failed. Any answer given after that is wrong.
    pub(super) fn see_failure(&mut self) {
        let Some(host) = &mut self.host else { return };
        let (at, durable) = (host.now(), host.engine().durable_seq());
        let (answers, glimpses) = (host.take_answers(), host.take_glimpses());
        glimpses.into_iter().for_each(|glimpse| self.see_glimpse(glimpse));
        self.oracles.see(Observation::Failed { at });
        for Answered { asked, answer, .. } in answers {
            self.oracles.see(Observation::Answered { at, handle: asked.handle, answer, durable });
        }
        self.died(Death { at, durable, digest: None });
    }

    /// A hall that is about to die, and the state that must come back.
    pub(super) fn see_death(&mut self, host: &Host) {
        let status = host.engine().status();
        let settled = status.is_durable() && self.plan.checks;
        let digest = settled.then(|| host.peek(Hall::digest));
        self.died(Death { at: host.now(), durable: status.durable_seq, digest });
    }

    /// A hall that is about to shut down cleanly.
    pub(super) fn see_end(&mut self, host: &Host) {
        let durable = host.engine().durable_seq();
        self.died(Death { at: host.now(), durable, digest: None });
    }

    /// Whether records were written after a slow commit, and it is not noted yet that the hall was away then.
    pub(super) fn has_written_in_a_gap(&self) -> bool {
        self.watch.slow_at.is_some_and(|record| self.report.records > record)
    }

    /// Every gap is noted.
    pub(super) const fn gap_noted(&mut self) {
        self.watch.slow_at = None;
    }

    fn died(&mut self, death: Death) {
        (self.watch.full_since, self.watch.slow_at) = (None, None);
        self.oracles.see(Observation::Died(death));
    }

    /// What the journal holds, before the hall starts on it. What was in doubt is decided by that.
    pub(super) fn see_journal(&mut self, journal: &dyn Journal) {
        let (seq, reader) = (journal.head().seq, journal.reader());
        self.watch.opened += 1;
        let in_doubt: Vec<Arc<Observed>> =
            std::mem::take(&mut self.in_doubt).into_iter().map(Arc::new).collect();
        if self.plan.checks {
            let (shown, opened) = (self.watch.shown, self.watch.opened);
            let folds = seq <= FOLD_ALWAYS || opened.is_multiple_of(8);
            let catalog = self.start.catalog;
            let from = if folds { 1 } else { shown + 1 };
            let (records, recovered, folded) = self.store.undisturbed(|| {
                let recovered = recover(&*reader, catalog, true, None).map(|recovered| {
                    recovered.hall.check();
                    recovered.hall.digest()
                });
                let folded = folds.then(|| fold(&*reader, catalog));
                (records(&*reader, from), recovered.map_err(|error| error.to_string()), folded)
            });
            let is_whole = records.is_ok() && recovered.is_ok() && folded.as_ref().is_none_or(Result::is_ok);
            // A hall whose disk was damaged beyond what a journal must come through may not start on it, and says so.
            if is_whole || !self.store.is_corrupted() {
                self.watch.shown = seq;
                let in_doubt = in_doubt.clone();
                let opened = Opened { at: self.now(), seq, records, recovered, folded, in_doubt };
                self.oracles.see(Observation::Opened(Box::new(opened)));
            }
        }
        self.watch.reader = Some(reader);
        for observed in in_doubt {
            if observed.seq <= seq && !observed.decision.facts.is_empty() {
                self.observe(Arc::unwrap_or_clone(observed));
            }
        }
        self.report_found();
    }

    pub(super) fn see_calm(&mut self) {
        let at = self.host.as_ref().map_or_else(|| self.now(), Host::now);
        self.oracles.see(Observation::Calm { at });
    }

    /// Checks the end of the world, once.
    pub(super) fn rest(&mut self) {
        if std::mem::replace(&mut self.watch.rested, true) || self.report.halted.is_some() {
            return;
        }
        self.see_all_words();
        let vitals = self.vitals();
        let rested = self.calm && self.report.violations.is_empty();
        let mut ending = Ending { picture: None, at: self.now(), rested, digests: None };
        if let (Some(host), Some(reader), true) = (&self.host, &self.watch.reader, self.plan.checks)
            && host.engine().status().is_durable()
        {
            let state = host.peek(Hall::digest);
            let fold = self.store.undisturbed(|| fold(&**reader, self.start.catalog));
            if fold.is_ok() || !self.store.is_corrupted() {
                ending.digests = Some((state, fold));
            }
        }
        match (&self.host, &vitals) {
            (Some(host), Some(vitals)) => {
                host.peek(|hall| self.oracles.ended(Some((hall, vitals)), ending));
            }
            _ => self.oracles.ended(None, ending),
        }
        self.report_found();
    }

    /// Reports what the oracles found.
    pub(super) fn report_found(&mut self) {
        self.report.take_over(self.oracles.take());
    }
}

/// All records from one on, or why they cannot be read.
pub(crate) fn records(reader: &dyn JournalReader, from: u64) -> Result<Vec<Recorded>, String> {
    let mut all = Vec::new();
    let mut next = from;
    loop {
        let page = reader.records(next, 1_024).map_err(|error| error.to_string())?;
        let Some(last) = page.last().map(|record| record.seq) else { return Ok(all) };
        let recorded = page.into_iter().map(|it| Recorded { seq: it.seq, chain: it.chain, bytes: it.bytes });
        all.extend(recorded);
        next = last + 1;
    }
}

/// The digest of the fold over all facts, without a snapshot, or why they cannot be folded.
pub(crate) fn fold(reader: &dyn JournalReader, catalog: Catalog) -> Result<Digest, String> {
    let recovered = recover(reader, catalog, false, None).map_err(|error| error.to_string())?;
    Ok(recovered.hall.digest())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::WorldPlan;
    use crate::storage::FewReads;
    use hall_journal::{MemoryJournal, MemoryStorage};

    /// What is reported when a world sees an empty journal of which so many reads succeed.
    fn seen(reads: usize, corrupted: bool) -> Vec<&'static str> {
        let mut world = World::new(WorldPlan::calm(3, 2));
        if corrupted {
            world.store.corrupt(&mut world.dice);
        }
        world.see_journal(&FewReads::of(MemoryJournal::open(&MemoryStorage::new()), reads));
        world.report.violations.iter().map(|violation| violation.invariant).collect()
    }

    #[test]
    fn a_journal_that_cannot_be_read_or_folded_is_reported_unless_it_was_damaged() {
        let expected: [&[&str]; 5] = [&["D1", "Z4", "D9"], &["D1", "Z4", "D9"], &["D1", "Z4"], &["D1"], &[]];
        for (reads, expected) in expected.into_iter().enumerate() {
            assert_eq!(seen(reads, false), expected, "after {reads} reads");
            assert_eq!(seen(reads, true), [""; 0], "damaged, after {reads} reads");
        }
    }

    #[test]
    fn a_journal_that_cannot_be_folded_at_the_end_is_reported() {
        let mut world = World::new(WorldPlan::calm(3, 2));
        world.see_beginning();
        world.start_hall();
        let empty = MemoryJournal::open(&MemoryStorage::new());
        world.watch.reader = Some(FewReads::of(empty, 0).reader());
        world.rest();
        let found: Vec<_> = world.report.violations.iter().map(|violation| violation.invariant).collect();
        assert_eq!(found, ["Z4"]);
    }
}
