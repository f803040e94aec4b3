//! Planted faults, and edits of observations.

use hall_core::rooms::{Resolution, RoomChange, RoomFact, Started};
use hall_core::{Caller, Command, Decision, DeskFact, Fact, HallCommand, Reply};
use hall_sim::direct::Observed;
use hall_sim::oracles::{Judged, Observation, Opened, Picture};
use hall_wire::{AgentId, GameId, Handle, Timestamp};
use std::sync::Arc;

/// A fault to plant.
#[derive(Clone)]
pub(crate) struct Plant {
    /// The check that must report it.
    pub(crate) check: &'static str,
    /// The fault, in the words of the table.
    pub(crate) what: &'static str,
    /// The replacement for the observation there, if the fault can be planted there.
    pub(crate) plant: fn(&[Observation], usize) -> Option<Vec<Observation>>,
    /// Whether it is planted only where there are no other faults any more.
    pub(crate) calm: bool,
    /// What it changes in each observation after that.
    pub(crate) later: fn(&mut Observation),
}

impl Plant {
    /// The same fault, planted only where there are no other faults any more.
    pub(crate) const fn in_calm(self) -> Self {
        Self { calm: true, ..self }
    }

    /// The same fault, which goes on after its first place.
    pub(crate) const fn and_later(self, later: fn(&mut Observation)) -> Self {
        Self { later, ..self }
    }
}

/// A fault in one place.
pub(crate) const fn plant(
    check: &'static str,
    what: &'static str,
    plant: fn(&[Observation], usize) -> Option<Vec<Observation>>,
) -> Plant {
    Plant { check, what, plant, calm: false, later: |_| {} }
}

/// Changes a decision.
pub(crate) fn decided(
    seen: &[Observation],
    at: usize,
    change: impl FnOnce(&mut Observed) -> Option<()>,
) -> Option<Vec<Observation>> {
    let Observation::Decided(observed) = &seen[at] else { return None };
    let mut changed = (**observed).clone();
    change(&mut changed)?;
    Some(vec![Observation::Decided(Arc::new(changed))])
}

/// Changes the first fact for which that can be done.
pub(crate) fn fact(
    seen: &[Observation],
    at: usize,
    mut change: impl FnMut(&mut Fact) -> Option<()>,
) -> Option<Vec<Observation>> {
    decided(seen, at, |observed| observed.decision.facts.iter_mut().find_map(&mut change))
}

/// Changes the first fact of a room for which that can be done.
pub(crate) fn room(
    seen: &[Observation],
    at: usize,
    mut change: impl FnMut(&mut RoomFact) -> Option<()>,
) -> Option<Vec<Observation>> {
    fact(seen, at, |fact| if let Fact::Room(fact) = fact { change(Arc::make_mut(fact)) } else { None })
}

/// Changes the first start of a game.
pub(crate) fn started(
    seen: &[Observation],
    at: usize,
    mut change: impl FnMut(&mut Started) -> Option<()>,
) -> Option<Vec<Observation>> {
    room(
        seen,
        at,
        |fact| if let RoomChange::Started(terms) = &mut fact.change { change(terms) } else { None },
    )
}

/// Changes the first move.
pub(crate) fn moved(
    seen: &[Observation],
    at: usize,
    mut change: impl FnMut(&mut Resolution) -> Option<()>,
) -> Option<Vec<Observation>> {
    room(seen, at, |fact| {
        if let RoomChange::MovePlayed(resolution) = &mut fact.change { change(resolution) } else { None }
    })
}

/// Changes a judgement of the gate.
pub(crate) fn judged(
    seen: &[Observation],
    at: usize,
    change: impl FnOnce(&mut Judged) -> Option<()>,
) -> Option<Vec<Observation>> {
    let Observation::Judged(judged) = &seen[at] else { return None };
    let mut changed = judged.clone();
    change(&mut changed)?;
    Some(vec![Observation::Judged(changed)])
}

/// Changes a picture of the state.
pub(crate) fn pictured(
    seen: &[Observation],
    at: usize,
    change: impl FnOnce(&mut Picture) -> Option<()>,
) -> Option<Vec<Observation>> {
    let Observation::Stepped(picture) = &seen[at] else { return None };
    let mut changed = picture.clone();
    change(&mut changed)?;
    Some(vec![Observation::Stepped(changed)])
}

/// Changes what a journal holds.
pub(crate) fn opened(
    seen: &[Observation],
    at: usize,
    change: impl FnOnce(&mut Opened) -> Option<()>,
) -> Option<Vec<Observation>> {
    let Observation::Opened(opened) = &seen[at] else { return None };
    let mut changed = opened.clone();
    change(&mut changed)?;
    Some(vec![Observation::Opened(changed)])
}

/// Every fact before a place.
pub(crate) fn facts_before(seen: &[Observation], at: usize) -> impl Iterator<Item = &Fact> {
    seen[..at].iter().flat_map(|observation| match observation {
        Observation::Decided(observed) => observed.decision.facts.as_slice(),
        _ => &[],
    })
}

/// The terms of a game that has begun before.
pub(crate) fn terms(seen: &[Observation], at: usize, game: GameId) -> Option<&Started> {
    facts_before(seen, at).filter_map(Fact::in_room).find_map(|fact| match &fact.change {
        RoomChange::Started(terms) if fact.game == game => Some(terms),
        _ => None,
    })
}

/// The handle of an agent that has registered before.
pub(crate) fn handle(seen: &[Observation], at: usize, who: AgentId) -> Option<Handle> {
    facts_before(seen, at).find_map(|fact| match fact {
        Fact::Desk(DeskFact::AgentRegistered { agent, handle, .. }) if *agent == who => Some(handle.clone()),
        _ => None,
    })
}

/// Facts that the hall causes by itself.
pub(crate) fn by_itself(at: Timestamp, facts: Vec<Fact>) -> Observation {
    let decision = Decision { answer: Ok(Reply::Done), facts, effects: Vec::new() };
    let (who, what) = (Caller::Hall, Command::Hall(HallCommand::Sweep));
    Observation::Decided(Arc::new(Observed { at, stamp: at, who, what, drawn: Vec::new(), decision, seq: 0 }))
}

/// Holds or there is no place.
pub(crate) fn when(holds: bool) -> Option<()> {
    holds.then_some(())
}

/// Adds a text to a leaf, in the object at this place.
pub(crate) fn add_to_leaf(leaf: &mut String, place: &str, name: &str, text: &str) -> Option<()> {
    let mut value: serde_json::Value = serde_json::from_str(leaf).ok()?;
    value.pointer_mut(place)?.as_object_mut()?.insert(name.to_owned(), text.into());
    *leaf = value.to_string();
    Some(())
}
