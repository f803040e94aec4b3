//! Faults at tables beyond chess: acts of nature, shared turns, vacant seats, points and places.

use crate::edit::{Plant, add_to_leaf, decided, moved, pictured, plant, room, when};
use hall_core::Fact;
use hall_core::rooms::{RoomChange, RoomFact};
use hall_sim::oracles::Observation;
use hall_wire::{GameId, Notation, Player};
use std::collections::BTreeMap;

pub(crate) fn plants() -> Vec<Plant> {
    [nature(), sealed(), vacant(), results()].concat()
}

fn nature() -> Vec<Plant> {
    vec![
        plant("N1", "nature is said to have done something else", |seen, at| {
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::NatureActed { complete, .. } => {
                    complete.push('1');
                    Some(())
                }
                _ => None,
            })
        }),
        plant("N1", "nature has drawn another number", |seen, at| {
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::NatureActed { rolls, .. } => {
                    let roll = rolls.first_mut()?;
                    roll.x ^= 1;
                    Some(())
                }
                _ => None,
            })
        }),
        plant("N1", "other cards are shown than were dealt", |seen, at| {
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::Shown { text, .. } => {
                    text.push('1');
                    Some(())
                }
                _ => None,
            })
        }),
        plant("N1", "the public is told of nature what is hidden", |seen, at| {
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::NatureActed { outcome: None, complete, .. } => {
                    let complete = complete.clone();
                    add_to_leaf(&mut fact.event.as_mut()?.leaf, "/event/data", "outcome", &complete)
                }
                _ => None,
            })
        }),
    ]
}

/// The event of a sealed move.
fn sealed_leaf(
    seen: &[Observation],
    at: usize,
    name: &str,
    text: impl Fn(&RoomChange) -> Option<String>,
) -> Option<Vec<Observation>> {
    room(seen, at, |fact| {
        let text = text(&fact.change)?;
        add_to_leaf(&mut fact.event.as_mut()?.leaf, "/event/data", name, &text)
    })
}

fn sealed() -> Vec<Plant> {
    vec![
        plant("N2", "the event of a sealed move tells the move", |seen, at| {
            sealed_leaf(seen, at, "notation", |change| match change {
                RoomChange::MoveSealed { action, .. } => Some(action.notation.to_string()),
                _ => None,
            })
        }),
        plant("N2", "the event of a sealed move tells the hash of what was signed", |seen, at| {
            sealed_leaf(seen, at, "body_sha256", |change| match change {
                RoomChange::MoveSealed { action, .. } => Some(action.body.as_ref()?.sha256.to_hex()),
                _ => None,
            })
        }),
        plant("N3", "another move is told than was sealed", |seen, at| {
            decided(seen, at, |observed| {
                when(observed.decision.facts.iter().any(is_sealing))?;
                let told = observed.decision.facts.iter_mut().find_map(|fact| match fact {
                    Fact::Room(fact) => match &mut std::sync::Arc::make_mut(fact).change {
                        RoomChange::MovePlayed(resolution) => Some(resolution),
                        _ => None,
                    },
                    _ => None,
                })?;
                let other = if told.notation?.as_str() == "1" { "2" } else { "1" };
                told.notation = Notation::parse(other);
                Some(())
            })
        }),
        plant("N3", "a shared turn is resolved before the last has acted", |seen, at| {
            decided(seen, at, |observed| {
                let facts = &mut observed.decision.facts;
                let place = facts.iter().position(is_sealing)?;
                when(facts.iter().skip(place).any(|fact| {
                    fact.in_room().is_some_and(|fact| matches!(fact.change, RoomChange::MovePlayed(_)))
                }))?;
                facts.remove(place);
                Some(())
            })
        }),
    ]
}

fn is_sealing(fact: &Fact) -> bool {
    fact.in_room().is_some_and(|fact| matches!(fact.change, RoomChange::MoveSealed { .. }))
}

/// The last vacant seat of each game that has one, by the facts before a place.
fn vacated(seen: &[Observation], at: usize) -> BTreeMap<GameId, Player> {
    let facts = crate::edit::facts_before(seen, at).filter_map(Fact::in_room);
    let seat = |fact: &RoomFact| match &fact.change {
        RoomChange::SeatVacated { player, .. } => Some((fact.game, *player)),
        _ => None,
    };
    facts.filter_map(seat).collect()
}

