//! Pins processes to cores, and describes the machine.

use crate::Plan;
use hall_tests::{Value, json};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Cores that this process may use.
pub(crate) fn count() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Runs `start` so that processes started in it stay on the first core, and puts this one on the second.
pub(crate) fn on_first_core<T>(plan: &Plan, start: impl FnOnce() -> T) -> T {
    if !plan.pinned {
        return start();
    }
    pin(0);
    let started = start();
    pin(1);
    started
}

fn pin(core: usize) {
    let mut set = CpuSet::new();
    set.set(core);
    sched_setaffinity(None, &set).unwrap();
}

/// The machine on which the figures were measured.
pub(crate) fn describe(pinned: bool) -> Value {
    let information = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = information.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or_default();
    let usable = sched_getaffinity(None).map_or(0, |set| set.count());
    json!({
        "cpu": model.trim_start_matches(['\t', ' ', ':']),
        "cores": information.lines().filter(|line| line.starts_with("processor")).count(),
        "generator_cores": usable,
        "placement": if pinned { "hall on core 0, generator on core 1" } else { "free" },
    })
}
