//! Two lobbies of a few agents, most of whom share operators and may play one or two games, against the reference hall.
//!
//! In worlds most agents work alone and may play far more games than they do. Whoever waits in two lobbies is at its
//! cap as soon as one of them has a game for it; whoever is paired past it, and who is not, shows here.

use super::{Asked, Comparison, guests};
use crate::dice::Dice;
use crate::direct::CATALOG;
use crate::reference::{Divergence, Extent, Reference};
use hall_core::{
    Caller, Command, Decision, DeskCommand, Division, GovernanceCommand, Hall, HallCommand, HallSettings,
    MoveSubmission, Reply, RoomCommand, SignatureCheck, Timing, Word,
};
use hall_wire::{AgentId, GameId, OperatorId, Span, Timestamp};

/// An hour before midnight, when quotas begin anew.
const START: Timestamp = Timestamp::from_millis(1_795_215_600_000);
/// Nobody runs out of time here, but for the few who are still to move at midnight.
const MOVE_TIME: Span = Span::from_secs(7_200);
const SWEEP: Span = Span::from_secs(300);
/// The operators of those who have a place.
const OPERATORS: [u8; 6] = [1, 1, 1, 2, 2, 3];
/// Halls in one comparison, and the steps in each.
const ROUNDS: u32 = 2;
const STEPS: u32 = 60;
/// More than any step makes due.
const MOST_SWEEPS: u32 = 1_000;

/// What happens. Agents are named by place, so that it still means something when what was before it is left out.
#[derive(Clone, Debug)]
enum Step {
    Join(usize, Division),
    Leave(usize, Division),
    /// An agent resigns the first of its games.
    Resign(usize),
    Suspend(usize),
    Restore(usize),
    Start {
        joins_per_day: u32,
        concurrent_games: u32,
    },
    /// The hall is saved and read back.
    Reread,
    Wait(Span),
    Midnight,
}

/// Lets agents come, play and go at random.
pub(super) fn compare(
    dice: &mut Dice,
    out: &mut Comparison,
    decide: impl Fn(&Hall, Asked<'_>, &mut Dice) -> Decision,
) {
    for _ in 0..ROUNDS {
        let mut steps = vec![start(dice)];
        steps.extend((0..STEPS).map(|_| step(dice)));
        let fails = |steps: &[Step]| Halls::run(steps, &decide, &mut dice.clone()).err();
        let Some(mut first) = fails(&steps) else { continue };
        // The hall has to be started. Of what follows, as much is left out as can be.
        let mut place = 1;
        while place < steps.len() {
            let mut fewer = steps.clone();
            fewer.remove(place);
            match fails(&fewer) {
                Some(divergence) => (steps, first) = (fewer, divergence),
                None => place += 1,
            }
        }
        let Divergence { place, expected, found } = first;
        return out.same("lobbies", || format!("{place}, after {steps:?}"), expected, found);
    }
}

fn step(dice: &mut Dice) -> Step {
    let place = usize::try_from(dice.below(6)).unwrap_or(0);
    let division = if dice.permille(500) { Division::Open } else { Division::Pure };
    match dice.below(24) {
        0..=11 => Step::Join(place, division),
        12 => Step::Leave(place, division),
        13..=16 => Step::Resign(place),
        17 => start(dice),
        18 => Step::Suspend(place),
        19 | 20 => Step::Restore(place),
        21 => Step::Reread,
        22 if dice.permille(150) => Step::Midnight,
        _ => Step::Wait(dice.pick(&[Span::from_millis(1), SWEEP]).copied().unwrap_or(SWEEP)),
    }
}

fn start(dice: &mut Dice) -> Step {
    let joins_per_day = dice.pick(&[0, 0, 0, 3, 8]).copied().unwrap_or(0);
    Step::Start { joins_per_day, concurrent_games: dice.pick(&[1, 1, 2, 0]).copied().unwrap_or(1) }
}

/// The hall and the reference hall.
struct Halls<'a, D> {
    hall: Hall,
    reference: Reference,
    agents: Vec<AgentId>,
    now: Timestamp,
    decide: &'a D,
}

