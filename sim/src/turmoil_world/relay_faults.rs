//! What happens to the relays of the beacon: one of them, or all at the same time, answers badly or is cut off for a
//! while.

use super::chronicle::Shared;
use super::host::HALL;
use super::plan::NetworkPlan;
use super::relay::{Relay, RelayBehaviour};
use crate::dice::Dice;
use std::collections::{BTreeMap, BTreeSet};
use turmoil::Sim;

/// How long a fault lasts, in milliseconds: at least and at most.
const LASTS: (u64, u64) = (5_000, 90_000);

/// The relays with what will happen to them.
pub(super) struct RelayFaults {
    /// A separate stream, so that worlds without a beacon are unchanged.
    dice: Dice,
    relays: Vec<(String, Relay)>,
    /// Mean time between two faults in milliseconds, if there are any.
    mean: Option<u64>,
    next: u64,
    /// When each relay recovers.
    mends: BTreeMap<u64, BTreeSet<usize>>,
    ill: BTreeSet<usize>,
    cut: BTreeSet<usize>,
    ends: u64,
    chronicle: Shared,
}

impl RelayFaults {
    /// What will happen to these relays, by their names on the network.
    pub(super) fn new(plan: &NetworkPlan, relays: Vec<(String, Relay)>, chronicle: Shared) -> Self {
        let mean = plan.faults.relays.map(hall_wire::Span::as_millis).filter(|_| !relays.is_empty());
        let mut faults = Self {
            dice: Dice::of(plan.seed, "relays", 0),
            relays,
            mean,
            next: u64::MAX,
            mends: BTreeMap::new(),
            ill: BTreeSet::new(),
            cut: BTreeSet::new(),
            ends: plan.lasts.as_millis(),
            chronicle,
        };
        faults.plan_next(0);
        faults
    }

    /// Does what is due at `now`, in milliseconds since the world began.
    pub(super) fn act(&mut self, sim: &mut Sim<'_>, now: u64) {
        while let Some(entry) = self.mends.first_entry().filter(|entry| *entry.key() <= now) {
            for relay in entry.remove() {
                self.mend(sim, relay);
            }
        }
        if now >= self.next && now < self.ends {
            self.plan_next(now);
            self.strike(sim, now);
        }
    }

    /// Repairs everything; there are no more faults.
    pub(super) fn heal(&mut self, sim: &mut Sim<'_>) {
        self.ends = 0;
        for relay in std::mem::take(&mut self.mends).into_values().flatten() {
            self.mend(sim, relay);
        }
    }

    fn plan_next(&mut self, now: u64) {
        if let Some(mean) = self.mean {
            self.next = now + self.dice.about(mean);
        }
    }

    fn strike(&mut self, sim: &mut Sim<'_>, now: u64) {
        let count = self.relays.len();
        let one = usize::try_from(self.dice.below(u64::try_from(count).unwrap_or(0))).unwrap_or(0);
        let struck = if self.dice.below(2) == 0 { 0..count } else { one..one + 1 };
        let cuts = self.dice.below(5) == 0;
        let behaviour = self.dice.pick(&RelayBehaviour::BAD).copied().unwrap_or(RelayBehaviour::Dead);
        let until = now + self.dice.between(LASTS.0, LASTS.1);
        for number in struck {
            let Some((name, relay)) = self.relays.get(number) else { continue };
            if !self.ill.insert(number) {
                continue;
            }
            self.mends.entry(until).or_default().insert(number);
            if cuts {
                sim.partition(name.as_str(), HALL);
                self.cut.insert(number);
                self.chronicle.open().report.fault("relay cut off");
            } else {
                relay.be(behaviour);
            }
        }
    }

    fn mend(&mut self, sim: &mut Sim<'_>, number: usize) {
        let Some((name, relay)) = self.relays.get(number) else { return };
        self.ill.remove(&number);
        relay.be(RelayBehaviour::Honest);
        if self.cut.remove(&number) {
            sim.repair(name.as_str(), HALL);
        }
    }
}
