//! Faults in games.

use crate::edit::{
    Plant, decided, fact, facts_before, handle, judged, moved, pictured, plant, room, started, terms, when,
};
use hall_core::rooms::{ForcedCause, RoomChange};
use hall_core::{Caller, Command, DeskFact, Fact, HallCommand, Rejection, RoomCommand, RoomRejection};
use hall_sim::oracles::Observation;
use hall_sim::protocol::{AgentRequest, AnswerBrief, MoveRequest};
use hall_wire::{Digest, Notation, Player, Signature, Span};
use std::sync::Arc;

pub(crate) fn plants() -> Vec<Plant> {
    [turns(), illegal(), results(), time(), public()].concat()
}

fn turns() -> Vec<Plant> {
    vec![
        plant("M1", &[], |seen, at| {
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::Ended { resolution: Some(it), .. } if it.body.is_none() && it.turn_index > 0 => {
                    it.turn_index -= 1;
                    Some(())
                }
                _ => None,
            })
        }),
        plant("M2", &[], |seen, at| {
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::Ended { resolution: Some(it), .. } if it.body.is_none() => {
                    it.turn_index += 1;
                    Some(())
                }
                _ => None,
            })
        }),
        plant("M3", &["M4", "M8", "G9", "T8"], |seen, at| {
            moved(seen, at, |resolution| {
                resolution.notation = Notation::parse("a1a1");
                Some(())
            })
        }),
        plant("M4", &[], |seen, at| {
            moved(seen, at, |resolution| {
                resolution.body.as_mut()?.signature = Signature::from_bytes([1; 64]);
                Some(())
            })
        }),
        plant("M8", &["G9"], |seen, at| {
            moved(seen, at, |resolution| {
                when(resolution.turn_index == 0 && resolution.body.as_ref()?.text.contains("{\"index\":"))?;
                let other = if resolution.notation?.as_str() == "g1f3" { "e2e4" } else { "g1f3" };
                resolution.notation = Notation::parse(other);
                Some(())
            })
        }),
        plant("M9", &[], |seen, at| {
            judged(seen, at, |judged| match &mut judged.answer {
                Some(AnswerBrief::View(view)) => view.legal.pop().map(|_| ()),
                _ => None,
            })
        }),
        plant("M10", &["G5", "G9", "M11"], |seen, at| {
            decided(seen, at, |observed| {
                let ended = observed.decision.facts.iter().find_map(|fact| match fact {
                    Fact::Room(it) if matches!(it.change, RoomChange::Ended { .. }) => Some((**it).clone()),
                    _ => None,
                });
                let mut more = ended?;
                more.number += 1;
                more.event.as_mut()?.seq += 1;
                more.change = RoomChange::DrawDeclined { turn_index: 0, player: Player::new(0) };
                when(!matches!(observed.who, Caller::Agent(_)))?;
                // The last leaf of the game must not be its seed again.
                more.event.as_mut()?.leaf.clear();
                observed.decision.facts.push(Fact::Room(more.into()));
                Some(())
            })
        }),
        plant("M11", &[], |seen, at| {
            room(seen, at, |fact| {
                when(matches!(fact.change, RoomChange::MovePlayed(_)))?;
                let event = fact.event.as_mut()?;
                when(event.commentary.is_none())?;
                event.commentary = Some("what nobody said".to_owned());
                Some(())
            })
        }),
    ]
}

fn illegal() -> Vec<Plant> {
    vec![
        plant("M5", &[], |seen, at| {
            decided(seen, at, |observed| {
                let Err(
                    Rejection::Room(RoomRejection::WrongTurn(report))
                    | Rejection::Room(RoomRejection::GameNotLive(report)),
                ) = &observed.decision.answer
                else {
                    return None;
                };
                let game = report.game;
                let variant = terms(seen, at, game)?.variant;
                let rated =
                    Fact::Desk(DeskFact::GameRated { at: observed.at, game, variant, seats: Vec::new() });
                observed.decision.facts.push(rated);
                Some(())
            })
        }),
        plant("M6", &[], |seen, at| {
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::IllegalAttempted { count, .. } if *count == 1 => {
                    *count = 2;
                    Some(())
                }
                _ => None,
            })
        }),
        plant("M7", &[], |seen, at| {
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::StrikeGiven { cause, .. } if *cause == ForcedCause::Deadline => {
                    *cause = ForcedCause::IllegalMoves;
                    Some(())
                }
                _ => None,
            })
        }),
    ]
}