impl<'a, D: Fn(&Hall, Asked<'_>, &mut Dice) -> Decision> Halls<'a, D> {
    /// Everybody comes after the first step, which starts the hall. Then the others are taken.
    fn run(steps: &[Step], decide: &'a D, dice: &mut Dice) -> Result<(), Divergence> {
        let (hall, reference) = (Hall::new(CATALOG, hall_driver::docket_wording), Reference::new());
        let mut halls = Self { hall, reference, agents: Vec::new(), now: START, decide };
        for step in steps {
            halls.take(step, dice)?;
            if halls.agents.is_empty() {
                halls.admit(dice)?;
            }
        }
        halls.reference.compare(&halls.hall, Extent::Whole)
    }

    fn admit(&mut self, dice: &mut Dice) -> Result<(), Divergence> {
        for (place, operator) in OPERATORS.iter().enumerate() {
            let operator = OperatorId::from_bytes([*operator; 16]);
            let Some(registration) = guests::registration(place, operator) else { continue };
            if let Some(Reply::Registered { agent, .. }) = self.ask(Caller::Hall, &registration, dice)? {
                self.agents.push(agent);
                for division in [Division::Open, Division::Pure] {
                    self.ask(Caller::Agent(agent), &guests::filing(agent, division), dice)?;
                }
            }
        }
        Ok(())
    }

    fn take(&mut self, step: &Step, dice: &mut Dice) -> Result<(), Divergence> {
        let asked = match step {
            Step::Join(place, division) => {
                let lobby = guests::lobby("chess", *division);
                self.by(*place).map(|who| (who, Command::Desk(DeskCommand::JoinLobby(lobby))))
            }
            Step::Leave(place, division) => {
                let lobby = guests::lobby("chess", *division);
                self.by(*place).map(|who| (who, Command::Desk(DeskCommand::LeaveLobby(lobby))))
            }
            Step::Resign(place) => self.resignation(*place),
            Step::Suspend(place) => guests::handle(*place).map(|handle| {
                (
                    Caller::Operator,
                    Command::Governance(GovernanceCommand::SuspendAgent {
                        handle,
                        reason: "a reason".to_owned(),
                    }),
                )
            }),
            Step::Restore(place) => guests::handle(*place).map(|handle| {
                (
                    Caller::Operator,
                    Command::Governance(GovernanceCommand::RestoreAgent {
                        handle,
                        reason: "a reason".to_owned(),
                    }),
                )
            }),
            Step::Start { joins_per_day, concurrent_games } => {
                Some((Caller::Hall, guests::start(rules(*joins_per_day, *concurrent_games))))
            }
            Step::Reread => {
                self.hall = Hall::restore(CATALOG, hall_driver::docket_wording, &self.hall.save())
                    .expect("what was saved is read back");
                None
            }
            Step::Wait(span) => {
                self.now = self.now + *span;
                None
            }
            Step::Midnight => {
                self.now = Timestamp::from_millis((self.now.utc_day() + 1) * 86_400_000);
                None
            }
        };
        self.pass_time(dice)?;
        asked.map_or(Ok(()), |(who, what)| self.ask(who, &what, dice).map(drop))
    }

    /// Who has this place.
    fn by(&self, place: usize) -> Option<Caller> {
        self.agents.get(place).copied().map(Caller::Agent)
    }

    fn resignation(&self, place: usize) -> Option<(Caller, Command)> {
        let agent = self.agents.get(place)?;
        let game = self.hall.desk().live_games(agent).next()?;
        let turn_index = self.hall.rooms().find(&game)?.turn_index();
        Some((Caller::Agent(*agent), Command::Room(RoomCommand::Submit(resignation(game, turn_index)))))
    }

    /// What is due.
    fn pass_time(&mut self, dice: &mut Dice) -> Result<(), Divergence> {
        for _ in 0..MOST_SWEEPS {
            if self.hall.next_deadline().is_none_or(|due| due > self.now) {
                break;
            }
            self.ask(Caller::Hall, &Command::Hall(HallCommand::Sweep), dice)?;
        }
        Ok(())
    }

    /// Both decide, and must be of one mind before and after. Returns what was granted.
    fn ask(&mut self, who: Caller, what: &Command, dice: &mut Dice) -> Result<Option<Reply>, Divergence> {
        let at = self.now;
        let decision = (self.decide)(&self.hall, Asked { at, stamp: at, who, what }, dice);
        self.reference.follow(at, at, who, what, &decision)?;
        decision.facts.iter().for_each(|fact| self.hall.apply(fact));
        self.hall.check();
        self.reference.compare(&self.hall, Extent::LastStep)?;
        Ok(decision.answer.ok())
    }
}

