//! Tests of the oracle itself: true decisions are falsified in one place, and each falsification must be noticed.
#![expect(clippy::wildcard_enum_match_arm, reason = "each falsification is about one kind of thing")]

use super::plants::{self, Row};
use super::random::Chaos;
use super::scripts;
use super::world::Taken;
use hall_core::rooms::*;
use hall_core::*;
use hall_core::{DeskFact, RoomRejection};
use hall_games::{PlayerSet, Reason};
use hall_sim::direct::Observed;
use hall_sim::oracles::{Observation, Oracles, Vitals};
use hall_sim::reference::{Extent, Reference};
use hall_wire::roll::Seed;
use hall_wire::{AgentId, Digest, Notation, Player, Span};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
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
fn every_planted_falsification_of_a_decision_is_noticed() {
    let recordings = recordings();
    let rows = answers::ALL.iter().chain(facts::ALL).chain(rooms::ALL).map(|(name, falsify)| {
        let (before, step, told) = place(&recordings, name, *falsify);
        let mut judges = Judges::after(before);
        let followed = judges.reference.follow(step.at, step.stamp, step.who, &step.what, &told);
        assert!(followed.is_err(), "{name} goes unnoticed in {:?}: {told:#?}", step.what);
        let mut reported = judges.falsified(step, &told, &told);
        reported.insert("R1");
        Row { what: format!("decided: {name}"), check: "R1", reported }
    });
    plants::compare("Decisions of a hall beside the reference", &rows.collect::<Vec<_>>());
}

#[test]
fn every_planted_falsification_of_a_state_is_noticed() {
    let recordings = recordings();
    let rows = states::ALL.iter().map(|(name, falsify)| {
        let (before, step, applied) = place(&recordings, name, *falsify);
        let mut judges = Judges::after(before);
        judges.reference.follow(step.at, step.stamp, step.who, &step.what, &step.decision).unwrap();
        let mut reported = judges.falsified(step, &step.decision, &applied);
        let compared = judges.reference.compare(&judges.hall, Extent::LastStep);
        assert!(compared.is_err(), "{name} goes unnoticed: {applied:#?}");
        reported.insert("R2");
        Row { what: format!("applied: {name}"), check: "R2", reported }
    });
    plants::compare("States of a hall beside the reference", &rows.collect::<Vec<_>>());
}

/// The first step that can be falsified in this way, those before it, and its falsified decision.
fn place<'a>(
    recordings: &'a [Vec<Taken>],
    name: &str,
    falsify: fn(&mut Decision) -> bool,
) -> (&'a [Taken], &'a Taken, Decision) {
    let falsified = |step: &Taken| {
        let mut decision = step.decision.clone();
        (falsify(&mut decision) && decision != step.decision).then_some(decision)
    };
    let in_one = |taken: &'a Vec<Taken>| {
        let (at, decision) = taken.iter().enumerate().find_map(|(at, step)| Some((at, falsified(step)?)))?;
        Some((&taken[..at], &taken[at], decision))
    };
    recordings
        .iter()
        .find_map(in_one)
        .unwrap_or_else(|| panic!("no recording has anything to falsify as: {name}"))
}

/// Who has followed a hall up to a step: the reference, and the named checks, which see no requests here.
#[derive(Clone)]
struct Judges {
    reference: Reference,
    named: Oracles,
    hall: Hall,
    seq: u64,
}

impl Judges {
    fn after(taken: &[Taken]) -> Self {
        let hall = Hall::new(hall_games::CATALOG, hall_driver::docket_wording);
        let mut judges = Self { reference: Reference::new(), named: Oracles::new(0), hall, seq: 0 };
        for step in taken {
            let Taken { at, stamp, who, what, decision, .. } = step;
            judges.reference.follow(*at, *stamp, *who, what, decision).unwrap();
            judges.named(step, decision, decision);
        }
        judges
    }

    /// What the named checks report of a step that is told and applied like this, and not of the true one. (Recordings
    /// have checkpoints of no log, and acts of an operator under an agent's name.)
    fn falsified(&mut self, step: &Taken, told: &Decision, applied: &Decision) -> BTreeSet<&'static str> {
        let usual = self.clone().named(step, &step.decision, &step.decision);
        let reported = self.named(step, told, applied);
        reported.difference(&usual).copied().collect()
    }

    fn named(&mut self, step: &Taken, told: &Decision, applied: &Decision) -> BTreeSet<&'static str> {
        let Taken { at, stamp, who, what, drawn, .. } = step;
        self.seq += u64::from(!told.facts.is_empty());
        let (what, drawn, decision, seq) = (what.clone(), drawn.clone(), told.clone(), self.seq);
        let observed = Observed { at: *at, stamp: *stamp, who: *who, what, drawn, decision, seq };
        self.named.see(Observation::Decided(Arc::new(observed)));
        // A hall that cannot apply what it was told has no state to be looked at.
        let lives =
            catch_unwind(AssertUnwindSafe(|| applied.facts.iter().for_each(|fact| self.hall.apply(fact))));
        if lives.is_ok() {
            self.named.stepped(&self.hall, &Vitals::of_state(*at), false);
        }
        self.named.take().into_iter().map(|violation| violation.invariant).collect()
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