fn results() -> Vec<Plant> {
    vec![
        plant("M12", &[], |seen, at| {
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::Ended { result, .. }
                    if matches!(result.reason.as_str(), "clock" | "strikes" | "checkmate") =>
                {
                    result.winners = vec![Player::new(1 - result.winners.first()?.seat())];
                    Some(())
                }
                _ => None,
            })
        }),
        plant("M13", &[], |seen, at| {
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::DrawOffered { player, .. } => {
                    *player = Player::new(1 - player.seat());
                    Some(())
                }
                _ => None,
            })
        }),
        plant("M14", &[], |seen, at| {
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::Ended { result, .. } if result.reason.as_str() == "resignation" => {
                    result.winners = vec![Player::new(1 - result.winners.first()?.seat())];
                    Some(())
                }
                _ => None,
            })
        }),
        plant("M15", &[], |seen, at| {
            decided(seen, at, |observed| {
                let by_rule = |fact: &Fact| {
                    matches!(
                        fact.in_room().map(|it| &it.change),
                        Some(RoomChange::Ended { resolution: None, .. })
                    )
                };
                when(observed.decision.facts.iter().any(by_rule))?;
                observed
                    .decision
                    .facts
                    .retain(|fact| !by_rule(fact) && !matches!(fact, Fact::Desk(DeskFact::GameRated { .. })));
                Some(())
            })
        }),
    ]
}

/// If the decision there treats a deadline as missed: its game, turn and player, and the deadline.
fn missed(seen: &[Observation], at: usize) -> Option<(hall_wire::GameId, u32, Player, hall_wire::Timestamp)> {
    let Observation::Decided(observed) = &seen[at] else { return None };
    when(matches!(observed.what, Command::Hall(HallCommand::Sweep)))?;
    when(observed.decision.facts.iter().any(|fact| {
        matches!(
            fact.in_room().map(|it| &it.change),
            Some(RoomChange::StrikeGiven { cause: ForcedCause::Deadline, .. })
        )
    }))?;
    observed.decision.facts.iter().filter_map(Fact::in_room).find_map(|fact| match &fact.change {
        RoomChange::MovePlayed(it) => {
            let deadline = it.deadline.filter(|deadline| fact.at.since(*deadline) < Span::from_secs(1))?;
            Some((fact.game, it.turn_index, it.player?, deadline))
        }
        _ => None,
    })
}

fn time() -> Vec<Plant> {
    vec![
        plant("T1", &[], |seen, at| {
            let (game, turn_index, player, stamp) = missed(seen, at)?;
            let handle = handle(seen, at, terms(seen, at, game)?.seats.get(player.index())?.agent)?;
            let choice = None;
            let what = MoveRequest {
                game,
                turn_index,
                choice,
                resign: true,
                draw_offer: false,
                draw_accept: false,
                commentary: None,
            };
            let what = Arc::new(AgentRequest::Move(Box::new(what)));
            Some(vec![Observation::Arrived { id: u64::MAX, stamp, handle, what }, seen[at].clone()])
        }),
        plant("T2", &["A1", "H1", "H2"], |seen, at| {
            decided(seen, at, |observed| {
                let Err(Rejection::Room(RoomRejection::WrongTurn(report))) = &observed.decision.answer else {
                    return None;
                };
                let mover = report.to_move.iter().next()?;
                when(report.deadline? >= observed.stamp)?;
                let agent = terms(seen, at, report.game)?.seats.get(mover.index())?.agent;
                let turn = report.turn_index;
                let Command::Room(RoomCommand::Submit(asked)) = &mut observed.what else { return None };
                asked.turn_index = turn;
                observed.who = Caller::Agent(agent);
                Some(())
            })
        }),
        plant("T3", &["T8"], |seen, at| {
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::DeadlineExtended { turns, .. } => {
                    let open = turns.first_mut()?;
                    open.move_deadline = open.move_deadline - Span::from_secs(1);
                    Some(())
                }
                _ => None,
            })
        }),
        plant("T5", &[], |seen, at| {
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::StrikeGiven { turn_index, .. } => {
                    *turn_index += 1;
                    Some(())
                }
                _ => None,
            })
        }),
        plant("T6", &[], |seen, at| {
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::StrikeGiven { count, .. } if *count == 1 => {
                    *count = 2;
                    Some(())
                }
                _ => None,
            })
        }),
        plant("T7", &[], |seen, at| {
            pictured(seen, at, |picture| {
                picture.next_deadline = Some(picture.next_deadline? + Span::from_millis(1));
                Some(())
            })
        }),
        plant("T8", &[], |seen, at| {
            started(seen, at, |terms| {
                let open = terms.turns.first_mut()?;
                open.move_deadline = open.move_deadline + Span::from_millis(1);
                Some(())
            })
        }),
        plant("T9", &[], |seen, at| {
            let (_, _, _, deadline) = missed(seen, at)?;
            let from = deadline - Span::from_secs(2);
            Some(vec![Observation::Away { from, until: deadline, why: "planted" }, seen[at].clone()])
        }),
    ]
}

