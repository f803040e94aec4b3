//! Faults of the hall as a whole: wrong answers, and results that are missing.

use crate::edit::{Plant, by_itself, fact, facts_before, moved, pictured, plant, when};
use hall_core::{DeskFact, Fact, GovernanceFact, HallFact, KeyPurpose, Withheld};
use hall_sim::oracles::{Observation, Words, Written};
use hall_sim::protocol::{AgentRequest, AnswerBrief, SendMode};
use hall_wire::{AgentId, Digest, Span};
use std::sync::Arc;

pub(crate) fn plants() -> Vec<Plant> {
    let mut plants = vec![
        plant("G1", &["G3"], |seen, at| {
            fact(seen, at, |fact| match fact {
                Fact::Hall(HallFact::CheckpointTaken { root, .. }) => {
                    *root = Digest::of(b"another log");
                    Some(())
                }
                _ => None,
            })
        }),
        plant("G2", &["V1", "V3"], |seen, at| {
            is_calm(seen, at)?;
            let leaf_last = facts_before(seen, at).last().is_some_and(|fact| fact.leaf().is_some());
            when(leaf_last)?;
            pictured(seen, at, |picture| {
                picture.at = picture.at + Span::from_secs(2);
                Some(())
            })
        }),
        plant("G3", &[], |seen, at| {
            pictured(seen, at, |picture| {
                picture.checkpoint.as_mut()?.0 += 1;
                Some(())
            })
        }),
        plant("G4", &[], |seen, at| match &seen[at] {
            Observation::Decided(observed) => {
                let cut = |fact: &Fact| matches!(fact, Fact::Hall(HallFact::CheckpointTaken { .. }));
                when(observed.decision.facts.iter().any(cut))?;
                Some(vec![seen[at].clone(), seen[at].clone()])
            }
            _ => None,
        }),
        plant("G5", &[], |seen, at| {
            fact(seen, at, |fact| match fact {
                Fact::Governance(GovernanceFact::DocketEntered { leaf, .. }) => {
                    *leaf = leaf.replace("docket", "doket");
                    Some(())
                }
                _ => None,
            })
        }),
        plant("G10", &[], |seen, at| {
            fact(seen, at, |fact| match fact {
                Fact::Hall(HallFact::KeyPublished { purpose, signature: Some(text), .. }) => {
                    // The first of a world hold no key, so that only a real one's successor can be wrongly signed.
                    when(facts_before(seen, at).any(|fact| is_rotation(fact, *purpose)))?;
                    text.replace_range(..2, if text.starts_with("00") { "01" } else { "00" });
                    Some(())
                }
                _ => None,
            })
        }),
        plant("G10", &[], |seen, at| {
            fact(seen, at, |fact| match fact {
                Fact::Hall(HallFact::KeyPublished { signature, .. }) => signature.take().map(|_| ()),
                _ => None,
            })
        }),
        plant("G10", &[], |seen, at| {
            pictured(seen, at, |picture| {
                picture.checkpoint?;
                picture.signed_by.as_mut()?.push('=');
                Some(())
            })
        }),
        plant("S5", &[], |seen, at| {
            shown(seen, at, |place, words| {
                when(facts_before(seen, at).any(|fact| withholds(fact, place, words.turn_index)))?;
                words.texts.push("what was said".to_owned());
                Some(())
            })
        }),
        plant("S5", &[], |seen, at| shown(seen, at, |_, words| words.texts.pop().map(|_| ()))),
        plant("S5", &[], |seen, at| {
            shown(seen, at, |_, words| {
                words.leaf = Some(Digest::of(&words.leaf?.as_bytes()[..]));
                Some(())
            })
        }),
        plant("S5", &[], |seen, at| match &seen[at] {
            Observation::Shown(shown) if shown.game.is_some() => {
                let mut shown = shown.clone();
                shown.words.pop()?;
                Some(vec![Observation::Shown(shown)])
            }
            _ => None,
        }),
        plant("H1", &[], |seen, at| match &seen[at] {
            Observation::Heard { handle, number, answer: AnswerBrief::Joined { .. } } => {
                Some(vec![Observation::Heard {
                    handle: handle.clone(),
                    number: *number,
                    answer: AnswerBrief::Left,
                }])
            }
            _ => None,
        }),
        plant("H2", &[], |seen, at| match &seen[at] {
            Observation::Heard {
                handle,
                number,
                answer: AnswerBrief::Refused { code: "ALREADY_IN_LOBBY", .. },
            } => {
                let answer = AnswerBrief::Refused { code: "NOT_HOMOLOGATED", report: None };
                Some(vec![Observation::Heard { handle: handle.clone(), number: *number, answer }])
            }
            _ => None,
        }),
        plant("V1", &["G2", "V3"], |seen, at| {
            is_calm(seen, at)?;
            let later = |seconds| {
                pictured(seen, at, |picture| {
                    when(picture.writable && picture.live > 0)?;
                    picture.at = picture.at + Span::from_secs(seconds);
                    Some(())
                })
            };
            Some([later(86_400)?, later(86_410)?].concat())
        }),
        plant("V2", &[], |seen, at| {
            is_calm(seen, at)?;
            let Observation::Stepped(_) = &seen[at] else { return None };
            let handle = facts_before(seen, at).find_map(|fact| match fact {
                Fact::Desk(DeskFact::AgentRegistered { handle, .. }) => Some(handle.clone()),
                _ => None,
            })?;
            let mut planted = vec![seen[at].clone()];
            for number in u64::MAX - 3..u64::MAX {
                let (handle, what) = (handle.clone(), Arc::new(AgentRequest::MyGames));
                planted.push(Observation::Asked {
                    handle: handle.clone(),
                    number,
                    what,
                    mode: SendMode::Honest,
                });
                planted.push(Observation::Heard { handle, number, answer: AnswerBrief::Lost });
            }
            Some(planted)
        }),
        plant("V3", &["G2", "V1", "L1", "L4", "L5", "L7", "L8", "C1"], |seen, at| {
            is_calm(seen, at)?;
            let Observation::Stepped(picture) = &seen[at] else { return None };
            let lobby = facts_before(seen, at).find_map(|fact| match fact {
                Fact::Desk(DeskFact::LobbyJoined { lobby, .. }) => Some(*lobby),
                _ => None,
            })?;
            let agents: Vec<AgentId> = facts_before(seen, at)
                .filter_map(|fact| match fact {
                    Fact::Desk(DeskFact::AgentRegistered { agent, .. }) => Some(*agent),
                    _ => None,
                })
                .collect();
            let time = facts_before(seen, at).last()?.at();
            let joined = agents
                .into_iter()
                .map(|agent| Fact::Desk(DeskFact::LobbyJoined { at: time, agent, lobby }))
                .collect();
            let later = |seconds| {
                let mut late = picture.clone();
                late.at = late.at + Span::from_secs(seconds);
                Observation::Stepped(late)
            };
            Some(vec![seen[at].clone(), by_itself(time, joined), later(86_400), later(86_410)])
        }),
        plant("V4", &["W4"], |seen, at| {
            pictured(seen, at, |picture| {
                picture.spent_bytes = usize::MAX;
                Some(())
            })
        }),
        plant("V5", &[], |seen, at| match &seen[at] {
            Observation::Began(terms) => {
                let mut terms = terms.clone();
                terms.unharmed = facts_before(seen, seen.len())
                    .filter_map(|fact| match fact {
                        Fact::Desk(DeskFact::AgentRegistered { agent, .. }) => Some(*agent),
                        _ => None,
                    })
                    .collect();
                let struck = facts_before(seen, seen.len()).filter_map(Fact::in_room);
                use hall_core::rooms::RoomChange::StrikeGiven;
                when(struck.filter(|fact| matches!(fact.change, StrikeGiven { .. })).count() > 0)?;
                Some(vec![Observation::Began(terms)])
            }
            _ => None,
        }),
        plant("V6", &[], |seen, at| match &seen[at] {
            Observation::Ended(ending) => {
                let mut ending = ending.clone();
                when(ending.rested)?;
                ending.picture = None;
                Some(vec![Observation::Ended(ending)])
            }
            _ => None,
        }),
    ];
    let mut followed = plant("R1", &["G9"], |seen, at| {
        moved(seen, at, |resolution| {
            resolution.state_hash = Digest::of(b"another state");
            Some(())
        })
    });
    followed.compare_every = 1;
    plants.push(followed);
    plants
}