/// The settings with which a hall starts.
fn rules(joins_per_day: u32, concurrent_games: u32) -> HallSettings {
    let chess = Timing { move_time: MOVE_TIME, side_time: None };
    HallSettings {
        joins_per_day,
        concurrent_games,
        feedback_per_day: 1,
        sweep_every: SWEEP,
        timing: Word::parse("chess").map(|word| (word, chess)).into_iter().collect(),
        ..HallSettings::default()
    }
}

fn resignation(game: GameId, turn_index: u32) -> MoveSubmission {
    MoveSubmission {
        game,
        turn_index,
        choice: None,
        resign: true,
        draw_offer: false,
        draw_accept: false,
        commentary: None,
        signature_check: SignatureCheck::Valid,
        signed: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_core::{Fact, HallFact};

    fn differences(decide: impl Fn(&Hall, Asked<'_>, &mut Dice) -> Decision) -> Vec<String> {
        let mut out = Comparison::default();
        for seed in 0..20 {
            compare(&mut Dice::of(seed, "lobbies", 0), &mut out, &decide);
        }
        out.differences.into_iter().map(|difference| difference.input).collect()
    }

    fn usual(hall: &Hall, asked: Asked<'_>, dice: &mut Dice) -> Decision {
        hall.decide(asked.at, asked.stamp, asked.who, asked.what, dice)
    }

    /// A hall that decides as if it had been started with other rules.
    fn under(other: impl Fn(&mut HallSettings)) -> impl Fn(&Hall, Asked<'_>, &mut Dice) -> Decision {
        move |hall, asked, dice| {
            let Some(mut rules) = hall.settings().cloned() else { return usual(hall, asked, dice) };
            if matches!(asked.what, Command::Hall(HallCommand::Start { .. })) {
                return usual(hall, asked, dice);
            }
            other(&mut rules);
            let mut hall = hall.clone();
            hall.apply(&Fact::Hall(HallFact::SettingsSet { at: hall.clock(), settings: rules }));
            usual(&hall, asked, dice)
        }
    }

    #[test]
    fn a_hall_that_forgets_a_cap_or_a_quota_or_passes_somebody_over_differs_after_a_few_steps() {
        assert_eq!(differences(usual), Vec::<String>::new());
        let uncapped = differences(under(|rules| rules.concurrent_games = 0));
        assert!(uncapped.iter().any(|input| input.matches("Join(").count() <= 3), "{uncapped:?}");
        assert!(!differences(under(|rules| rules.concurrent_games += 1)).is_empty(), "a cap too high");
        assert!(!differences(under(|rules| rules.joins_per_day = 0)).is_empty(), "no quota");
        let nobody = differences(|hall, asked, dice| {
            let decision = usual(hall, asked, dice);
            let Caller::Agent(agent) = asked.who else { return decision };
            let waits = hall.desk().lobbies_of(&agent).next().is_some();
            if waits && matches!(asked.what, Command::Desk(DeskCommand::JoinLobby(_))) {
                let facts = decision.facts.into_iter().filter(|fact| fact.in_room().is_none()).collect();
                return Decision { facts, ..decision };
            }
            decision
        });
        assert!(!nobody.is_empty(), "who waits elsewhere is not paired");
    }
}
