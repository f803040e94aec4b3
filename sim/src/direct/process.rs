//! The process of the hall: its starts, the steps of its writer, and what each of them releases.

use super::agenda::Event;
use super::host::Host;
use super::store::AppendNotes;
use super::world::World;
use crate::dice::Dice;
use crate::oracles::Observation;
use crate::report::Violation;
use hall_driver::Next;
use hall_journal::{Journal, Snapshot};
use hall_wire::{Span, Timestamp};

/// How often readers look into a step, in 1,000; where a fault of the disk is near they always do.
const LOOKED_INTO_PERMILLE: u32 = 60;

impl World {
    pub(super) fn start_hall(&mut self) {
        if self.host.is_some() {
            return;
        }
        self.note_storage();
        let opened = self.store.open(&self.clock);
        let mut dice = Dice::of(self.plan.seed, "start", self.report.starts);
        let started = opened.and_then(|journal| {
            self.let_another_build_pass(&*journal);
            self.see_journal(&*journal);
            self.find_keys(&*journal);
            Host::start(&self.start, journal, &self.clock, &mut dice, &mut self.in_doubt)
                .map_err(|error| error.to_string())
        });
        match started {
            Ok(host) => {
                self.report.starts += 1;
                self.oracles.see(Observation::Started { at: host.now() });
                self.host = Some(host);
                (self.failed_starts, self.lingering) = (0, 0);
                self.released(true);
                self.bells_restart();
                self.step_at(self.now());
            }
            Err(reason) => self.refused_to_start(&reason),
        }
    }

    /// Another build was started on this data and stopped again, with nothing to decide: all that it leaves is a snapshot,
    /// which only it can read.
    fn let_another_build_pass(&mut self, journal: &dyn Journal) {
        let head = journal.head();
        let mut dice = Dice::of(self.plan.seed, "other builds", self.report.starts);
        if !self.plan.faults.other_builds || self.calm || head.seq == 0 || !dice.permille(500) {
            return;
        }
        let (tag, bytes) = ("hall-state/of-another-build".to_owned(), dice.bytes::<64>().to_vec());
        let snapshot = Snapshot { seq: head.seq, chain: head.chain, tag, bytes };
        // A full disk has no room for it either.
        if self.store.undisturbed(|| journal.reader().put_snapshot(&snapshot)).is_ok() {
            self.report.fault("other_build");
        }
    }

    /// The hall did not start. If the disk had a fault meanwhile that is no wonder, and it is started again; if bytes
    /// were damaged, a refusal is just what must come of it.
    fn refused_to_start(&mut self, reason: &str) {
        let struck = self.note_storage();
        self.failed_starts += 1;
        self.store.process_died();
        if struck {
            self.report.mark("hall", "crash_inside_recovery");
            if self.failed_starts > 1 {
                self.report.mark("hall", "crash_inside_recovery_twice");
            }
            return self.start_later();
        }
        if self.store.is_corrupted() {
            self.report.mark("hall", "refused_to_start");
            self.report.halted = Some(reason.to_owned());
            return;
        }
        let now = self.now();
        self.report.violations.push(Violation::new("D1", now, format!("the hall does not start: {reason}")));
    }

    /// Counts what struck the disk. Whether anything did.
    pub(super) fn note_storage(&mut self) -> bool {
        let events = self.store.take_events();
        for name in &events {
            self.report.fault(name);
        }
        !events.is_empty()
    }

    pub(super) fn step_at(&mut self, time: Timestamp) {
        if self.next_step.is_none_or(|planned| time < planned) {
            self.next_step = Some(time);
            self.at(time, Event::Step);
        }
    }

    /// Lets the writer step once, and hands out what it released.
    pub(super) fn step(&mut self) {
        let Some(host) = &mut self.host else { return };
        let before = (self.clock.now(), host.now());
        if self.plan.checks && (self.looks.permille(LOOKED_INTO_PERMILLE) || self.store.awaits_fault()) {
            host.look_into_step();
        }
        match host.step() {
            Ok(next) => {
                let span = match next {
                    Next::Again => Span::from_millis(0),
                    Next::Blocked(span) | Next::Wait(span) => {
                        Span::from_millis(u64::try_from(span.as_millis()).unwrap_or(0).max(1))
                    }
                };
                self.step_at(self.now() + span);
                let AppendNotes { failure_ignored, filled_up } = self.store.take_notes();
                if failure_ignored {
                    self.oracles.see(Observation::FailureIgnored { at: self.now() });
                }
                if filled_up {
                    self.disk_is_full();
                }
                self.see_full_disk(before);
                self.released(false);
                self.bells_settle();
                self.see_slow_commit(before);
                self.stop_after_slow_commit();
            }
            Err(error) => self.journal_failed(&error.to_string()),
        }
        self.report_found();
    }

    /// Something was written while a gap is not noted yet: the best time for a hall to go down that is to forget it.
    fn stop_after_slow_commit(&mut self) {
        let stops = self.plan.faults.stops_in_gaps && self.has_written_in_a_gap();
        if stops && self.gap_dice.permille(500) {
            self.stop_in_gap();
        }
    }

    /// What is durable now is followed by the oracles and told to the agents.
    pub(super) fn released(&mut self, started: bool) {
        let Some(host) = &mut self.host else { return };
        let status = host.engine().status();
        let durable = status.durable_seq;
        self.report.records = durable;
        let (known, in_doubt): (Vec<_>, Vec<_>) =
            host.take_observed().into_iter().partition(|observed| observed.seq <= durable);
        self.in_doubt.extend(in_doubt);
        let answers = host.take_answers();
        let mut glimpses = host.take_glimpses().into_iter().peekable();
        let at = host.now();
        let decided = !known.is_empty();
        for observed in known {
            // What was seen before this was durable.
            while let Some(glimpse) = glimpses.next_if(|glimpse| glimpse.durable < observed.seq) {
                self.see_glimpse(glimpse);
            }
            self.observe(observed);
        }
        glimpses.for_each(|glimpse| self.see_glimpse(glimpse));
        if decided {
            // Over every record so far: each fact, also those that are no leaf of the log.
            self.trace.take(&self.store.chain());
        }
        // A journal that failed in a stop has left decisions in memory that may never be: nobody sees that state.
        if (decided || started) && status.is_durable() {
            self.see_state(started);
            self.read_at_once();
            self.see_words(started);
        }
        for answered in answers {
            if let (Some(durable), true) = (answered.durable, self.oracles.is_active()) {
                let (handle, answer) = (answered.asked.handle.clone(), answered.answer.clone());
                self.oracles.see(Observation::Answered { at, handle, answer, durable });
            }
            self.answer(answered);
        }
        self.report_found();
    }

    pub(super) fn forget_step(&mut self) {
        self.next_step = None;
    }
}
