//! Every crash of a bounded workload: each call that it makes to the disk, in each form in which that call can go wrong.
//!
//! The workload runs once to see its calls. Then it runs again for each call and form; the hall dies, the journal is
//! recovered, what is found is compared with what had been acknowledged, power fails once more with nothing synced
//! since, and the same must be found again. With [`Scope::twice`], the hall then lives on: the workload runs a second
//! time on what the first crash left, and is struck again at each of its calls, both during recovery and after it.
//!
//! What runs, how one recovers and what must hold is the caller's: the same enumerator serves a bare journal and a whole
//! hall. All three must be deterministic, or the calls that were seen are not those that are struck.

use super::disk::SimDisk;
use super::fault::{Fault, FaultPlan, Op, Pieces, Survival, Unit};
use super::layout::{LOG, MARK};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// How many failures are described; the rest are only counted.
const MOST_FAILURES: usize = 20;

/// How much is tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Whether faults are tried that no journal can come through: they may end in a refusal.
    pub outside_promise: bool,
    /// Whether a second life follows, which is struck too, at each of its calls.
    pub twice: bool,
    /// Only first strikes at calls whose number leaves this remainder by that divisor, so that several threads can
    /// share the work; `None` for all of them.
    pub share: Option<(u64, u64)>,
}

/// One way in which a call goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Form {
    /// What strikes the call.
    pub fault: Fault,
    /// How the hall dies then, if it was not the fault that killed it.
    pub end: End,
}

/// How a hall dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// The process alone: the cache of the machine stays.
    Killed,
    /// Power fails, and this survives of what was not synced.
    PowerCut(Survival),
}

/// One case: which call was struck, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The number of the call.
    pub call: u64,
    /// What it was.
    pub op: Op,
    /// On which file.
    pub file: String,
    /// How it went wrong.
    pub form: Form,
    /// The call of the second life that was struck too, counted from its first as 1, and how.
    pub second: Option<(u64, Form)>,
}

impl fmt::Display for Case {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "call {} ({:?} of {}): {:?}", self.call, self.op, self.file, self.form)?;
        match &self.second {
            Some((call, form)) => write!(out, ", then call {call} of the second life: {form:?}"),
            None => Ok(()),
        }
    }
}

/// A case after which something did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The case.
    pub case: Case,
    /// What did not hold.
    pub what: String,
}

/// What was tried and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EnumerationReport {
    /// Calls of the undisturbed workload.
    pub calls: u64,
    /// Cases tried, by the fault of the first strike.
    pub cases: BTreeMap<&'static str, u64>,
    /// Cases outside of the promise that ended in a refusal, by fault.
    pub refused: BTreeMap<&'static str, u64>,
    /// How many cases failed.
    pub failed: u64,
    /// The first of them.
    pub failures: Vec<Failure>,
}

impl EnumerationReport {
    /// All cases.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.cases.values().sum()
    }
}

/// What is enumerated: `A` is what the workload learned to be acknowledged, `R` what a recovery finds.
pub struct Subject<'a, A, R> {
    /// Plays on a disk until its end, or until the disk fails it, and tells what was acknowledged. It gets what had been
    /// acknowledged in the life before; the disk is empty in the first.
    pub workload: &'a dyn Fn(&Arc<SimDisk>, A) -> A,
    /// Opens what is left and tells what is there, or why it refuses. It must not add anything.
    pub recover: &'a dyn Fn(&Arc<SimDisk>) -> Result<R, String>,
    /// Whether what was found is right in this case, given what was acknowledged.
    pub check: &'a dyn Fn(&Case, &A, &R) -> Result<(), String>,
}

/// Tries every case.
pub fn enumerate<A: Default, R: PartialEq>(
    seed: u64,
    scope: Scope,
    subject: &Subject<'_, A, R>,
) -> EnumerationReport {
    let quiet = SimDisk::new(seed);
    drop(quiet.record_calls());
    (subject.workload)(&quiet, A::default());
    let calls = quiet.record_calls();
    let mut report = EnumerationReport { calls: quiet.calls(), ..EnumerationReport::default() };
    let own = |call: u64| scope.share.is_none_or(|(rest, of)| call % of == rest);
    for (call, (op, file)) in (1..).zip(calls).filter(|(call, _)| own(*call)) {
        for form in forms(op, scope.outside_promise, false) {
            let case = Case { call, op, file: file.clone(), form, second: None };
            strike(seed, subject, &case, &mut report);
            // Not every torn write twice: the second strikes are many.
            if !scope.twice || !forms(op, false, true).contains(&form) {
                continue;
            }
            let (disk, acked) = first_life(seed, subject, &case);
            drop(disk.record_calls());
            (subject.workload)(&disk, acked);
            for (call, (op, _)) in (1..).zip(disk.record_calls()) {
                for form in forms(op, false, true) {
                    strike(seed, subject, &Case { second: Some((call, form)), ..case.clone() }, &mut report);
                }
            }
        }
    }
    report
}

