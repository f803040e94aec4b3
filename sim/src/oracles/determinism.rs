//! Z1 and Z4: a second run gives the same result.

use super::ledger::Ledger;
use super::observation::Observation;
use super::{Family, Violations};
use hall_wire::Timestamp;

/// This family keeps no state.
#[derive(Clone, Default)]
pub(super) struct Determinism;

impl Family for Determinism {
    fn observation(&mut self, observation: &Observation, ledger: &Ledger, violations: &mut Violations) {
        match observation {
            Observation::Ended(ending) => {
                let same = ending.digests.as_ref().is_none_or(|(state, fold)| fold.as_ref() == Ok(state));
                let text = || format!("the journal gives another state: {:?}", ending.digests);
                violations.require(same, "Z4", ending.at, text);
            }
            Observation::Repeated { first, second } => {
                let at: Timestamp = ledger.clock;
                let text = || format!("one seed gave {first} and then {second}");
                violations.require(first == second, "Z1", at, text);
            }
            _ => {}
        }
    }
}
