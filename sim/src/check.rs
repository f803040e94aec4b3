//! Many worlds: seeds in order, on several threads, until one of them shows something.
//!
//! Each world lives on one thread and knows of no other, so what is found does not depend on how many there are:
//! results are handed on in the order of the seeds.

use crate::report::WorldReport;
use crate::run::Worlds;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// One world takes at most this part of the budget, because a few worlds cost a hundred times as much as the others.
const PART_OF_ONE: u32 = 4;

/// What to check.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The seeds, the first one inclusive, the last one not.
    pub seeds: Range<u64>,
    /// Which world each of them is.
    pub worlds: Worlds,
    /// Threads.
    pub jobs: usize,
    /// The time for all worlds together. No world begins after it, and one that runs then is cut off at its next step,
    /// as is one that has taken a quarter of it.
    pub budget: Option<Duration>,
}

/// The combined result of many worlds.
#[derive(Clone, Debug, Default)]
pub struct Harvest {
    /// Worlds that were run to their end, or to the first violation. All that follows is about them.
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
    /// Worlds that were cut off before anything was found in them. They count neither as clean nor as failures.
    pub cut_off: Vec<WorldReport>,
}

impl Harvest {
    fn take(&mut self, report: WorldReport) {
        if report.cut_off.is_some() && report.is_clean() {
            self.cut_off.push(report);
            return;
        }
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

/// Runs the worlds of a sweep. `elapsed` is the time since it began, which is asked for only if there is a budget.
/// `seen` is told each report in the order of the seeds and says whether to go on; if not, worlds that are still running
/// are cut off and not told.
pub fn sweep(
    sweep: &Sweep,
    elapsed: &(impl Fn() -> Duration + Sync),
    mut seen: impl FnMut(&WorldReport) -> bool,
) -> Harvest {
    let next = AtomicU64::new(sweep.seeds.start);
    let stop = AtomicBool::new(false);
    let is_before =
        |end: Option<Duration>| !stop.load(Ordering::Relaxed) && end.is_none_or(|end| elapsed() < end);
    let run = |seed| {
        let end = sweep.budget.map(|all| all.min(elapsed() + all / PART_OF_ONE));
        sweep.worlds.of(seed).run_while(&|| is_before(end))
    };
    let (send, receive) = mpsc::channel();
    let mut harvest = Harvest::default();
    thread::scope(|scope| {
        for _ in 0..sweep.jobs.max(1) {
            let (send, next, is_before, run) = (send.clone(), &next, &is_before, &run);
            scope.spawn(move || {
                while is_before(sweep.budget) {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if !sweep.seeds.contains(&seed) || send.send(run(seed)).is_err() {
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
                let goes_on = seen(&report);
                harvest.take(report);
                if !goes_on {
                    stop.store(true, Ordering::Relaxed);
                    return;
                }
            }
        }
    });
    harvest
}
