//! Faults in games.

use crate::edit::{
    Plant, add_to_leaf, by_itself, decided, fact, facts_before, handle, judged, moved, pictured, plant, room,
    started, terms, when,
};
use hall_core::rooms::{ForcedCause, RoomChange};
use hall_core::{Caller, Command, DeskFact, Fact, HallCommand, Rejection, RoomCommand, RoomRejection};
use hall_games::PlayerSet;
use hall_sim::oracles::Observation;
use hall_sim::protocol::{AgentRequest, AnswerBrief, MoveRequest};
use hall_wire::{Digest, Notation, Player, Signature, Span};
use std::sync::Arc;

pub(crate) fn plants() -> Vec<Plant> {
    [turns(), other_turns(), illegal(), results(), other_results(), time(), other_time(), public()].concat()
}

fn turns() -> Vec<Plant> {
    vec![
        plant("M1", "a game ends with a turn that was resolved before", |seen, at| {
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::Ended { resolution: Some(it), .. } if it.body.is_none() && it.turn_index > 0 => {
                    it.turn_index -= 1;
                    Some(())
                }
                _ => None,
            })
        }),
        plant("M2", "a game ends with a turn that is not open yet", |seen, at| {
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::Ended { resolution: Some(it), .. } if it.body.is_none() => {
                    it.turn_index += 1;
                    Some(())
                }
                _ => None,
            })
        }),
        plant("M3", "a move is played that is not legal", |seen, at| {
            moved(seen, at, |resolution| {
                resolution.notation = Notation::parse("a1a1");
                Some(())
            })
        }),
        plant("M4", "a move bears another signature than its player's", |seen, at| {
            moved(seen, at, |resolution| {
                resolution.body.as_mut()?.signature = Signature::from_bytes([1; 64]);
                Some(())
            })
        }),
        plant("M8", "another move is played than the one with the index that was sent", |seen, at| {
            moved(seen, at, |resolution| {
                when(resolution.turn_index == 0 && resolution.body.as_ref()?.text.contains("{\"index\":"))?;
                let other = if resolution.notation?.as_str() == "g1f3" { "e2e4" } else { "g1f3" };
                resolution.notation = Notation::parse(other);
                Some(())
            })
        }),
        plant("M9", "a view lacks one of the legal moves", |seen, at| {
            judged(seen, at, |judged| match &mut judged.answer {
                Some(AnswerBrief::View(view)) => view.legal.pop().map(|_| ()),
                _ => None,
            })
        }),
        plant("M10", "a draw offer is declined in a game that has ended", |seen, at| {
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
        plant("M11", "commentary is published that nobody sent", |seen, at| {
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

/// The same checks, broken by what the state shows, by who moves, or by what is left out.
fn other_turns() -> Vec<Plant> {
    vec![
        plant("M2", "the state is one turn ahead of its facts", |seen, at| {
            pictured(seen, at, |picture| {
                picture.rooms.first_mut()?.turn_index += 1;
                Some(())
            })
        }),
        plant("M3", "a forced move is made for the player who is not to move", |seen, at| {
            moved(seen, at, |resolution| {
                when(resolution.forced.is_some())?;
                resolution.player = Some(Player::new(1 - resolution.player?.seat()));
                Some(())
            })
        }),
        plant("M4", "a move is played that nobody signed", |seen, at| {
            moved(seen, at, |resolution| {
                when(resolution.forced.is_none())?;
                resolution.body.take().map(|_| ())
            })
        }),
        plant("M7", "three illegal moves bring no strike", |seen, at| {
            decided(seen, at, |observed| {
                let strike = |fact: &Fact| {
                    fact.in_room().is_some_and(|fact| {
                        let RoomChange::StrikeGiven { cause, .. } = fact.change else { return false };
                        cause == ForcedCause::IllegalMoves
                    })
                };
                let third = |fact: &Fact| {
                    fact.in_room().is_some_and(|fact| {
                        matches!(fact.change, RoomChange::IllegalAttempted { count: 3, .. })
                    })
                };
                let facts = &mut observed.decision.facts;
                when(facts.iter().any(strike) && facts.iter().any(third))?;
                facts.retain(|fact| !strike(fact));
                Some(())
            })
        }),
        plant("M9", "the state lets nobody move in a live game", |seen, at| {
            pictured(seen, at, |picture| {
                picture.rooms.iter_mut().find(|room| room.live && !room.to_move.is_empty())?.to_move =
                    PlayerSet::EMPTY;
                Some(())
            })
        }),
        plant("M10", "a game begins a second time", |seen, at| {
            let Observation::Decided(observed) = &seen[at] else { return None };
            let begun = facts_before(seen, at).find(|fact| {
                fact.in_room().is_some_and(|fact| matches!(fact.change, RoomChange::Started(_)))
            })?;
            let mut again = begun.in_room()?.clone();
            again.at = observed.at;
            Some(vec![by_itself(observed.at, vec![Fact::Room(again.into())])])
        }),
        plant("M11", "the commentary of a move is not published", |seen, at| {
            room(seen, at, |fact| {
                when(matches!(fact.change, RoomChange::MovePlayed(_)))?;
                fact.event.as_mut()?.commentary.take().map(|_| ())
            })
        }),
        plant("M11", "commentary is in the leaf of a move", |seen, at| {
            room(seen, at, |fact| {
                when(matches!(fact.change, RoomChange::MovePlayed(_)))?;
                let event = fact.event.as_mut()?;
                let words = event.commentary.clone().filter(|words| words.len() > 8)?;
                when(
                    words.chars().all(|letter| letter.is_ascii_graphic() && letter != '"' || letter == ' '),
                )?;
                add_to_leaf(&mut event.leaf, "/event/data", "commentary", &words)
            })
        }),
    ]
}

fn illegal() -> Vec<Plant> {
    vec![
        plant("M5", "a submission for the wrong turn rates a game", |seen, at| {
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
        plant("M6", "the first illegal move counts as the second", |seen, at| {
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::IllegalAttempted { count, .. } if *count == 1 => {
                    *count = 2;
                    Some(())
                }
                _ => None,
            })
        }),
        plant("M7", "a strike for a missed deadline is given for illegal moves", |seen, at| {
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
        plant("M12", "the loser of a game wins", |seen, at| {
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
        plant("M13", "the opponent of the player who offers a draw offers it", |seen, at| {
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::DrawOffered { player, .. } => {
                    *player = Player::new(1 - player.seat());
                    Some(())
                }
                _ => None,
            })
        }),
        plant("M14", "the player who resigns wins", |seen, at| {
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::Ended { result, .. } if result.reason.as_str() == "resignation" => {
                    result.winners = vec![Player::new(1 - result.winners.first()?.seat())];
                    Some(())
                }
                _ => None,
            })
        }),
        plant("M15", "a game goes on that is over by its rules", |seen, at| {
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

/// Other ends, and other parts of them.
fn other_results() -> Vec<Plant> {
    vec![
        plant("M12", "a game that was won is a draw", |seen, at| {
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::Ended { result, .. } if result.reason.as_str() == "checkmate" => {
                    result.winners.clear();
                    result.draw = true;
                    Some(())
                }
                _ => None,
            })
        }),
        plant("M13", "a draw by agreement has a winner", |seen, at| {
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::Ended { result, .. } if result.reason.as_str() == "agreement" => {
                    (result.winners, result.draw) = (vec![Player::new(0)], false);
                    Some(())
                }
                _ => None,
            })
        }),
        plant("M14", "the player who is not to move resigns", |seen, at| {
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::Ended { result, resolution: Some(it) }
                    if result.reason.as_str() == "resignation" =>
                {
                    it.player = Some(Player::new(1 - it.player?.seat()));
                    Some(())
                }
                _ => None,
            })
        }),
        plant("M15", "a draw by the rules is entered later than the move that makes it", |seen, at| {
            let Observation::Decided(observed) = &seen[at] else { return None };
            let place = observed.decision.facts.iter().position(|fact| {
                let Some(fact) = fact.in_room() else { return false };
                matches!(&fact.change, RoomChange::Ended { result, resolution: None } if result.draw)
            })?;
            when(matches!(observed.what, Command::Room(RoomCommand::Submit(_))))?;
            let mut moved = (**observed).clone();
            let ended = moved.decision.facts.split_off(place);
            Some(vec![Observation::Decided(Arc::new(moved)), by_itself(observed.at, ended)])
        }),
        plant("T5", "a game goes on after the third strike", |seen, at| {
            decided(seen, at, |observed| {
                let third = |fact: &Fact| {
                    fact.in_room()
                        .is_some_and(|fact| matches!(fact.change, RoomChange::StrikeGiven { count: 3, .. }))
                };
                let place = observed.decision.facts.iter().position(third)?;
                observed.decision.facts.truncate(place + 1);
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
        plant("T1", "a deadline counts as missed while a request is on its way", |seen, at| {
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
        plant("T2", "a submission in time is refused as late", |seen, at| {
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
        plant("T3", "a gap takes a second from a deadline", |seen, at| {
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::DeadlineExtended { turns, .. } => {
                    let open = turns.first_mut()?;
                    open.move_deadline = open.move_deadline - Span::from_secs(1);
                    Some(())
                }
                _ => None,
            })
        }),
        plant("T5", "a strike is given for the next turn", |seen, at| {
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::StrikeGiven { turn_index, .. } => {
                    *turn_index += 1;
                    Some(())
                }
                _ => None,
            })
        }),
        plant("T6", "the first strike counts as the second", |seen, at| {
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::StrikeGiven { count, .. } if *count == 1 => {
                    *count = 2;
                    Some(())
                }
                _ => None,
            })
        }),
        plant("T7", "the hall waits a millisecond longer than it may", |seen, at| {
            pictured(seen, at, |picture| {
                picture.next_deadline = Some(picture.next_deadline? + Span::from_millis(1));
                Some(())
            })
        }),
        plant("T8", "the first deadline of a game is a millisecond later", |seen, at| {
            started(seen, at, |terms| {
                let open = terms.turns.first_mut()?;
                open.move_deadline = open.move_deadline + Span::from_millis(1);
                Some(())
            })
        }),
        plant("T9", "a player is struck for a turn that overlaps a gap", |seen, at| {
            let (_, _, _, deadline) = missed(seen, at)?;
            let from = deadline - Span::from_secs(2);
            Some(vec![Observation::Away { from, until: deadline, why: "planted" }, seen[at].clone()])
        }),
    ]
}

/// The same checks, broken from the other side.
fn other_time() -> Vec<Plant> {
    vec![
        plant("T9", "a player is charged for a gap in the turn that it plays", |seen, at| {
            let Observation::Decided(observed) = &seen[at] else { return None };
            let from =
                observed.decision.facts.iter().filter_map(Fact::in_room).find_map(|fact| {
                    match &fact.change {
                        RoomChange::MovePlayed(it) if it.forced.is_none() => Some(it.started_at),
                        _ => None,
                    }
                })?;
            let until = observed.stamp;
            when(from < until)?;
            Some(vec![Observation::Away { from, until, why: "planted" }, seen[at].clone()])
        }),
        plant("T1", "a player is struck a second before the deadline", |seen, at| {
            let (game, turn_index, player, deadline) = missed(seen, at)?;
            let number =
                facts_before(seen, at).filter_map(Fact::in_room).filter(|fact| fact.game == game).last()?;
            let Observation::Decided(observed) = &seen[at] else { return None };
            let early = deadline - Span::from_secs(1);
            when(facts_before(seen, at).last()?.at() <= early)?;
            let strike = observed.decision.facts.iter().filter_map(Fact::in_room).find(|fact| {
                fact.game == game
                    && matches!(fact.change, RoomChange::StrikeGiven { player: whom, .. } if whom == player)
            })?;
            let mut strike = strike.clone();
            when(number.number + 1 == strike.number && turn_index > 0)?;
            strike.at = early;
            Some(vec![by_itself(early, vec![Fact::Room(strike.into())])])
        }),
        plant("T2", "a submission after its deadline is accepted", |seen, at| {
            decided(seen, at, |observed| {
                let Command::Room(RoomCommand::Submit(asked)) = &observed.what else { return None };
                when(observed.decision.answer.is_ok() && asked.turn_index > 0)?;
                observed.stamp = observed.stamp + Span::from_secs(86_400);
                Some(())
            })
        }),
        plant("T3", "a deadline is moved without a gap", |seen, at| {
            decided(seen, at, |observed| {
                when(matches!(observed.what, Command::Room(RoomCommand::ExtendForGap { .. })))?;
                when(!observed.decision.facts.is_empty())?;
                observed.what = Command::Hall(HallCommand::Sweep);
                Some(())
            })
        }),
    ]
}

fn public() -> Vec<Plant> {
    vec![
        plant("G6", "a commitment is to another seed", |seen, at| {
            started(seen, at, |terms| {
                terms.commitment = Digest::of(b"another seed");
                Some(())
            })
        }),
        plant("G6", "a game is bound to a beacon round that was known before", |seen, at| {
            started(seen, at, |terms| {
                terms.beacon.as_mut()?.round -= 2;
                Some(())
            })
        }),
        plant("G6", "a game takes a round of another chain", |seen, at| {
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
        plant("G7", "a game has the seed of an earlier one", |seen, at| {
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
        plant("G8", "the state shows a game that never began", |seen, at| {
            pictured(seen, at, |picture| {
                picture.ended += 1;
                when(picture.live > 0)
            })
        }),
        plant("G9", "a draw has another value than seed and beacon give", |seen, at| {
            moved(seen, at, |resolution| {
                resolution.rolls.first_mut()?.x ^= 1;
                Some(())
            })
        }),
        plant("S2", "the event of a move has the seed of its game", |seen, at| {
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
        plant("S2", "the start of a game has its seed", |seen, at| {
            room(seen, at, |fact| {
                let RoomChange::Started(terms) = &fact.change else { return None };
                let seed = terms.seed.reveal();
                add_to_leaf(&mut fact.event.as_mut()?.leaf, "/event/data", "seed", &seed)
            })
        }),
        plant("X5", "a stream sends an event twice", |seen, at| {
            let Observation::Decided(observed) = &seen[at] else { return None };
            let game = observed.decision.facts.iter().find_map(Fact::in_room)?.game;
            let event = facts_before(seen, at).filter_map(Fact::in_room).find(|fact| fact.game == game)?;
            let leaf = Digest::of(event.event.as_ref()?.leaf.as_bytes());
            let read = |seq| Observation::Streamed { reader: 99, game, seq, leaf };
            Some(vec![seen[at].clone(), read(1), read(1)])
        }),
        plant("X5", "a stream leaves an event out", |seen, at| {
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
        plant("X5", "a stream sends an event that was not decided", |seen, at| match &seen[at] {
            Observation::Streamed { reader, game, seq, .. } => {
                let leaf = Digest::of(b"what never happened");
                Some(vec![Observation::Streamed { reader: *reader, game: *game, seq: *seq, leaf }])
            }
            _ => None,
        }),
        plant("X6", "a stream ends before a durable event", |seen, at| {
            let Observation::Streamed { reader, game, .. } = &seen[at] else { return None };
            Some(vec![Observation::Drained { reader: *reader, game: *game }, seen[at].clone()])
        }),
        plant("X6", "the hall decides otherwise because somebody reads", |seen, at| {
            when(at + 1 == seen.len())?;
            let alone = Observation::Alone { watched: "1".to_owned(), alone: "2".to_owned() };
            Some(vec![seen[at].clone(), alone])
        }),
    ]
}
