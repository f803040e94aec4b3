//! Many worlds: seeds in order, on several threads, until one of them shows something.
//!
//! Each world lives on one thread and knows of no other, so what is found does not depend on how many there are:
//! results are handed on in the order of the seeds.

use crate::report::WorldReport;
use crate::run::Choices;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;

/// What to check.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The seeds, the first one inclusive, the last one not.
    pub seeds: Range<u64>,
    /// What each is run with; its seed is replaced.
    pub choices: Choices,
    /// Threads.
    pub jobs: usize,
    /// Whether it continues after a world that is not clean.
    pub goes_on: bool,
}

/// The combined result of many worlds.
#[derive(Clone, Debug, Default)]
pub struct Harvest {
    /// Worlds run.
    pub worlds: u64,
    /// Turns resolved in all of them.
    pub turns: u64,
    /// Games ended.
    pub games: u64,
    /// Faults by name.
    pub faults: BTreeMap<String, u64>,
    /// In how many worlds each mark was reached.
    pub marks: BTreeMap<String, u64>,
    /// Worlds in which the hall refused to continue, because of a fault beyond the guarantees of storage.
    pub halted: u64,
    /// Seeds that are not clean, with their reports.
    pub failures: Vec<WorldReport>,
}

impl Harvest {
    fn take(&mut self, report: WorldReport) {
        self.worlds += 1;
        self.turns += report.turns;
        self.games += report.games_ended;
        self.halted += u64::from(report.halted.is_some());
        for (name, count) in &report.faults {
            *self.faults.entry(name.clone()).or_default() += count;
        }
        for mark in &report.marks {
            *self.marks.entry(mark.clone()).or_default() += 1;
        }
        if !report.is_clean() {
            self.failures.push(report);
        }
    }

    /// Those of `marks` that no world reached.
    pub fn never<'a>(&self, marks: impl IntoIterator<Item = &'a str>) -> BTreeSet<&'a str> {
        marks.into_iter().filter(|mark| !self.marks.contains_key(*mark)).collect()
    }
}

/// Runs the worlds of a sweep. `seen` is told each report in the order of the seeds and says whether to go on, so
/// that a time budget is the caller's affair.
pub fn sweep(sweep: &Sweep, mut seen: impl FnMut(&WorldReport) -> bool) -> Harvest {
    let next = AtomicU64::new(sweep.seeds.start);
    let stop = AtomicBool::new(false);
    let (send, receive) = mpsc::channel();
    let mut harvest = Harvest::default();
    thread::scope(|scope| {
        for _ in 0..sweep.jobs.max(1) {
            let (send, next, stop) = (send.clone(), &next, &stop);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if !sweep.seeds.contains(&seed) {
                        break;
                    }
                    let report = Choices { seed, ..sweep.choices }.run();
                    if send.send(report).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        // Reports that came before those of smaller seeds.
        let mut early: BTreeMap<u64, WorldReport> = BTreeMap::new();
        let mut expected = sweep.seeds.start;
        for report in &receive {
            early.insert(report.seed, report);
            while let Some(report) = early.remove(&expected) {
                expected += 1;
                let go_on = seen(&report) && (sweep.goes_on || report.is_clean());
                harvest.take(report);
                if !go_on {
                    stop.store(true, Ordering::Relaxed);
                    return;
                }
            }
        }
    });
    harvest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Profile;

    fn seen(jobs: usize, until: u64) -> Vec<(u64, String)> {
        let choices = Choices { agents: Some(3), ..Choices::drawn(0, Profile::Swarm) };
        let mut seen = Vec::new();
        let sweep_of = Sweep { seeds: 0..6, choices, jobs, goes_on: true };
        let harvest = sweep(&sweep_of, |report| {
            seen.push((report.seed, report.trace_hash.clone()));
            report.seed < until
        });
        assert_eq!(harvest.worlds, u64::try_from(seen.len()).unwrap());
        seen
    }

    #[test]
    fn several_threads_report_the_same_findings_in_the_same_order_as_one() {
        let alone = seen(1, 9);
        assert_eq!(alone.iter().map(|(seed, _)| *seed).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
        assert_eq!(alone, seen(3, 9));
        assert_eq!(alone[..3], seen(2, 2)[..]);
    }
}
