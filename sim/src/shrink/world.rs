//! Smaller plans: fewer agents, less time, fewer faults, plainer settings.

use crate::crypto::Crypto;
use crate::direct::NetworkConditions;
use crate::plan::{Faults, WorldPlan, settings};
use hall_wire::Span;

/// The smallest plan that is reached by leaving things out one after the other while `fails` says true; `None` ends
/// the search.
pub fn smaller(plan: &WorldPlan, mut fails: impl FnMut(&WorldPlan) -> Option<bool>) -> WorldPlan {
    let mut best = plan.clone();
    loop {
        let mut changed = false;
        for candidate in plainer(&best) {
            // A candidate is made from what was best before; what changed meanwhile stays as it is.
            let candidate = candidate(&best);
            if candidate == best {
                continue;
            }
            match fails(&candidate) {
                Some(true) => (best, changed) = (candidate, true),
                Some(false) => {}
                None => return best,
            }
        }
        let mut chunk = best.agent_profiles.len() / 2;
        while chunk > 0 {
            let mut from = 0;
            while from < best.agent_profiles.len() {
                let mut candidate = best.clone();
                let until = (from + chunk).min(candidate.agent_profiles.len());
                candidate.agent_profiles.drain(from..until);
                match fails(&candidate) {
                    Some(true) => (best, changed) = (candidate, true),
                    Some(false) => from += chunk,
                    None => return best,
                }
            }
            chunk /= 2;
        }
        if !changed {
            return best;
        }
    }
}

type Change = Box<dyn Fn(&WorldPlan) -> WorldPlan>;

/// What could be left out, the largest parts first.
fn plainer(plan: &WorldPlan) -> Vec<Change> {
    fn change(change: impl Fn(&mut WorldPlan) + 'static) -> Change {
        Box::new(move |plan| {
            let mut plan = plan.clone();
            change(&mut plan);
            plan
        })
    }
    let mut changes = vec![
        change(|plan| plan.faults = Faults::default()),
        change(|plan| plan.network = NetworkConditions::calm()),
        change(|plan| plan.crypto = Crypto::StandIn),
        change(|plan| plan.readers = 0),
        change(|plan| plan.snapshot_every = 0),
        change(|plan| plan.settings = settings()),
        change(|plan| plan.settings.beacon = None),
        change(|plan| plan.calm = Span::ZERO),
        change(|plan| plan.faults.clock_drift_ppm = 0),
        change(|plan| plan.faults.small_clock_steps = false),
        change(|plan| plan.faults.new_settings = false),
        change(|plan| plan.faults.aimed_starts = false),
        change(|plan| plan.faults.stops_in_gaps = false),
        change(|plan| plan.faults.aimed_disk_faults = false),
        change(|plan| plan.faults.other_builds = false),
    ];
    let faults: [fn(&mut Faults) -> &mut Option<Span>; 13] = [
        |faults| &mut faults.kills,
        |faults| &mut faults.power_cuts,
        |faults| &mut faults.restarts,
        |faults| &mut faults.pauses,
        |faults| &mut faults.partitions,
        |faults| &mut faults.clock_steps,
        |faults| &mut faults.clock_freezes,
        |faults| &mut faults.disk_faults,
        |faults| &mut faults.corruption,
        |faults| &mut faults.full_disks,
        |faults| &mut faults.operator_acts,
        |faults| &mut faults.log_acts,
        |faults| &mut faults.vacated_seats,
    ];
    changes.extend(faults.into_iter().map(|fault| change(move |plan| *fault(&mut plan.faults) = None)));
    let network: [fn(&mut NetworkConditions) -> &mut u32; 5] = [
        |network| &mut network.heavy_tail,
        |network| &mut network.loses_requests,
        |network| &mut network.loses_answers,
        |network| &mut network.repeats,
        |network| &mut network.lingers,
    ];
    changes.extend(network.into_iter().map(|part| change(move |plan| *part(&mut plan.network) = 0)));
    // Agents play at least one game.
    for place in 0..plan.games.len() {
        changes.push(change(move |plan| {
            if plan.games.len() > 1 && place < plan.games.len() {
                plan.games.remove(place);
            }
        }));
    }
    let seconds = plan.lasts.as_millis() / 1_000;
    for (part, of) in [(1, 8), (1, 4), (1, 2), (3, 4), (9, 10)] {
        changes.push(change(move |plan| {
            plan.lasts = Span::from_secs((seconds * part / of).max(1).min(plan.lasts.as_millis() / 1_000));
        }));
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Profile;

    #[test]
    fn shrinking_removes_exactly_what_a_failure_does_not_need() {
        let mut plan = WorldPlan::draw(5, Profile::Storm);
        plan.faults.corruption = Some(Span::from_secs(60));
        let needs = |plan: &WorldPlan| {
            let edges = plan.agent_profiles.iter().filter(|profile| **profile == "edge").count();
            Some(edges > 0 && plan.faults.kills.is_some() && plan.lasts >= Span::from_secs(100))
        };
        let small = smaller(&plan, needs);
        assert_eq!(small.agent_profiles, ["edge"]);
        assert!(small.lasts < Span::from_secs(120), "{:?}", small.lasts);
        let only = Faults { kills: plan.faults.kills, ..Faults::default() };
        assert_eq!((small.faults, small.network), (only, NetworkConditions::calm()));
    }
}
