//! Faults of the gate and of who may do what.

use crate::edit::{
    Plant, add_to_leaf, by_itself, decided, fact, facts_before, judged, pictured, plant, room, when,
};
use hall_core::rooms::RoomChange;
use hall_core::{Caller, Command, DeskCommand, DeskFact, DoorbellChange, Fact, GovernanceFact, HallFact};
use hall_sim::oracles::{Judged, Observation};
use hall_sim::protocol::AnswerBrief;
use hall_wire::{AgentId, Digest, Signature, Span};

pub(crate) fn plants() -> Vec<Plant> {
    [requests(), other_requests(), names(), other_names()].concat()
}

fn requests() -> Vec<Plant> {
    vec![
        plant("A1", "a request is let in with a signature that is not its agent's", |seen, at| {
            judged(seen, at, |judged| {
                judged.request.signature = Signature::from_bytes([7; 64]);
                when(judged.spent)
            })
        }),
        plant("A2", "a challenge is let in twice", |seen, at| {
            let twice = judged(seen, at, |judged| when(judged.spent && judged.answer.is_some()))?;
            Some([twice.clone(), twice].concat())
        }),
        plant("A3", "a challenge is let in 301 s late", |seen, at| {
            judged(seen, at, |judged| {
                judged.stamp = judged.stamp + Span::from_secs(301);
                when(judged.spent && judged.answer.is_some())
            })
        }),
        plant("A4", "a refused request adds a record", |seen, at| {
            judged(seen, at, |judged| {
                judged.applied.1 += 1;
                when(!judged.spent && judged.request.challenge.is_some())
            })
        }),
        plant("A5", "a request with a fresh challenge and a valid signature is refused", |seen, at| {
            judged(seen, at, |judged| {
                when(judged.spent && judged.answer.is_some())?;
                judged.spent = false;
                judged.answer = Some(AnswerBrief::Refused { code: "CHALLENGE_SPENT", report: None });
                Some(())
            })
        }),
    ]
}

/// Where the judgement itself is as it was.
fn other_requests() -> Vec<Plant> {
    vec![
        plant("A1", "a request is decided with another stamp than it arrived with", |seen, at| {
            decided(seen, at, |observed| {
                when(matches!(observed.what, Command::Desk(DeskCommand::PostFeedback(_))))?;
                when(!seen[..at].iter().any(|it| matches!(it, Observation::Died(_))))?;
                observed.stamp = observed.stamp - Span::from_millis(1);
                Some(())
            })
        }),
        plant("A3", "a challenge that was issued to one agent lets in another", |seen, at| {
            let Observation::Issued { at: time, handle, challenge } = &seen[at] else { return None };
            let used = judgements(seen, at)
                .any(|judged| judged.spent && judged.request.challenge == Some(*challenge));
            let other = facts_before(seen, at).find_map(|fact| match fact {
                Fact::Desk(DeskFact::AgentRegistered { handle: other, .. }) if other != handle => {
                    Some(other.clone())
                }
                _ => None,
            })?;
            when(used)?;
            Some(vec![Observation::Issued { at: *time, handle: other, challenge: *challenge }])
        }),
        plant("A4", "a refused request changes the digest of the state", |seen, at| {
            judged(seen, at, |judged| {
                when(!judged.spent && judged.request.challenge.is_some())?;
                judged.digests.as_mut()?.1 = Digest::of(b"another state");
                Some(())
            })
        }),
        plant(
            "A5",
            "a request is refused as if the hall had started again since its challenge",
            |seen, at| {
                when(matches!(seen[at], Observation::Died(_)))?;
                let unknown = AnswerBrief::Refused { code: "CHALLENGE_UNKNOWN", report: None };
                let mut refused =
                    judgements(seen, at).filter(|judged| judged.answer.as_ref() == Some(&unknown));
                let is_fresh = |judged: &Judged| {
                    seen[..at].iter().any(|observation| match observation {
                        Observation::Issued { at, handle, challenge } => {
                            judged.request.challenge == Some(*challenge)
                                && judged.request.handle == *handle
                                && judged.stamp < *at + Span::from_secs(300)
                        }
                        _ => false,
                    })
                };
                when(refused.any(is_fresh))?;
                Some(Vec::new())
            },
        ),
        plant("A9", "an operator token is told in an answer", |seen, at| match &seen[at] {
            Observation::Answered { answer: AnswerBrief::Refused { code, .. }, .. } => {
                Some(vec![Observation::Secret((*code).to_owned()), seen[at].clone()])
            }
            _ => None,
        }),
    ]
}

/// What the gate decided after this place.
fn judgements(seen: &[Observation], at: usize) -> impl Iterator<Item = &Judged> {
    seen[at..].iter().filter_map(|observation| match observation {
        Observation::Judged(judged) => Some(&**judged),
        _ => None,
    })
}

