//! The hall's operator, who now and then withholds what an agent has said. From then on nobody may be shown it (S5),
//! whatever was cached: see `outside`.

use super::chronicle::Shared;
use super::host::Machine;
use super::outside::WordsPlace;
use super::plan::NetworkPlan;
use super::rereader::Notice;
use crate::dice::Dice;
use hall_core::{Caller, Command, GovernanceCommand, Withheld};
use hall_driver::PendingAnswer;
use hall_wire::{GameId, Span};
use std::rc::Rc;

/// Words are withheld among so many of the last.
const LAST: usize = 6;
/// How long before players of the game are told of it, at most, in milliseconds.
const NOTICE: u64 = 400;

/// Withholds words at times that are drawn.
pub(super) struct Redactor {
    dice: Dice,
    machine: Rc<Machine>,
    chronicle: Shared,
    /// Tells players what is about to be withheld; none where requests are limited, so that they are not spent on that.
    notice: Option<Notice>,
    /// What will be withheld when, in milliseconds since the world began.
    planned: Option<(WordsPlace, u64)>,
    /// The mean time between two redactions; none for none.
    mean: Option<Span>,
    due: u64,
    /// From then on it does nothing more.
    ends: u64,
    /// The answers to come.
    asked: Vec<PendingAnswer>,
}

impl Redactor {
    /// The operator of a plan.
    pub(super) fn new(plan: &NetworkPlan, machine: Rc<Machine>, notice: Notice, chronicle: Shared) -> Self {
        let dice = Dice::of(plan.seed, "redactor", 0);
        let (mean, ends, asked) = (plan.redactions, plan.lasts.as_millis(), Vec::new());
        let notice = (plan.traffic.per_minute == 0).then_some(notice);
        let planned = None;
        let mut redactor = Self { dice, machine, chronicle, notice, planned, mean, due: 0, ends, asked };
        redactor.plan_next(0);
        redactor
    }

    fn plan_next(&mut self, now: u64) {
        let mean = self.mean.map_or(0, Span::as_millis);
        self.due = now + self.dice.about(mean);
    }

    /// Withholds something if it is time, at `now` in milliseconds since the world began.
    pub(super) fn act(&mut self, now: u64) {
        if let Some((place, _)) = self.planned.take_if(|(_, when)| *when <= now) {
            self.withhold(place);
        }
        if self.mean.is_none() || now < self.due || now >= self.ends {
            return;
        }
        self.plan_next(now);
        self.asked.retain_mut(|ticket| ticket.take().is_none());
        let places: Vec<WordsPlace> = {
            let chronicle = self.chronicle.open();
            let words = &chronicle.outside.words;
            // These are rare, or were said long ago.
            let posts = words.open().filter(|place| matches!(place, WordsPlace::Post(_))).take(LAST / 3);
            let agents = words.open().filter(|place| matches!(place, WordsPlace::Agent(_))).take(LAST / 3);
            // Nobody but their player sees them before the end, and what is said later in a withheld turn is withheld, too.
            let is_over = |game: &GameId| chronicle.ends.contains_key(game);
            let attempts =
                words.open().filter(|place| matches!(place, WordsPlace::Attempt(game, _) if is_over(game)));
            let others = words.open().filter(|place| !matches!(place, WordsPlace::Attempt(..)));
            others.take(LAST).chain(posts).chain(attempts.take(LAST / 3)).chain(agents).collect()
        };
        match (self.dice.pick(&places).copied(), &self.notice) {
            (Some(place @ WordsPlace::Turn(game, ..)), Some(notice)) => {
                notice.give(game);
                self.planned = Some((place, now + self.dice.between(0, NOTICE)));
            }
            (Some(place), _) => self.withhold(place),
            (None, _) => {}
        }
    }

    fn withhold(&mut self, place: WordsPlace) {
        let Some(engine) = self.machine.engine() else { return };
        let what = match place {
            WordsPlace::Turn(game, turn_index, _) | WordsPlace::Attempt(game, turn_index) => {
                Withheld::Turn { game, turn_index }
            }
            WordsPlace::Post(id) => Withheld::Feedback(id),
            WordsPlace::Agent(agent) => Withheld::Agent(agent),
        };
        let reason = "somebody is named there".to_owned();
        let command = Command::Governance(GovernanceCommand::Withhold { what, reason });
        // A hall that takes nothing now is asked next time for something else.
        self.asked.extend(engine.enqueue(engine.arrive(), Caller::Hall, command));
    }
}
