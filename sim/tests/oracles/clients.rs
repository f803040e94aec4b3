//! Faults in the answers that clients of a hall behind a network got.

use crate::edit::{Plant, fact, plant, room, when};
use hall_core::rooms::{BeaconStatus, RoomChange};
use hall_core::{Command, DeskFact, DoorbellChange, Fact, MoveSubmission, RoomCommand};
use hall_sim::oracles::{ClientRecord, Observation, ToldOutcome};
use hall_wire::{Digest, Span};
use serde_json::json;

/// Changes the answers that a client got.
fn told(
    seen: &[Observation],
    at: usize,
    change: impl FnOnce(&mut ClientRecord) -> Option<()>,
) -> Option<Vec<Observation>> {
    let Observation::Client(record) = &seen[at] else { return None };
    let mut changed = record.clone();
    change(&mut changed)?;
    Some(vec![Observation::Client(changed)])
}

fn outcome_of(record: &mut ClientRecord) -> Option<&mut ToldOutcome> {
    match record {
        ClientRecord::Move { outcome, .. } if matches!(outcome, ToldOutcome::Applied(Some(_))) => {
            Some(outcome)
        }
        _ => None,
    }
}

/// The body of a move whose answer said that it was applied.
fn applied(seen: &[Observation]) -> Option<(hall_wire::GameId, Digest)> {
    seen.iter().find_map(|observation| match observation {
        Observation::Client(ClientRecord::Move { game, body, outcome: ToldOutcome::Applied(_), .. }) => {
            Some((*game, *body))
        }
        _ => None,
    })
}

/// The challenge under which a move was sent that changed something.
fn made_under(observation: &Observation) -> Option<String> {
    let Observation::Decided(observed) = observation else { return None };
    let Command::Room(RoomCommand::Submit(MoveSubmission { signed, .. })) = &observed.what else {
        return None;
    };
    signed.as_ref().filter(|_| !observed.decision.facts.is_empty()).map(|signed| signed.challenge.to_string())
}

pub(crate) fn plants() -> Vec<Plant> {
    let mut plants = moves();
    plants.extend(games());
    plants.extend(decisions());
    plants
}

fn moves() -> Vec<Plant> {
    vec![
        plant("D1", "a client is told another state hash", |seen, at| {
            told(seen, at, |record| {
                *outcome_of(record)? = ToldOutcome::Applied(Some(Digest::of(b"another state")));
                Some(())
            })
        }),
        plant("D1", "a client is told that a move was played that was not", |seen, at| {
            told(seen, at, |record| match record {
                ClientRecord::Move { body, outcome: ToldOutcome::Applied(_), .. } => {
                    *body = Digest::of(b"another body");
                    Some(())
                }
                _ => None,
            })
        }),
        plant("M1", "a client is told that a move was not played that was", |seen, at| {
            told(seen, at, |record| outcome_of(record).map(|outcome| *outcome = ToldOutcome::NotApplied))
        }),
        plant("M8", "a client is told that a legal move is illegal", |seen, at| {
            told(seen, at, |record| outcome_of(record).map(|outcome| *outcome = ToldOutcome::Illegal))
        }),
        plant("X6", "a move takes more than 2.5 s with nothing broken", |seen, at| {
            told(seen, at, |record| match record {
                ClientRecord::Move { took_millis, .. } => took_millis.replace(2_501).map(|_| ()),
                _ => None,
            })
        }),
        plant("X9", "an agent is told of its turn after 3,001 ms", |seen, at| {
            told(seen, at, |record| match record {
                ClientRecord::Woken { after_millis, .. } => after_millis.replace(3_001).map(|_| ()),
                _ => None,
            })
        }),
        plant("M5", "a body is played that must not count", |seen, at| {
            let (other, applied) = applied(seen)?;
            told(seen, at, |record| match record {
                ClientRecord::Unapplied { invariant, game, body, .. } => {
                    (*invariant, *game, *body) = ("M5", other, applied);
                    Some(())
                }
                _ => None,
            })
        }),
        plant("M1", "a move counts that was refused because no writes are taken", |seen, at| {
            let challenge = seen.iter().find_map(made_under)?;
            told(seen, at, |record| {
                outcome_of(record).map(drop).map(|()| *record = ClientRecord::Refused { challenge })
            })
        }),
        plant("D1", "a client is told of illegal moves that do not count", |seen, at| {
            told(seen, at, |record| match record {
                ClientRecord::Illegal { sent, told, .. } => {
                    (*sent, *told) = (4, 4);
                    Some(())
                }
                _ => None,
            })
        }),
        plant("M6", "more illegal moves count than were sent", |seen, at| {
            told(seen, at, |record| match record {
                ClientRecord::Illegal { sent, told, .. } if *told > 0 => {
                    (*sent, *told) = (0, 0);
                    Some(())
                }
                _ => None,
            })
        }),
    ]
}