fn public() -> Vec<Plant> {
    vec![
        plant("G6", &[], |seen, at| {
            started(seen, at, |terms| {
                terms.commitment = Digest::of(b"another seed");
                Some(())
            })
        }),
        // The round that the game is bound to was known before it began.
        plant("G6", &["R1"], |seen, at| {
            started(seen, at, |terms| {
                terms.beacon.as_mut()?.round -= 2;
                Some(())
            })
        }),
        // A round of another chain is used as the game's own.
        plant("G6", &["R1"], |seen, at| {
            let Observation::Decided(observed) = &seen[at] else { return None };
            let mut observed = (**observed).clone();
            let settled = |fact: &Fact| {
                fact.in_room().is_some_and(|fact| matches!(fact.change, RoomChange::BeaconSettled { .. }))
            };
            when(observed.decision.facts.iter().any(settled))?;
            let Command::Room(RoomCommand::ReceiveBeacon { chain_hash, .. }) = &mut observed.what else {
                return None;
            };
            *chain_hash = Digest::of(b"another chain");
            Some(vec![Observation::Decided(Arc::new(observed))])
        }),
        plant("G7", &["G6", "L11"], |seen, at| {
            let earlier =
                facts_before(seen, at).filter_map(Fact::in_room).find_map(|fact| match &fact.change {
                    RoomChange::Started(terms) => Some(terms.seed),
                    _ => None,
                })?;
            started(seen, at, |terms| {
                terms.seed = earlier;
                Some(())
            })
        }),
        plant("G8", &[], |seen, at| {
            pictured(seen, at, |picture| {
                picture.ended += 1;
                when(picture.live > 0)
            })
        }),
        plant("G9", &[], |seen, at| {
            moved(seen, at, |resolution| {
                resolution.draws.first_mut()?.x ^= 1;
                Some(())
            })
        }),
        plant("S2", &[], |seen, at| {
            fact(seen, at, |fact| {
                let Fact::Room(fact) = fact else { return None };
                when(matches!(fact.change, RoomChange::MovePlayed(_)))?;
                let seed = terms(seen, at, fact.game)?.seed.reveal();
                let event = Arc::make_mut(fact).event.as_mut()?;
                let mut leaf: serde_json::Value = serde_json::from_str(&event.leaf).ok()?;
                *leaf.pointer_mut("/event/data/san")? = seed.into();
                event.leaf = leaf.to_string();
                Some(())
            })
        }),
        plant("X5", &[], |seen, at| {
            let Observation::Decided(observed) = &seen[at] else { return None };
            let game = observed.decision.facts.iter().find_map(Fact::in_room)?.game;
            let event = facts_before(seen, at).filter_map(Fact::in_room).find(|fact| fact.game == game)?;
            let leaf = Digest::of(event.event.as_ref()?.leaf.as_bytes());
            let read = |seq| Observation::Streamed { reader: 99, game, seq, leaf };
            Some(vec![seen[at].clone(), read(1), read(1)])
        }),
        // A stream leaves an event out.
        plant("X5", &[], |seen, at| {
            let (
                Observation::Streamed { reader, game, .. },
                Some(Observation::Streamed { reader: next, game: same, .. }),
            ) = (&seen[at], seen.get(at + 1))
            else {
                return None;
            };
            when((reader, game) == (next, same))?;
            Some(Vec::new())
        }),
        // It sends an event that differs from the decided one.
        plant("X5", &[], |seen, at| match &seen[at] {
            Observation::Streamed { reader, game, seq, .. } => {
                let leaf = Digest::of(b"what never happened");
                Some(vec![Observation::Streamed { reader: *reader, game: *game, seq: *seq, leaf }])
            }
            _ => None,
        }),
        // A durable event is not sent.
        plant("X6", &[], |seen, at| {
            let Observation::Streamed { reader, game, .. } = &seen[at] else { return None };
            Some(vec![Observation::Drained { reader: *reader, game: *game }, seen[at].clone()])
        }),
        // The hall does something else because somebody reads.
        plant("X6", &[], |seen, at| {
            when(at + 1 == seen.len())?;
            let alone = Observation::Alone { watched: "1".to_owned(), alone: "2".to_owned() };
            Some(vec![seen[at].clone(), alone])
        }),
    ]
}
