//! Faults of the hall as a whole: wrong answers, and results that are missing.

use crate::edit::{
    Plant, add_to_leaf, by_itself, decided, fact, facts_before, moved, pictured, plant, terms, when,
};
use hall_core::rooms::{ForcedCause, RoomChange};
use hall_core::{
    Command, DeskFact, Fact, GovernanceFact, HallFact, KeyPurpose, Rejection, RoomCommand, Withheld,
};
use hall_sim::oracles::{Observation, Words, Written};
use hall_sim::protocol::{AgentRequest, AnswerBrief, SendMode};
use hall_wire::{AgentId, Digest, Span};
use std::sync::Arc;

pub(crate) fn plants() -> Vec<Plant> {
    [log(), answers(), liveness()].concat()
}

fn log() -> Vec<Plant> {
    vec![
        plant("G1", "a checkpoint has another root", |seen, at| {
            fact(seen, at, |fact| match fact {
                Fact::Hall(HallFact::CheckpointTaken { root, .. }) => {
                    *root = Digest::of(b"another log");
                    Some(())
                }
                _ => None,
            })
        }),
        plant("G2", "a leaf waits two seconds for a checkpoint", |seen, at| {
            let leaf_last = facts_before(seen, at).last().is_some_and(|fact| fact.leaf().is_some());
            when(leaf_last)?;
            pictured(seen, at, |picture| {
                picture.at = picture.at + Span::from_secs(2);
                Some(())
            })
        })
        .in_calm(),
        plant("G2", "an old checkpoint stays published", |seen, at| {
            let mut cuts = facts_before(seen, at).filter_map(|fact| match fact {
                Fact::Hall(HallFact::CheckpointTaken { size, root, .. }) => Some((*size, *root)),
                _ => None,
            });
            let first = cuts.next()?;
            when(cuts.next().is_some())?;
            pictured(seen, at, |picture| {
                picture.at = picture.at + Span::from_secs(2);
                picture.checkpoint = Some(first);
                Some(())
            })
        })
        .in_calm(),
        plant("G3", "a checkpoint covers one leaf more than its cut", |seen, at| {
            pictured(seen, at, |picture| {
                picture.checkpoint.as_mut()?.0 += 1;
                Some(())
            })
        }),
        plant("G4", "a checkpoint is cut twice", |seen, at| match &seen[at] {
            Observation::Decided(observed) => {
                let cut = |fact: &Fact| matches!(fact, Fact::Hall(HallFact::CheckpointTaken { .. }));
                when(observed.decision.facts.iter().any(cut))?;
                Some(vec![seen[at].clone(), seen[at].clone()])
            }
            _ => None,
        }),
        plant("G5", "the leaf of a docket entry is of no kind", |seen, at| {
            fact(seen, at, |fact| match fact {
                Fact::Governance(GovernanceFact::DocketEntered { leaf, .. }) => {
                    *leaf = leaf.replace("docket", "doket");
                    Some(())
                }
                _ => None,
            })
        }),
        plant("G10", "a key has a wrong signature of the one before it", |seen, at| {
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
        plant("G10", "a key has no signature of the one before it", |seen, at| {
            fact(seen, at, |fact| match fact {
                Fact::Hall(HallFact::KeyPublished { signature, .. }) => signature.take().map(|_| ()),
                _ => None,
            })
        }),
        plant("G10", "a checkpoint is signed by another key than the one in force", |seen, at| {
            pictured(seen, at, |picture| {
                picture.checkpoint?;
                picture.signed_by.as_mut()?.push('=');
                Some(())
            })
        }),
        plant("S5", "words that are withheld are shown", |seen, at| {
            shown(seen, at, |place, words| {
                when(facts_before(seen, at).any(|fact| withholds(fact, place, words.turn_index)))?;
                words.texts.push("what was said".to_owned());
                Some(())
            })
        }),
        plant("S5", "words that are not withheld are not shown", |seen, at| {
            shown(seen, at, |_, words| words.texts.pop().map(|_| ()))
        }),
        plant("S5", "a text is shown with another leaf", |seen, at| {
            shown(seen, at, |_, words| {
                words.leaf = Some(Digest::of(&words.leaf?.as_bytes()[..]));
                Some(())
            })
        }),
        plant("S5", "a text of a game is left out", |seen, at| match &seen[at] {
            Observation::Shown(shown) if shown.game.is_some() => {
                let mut shown = shown.clone();
                shown.words.pop()?;
                Some(vec![Observation::Shown(shown)])
            }
            _ => None,
        }),
        plant("G1", "a leaf has a field more in the log", |seen, at| {
            fact(seen, at, |fact| match fact {
                Fact::Governance(GovernanceFact::DocketEntered { leaf, .. }) => {
                    add_to_leaf(leaf, "", "more", "one")
                }
                _ => None,
            })
        }),
        plant("G2", "no checkpoint is taken any more", |seen, at| {
            let mut first = seen[at].clone();
            drop_checkpoints(&mut first);
            Some(vec![first])
        })
        .in_calm()
        .and_later(drop_checkpoints),
        plant("G3", "a checkpoint that can be had has another root", |seen, at| {
            pictured(seen, at, |picture| {
                picture.checkpoint.as_mut()?.1 = Digest::of(b"another log");
                Some(())
            })
        }),
        plant("G4", "a checkpoint is of the size of the one before it", |seen, at| {
            fact(seen, at, |fact| match fact {
                Fact::Hall(HallFact::CheckpointTaken { size, .. }) => {
                    let earlier = facts_before(seen, at).filter_map(|fact| match fact {
                        Fact::Hall(HallFact::CheckpointTaken { size, .. }) => Some(*size),
                        _ => None,
                    });
                    *size = earlier.last()?;
                    Some(())
                }
                _ => None,
            })
        }),
        plant("G5", "a registration is in the log as a homologation", |seen, at| {
            fact(seen, at, |fact| match fact {
                Fact::Desk(DeskFact::AgentRegistered { leaf, .. }) => {
                    *leaf = leaf.replace("\"kind\":\"registration\"", "\"kind\":\"homologation\"");
                    Some(())
                }
                _ => None,
            })
        }),
        plant("G8", "a verdict is not entered in the docket", |seen, at| {
            decided(seen, at, |observed| {
                when(matches!(observed.what, Command::Room(RoomCommand::Adjudicate { .. })))?;
                let entry =
                    |fact: &Fact| matches!(fact, Fact::Governance(GovernanceFact::DocketEntered { .. }));
                when(observed.decision.facts.iter().any(entry))?;
                observed.decision.facts.retain(|fact| !entry(fact));
                Some(())
            })
        }),
    ]
}

fn drop_checkpoints(observation: &mut Observation) {
    match observation {
        Observation::Decided(observed) => {
            let facts = &mut Arc::make_mut(observed).decision.facts;
            facts.retain(|fact| !matches!(fact, Fact::Hall(HallFact::CheckpointTaken { .. })));
        }
        Observation::Stepped(picture) => picture.checkpoint = None,
        _ => {}
    }
}

fn answers() -> Vec<Plant> {
    vec![
        plant("H1", "a join is told as a leave", |seen, at| match &seen[at] {
            Observation::Heard { handle, number, answer: AnswerBrief::Joined { .. } } => {
                Some(vec![Observation::Heard {
                    handle: handle.clone(),
                    number: *number,
                    answer: AnswerBrief::Left,
                }])
            }
            _ => None,
        }),
        plant("H2", "a refusal is told with another code", |seen, at| match &seen[at] {
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
        plant("H1", "a request is decided that nobody sent", |seen, at| match &seen[at] {
            Observation::Asked { what, mode: SendMode::Honest, .. } => {
                when(matches!(**what, AgentRequest::Post(..)))?;
                Some(Vec::new())
            }
            _ => None,
        }),
        plant("H2", "an agent is refused as suspended that is not", |seen, at| {
            decided(seen, at, |observed| {
                when(matches!(observed.decision.answer, Err(Rejection::AlreadyInLobby)))?;
                observed.decision.answer = Err(Rejection::AgentSuspended);
                Some(())
            })
        }),
    ]
}

fn liveness() -> Vec<Plant> {
    vec![
        plant("V1", "turns stay open for a day without faults", |seen, at| {
            let later = |seconds| {
                pictured(seen, at, |picture| {
                    when(picture.writable && picture.live > 0)?;
                    picture.at = picture.at + Span::from_secs(seconds);
                    Some(())
                })
            };
            Some([later(86_400)?, later(86_410)?].concat())
        })
        .in_calm(),
        plant("V2", "an honest request is lost three times", |seen, at| {
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
        })
        .in_calm(),
        plant("V2", "an honest request is refused three times as overloaded", |seen, at| {
            when(matches!(&seen[at], Observation::Stepped(_)))?;
            Some(vec![seen[at].clone()])
        })
        .in_calm()
        .and_later(|observation| {
            if let Observation::Heard { answer, .. } = observation {
                *answer = AnswerBrief::Refused { code: "OVERLOADED", report: None };
            }
        }),
        plant("V1", "a game is live at the end", |seen, at| match &seen[at] {
            Observation::Ended(ending) => {
                let mut ending = ending.clone();
                when(ending.rested)?;
                ending.picture.as_mut()?.live += 1;
                Some(vec![Observation::Ended(ending)])
            }
            _ => None,
        }),
        plant("V3", "agents who could be paired are left at the end", |seen, at| {
            let Observation::Ended(ending) = &seen[at] else { return None };
            when(ending.rested)?;
            let lobby = facts_before(seen, at).find_map(|fact| match fact {
                Fact::Desk(DeskFact::LobbyJoined { lobby, .. }) => Some(*lobby),
                _ => None,
            })?;
            let time = facts_before(seen, at).last()?.at();
            let agents = facts_before(seen, at).filter_map(|fact| match fact {
                Fact::Desk(DeskFact::AgentRegistered { agent, .. }) => Some(*agent),
                _ => None,
            });
            let joins = |agent| Fact::Desk(DeskFact::LobbyJoined { at: time, agent, lobby });
            let mut ending = ending.clone();
            let picture = ending.picture.as_mut()?;
            picture.at = picture.at + Span::from_secs(86_400);
            Some(vec![by_itself(time, agents.map(joins).collect()), Observation::Ended(ending)])
        }),
        plant("V5", "a strike falls on an agent that a flood of others must not harm", |seen, at| {
            let Observation::Decided(observed) = &seen[at] else { return None };
            let fact = observed.decision.facts.last()?.in_room()?;
            let RoomChange::MovePlayed(moved) = &fact.change else { return None };
            let open = moved.turns.first()?;
            let unharmed = seen[..at].iter().find_map(|observation| match observation {
                Observation::Began(terms) => Some(&terms.unharmed),
                _ => None,
            })?;
            when(unharmed.contains(&terms(seen, at, fact.game)?.seats.get(open.player.index())?.agent))?;
            let (turn_index, cause) = (moved.turn_index + 1, ForcedCause::Deadline);
            let mut strike = fact.clone();
            strike.number += 1;
            strike.event.as_mut()?.seq += 1;
            strike.change = RoomChange::StrikeGiven { turn_index, player: open.player, cause, count: 1 };
            Some(vec![seen[at].clone(), by_itself(fact.at, vec![Fact::Room(strike.into())])])
        }),
        plant("V4", "more commands wait for the writer than may", |seen, at| {
            pictured(seen, at, |picture| {
                picture.queued = 8_193;
                Some(())
            })
        }),
        plant("V3", "agents who could be paired wait for a day", |seen, at| {
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
        })
        .in_calm(),
        plant("V4", "spent challenges take more memory than they may", |seen, at| {
            pictured(seen, at, |picture| {
                picture.spent_bytes = usize::MAX;
                Some(())
            })
        }),
        plant("V5", "honest agents are struck", |seen, at| match &seen[at] {
            Observation::Began(terms) => {
                let mut terms = terms.clone();
                terms.unharmed = facts_before(seen, seen.len())
                    .filter_map(|fact| match fact {
                        Fact::Desk(DeskFact::AgentRegistered { agent, .. }) => Some(*agent),
                        _ => None,
                    })
                    .collect();
                let struck = facts_before(seen, seen.len()).filter_map(Fact::in_room);
                when(
                    struck.filter(|fact| matches!(fact.change, RoomChange::StrikeGiven { .. })).count() > 0,
                )?;
                Some(vec![Observation::Began(terms)])
            }
            _ => None,
        }),
        plant("V6", "the hall is down at the end", |seen, at| match &seen[at] {
            Observation::Ended(ending) => {
                let mut ending = ending.clone();
                when(ending.rested)?;
                ending.picture = None;
                Some(vec![Observation::Ended(ending)])
            }
            _ => None,
        }),
        plant("R1", "a move has another state hash", |seen, at| {
            moved(seen, at, |resolution| {
                resolution.state_hash = Digest::of(b"another state");
                Some(())
            })
        }),
    ]
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
