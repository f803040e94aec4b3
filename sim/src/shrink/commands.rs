//! Fewer commands: leaving out agents, games, stretches, single steps, turns in the middle of games and at last empty
//! time, as long as the core still fails.

use super::replayed;
use super::shorter::{games, turns, without_turns};
use super::sooner::{gap_before, sooner};
use crate::log::{Judge, Judges, Panel, Step, kind_of};
use hall_core::rooms::RoomChange;
use hall_core::{Caller, Command, DeskCommand, Fact};
use hall_games::CATALOG;
use hall_wire::{AgentId, GameId};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

/// The fewest steps found that still break `kind`, as they were decided in the end; `None` if all of them together
/// do not break it without the world around the core. `goes_on` is told how many are left.
pub fn fewer(
    steps: &[Step],
    kind: &str,
    judges: Judges<'_>,
    goes_on: impl FnMut(usize) -> bool,
) -> Option<Vec<Step>> {
    // Only the oracle that objects is run: the others cost time. And of all steps, before those behind the first
    // objection are cut off: that may be of an oracle which tries commands on copies, other ones as soon as a step is
    // left out.
    let judges = cheapest(steps, kind, judges);
    let best = breaks(steps, kind, judges)?;
    let mut search = Search { best, kind, judges, goes_on };
    let mut before = usize::MAX;
    while search.best.len() < before {
        before = search.best.len();
        if search.round().is_break() {
            break;
        }
    }
    Some(search.best)
}

/// The steps as they were decided, if they break `kind`.
fn breaks(steps: &[Step], kind: &str, judges: Judges<'_>) -> Option<Vec<Step>> {
    let (played, violation) = replayed(steps, judges);
    violation.filter(|violation| kind_of(violation) == kind).map(|_| played)
}

/// The fewest steps so far. Each method leaves out what it is named after, and stops when it may not continue.
struct Search<'a, F> {
    best: Vec<Step>,
    kind: &'a str,
    judges: Judges<'a>,
    goes_on: F,
}

impl<F: FnMut(usize) -> bool> Search<'_, F> {
    /// Everything once, the most promising first: every try decides all steps that are left.
    fn round(&mut self) -> ControlFlow<()> {
        self.groups(by_agent(&self.best))?;
        self.groups(by_word(&self.best))?;
        self.groups(by_game(&self.best))?;
        self.stretches()?;
        self.turns()?;
        self.gaps()
    }

    /// Whether the search may continue.
    fn next(&mut self) -> ControlFlow<()> {
        if (self.goes_on)(self.best.len()) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    /// These steps, if they are fewer and still break it.
    fn attempt(&mut self, left: &[Step]) -> ControlFlow<()> {
        self.next()?;
        if let Some(played) = breaks(left, self.kind, self.judges).filter(|it| it.len() < self.best.len()) {
            self.best = played;
        }
        ControlFlow::Continue(())
    }

    /// Half of the groups at a time, then fewer, finally each: a failure after hundreds of games needs few of them.
    fn groups(&mut self, groups: Vec<BTreeSet<Key>>) -> ControlFlow<()> {
        let mut groups: Vec<_> = groups.into_iter().filter(|group| group.len() > 1).collect();
        groups.sort_by_key(|group| Reverse(group.len()));
        let mut count = (groups.len() / 2).max(1);
        loop {
            for bundle in groups.chunks(count) {
                let belongs = |key: &Key| bundle.iter().any(|group| group.contains(key));
                let left: Vec<Step> = self.best.iter().filter(|step| !belongs(&key(step))).cloned().collect();
                if left.len() < self.best.len() {
                    self.attempt(&left)?;
                }
            }
            if count == 1 {
                return ControlFlow::Continue(());
            }
            count /= 2;
        }
    }

    /// Steps in a row, half of all at first and finally single ones, from the end.
    fn stretches(&mut self) -> ControlFlow<()> {
        let mut count = (self.best.len() / 2).max(1);
        loop {
            let mut until = self.best.len();
            while until > 0 {
                let from = until.saturating_sub(count);
                let left: Vec<Step> =
                    self.best.iter().take(from).chain(self.best.iter().skip(until)).cloned().collect();
                self.attempt(&left)?;
                until = from.min(self.best.len());
            }
            if count == 1 {
                return ControlFlow::Continue(());
            }
            count /= 2;
        }
    }

    /// Turns in the middle of games.
    fn turns(&mut self) -> ControlFlow<()> {
        for game in games(&self.best) {
            self.middle(game)?;
            let mut count = turns(&self.best, game) / 2 * 2;
            while count > 0 {
                let mut from = turns(&self.best, game).saturating_sub(count);
                loop {
                    let left = without_turns(&self.best, game, from, count);
                    self.attempt(&left)?;
                    if from == 0 {
                        break;
                    }
                    from = from.saturating_sub(count);
                }
                // The same side stays to move.
                count = count / 4 * 2;
            }
        }
        ControlFlow::Continue(())
    }

    /// All turns between the first few and the last one: what goes wrong at the end of a long game seldom needs its
    /// moves.
    fn middle(&mut self, game: GameId) -> ControlFlow<()> {
        let last = turns(&self.best, game).saturating_sub(1);
        for first in (0..8).take_while(|first| first + 2 <= last) {
            // The same side stays to move.
            let left = without_turns(&self.best, game, first, (last - first) / 2 * 2);
            let before = self.best.len();
            self.attempt(&left)?;
            if self.best.len() < before {
                break;
            }
        }
        ControlFlow::Continue(())
    }

    /// Time in which nothing happens; with it goes what happens only because time passes.
    fn gaps(&mut self) -> ControlFlow<()> {
        // From the end, so that what was moved already stays close together.
        for place in (1..self.best.len()).rev() {
            let Some(gap) = gap_before(&self.best, place) else { continue };
            self.next()?;
            let still = breaks(&sooner(&self.best, place, gap), self.kind, self.judges);
            if let Some(played) = still.filter(|played| played.len() <= self.best.len()) {
                self.best = played;
            }
        }
        ControlFlow::Continue(())
    }
}

