//! Faults in the requests to the endpoints of agents.

use crate::edit::{Plant, plant, when};
use hall_sim::oracles::{Dialed, Observation, Rang};
use hall_wire::{RingId, Span};

pub(crate) fn plants() -> Vec<Plant> {
    vec![
        plant("X1", "a turn is rung for with two events", |seen, at| {
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
        plant("X2", "an agent is rung at an address that it has not proven", |seen, at| {
            rang(seen, at, |rang| {
                rang.url.push_str("&elsewhere");
                Some(())
            })
        }),
        plant("X3", "a connection leads to a link-local address", |seen, at| match &seen[at] {
            Observation::Dialed(dialed) => {
                let mut dialed = dialed.clone();
                dialed.address = "169.254.169.254".parse().ok()?;
                Some(vec![Observation::Dialed(dialed)])
            }
            _ => None,
        }),
        plant("X4", "more turns wait for a ring than may", |seen, at| {
            rang(seen, at, |rang| {
                rang.turns = 100_000;
                Some(())
            })
        }),
        plant("X7", "a ring has a fifth field", |seen, at| {
            rang(seen, at, |rang| {
                rang.body = rang.body.replacen('{', "{\"board\":\"white to move\",", 1);
                Some(())
            })
        }),
        plant("X1", "a turn is rung for six times", |seen, at| {
            let Observation::Rang(rang) = &seen[at] else { return None };
            let ended = Observation::RingEnded { at: rang.at, url: rang.url.clone() };
            let same = |before: &Observation| matches!(before, Observation::Rang(it) if it.game == rang.game);
            when(!seen[..at].iter().any(same))?;
            Some(vec![[seen[at].clone(), ended]; 6].concat())
        }),
        plant("X1", "attempts begin with the first again", |seen, at| {
            rang(seen, at, |rang| {
                when(rang.attempt > 1)?;
                rang.attempt = 1;
                Some(())
            })
        }),
        plant("X1", "attempts do not come further and further apart", |seen, at| {
            rang(seen, at, |rang| {
                when(rang.attempt > 2)?;
                rang.longest_wait = rang.longest_wait.map(|_| Span::from_secs(1));
                rang.longest_wait.map(|_| ())
            })
        }),
        plant("X3", "a connection leads to port 80", |seen, at| match &seen[at] {
            Observation::Dialed(dialed) => {
                Some(vec![Observation::Dialed(Dialed { port: 80, ..dialed.clone() })])
            }
            _ => None,
        }),
        plant("X4", "an endpoint is rung again while an attempt is under way", |seen, at| {
            when(matches!(&seen[at], Observation::Rang(_)))?;
            Some(vec![seen[at].clone(), seen[at].clone()])
        }),
        plant("X7", "a ring tells another deadline", |seen, at| {
            rang(seen, at, |rang| {
                when(rang.body.contains("\"2026"))?;
                rang.body = rang.body.replace("\"2026", "\"2036");
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
