//! Sweeps over many worlds.

use hall_sim::check::{Sweep, sweep};
use hall_sim::plan::Profile;
use hall_sim::run::{Choices, Worlds};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

fn three_agents(jobs: usize, budget: Option<u64>) -> Sweep {
    let choices = Choices { agents: Some(3), ..Choices::drawn(0, Profile::Swarm) };
    Sweep { seeds: 0..6, worlds: Worlds::Alike(choices), jobs, budget: budget.map(Duration::from_secs) }
}

fn seen(jobs: usize, until: u64) -> Vec<(u64, String)> {
    let mut seen = Vec::new();
    let never = || unreachable!("there is no budget");
    let harvest = sweep(&three_agents(jobs, None), &never, |report| {
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

#[test]
fn a_budget_ends_a_running_world_at_its_next_event_and_begins_no_other() {
    // Each question for the time takes a second. There is one before each world, one at its beginning, and one
    // before each of its events.
    let within = |budget| {
        let asked = AtomicU64::new(0);
        let elapsed = || Duration::from_secs(asked.fetch_add(1, Ordering::Relaxed));
        let harvest = sweep(&three_agents(1, Some(budget)), &elapsed, |_| true);
        assert_eq!((harvest.worlds, harvest.failures.len()), (0, 0));
        let seeds: Vec<u64> = harvest.cut_off.iter().map(|report| report.seed).collect();
        (seeds, asked.into_inner())
    };
    // Three worlds take the quarter that begins at their second question, and the last one what is left.
    assert_eq!(within(40), (vec![0, 1, 2, 3], 42));
    assert_eq!(within(0), (vec![], 1));
}

#[test]
fn worlds_that_are_not_cut_off_are_the_same_within_a_budget() {
    let unlimited = seen(1, 9);
    let mut limited = Vec::new();
    let harvest = sweep(&three_agents(1, Some(1)), &|| Duration::ZERO, |report| {
        limited.push((report.seed, report.trace_hash.clone()));
        true
    });
    assert_eq!((limited, harvest.cut_off.len()), (unlimited, 0));
}
