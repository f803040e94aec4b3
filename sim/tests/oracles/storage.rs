//! Faults of storage.

use crate::edit::{Plant, decided, opened, plant, when};
use hall_core::{Command, Reply, RoomCommand};
use hall_sim::direct::World;
use hall_sim::oracles::{Death, Observation};
use hall_sim::plan::{Profile, WorldPlan};
use hall_sim::protocol::AnswerBrief;
use hall_wire::Digest;
use std::sync::Arc;

pub(crate) fn plants() -> Vec<Plant> {
    vec![
        plant("D1", "a record has the bytes of another", |seen, at| {
            opened(seen, at, |opened| {
                let records = opened.records.as_mut().ok()?;
                let other = records.first()?.bytes.clone();
                records.get_mut(1)?.bytes = other;
                Some(())
            })
        }),
        plant("D2", "a record is in the journal that was not under way", |seen, at| {
            opened(seen, at, |opened| {
                let seq = opened.seq;
                when(opened.in_doubt.iter().any(|it| it.seq <= seq && !it.decision.facts.is_empty()))?;
                opened.in_doubt.clear();
                Some(())
            })
        }),
        plant("D3", "an answer leaves before its record is durable", |seen, at| match &seen[at] {
            Observation::Answered { at, handle, answer, .. } => Some(vec![Observation::Answered {
                at: *at,
                handle: handle.clone(),
                answer: answer.clone(),
                durable: 0,
            }]),
            _ => None,
        }),
        plant("D4", "another state comes back after a crash", |seen, at| {
            opened(seen, at, |opened| {
                let died = seen[..at].iter().rev().find_map(|observation| match observation {
                    Observation::Died(death) => Some(death),
                    _ => None,
                });
                when(died.is_some_and(|death| death.digest.is_some() && death.durable == opened.seq))?;
                opened.recovered = Ok(Digest::of(b"another state"));
                opened.folded = None;
                Some(())
            })
        }),
        plant("D5", "a chain value has a flipped bit", |seen, at| {
            opened(seen, at, |opened| {
                opened.records.as_mut().ok()?.last_mut()?.chain[3] ^= 1;
                Some(())
            })
        }),
        plant("D7", "the journal comes back empty", |seen, at| {
            opened(seen, at, |opened| {
                when(opened.seq > 0)?;
                (opened.seq, opened.folded) = (0, None);
                opened.records = Ok(Vec::new());
                Some(())
            })
        }),
        plant("H3", "the journal comes back empty after much was granted", |seen, at| {
            opened(seen, at, |opened| {
                when(opened.seq > 50)?;
                (opened.seq, opened.folded) = (0, None);
                opened.records = Ok(Vec::new());
                Some(())
            })
        }),
        plant("D8", "an answer leaves after the journal has failed", |seen, at| match &seen[at] {
            Observation::Answered { at: time, .. } => {
                Some(vec![Observation::Failed { at: *time }, seen[at].clone()])
            }
            _ => None,
        }),
        plant("D8", "an append succeeds though the disk failed in it", |seen, at| match &seen[at] {
            Observation::Answered { at: time, .. } => {
                Some(vec![Observation::FailureIgnored { at: *time }, seen[at].clone()])
            }
            _ => None,
        }),
        plant("D9", "all facts give another state than the snapshot", |seen, at| {
            opened(seen, at, |opened| {
                opened.folded = Some(Ok(Digest::of(b"another state")));
                when(opened.recovered.is_ok())
            })
        }),
        plant("Z4", "the journal gives another state at the end", |seen, at| match &seen[at] {
            Observation::Ended(ending) => {
                let mut ending = ending.clone();
                ending.digests.as_mut()?.1 = Ok(Digest::of(b"another state"));
                Some(vec![Observation::Ended(ending)])
            }
            _ => None,
        }),
        plant("D2", "a write is in the journal in part", |seen, at| {
            opened(seen, at, |opened| {
                let seq = opened.seq;
                let there =
                    opened.in_doubt.iter().rfind(|it| it.seq <= seq && !it.decision.facts.is_empty())?;
                when(!matches!(
                    there.what,
                    Command::Hall(_) | Command::Room(RoomCommand::ExtendForGap { .. })
                ))?;
                let mut absent = (**there).clone();
                absent.seq = seq + 1;
                opened.in_doubt.push(Arc::new(absent));
                Some(())
            })
        }),
        plant("D3", "an answer leaves that was not decided", |seen, at| match &seen[at] {
            Observation::Answered { at, handle, answer: AnswerBrief::Joined { .. }, durable } => {
                let (handle, answer) = (handle.clone(), AnswerBrief::Left);
                Some(vec![Observation::Answered { at: *at, handle, answer, durable: *durable }])
            }
            _ => None,
        }),
        plant("D4", "a hall dies in another state than comes back", |seen, at| {
            let Observation::Died(death) = &seen[at] else { return None };
            let next = seen[at..].iter().find_map(|observation| match observation {
                Observation::Opened(opened) => Some(opened.seq),
                _ => None,
            });
            when(death.digest.is_some() && next == Some(death.durable))?;
            let digest = Some(Digest::of(b"another state"));
            Some(vec![Observation::Died(Death { digest, ..death.clone() })])
        }),
        plant("D5", "a record is missing in the journal", |seen, at| {
            opened(seen, at, |opened| {
                let records = opened.records.as_mut().ok()?;
                when(records.len() > 2)?;
                records.remove(1);
                Some(())
            })
        }),
        plant("D7", "a record was said to be durable that the journal lacks", |seen, at| match &seen[at] {
            Observation::Answered { at: time, handle, answer, .. } => {
                when(seen[at..].iter().any(|it| matches!(it, Observation::Opened(_))))?;
                let (handle, answer) = (handle.clone(), answer.clone());
                Some(vec![Observation::Answered { at: *time, handle, answer, durable: u64::MAX }])
            }
            _ => None,
        }),
        plant("H3", "an agent was granted what is in a record that the journal lacks", |seen, at| {
            decided(seen, at, |observed| {
                when(matches!(observed.decision.answer, Ok(Reply::Joined { .. })))?;
                when(seen[at..].iter().any(|it| matches!(it, Observation::Opened(_))))?;
                observed.seq += 1_000_000;
                Some(())
            })
        })
        .and_later(|observation| {
            if let Observation::Answered { durable, .. } = observation {
                *durable = u64::MAX;
            }
        }),
        plant("D8", "answers leave though the hall did not start again after a failure", |seen, at| {
            when(matches!(&seen[at], Observation::Started { .. }))?;
            let last = seen[..at]
                .iter()
                .rev()
                .find(|it| matches!(it, Observation::Started { .. } | Observation::Failed { .. }))?;
            when(matches!(last, Observation::Failed { .. }))?;
            Some(Vec::new())
        }),
        plant("D9", "a snapshot gives another state than all facts", |seen, at| {
            opened(seen, at, |opened| {
                opened.recovered = Ok(Digest::of(b"another state"));
                when(opened.folded.is_some())
            })
        }),
        plant("Z4", "the hall ends in another state than its journal gives", |seen, at| match &seen[at] {
            Observation::Ended(ending) => {
                let mut ending = ending.clone();
                ending.digests.as_mut()?.0 = Digest::of(b"another state");
                Some(vec![Observation::Ended(ending)])
            }
            _ => None,
        }),
        plant("D1", "the records of the journal cannot be read", |seen, at| {
            opened(seen, at, |opened| {
                opened.records = Err("a record is damaged".to_owned());
                Some(())
            })
        }),
        plant("D9", "no state can be recovered", |seen, at| {
            opened(seen, at, |opened| {
                opened.recovered = Err("a snapshot is damaged".to_owned());
                Some(())
            })
        }),
        plant("Z4", "the facts of the journal cannot be folded", |seen, at| {
            opened(seen, at, |opened| {
                *opened.folded.as_mut()? = Err("a fact is unknown".to_owned());
                Some(())
            })
        }),
        plant("Z4", "the journal gives no state at the end", |seen, at| match &seen[at] {
            Observation::Ended(ending) => {
                let mut ending = ending.clone();
                ending.digests.as_mut()?.1 = Err("a fact is unknown".to_owned());
                Some(vec![Observation::Ended(ending)])
            }
            _ => None,
        }),
        plant("Z1", "a second run of one seed has another network", |seen, at| {
            when(at + 1 == seen.len())?;
            let plan = WorldPlan::calm(3, 2);
            let mut other = plan.clone();
            other.network = WorldPlan::draw(1, Profile::Storm).network;
            let hash = |plan| World::new(plan).run().trace_hash;
            Some(vec![Observation::Repeated { first: hash(plan), second: hash(other) }])
        }),
        plant("Z1", "a second run has another trace", |seen, at| {
            when(at + 1 == seen.len())?;
            Some(vec![Observation::Repeated { first: "one".to_owned(), second: "another".to_owned() }])
        }),
    ]
}
