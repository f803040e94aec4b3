//! Two lobbies of a few agents, most of whom share operators and may play one or two games, against the reference hall.
//!
//! In worlds most agents work alone and may play far more games than they do. Whoever waits in two lobbies is at its
//! cap as soon as one of them has a game for it; whoever is paired past it, and who is not, shows here.

use super::{Asked, Comparison, guests};
use crate::dice::Dice;
use crate::direct::CATALOG;
use crate::reference::{Divergence, Extent, Reference};
use hall_core::{
    Caller, Command, Decision, Division, Hall, JoinLobby, MoveSubmission, Reply, Rules, SeasonId, Timing,
    Word,
};
use hall_wire::{AgentId, GameId, OperatorId, Span, Timestamp};

/// An hour before midnight, when quotas begin anew.
const START: Timestamp = Timestamp::from_millis(1_795_215_600_000);
/// Nobody runs out of time here, but for the few who are still to move at midnight.
const MOVE_TIME: Span = Span::from_secs(7_200);
/// The operators of those who have a place.
const OPERATORS: [u8; 6] = [1, 1, 1, 2, 2, 3];
/// Halls in one comparison, and the steps in each.
const ROUNDS: u32 = 2;
const STEPS: u32 = 60;
/// More than any step makes due.
const MOST_SWEEPS: u32 = 1_000;

/// Lets agents come, play and go at random.
pub(super) fn compare(
    dice: &mut Dice,
    out: &mut Comparison,
    decide: impl Fn(&Hall, Asked<'_>, &mut Dice) -> Decision,
) {
    for _ in 0..ROUNDS {
        let mut halls = Halls {
            hall: Hall::new(CATALOG),
            reference: Reference::new(),
            agents: Vec::new(),
            now: START,
            asked: Vec::new(),
            decide: &decide,
        };
        if let Err(divergence) = halls.run(dice) {
            let Divergence { place, expected, found } = divergence;
            let input = || format!("{place}, after {:?}", halls.asked);
            return out.same("lobbies", input, expected, found);
        }
    }
}

/// The hall and the reference hall.
struct Halls<'a, D> {
    hall: Hall,
    reference: Reference,
    agents: Vec<AgentId>,
    now: Timestamp,
    /// What was asked since all had filed.
    asked: Vec<(Timestamp, Caller, Command)>,
    decide: &'a D,
}