fn vacant() -> Vec<Plant> {
    vec![
        plant("N4", "the state waits for a vacant seat", |seen, at| {
            when(matches!(seen[at], Observation::Stepped(_)))?;
            let vacated = vacated(seen, at);
            pictured(seen, at, |picture| {
                let mut waits = picture.rooms.iter_mut().filter(|room| room.live && !room.to_move.is_empty());
                let (room, player) =
                    waits.find_map(|room| vacated.get(&room.game).map(|player| (room, *player)))?;
                room.to_move = room.to_move.with(player);
                Some(())
            })
        }),
        plant("N4", "a vacant seat receives a strike", |seen, at| {
            when(matches!(seen[at], Observation::Decided(_)))?;
            let vacated = vacated(seen, at);
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::StrikeGiven { player, .. } => {
                    *player = *vacated.get(&fact.game)?;
                    Some(())
                }
                _ => None,
            })
        }),
        plant("N4", "a player who leaves two others alone ends nothing", |seen, at| {
            room(seen, at, |fact| match &fact.change {
                RoomChange::Ended { result, resolution: Some(resolution) }
                    if result.places.is_some() && result.reason.as_str() == "resignation" =>
                {
                    fact.change = RoomChange::SeatVacated {
                        turn_index: resolution.turn_index,
                        player: resolution.player?,
                        reason: result.reason.clone(),
                        body: resolution.body.clone(),
                        left_at: resolution.at,
                        charged_until: resolution.at,
                    };
                    Some(())
                }
                _ => None,
            })
        }),
    ]
}

fn results() -> Vec<Plant> {
    vec![
        plant("N5", "a ranking leaves out a place", |seen, at| {
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::Ended { result, .. } => {
                    let places = result.places.as_mut().filter(|_| !result.draw)?;
                    places.0.iter_mut().max().map(|last| *last += 1)
                }
                _ => None,
            })
        }),
        plant("N5", "the points of a game add up to more than there is", |seen, at| {
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::Ended { result, .. } => {
                    let points = result.points.as_mut()?;
                    when(points.0.iter().sum::<i64>() == 0)?;
                    points.0.iter_mut().max().map(|most| *most += 1)
                }
                _ => None,
            })
        }),
        plant("N5", "two players of a game that was broken off have each other's points", |seen, at| {
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::Ended { result, resolution: Some(_) } if result.places.is_some() => {
                    let points = result.points.as_mut()?;
                    let other = points.0.iter().position(|other| points.0.first() != Some(other))?;
                    points.0.swap(0, other);
                    Some(())
                }
                _ => None,
            })
        }),
        plant("M12", "who is left alone is not the one who wins", |seen, at| {
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::Ended { result, resolution: Some(_) }
                    if result.places.is_some() && result.reason.as_str() == "strikes" && !result.draw =>
                {
                    result.winners = vec![Player::new(1 - result.winners.first()?.seat().min(1))];
                    Some(())
                }
                _ => None,
            })
        }),
        plant("T8", "a sealed move is dated later than its request", |seen, at| {
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::MoveSealed { action, .. } if action.forced.is_none() => {
                    action.at = action.at + hall_wire::Span::from_millis(1);
                    Some(())
                }
                _ => None,
            })
        }),
        plant("G9", "the hash of a state after an act of nature is another", |seen, at| {
            room(seen, at, |fact| match &mut fact.change {
                RoomChange::NatureActed { state_hash, .. } => {
                    *state_hash = hall_wire::Digest::of(b"another state");
                    Some(())
                }
                _ => None,
            })
        }),
        plant("M4", "a resignation is signed with another text", |seen, at| {
            when(!matches!(&seen[at], Observation::Decided(it) if it.decision.facts.iter().any(is_sealing)))?;
            moved(seen, at, |resolution| {
                when(resolution.forced == Some(hall_core::rooms::ForcedCause::Vacated))?;
                resolution.body.as_mut()?.text.push(' ');
                Some(())
            })
        }),
    ]
}