/// The judges with only those that are needed.
fn cheapest<'a>(steps: &[Step], kind: &str, judges: Judges<'a>) -> Judges<'a> {
    let suffices =
        |judges: &Judges<'_>| replayed(steps, *judges).1.is_some_and(|violation| kind_of(&violation) == kind);
    let panels = [Panel::Nobody, Panel::Others, Panel::Reference].map(|oracles| Judges { oracles, ..judges });
    let fewest = panels.into_iter().find(suffices).unwrap_or(judges);
    Some(Judges { check: false, ..fewest }).filter(suffices).unwrap_or(fewest)
}

/// By what a step is known while others are left out: core time and stamp in milliseconds, the word of its command, and
/// who gave it.
pub type Key = (i64, i64, &'static str, String);

fn key(step: &Step) -> Key {
    (step.at.as_millis(), step.stamp.as_millis(), step.word(), format!("{:?}", step.who))
}

/// The steps of each agent.
fn by_agent(steps: &[Step]) -> Vec<BTreeSet<Key>> {
    grouped(steps, agent)
}

/// The steps that ask for the same.
fn by_word(steps: &[Step]) -> Vec<BTreeSet<Key>> {
    grouped(steps, |step| Some(step.word()))
}

/// The steps in each game, and those by which its players came to it: without them they come to later games no sooner.
#[must_use]
pub fn by_game(steps: &[Step]) -> Vec<BTreeSet<Key>> {
    let mut groups: BTreeMap<GameId, BTreeSet<Key>> = BTreeMap::new();
    let mut joined = BTreeMap::new();
    let mut judge = Judge::new(CATALOG, Judges { check: false, ..Judges::with(Panel::Nobody) });
    for step in steps {
        if let Some(game) = step.game() {
            groups.entry(game).or_default().insert(key(step));
        }
        if let (Command::Desk(DeskCommand::JoinLobby(_)), Caller::Agent(agent)) = (&step.what, step.who) {
            joined.insert(agent, key(step));
        }
        let result = judge.play_as_written(step, false);
        if result.violation.is_some() {
            break;
        }
        for fact in result.facts.iter().filter_map(Fact::in_room) {
            if let RoomChange::Started(started) = &fact.change {
                let joins = started.seats.iter().filter_map(|seat| joined.remove(&seat.agent));
                groups.entry(fact.game).or_default().extend(joins);
            }
        }
    }
    groups.into_values().collect()
}

fn grouped<T: Ord>(steps: &[Step], of: impl Fn(&Step) -> Option<T>) -> Vec<BTreeSet<Key>> {
    let mut groups: BTreeMap<T, BTreeSet<Key>> = BTreeMap::new();
    for step in steps {
        if let Some(belongs) = of(step) {
            groups.entry(belongs).or_default().insert(key(step));
        }
    }
    groups.into_values().collect()
}

fn agent(step: &Step) -> Option<AgentId> {
    match (&step.what, step.who) {
        (Command::Desk(DeskCommand::RegisterAgent(new)), _) => Some(AgentId::of_key(&new.key)),
        (_, Caller::Agent(agent)) => Some(agent),
        (_, Caller::Operator | Caller::Hall) => None,
    }
}
