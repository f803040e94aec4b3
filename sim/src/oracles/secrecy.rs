//! S2 and S4: what must not be public. What is shown to agents is watched where answers pass, in turmoil worlds.

use super::ledger::Ledger;
use super::{Family, Violations};
use crate::direct::Observed;
use hall_core::rooms::RoomChange;
use hall_core::{DeskFact, DoorbellChange, Fact};
use std::collections::BTreeSet;

/// What is secret.
#[derive(Clone, Default)]
pub(super) struct Secrecy {
    endpoints: BTreeSet<String>,
    /// The first bytes of each, which are few: a leaf without them holds none of the many.
    beginnings: BTreeSet<String>,
}

/// Characters of a beginning.
const BEGINNING: usize = 8;

impl Family for Secrecy {
    fn fact(&mut self, fact: &Fact, observed: &Observed, ledger: &Ledger, violations: &mut Violations) {
        let filed = match fact {
            Fact::Desk(DeskFact::HomologationFiled { filing, .. }) => filing.endpoint_url.as_ref(),
            Fact::Doorbell(fact) => match &fact.change {
                DoorbellChange::Registered { url, .. } => Some(url),
                _ => None,
            },
            _ => None,
        };
        self.beginnings.extend(filed.iter().map(|url| url.chars().take(BEGINNING).collect()));
        self.endpoints.extend(filed.cloned());
        let Some(leaf) = fact.leaf() else { return };
        let may_tell = self.beginnings.iter().any(|beginning| leaf.contains(beginning.as_str()));
        let told = self.endpoints.iter().find(|url| may_tell && leaf.contains(url.as_str()));
        violations
            .require(told.is_none(), "S4", observed.at, || format!("a leaf holds the address {told:?}"));
        let Fact::Room(fact) = fact else { return };
        let seed = match &fact.change {
            RoomChange::Ended { .. } => return,
            RoomChange::Started(terms) => terms.seed.reveal(),
            _ => match ledger.games.get(&fact.game) {
                Some(game) => game.terms.seed.reveal(),
                None => return,
            },
        };
        let told = leaf.contains(&seed);
        violations
            .require(!told, "S2", observed.at, || format!("an event of game {} holds its seed", fact.game));
    }
}