fn names() -> Vec<Plant> {
    vec![
        plant("A6", "an agent registers under the handle of another", |seen, at| {
            let taken = facts_before(seen, at).find_map(|fact| match fact {
                Fact::Desk(DeskFact::AgentRegistered { handle, .. }) => Some(handle.clone()),
                _ => None,
            });
            fact(seen, at, |fact| {
                let Fact::Desk(DeskFact::AgentRegistered { handle, .. }) = fact else { return None };
                *handle = taken.clone()?;
                Some(())
            })
        }),
        plant("A7", "a feedback post suspends another agent", |seen, at| {
            let other = facts_before(seen, at).find_map(|fact| match fact {
                Fact::Desk(DeskFact::AgentRegistered { agent, .. }) => Some(*agent),
                _ => None,
            })?;
            decided(seen, at, |observed| {
                when(matches!(observed.who, Caller::Agent(who) if who != other))?;
                when(
                    matches!(observed.what, Command::Desk(DeskCommand::PostFeedback(_)))
                        && observed.decision.answer.is_ok(),
                )?;
                observed
                    .decision
                    .facts
                    .push(Fact::Governance(GovernanceFact::AgentSuspended { at: observed.at, agent: other }));
                Some(())
            })
        }),
        plant("A8", "the leaf of a registration has a key of small order", |seen, at| {
            fact(seen, at, |fact| {
                let Fact::Desk(DeskFact::AgentRegistered { leaf, key, .. }) = fact else { return None };
                *leaf = leaf.replace(&key.to_string(), &format!("01{}", "0".repeat(62)));
                Some(())
            })
        }),
        plant("A9", "an operator token is written in a registration", |seen, at| {
            let Observation::Decided(observed) = &seen[at] else { return None };
            let Command::Desk(DeskCommand::RegisterAgent(new)) = &observed.what else { return None };
            Some(vec![Observation::Secret(new.model_id.clone()), seen[at].clone()])
        }),
        plant("S4", "the leaf of a homologation has the address of the endpoint", |seen, at| {
            fact(seen, at, |fact| {
                let Fact::Desk(DeskFact::HomologationFiled { leaf, filing, .. }) = fact else { return None };
                leaf.push_str(filing.endpoint_url.as_deref()?);
                Some(())
            })
        }),
        plant("T4", "a fact is ten seconds older than the one before it", |seen, at| {
            let Observation::Decided(observed) = &seen[at] else { return None };
            let earlier = observed.at - Span::from_secs(10);
            let swept = Fact::Hall(HallFact::Stopped { at: earlier });
            when(at > 500)?;
            Some(vec![by_itself(earlier, vec![swept])])
        }),
    ]
}

fn other_names() -> Vec<Plant> {
    vec![
        plant("A6", "the state shows an agent with the key of another", |seen, at| {
            pictured(seen, at, |picture| {
                let [first, second, ..] = picture.people.as_mut_slice() else { return None };
                first.key = second.key;
                Some(())
            })
        }),
        plant("A7", "a feedback post is entered for another agent", |seen, at| {
            decided(seen, at, |observed| {
                let Caller::Agent(asker) = observed.who else { return None };
                let other = other_than(seen, at, asker)?;
                observed.decision.facts.iter_mut().find_map(|fact| match fact {
                    Fact::Desk(DeskFact::FeedbackPosted { agent, .. }) => {
                        *agent = other;
                        Some(())
                    }
                    _ => None,
                })
            })
        }),
        plant("A8", "the leaf of a registration has the key of another agent", |seen, at| {
            let known = facts_before(seen, at).find_map(|fact| match fact {
                Fact::Desk(DeskFact::AgentRegistered { key, .. }) => Some(*key),
                _ => None,
            })?;
            fact(seen, at, |fact| {
                let Fact::Desk(DeskFact::AgentRegistered { leaf, key, .. }) = fact else { return None };
                *leaf = leaf.replace(&key.to_string(), &known.to_string());
                Some(())
            })
        }),
        plant("S4", "the event of a move has the address of a doorbell", |seen, at| {
            room(seen, at, |fact| {
                when(matches!(fact.change, RoomChange::MovePlayed(_)))?;
                let address = facts_before(seen, at).find_map(|fact| match fact {
                    Fact::Doorbell(fact) => match &fact.change {
                        DoorbellChange::Registered { url, .. } => Some(url.clone()),
                        _ => None,
                    },
                    _ => None,
                })?;
                add_to_leaf(&mut fact.event.as_mut()?.leaf, "/event/data", "from", &address)
            })
        }),
        plant("T4", "a fact is a millisecond later than its decision", |seen, at| {
            fact(seen, at, |fact| match fact {
                Fact::Desk(DeskFact::LobbyJoined { at, .. }) => {
                    *at = *at + Span::from_millis(1);
                    Some(())
                }
                _ => None,
            })
        }),
    ]
}

fn other_than(seen: &[Observation], at: usize, who: AgentId) -> Option<AgentId> {
    facts_before(seen, at).find_map(|fact| match fact {
        Fact::Desk(DeskFact::AgentRegistered { agent, .. }) if *agent != who => Some(*agent),
        _ => None,
    })
}
