//! Faults in the requests to the endpoints of agents.

use crate::edit::{Plant, plant, when};
use hall_sim::oracles::{Observation, Rang};
use hall_wire::RingId;

pub(crate) fn plants() -> Vec<Plant> {
    vec![
        // The same turn is rung for with another event.
        plant("X1", &["X7"], |seen, at| {
            rang(seen, at, |rang| {
                let earlier = seen[..at].iter().any(|observation| match observation {
                    Observation::Rang(before) => {
                        (before.agent, before.game, before.turn_index)
                            == (rang.agent, rang.game, rang.turn_index)
                    }
                    _ => false,
                });
                when(earlier)?;
                rang.id = RingId::from_bytes([9; 16]);
                Some(())
            })
        }),
        plant("X2", &[], |seen, at| {
            rang(seen, at, |rang| {
                rang.url.push_str("&elsewhere");
                Some(())
            })
        }),
        plant("X3", &[], |seen, at| match &seen[at] {
            Observation::Dialed(dialed) => {
                let mut dialed = dialed.clone();
                dialed.address = "169.254.169.254".parse().ok()?;
                Some(vec![Observation::Dialed(dialed)])
            }
            _ => None,
        }),
        plant("X4", &[], |seen, at| {
            rang(seen, at, |rang| {
                rang.turns = 100_000;
                Some(())
            })
        }),
        plant("X7", &[], |seen, at| {
            rang(seen, at, |rang| {
                rang.body = rang.body.replacen('{', "{\"board\":\"white to move\",", 1);
                Some(())
            })
        }),
    ]
}

fn rang(
    seen: &[Observation],
    at: usize,
    change: impl FnOnce(&mut Rang) -> Option<()>,
) -> Option<Vec<Observation>> {
    let Observation::Rang(rang) = &seen[at] else { return None };
    let mut changed = rang.clone();
    change(&mut changed)?;
    Some(vec![Observation::Rang(changed)])
}