fn games() -> Vec<Plant> {
    vec![
        plant("D1", "a client is told another result", |seen, at| {
            told(seen, at, |record| match record {
                ClientRecord::Result { result, .. } => {
                    result.2 = "checkmate of a kind".to_owned();
                    Some(())
                }
                _ => None,
            })
        }),
        plant("D1", "a client is told the result of an unknown game", |seen, at| {
            told(seen, at, |record| match record {
                ClientRecord::Result { game, .. } => {
                    *game = hall_wire::GameId::from_bytes([0; 16]);
                    Some(())
                }
                _ => None,
            })
        }),
        plant("D1", "a game is listed no more", |seen, at| match &seen[at] {
            Observation::Client(ClientRecord::Game { game: lost, .. }) => {
                let is_read = |observation: &Observation| match observation {
                    Observation::Client(ClientRecord::Stream { game, .. }) => game == lost,
                    _ => false,
                };
                when(!seen[at..].iter().any(is_read))?;
                Some(Vec::new())
            }
            _ => None,
        }),
        plant("D1", "a game is listed as live that has ended, or as ended that is live", |seen, at| {
            told(seen, at, |record| match record {
                ClientRecord::Game { ended, .. } => {
                    *ended = !*ended;
                    Some(())
                }
                _ => None,
            })
        }),
        plant("X5", "a game is listed without its last event", |seen, at| {
            told(seen, at, |record| match record {
                ClientRecord::Game { events, .. } => events.pop().map(|_| ()),
                _ => None,
            })
        }),
        plant("X5", "a game is listed with its first event twice", |seen, at| {
            told(seen, at, |record| match record {
                ClientRecord::Game { events, .. } => {
                    events.push(events.first()?.clone());
                    Some(())
                }
                _ => None,
            })
        }),
        plant("G9", "a replay has another body", |seen, at| {
            told(seen, at, |record| match record {
                ClientRecord::Game { bodies: Some(bodies), .. } => {
                    *bodies.first_mut()? = Some("00".to_owned());
                    Some(())
                }
                _ => None,
            })
        }),
        plant("G9", "a replay fails", |seen, at| {
            told(seen, at, |record| match record {
                ClientRecord::Game { failure, .. } => {
                    *failure = Some("its replay fails".to_owned());
                    Some(())
                }
                _ => None,
            })
        }),
        plant("T8", "a player is shown another deadline than that of its turn", |seen, at| {
            told(seen, at, |record| match record {
                ClientRecord::Due { deadline: Some(deadline), .. } => {
                    *deadline = *deadline + Span::from_millis(1);
                    Some(())
                }
                _ => None,
            })
        }),
        plant("X5", "a spectator misses an event", |seen, at| {
            streamed(seen, at, |events| drop(events.remove(0)))
        }),
        plant("X5", "a spectator gets an event twice", |seen, at| {
            streamed(seen, at, |events| events.insert(1, events[0].clone()))
        }),
        plant("X5", "a spectator gets another event", |seen, at| {
            streamed(seen, at, |events| events[1].1 = json!({ "type": "move" }))
        }),
        plant("T9", "a player is struck who could have moved", |seen, at| {
            when(matches!(&seen[at], Observation::Client(ClientRecord::Move { .. })))?;
            let facts = crate::edit::facts_before(seen, at).filter_map(Fact::in_room);
            let (game, turn_index, player) = facts.into_iter().find_map(|fact| match &fact.change {
                RoomChange::StrikeGiven { turn_index, player, .. } => Some((fact.game, *turn_index, *player)),
                _ => None,
            })?;
            Some(vec![Observation::Client(ClientRecord::Reachable { game, turn_index, player })])
        }),
        plant("D1", "a client is told that an endpoint is verified that is not", |seen, at| {
            told(seen, at, |record| match record {
                ClientRecord::Doorbell { url, .. } => {
                    url.push_str("/gone");
                    Some(())
                }
                _ => None,
            })
        }),
    ]
}

fn streamed(
    seen: &[Observation],
    at: usize,
    change: impl FnOnce(&mut Vec<(u64, serde_json::Value)>),
) -> Option<Vec<Observation>> {
    told(seen, at, |record| match record {
        ClientRecord::Stream { events, .. } if events.len() > 2 => {
            change(events);
            Some(())
        }
        _ => None,
    })
}

/// Faults in decisions that only a world with clients can detect.
fn decisions() -> Vec<Plant> {
    vec![
        plant("A9", "an operator token that came over HTTP is written in a registration", |seen, at| {
            fact(seen, at, |fact| {
                let Fact::Desk(DeskFact::AgentRegistered { model_id, .. }) = fact else { return None };
                model_id.push_str(" and the token of operator 3");
                Some(())
            })
        }),
        plant("G6", "a game takes a signature that its beacon never made", |seen, at| {
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::BeaconSettled { status: BeaconStatus::Verified, signature, .. } => {
                    let text = signature.as_mut()?;
                    text.replace_range(..2, if text.starts_with("00") { "01" } else { "00" });
                    Some(())
                }
                _ => None,
            })
        }),
        plant("A2", "two illegal moves come under one challenge", |seen, at| {
            let mut earlier = crate::edit::facts_before(seen, at).filter_map(Fact::in_room);
            let spent = earlier.find_map(|fact| match &fact.change {
                RoomChange::IllegalAttempted { attempt, .. } => Some(attempt.challenge.clone()),
                _ => None,
            })?;
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::IllegalAttempted { attempt, .. } => {
                    attempt.challenge = spent.clone();
                    Some(())
                }
                _ => None,
            })
        }),
        plant("X2", "an endpoint counts as verified without proof", |seen, at| {
            fact(seen, at, |fact| match fact {
                Fact::Doorbell(fact) => match &mut fact.change {
                    DoorbellChange::Verified { url, .. } => {
                        url.push_str("/unproven");
                        Some(())
                    }
                    _ => None,
                },
                _ => None,
            })
        }),
    ]
}
