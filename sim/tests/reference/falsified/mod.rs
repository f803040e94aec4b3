//! Tests of the oracle itself: true decisions are falsified in one place, and each falsification must be noticed.
#![expect(clippy::wildcard_enum_match_arm, reason = "each falsification is about one kind of thing")]

use super::random::Chaos;
use super::scripts;
use super::world::Taken;
use hall_core::rooms::*;
use hall_core::*;
use hall_core::{DeskFact, RoomRejection};
use hall_games::{PlayerSet, Reason};
use hall_sim::reference::{Extent, Reference};
use hall_wire::draw::Seed;
use hall_wire::{AgentId, Digest, Notation, Player, Span};
use std::sync::Arc;

mod answers;
mod facts;
mod rooms;
mod states;

/// A way to falsify a decision: its name, and a function that says whether there was anything to falsify.
type Falsification = (&'static str, fn(&mut Decision) -> bool);

fn recordings() -> Vec<Vec<Taken>> {
    let record = |seed| {
        let mut chaos = Chaos::new(seed);
        (0..1_200).for_each(|_| chaos.step());
        chaos.world.taken
    };
    let scripted = scripts::ALL.iter().filter(|(name, _)| SHORT_SCRIPTS.contains(name));
    [11, 23, 31, 47].into_iter().map(record).chain(scripted.map(|(_, script)| script().taken)).collect()
}

/// The scripts with situations that are rare in random worlds.
const SHORT_SCRIPTS: &[&str] = &[
    "endings on the board",
    "illegal moves",
    "illegal moves that wait",
    "quotas at midnight",
    "checkpoints, keys and words",
];

#[test]
fn every_falsified_decision_is_noticed() {
    let recordings = recordings();
    for (name, falsify) in answers::ALL.iter().chain(facts::ALL).chain(rooms::ALL) {
        let mut tried = 0;
        for taken in &recordings {
            let mut reference = Reference::new();
            for step in taken {
                let mut told = step.decision.clone();
                let is_false = falsify(&mut told) && told != step.decision;
                let told = if is_false { &told } else { &step.decision };
                let followed = reference.follow(step.at, step.stamp, step.who, &step.what, told);
                if is_false {
                    assert!(followed.is_err(), "{name} goes unnoticed in {:?}: {told:#?}", step.what);
                    tried += 1;
                    break;
                }
                followed.unwrap();
            }
        }
        assert!(tried > 0, "no recording has anything to falsify as: {name}");
    }
}

#[test]
fn every_falsified_state_is_noticed() {
    let recordings = recordings();
    for (name, falsify) in states::ALL {
        let mut tried = 0;
        for taken in &recordings {
            let (mut reference, mut hall) =
                (Reference::new(), Hall::new(hall_games::CATALOG, hall_driver::docket_wording));
            for step in taken {
                reference.follow(step.at, step.stamp, step.who, &step.what, &step.decision).unwrap();
                let mut applied = step.decision.clone();
                let is_false = falsify(&mut applied) && applied != step.decision;
                let applied = if is_false { &applied } else { &step.decision };
                applied.facts.iter().for_each(|fact| hall.apply(fact));
                if is_false {
                    let compared = reference.compare(&hall, Extent::LastStep);
                    assert!(compared.is_err(), "{name} goes unnoticed: {applied:#?}");
                    tried += 1;
                    break;
                }
            }
        }
        assert!(tried > 0, "no recording has anything to falsify as: {name}");
    }
}

/// Alters a value that matches a pattern, and says whether it matched.
macro_rules! alter {
    ($value:expr, $form:pat if $then:expr) => {
        if let $form = $value { $then } else { false }
    };
}
use alter;

fn reply(decision: &mut Decision, change: impl Fn(&mut Reply) -> bool) -> bool {
    decision.answer.as_mut().is_ok_and(change)
}

fn report(decision: &mut Decision, change: impl Fn(&mut TurnStatus) -> bool) -> bool {
    match &mut decision.answer {
        Err(
            Rejection::Room(RoomRejection::GameNotLive(report))
            | Rejection::Room(RoomRejection::WrongTurn(report))
            | Rejection::Room(RoomRejection::IllegalMove(report))
            | Rejection::Room(RoomRejection::NoDrawOffer(report)),
        ) => change(report),
        _ => false,
    }
}

fn fact(decision: &mut Decision, change: impl FnMut(&mut Fact) -> bool) -> bool {
    decision.facts.iter_mut().any(change)
}

fn room(decision: &mut Decision, mut change: impl FnMut(&mut RoomFact) -> bool) -> bool {
    fact(decision, |fact| if let Fact::Room(fact) = fact { change(Arc::make_mut(fact)) } else { false })
}

fn change(decision: &mut Decision, mut change: impl FnMut(&mut RoomChange) -> bool) -> bool {
    room(decision, |fact| change(&mut fact.change))
}

fn resolution(decision: &mut Decision, with: impl Fn(&mut Resolution) -> bool) -> bool {
    change(decision, |change| match change {
        RoomChange::MovePlayed(resolution) => with(resolution),
        RoomChange::Ended { resolution: Some(resolution), .. } => with(resolution),
        _ => false,
    })
}

fn started(decision: &mut Decision, with: impl Fn(&mut Started)) -> bool {
    change(
        decision,
        |change| if let RoomChange::Started(terms) = change { (with(terms), true).1 } else { false },
    )
}

fn rated(decision: &mut Decision, with: impl Fn(&mut RatedSeat)) -> bool {
    fact(decision, |fact| match fact {
        Fact::Desk(DeskFact::GameRated { seats, .. }) => seats.last_mut().map(&with).is_some(),
        _ => false,
    })
}

fn drop_kind(decision: &mut Decision, is_it: impl Fn(&Fact) -> bool) -> bool {
    let before = decision.facts.len();
    decision.facts.retain(|fact| !is_it(fact));
    decision.facts.len() < before
}

/// Drops a change of a room, and closes the gap in the sequence numbers so that the hall does not fail on that.
fn drop_change(decision: &mut Decision, is_it: impl Fn(&RoomChange) -> bool) -> bool {
    let is_dropped = |fact: &Fact| fact.in_room().is_some_and(|fact| is_it(&fact.change));
    let Some(place) = decision.facts.iter().position(is_dropped) else { return false };
    let dropped = decision.facts.remove(place).in_room().unwrap().clone();
    for later in decision.facts.iter_mut().skip(place) {
        if let Fact::Room(fact) = later
            && fact.game == dropped.game
        {
            let fact = Arc::make_mut(fact);
            fact.number -= 1;
            fact.event.iter_mut().for_each(|event| event.seq -= u32::from(dropped.event.is_some()));
        }
    }
    true
}

const OTHER: AgentId = AgentId::from_bytes([7; 16]);
const SECOND: Span = Span::from_millis(1);

fn spoil(leaf: &mut String) -> bool {
    let place = leaf.len() - 3;
    let letter = if leaf.as_bytes()[place] == b'0' { "1" } else { "0" };
    leaf.replace_range(place..=place, letter);
    true
}
