//! Z1 and Z4: the same again.

use super::ledger::Ledger;
use super::sight::Sight;
use super::{Family, Found};
use hall_wire::Timestamp;

/// Nothing needs to be remembered.
#[derive(Default)]
pub(super) struct Determinism;

impl Family for Determinism {
    fn sight(&mut self, sight: &Sight, ledger: &Ledger, found: &mut Found) {
        match sight {
            Sight::Ended(ending) => {
                let same = ending.digests.is_none_or(|(state, fold)| state == fold);
                let text = || format!("the journal gives another state: {:?}", ending.digests);
                found.require(same, "Z4", ending.at, text);
            }
            Sight::Repeated { first, second } => {
                let at: Timestamp = ledger.clock;
                let text = || format!("one seed gave {first} and then {second}");
                found.require(first == second, "Z1", at, text);
            }
            _ => {}
        }
    }
}
