//! Every crash of a bare journal, at every call, in every form, and every crash of the recovery after it.

use crate::subject::{check, play, recover};
use hall_sim::storage::Fault;
use hall_sim::storage::enumerate::{EnumerationReport, Scope, Subject, enumerate};

const BATCHES: u64 = 6;

#[test]
fn no_crash_loses_acknowledged_records_and_no_other_fault_gives_a_wrong_answer() {
    let report = tried(BATCHES, Scope { outside_promise: true, twice: false, share: None });
    assert_eq!(report.failures, []);
    // Every fault was tried at every call that it applies to, and those outside the promise were noticed at least once.
    for fault in Fault::ALL.into_iter().filter(|fault| *fault != Fault::Slow) {
        assert!(report.cases.contains_key(fault.name()), "{}", fault.name());
    }
    assert!(report.refused[Fault::FlippedWrite.name()] > 0, "{:?}", report.refused);
    assert!(report.calls > 40 && report.total() > 1500, "{} calls, {} cases", report.calls, report.total());
}

#[test]
fn no_second_crash_during_or_after_recovery_loses_acknowledged_records() {
    let report = tried(2, Scope { outside_promise: false, twice: true, share: None });
    assert_eq!(report.failures, []);
    assert!(report.total() > 10_000, "{} cases", report.total());
}

/// The check can fail: it catches a workload that claims more than was acknowledged.
#[test]
fn a_workload_that_claims_too_much_is_caught() {
    let boast = |disk: &_, acked| {
        let mut acked = play(disk, 2, acked);
        acked.batches += 1;
        acked
    };
    let subject = Subject { workload: &boast, recover: &recover, check: &check };
    let report = enumerate(3, Scope::default(), &subject);
    assert!(report.failed > 0);
}

fn tried(batches: u64, scope: Scope) -> EnumerationReport {
    let workload = |disk: &_, acked| play(disk, batches, acked);
    enumerate(3, scope, &Subject { workload: &workload, recover: &recover, check: &check })
}