/// Plays until the first strike and the death after it.
fn first_life<A: Default, R>(seed: u64, subject: &Subject<'_, A, R>, case: &Case) -> (Arc<SimDisk>, A) {
    let disk = SimDisk::new(seed);
    disk.plan(plan(case.call, case.form));
    let acked = (subject.workload)(&disk, A::default());
    die(&disk, case.form.end);
    (disk, acked)
}

/// One case.
fn strike<A: Default, R: PartialEq>(
    seed: u64,
    subject: &Subject<'_, A, R>,
    case: &Case,
    report: &mut EnumerationReport,
) {
    let count = report.cases.entry(case.form.fault.name()).or_default();
    *count = count.saturating_add(1);
    let (disk, mut acked) = first_life(seed, subject, case);
    if let Some((call, form)) = case.second {
        disk.plan(plan(disk.calls().saturating_add(call), form));
        acked = (subject.workload)(&disk, acked);
        die(&disk, form.end);
    }
    let outcome = (subject.recover)(&disk).map(|found| {
        (subject.check)(case, &acked, &found)?;
        die(&disk, End::PowerCut(Survival::default()));
        match (subject.recover)(&disk) {
            Ok(again) if again == found => Ok(()),
            // Outside of the promise, what was shown may be refused later, or passed over; it must not be wrong.
            Ok(again) if !case.form.fault.is_promised() => (subject.check)(case, &acked, &again),
            Err(_) if !case.form.fault.is_promised() => Ok(()),
            Ok(_) => Err("another power cut changed what the recovery had shown".to_owned()),
            Err(refusal) => Err(format!("refused after another power cut: {refusal}")),
        }
    });
    let what = match outcome {
        Ok(Ok(())) => return,
        Ok(Err(what)) => what,
        Err(_) if !case.form.fault.is_promised() => {
            let count = report.refused.entry(case.form.fault.name()).or_default();
            *count = count.saturating_add(1);
            return;
        }
        Err(refusal) => format!("refused: {refusal}"),
    };
    report.failed = report.failed.saturating_add(1);
    if report.failures.len() < MOST_FAILURES {
        report.failures.push(Failure { case: case.clone(), what });
    }
}

fn plan(call: u64, form: Form) -> FaultPlan {
    let survival = match form.end {
        End::Killed => Survival::default(),
        End::PowerCut(survival) => survival,
    };
    FaultPlan::once(call, form.fault).surviving(survival)
}

/// Ends the hall, and leaves a disk without further faults.
fn die(disk: &Arc<SimDisk>, end: End) {
    match end {
        End::PowerCut(survival) => {
            disk.plan(FaultPlan::default().surviving(survival));
            disk.crash();
        }
        End::Killed => disk.kill(),
    }
    disk.plan(FaultPlan::default());
}

/// The forms in which a call can go wrong.
fn forms(op: Op, outside_promise: bool, brief: bool) -> Vec<Form> {
    let mut forms = Vec::new();
    for fault in Fault::ALL {
        if !fault.applies_to(op) || fault == Fault::Slow || !(fault.is_promised() || outside_promise) {
            continue;
        }
        // In short: what has been done before a call is what had been done after the one before it, and a write that
        // fails for another reason fails all the same.
        if brief && matches!(fault, Fault::PowerCutAfter | Fault::NoSpace | Fault::ShortRead) {
            continue;
        }
        let ends = match fault {
            Fault::PowerCutBefore | Fault::PowerCutAfter => power_cuts(brief),
            Fault::FailedUndone
            | Fault::FailedDone
            | Fault::NoSpace
            | Fault::ReadFailed
            | Fault::ShortRead
            | Fault::Slow
            | Fault::LyingSync
            | Fault::FlippedRead
            | Fault::FlippedWrite
            | Fault::MisdirectedWrite
            | Fault::StaleBlock => {
                vec![End::Killed, End::PowerCut(Survival::default())]
            }
        };
        forms.extend(ends.into_iter().map(|end| Form { fault, end }));
    }
    forms
}

/// What a power cut may leave: nothing, all, one of the two files that an append writes, and torn writes.
fn power_cuts(brief: bool) -> Vec<End> {
    let all = Survival::of(Unit::Sector, Pieces::Everything);
    let mut left = vec![Survival::default(), all, Survival::of(Unit::Sector, Pieces::Drawn)];
    if !brief {
        left.extend([all.in_file(LOG), all.in_file(MARK), Survival::of(Unit::Sector, Pieces::Length)]);
        for unit in [Unit::Sector, Unit::Block] {
            for pieces in [Pieces::FirstHalf, Pieces::SecondHalf, Pieces::Odd, Pieces::Even] {
                left.push(Survival::of(unit, pieces));
            }
            let drawn = Survival::of(unit, Pieces::Drawn);
            left.extend([drawn, drawn.in_file(LOG), drawn.in_file(MARK)]);
        }
    }
    left.into_iter().map(End::PowerCut).collect()
}
