//! Faults of the gate and of who may do what.

use crate::edit::{Plant, by_itself, decided, fact, facts_before, judged, plant, when};
use hall_core::{Caller, Command, DeskCommand, DeskFact, Fact, GovernanceFact, HallFact};
use hall_sim::oracles::Observation;
use hall_sim::protocol::AnswerBrief;
use hall_wire::{Signature, Span};

pub(crate) fn plants() -> Vec<Plant> {
    vec![
        plant("A1", &[], |seen, at| {
            judged(seen, at, |judged| {
                judged.request.signature = Signature::from_bytes([7; 64]);
                when(judged.spent)
            })
        }),
        plant("A2", &[], |seen, at| {
            let twice = judged(seen, at, |judged| when(judged.spent && judged.answer.is_some()))?;
            Some([twice.clone(), twice].concat())
        }),
        plant("A3", &[], |seen, at| {
            judged(seen, at, |judged| {
                judged.stamp = judged.stamp + Span::from_secs(301);
                when(judged.spent && judged.answer.is_some())
            })
        }),
        plant("A4", &[], |seen, at| {
            judged(seen, at, |judged| {
                judged.applied.1 += 1;
                when(!judged.spent && judged.request.challenge.is_some())
            })
        }),
        plant("A5", &[], |seen, at| {
            judged(seen, at, |judged| {
                when(judged.spent && judged.answer.is_some())?;
                judged.spent = false;
                judged.answer = Some(AnswerBrief::Refused { code: "CHALLENGE_SPENT", report: None });
                Some(())
            })
        }),
        plant("A6", &[], |seen, at| {
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
        plant("A7", &[], |seen, at| {
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
        plant("A8", &[], |seen, at| {
            fact(seen, at, |fact| {
                let Fact::Desk(DeskFact::AgentRegistered { leaf, key, .. }) = fact else { return None };
                *leaf = leaf.replace(&key.to_string(), &format!("01{}", "0".repeat(62)));
                Some(())
            })
        }),
        plant("A9", &[], |seen, at| {
            let Observation::Decided(observed) = &seen[at] else { return None };
            let Command::Desk(DeskCommand::RegisterAgent(new)) = &observed.what else { return None };
            Some(vec![Observation::Secret(new.model_id.clone()), seen[at].clone()])
        }),
        plant("S4", &[], |seen, at| {
            fact(seen, at, |fact| {
                let Fact::Desk(DeskFact::HomologationFiled { leaf, filing, .. }) = fact else { return None };
                leaf.push_str(filing.endpoint_url.as_deref()?);
                Some(())
            })
        }),
        plant("T4", &[], |seen, at| {
            let Observation::Decided(observed) = &seen[at] else { return None };
            let earlier = observed.at - Span::from_secs(10);
            let swept = Fact::Hall(HallFact::Stopped { at: earlier });
            when(at > 500)?;
            Some(vec![by_itself(earlier, vec![swept])])
        }),
    ]
}
