//! Z1 and Z4: a second run gives the same result.

use super::ledger::Ledger;
use super::observation::Observation;
use super::{Family, Found};
use hall_wire::Timestamp;

/// This family keeps no state.
#[derive(Default)]
pub(super) struct Determinism;

impl Family for Determinism {
    fn observation(&mut self, observation: &Observation, ledger: &Ledger, found: &mut Found) {
        match observation {
            Observation::Ended(ending) => {
                let same = ending.digests.is_none_or(|(state, fold)| state == fold);
                let text = || format!("the journal gives another state: {:?}", ending.digests);
                found.require(same, "Z4", ending.at, text);
            }
            Observation::Repeated { first, second } => {
                let at: Timestamp = ledger.clock;
                let text = || format!("one seed gave {first} and then {second}");
                found.require(first == second, "Z1", at, text);
            }
            _ => {}
        }
    }
}
