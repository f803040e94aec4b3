//! P1: the pure parts of the core by themselves.

use super::ledger::Ledger;
use super::sight::Sight;
use super::{Family, Found};
use crate::parts::Difference;

/// What was compared outside; nothing is remembered of it.
#[derive(Default)]
pub(super) struct Parts;

impl Family for Parts {
    fn sight(&mut self, sight: &Sight, _: &Ledger, found: &mut Found) {
        let Sight::Compared { at, differences } = sight else { return };
        for Difference { part, input, expected, found: answer } in differences {
            found.report("P1", *at, format!("{part} answers {answer}, not {expected}, to: {input}"));
        }
    }
}