fn is_rotation(fact: &Fact, of: KeyPurpose) -> bool {
    matches!(fact, Fact::Hall(HallFact::KeyPublished { purpose, signature: Some(_), .. }) if *purpose == of)
}

fn withholds(fact: &Fact, place: &Written, turn: Option<u32>) -> bool {
    let Fact::Governance(GovernanceFact::TextWithheld { what, .. }) = fact else { return false };
    match (what, place) {
        (Withheld::Turn { game, turn_index }, Written::Fact(of, _)) => {
            game == of && Some(*turn_index) == turn
        }
        (Withheld::Feedback(id), Written::Post(of)) => id == of,
        _ => false,
    }
}

/// Changes the first words that the archive shows for which that can be done.
fn shown(
    seen: &[Observation],
    at: usize,
    mut change: impl FnMut(&Written, &mut Words) -> Option<()>,
) -> Option<Vec<Observation>> {
    let Observation::Shown(shown) = &seen[at] else { return None };
    let mut shown = shown.clone();
    shown.words.iter_mut().find_map(|(place, words)| change(place, words))?;
    Some(vec![Observation::Shown(shown)])
}

fn is_calm(seen: &[Observation], at: usize) -> Option<()> {
    when(seen[..at].iter().any(|observation| matches!(observation, Observation::Calm { .. })))
}