impl<D: Fn(&Hall, Asked<'_>, &mut Dice) -> Decision> Halls<'_, D> {
    fn run(&mut self, dice: &mut Dice) -> Result<(), Divergence> {
        self.ask(Caller::Hall, guests::start(rules(dice)), dice)?;
        for (place, operator) in OPERATORS.iter().enumerate() {
            let Some(registration) = guests::registration(place, OperatorId::from_bytes([*operator; 16]))
            else {
                continue;
            };
            if let Some(Reply::Registered { agent, .. }) = self.ask(Caller::Hall, registration, dice)? {
                self.agents.push(agent);
                for division in [Division::Open, Division::Pure] {
                    self.ask(Caller::Agent(agent), guests::filing(agent, division), dice)?;
                }
            }
        }
        self.asked.clear();
        for _ in 0..STEPS {
            self.step(dice)?;
        }
        self.reference.compare(&self.hall, Extent::Whole)
    }

    fn step(&mut self, dice: &mut Dice) -> Result<(), Divergence> {
        self.now = self.now + Span::from_millis(dice.below(2_000));
        let place = usize::try_from(dice.below(6)).unwrap_or(0);
        let Some(agent) = self.agents.get(place).copied() else { return Ok(()) };
        let reason = || "a reason".to_owned();
        let (who, what) = match dice.below(24) {
            0..=11 => (Caller::Agent(agent), Command::JoinLobby(lobby(dice))),
            12 => (Caller::Agent(agent), Command::LeaveLobby(lobby(dice))),
            13..=16 => {
                let games: Vec<_> = self.hall.desk().live_games(&agent).collect();
                let Some(game) = dice.pick(&games) else { return Ok(()) };
                let turn_index = self.hall.rooms().find(game).map_or(0, |room| room.turn_index());
                (Caller::Agent(agent), Command::SubmitMove(resignation(*game, turn_index)))
            }
            17 => (Caller::Hall, guests::start(rules(dice))),
            18 => {
                let Some(handle) = guests::handle(place) else { return Ok(()) };
                (Caller::Operator, Command::SuspendAgent { handle, reason: reason() })
            }
            19 | 20 => {
                let Some(handle) = guests::handle(place) else { return Ok(()) };
                (Caller::Operator, Command::RestoreAgent { handle, reason: reason() })
            }
            21 => {
                self.hall = Hall::restore(CATALOG, &self.hall.save()).expect("what was saved is read back");
                return Ok(());
            }
            22 if dice.permille(150) => {
                self.now = Timestamp::from_millis((self.now.utc_day() + 1) * 86_400_000);
                return self.pass_time(dice);
            }
            // Two sweeps cannot be further apart.
            _ => {
                self.now = self.now + Span::from_secs(300);
                return self.pass_time(dice);
            }
        };
        self.pass_time(dice)?;
        self.ask(who, what, dice).map(|_| ())
    }

    /// What is due.
    fn pass_time(&mut self, dice: &mut Dice) -> Result<(), Divergence> {
        for _ in 0..MOST_SWEEPS {
            if self.hall.next_deadline().is_none_or(|due| due > self.now) {
                break;
            }
            self.ask(Caller::Hall, Command::Sweep, dice)?;
        }
        Ok(())
    }

    /// Both decide, and must be of one mind before and after. Returns what was granted.
    fn ask(&mut self, who: Caller, what: Command, dice: &mut Dice) -> Result<Option<Reply>, Divergence> {
        let at = self.now;
        let decision = (self.decide)(&self.hall, Asked { at, stamp: at, who, what: &what }, dice);
        let followed = self.reference.follow(at, at, who, &what, &decision);
        self.asked.push((at, who, what));
        followed?;
        decision.facts.iter().for_each(|fact| self.hall.apply(fact));
        self.hall.check();
        self.reference.compare(&self.hall, Extent::LastStep)?;
        Ok(decision.answer.ok())
    }
}

/// The settings with which a hall starts.
fn rules(dice: &mut Dice) -> Rules {
    let chess = Timing { move_time: MOVE_TIME, side_time: None };
    Rules {
        joins_per_day: dice.pick(&[0, 0, 0, 3, 8]).copied().unwrap_or(0),
        concurrent_games: dice.pick(&[1, 1, 2, 0]).copied().unwrap_or(1),
        feedback_per_day: 1,
        sweep_every: Span::from_secs(300),
        timing: Word::parse("chess").map(|word| (word, chess)).into_iter().collect(),
        beacon: None,
        first_season: SeasonId::parse("s1").unwrap_or_else(|| unreachable!("a well-formed season")),
    }
}

fn lobby(dice: &mut Dice) -> JoinLobby {
    guests::lobby("chess", if dice.permille(500) { Division::Open } else { Division::Pure })
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
        signature_verified: true,
        signed: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_core::Fact;

    fn differences(decide: impl Fn(&Hall, Asked<'_>, &mut Dice) -> Decision) -> usize {
        let mut out = Comparison::default();
        for seed in 0..20 {
            compare(&mut Dice::of(seed, "lobbies", 0), &mut out, &decide);
        }
        out.differences.len()
    }

    fn usual(hall: &Hall, asked: Asked<'_>, dice: &mut Dice) -> Decision {
        hall.decide(asked.at, asked.stamp, asked.who, asked.what, dice)
    }

    /// A hall that decides as if it had been started with other rules.
    fn under(other: impl Fn(&mut Rules)) -> impl Fn(&Hall, Asked<'_>, &mut Dice) -> Decision {
        move |hall, asked, dice| {
            let Some(mut rules) = hall.rules().cloned() else { return usual(hall, asked, dice) };
            if matches!(asked.what, Command::StartHall { .. }) {
                return usual(hall, asked, dice);
            }
            other(&mut rules);
            let mut hall = hall.clone();
            hall.apply(&Fact::RulesSet { at: hall.clock(), rules });
            usual(&hall, asked, dice)
        }
    }

    #[test]
    fn a_hall_that_forgets_a_cap_or_a_quota_differs_and_so_does_one_that_passes_everybody_over() {
        assert_eq!(differences(usual), 0);
        assert!(differences(under(|rules| rules.concurrent_games = 0)) > 0, "no cap");
        assert!(differences(under(|rules| rules.concurrent_games += 1)) > 0, "a cap too high");
        assert!(differences(under(|rules| rules.joins_per_day = 0)) > 0, "no quota");
        let nobody = differences(|hall, asked, dice| {
            let decision = usual(hall, asked, dice);
            let Caller::Agent(agent) = asked.who else { return decision };
            let waits = hall.desk().lobbies_of(&agent).next().is_some();
            if waits && matches!(asked.what, Command::JoinLobby(_)) {
                let facts = decision.facts.into_iter().filter(|fact| fact.in_room().is_none()).collect();
                return Decision { facts, ..decision };
            }
            decision
        });
        assert!(nobody > 0, "who waits elsewhere is not paired");
    }
}
