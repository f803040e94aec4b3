//! Faults of storage.

use crate::edit::{Plant, opened, plant, when};
use hall_sim::oracles::Observation;
use hall_wire::Digest;

pub(crate) fn plants() -> Vec<Plant> {
    vec![
        plant("D1", &["D5"], |seen, at| {
            opened(seen, at, |opened| {
                let other = opened.records.first()?.bytes.clone();
                opened.records.get_mut(1)?.bytes = other;
                Some(())
            })
        }),
        plant("D2", &[], |seen, at| {
            opened(seen, at, |opened| {
                let seq = opened.seq;
                when(opened.in_doubt.iter().any(|it| it.seq <= seq && !it.decision.facts.is_empty()))?;
                opened.in_doubt.clear();
                Some(())
            })
        }),
        plant("D3", &[], |seen, at| match &seen[at] {
            Observation::Answered { at, handle, answer, .. } => Some(vec![Observation::Answered {
                at: *at,
                handle: handle.clone(),
                answer: answer.clone(),
                durable: 0,
            }]),
            _ => None,
        }),
        plant("D4", &[], |seen, at| {
            let died = seen[..at].iter().rev().find_map(|observation| match observation {
                Observation::Died(death) => Some(death.clone()),
                _ => None,
            });
            opened(seen, at, |opened| {
                when(died.is_some_and(|death| death.digest.is_some() && death.durable == opened.seq))?;
                opened.recovered = Some(Digest::of(b"another state"));
                opened.folded = None;
                Some(())
            })
        }),
        plant("D5", &[], |seen, at| {
            opened(seen, at, |opened| {
                opened.records.last_mut()?.chain[3] ^= 1;
                Some(())
            })
        }),
        plant("D7", &["H3"], |seen, at| {
            opened(seen, at, |opened| {
                when(opened.seq > 0)?;
                (opened.seq, opened.folded) = (0, None);
                opened.records.clear();
                Some(())
            })
        }),
        plant("H3", &["D7"], |seen, at| {
            opened(seen, at, |opened| {
                when(opened.seq > 50)?;
                (opened.seq, opened.folded) = (0, None);
                opened.records.clear();
                Some(())
            })
        }),
        plant("D8", &[], |seen, at| match &seen[at] {
            Observation::Answered { at: time, .. } => {
                Some(vec![Observation::Failed { at: *time }, seen[at].clone()])
            }
            _ => None,
        }),
        plant("D9", &[], |seen, at| {
            opened(seen, at, |opened| {
                opened.folded = Some(Digest::of(b"another state"));
                when(opened.recovered.is_some())
            })
        }),
        plant("Z4", &[], |seen, at| match &seen[at] {
            Observation::Ended(ending) => {
                let mut ending = ending.clone();
                ending.digests.as_mut()?.1 = Digest::of(b"another state");
                Some(vec![Observation::Ended(ending)])
            }
            _ => None,
        }),
        plant("Z1", &[], |seen, at| {
            when(at + 1 == seen.len())?;
            Some(vec![Observation::Repeated { first: "one".to_owned(), second: "another".to_owned() }])
        }),
    ]
}
