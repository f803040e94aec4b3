//! Two lobbies of a few agents, most of whom share operators and may play one or two games, against the reference hall.
//!
//! In worlds most agents work alone and may play far more games than they do. An agent that waits in two lobbies
//! is at its cap as soon as one of them has a game for it; an agent that is paired past its cap, or not paired although
//! it may be, shows here.

use crate::world::{Asked, filing, lobby, registration, word};
use hall_core::fixtures::{keys, submission};
use hall_core::{
    Caller, Command, Decision, DeskCommand, Division, Fact, Filing, GovernanceCommand, Hall, HallCommand,
    HallFact, HallSettings, Reply, RoomCommand, Timing,
};
use hall_driver::docket_wording;
use hall_games::CATALOG;
use hall_sim::dice::Dice;
use hall_sim::reference::{Divergence, Extent, Reference};
use hall_wire::{AgentId, Handle, Span, Timestamp};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestError, TestRng, TestRunner};

/// An hour before midnight, when quotas restart.
const START: Timestamp = Timestamp::from_millis(1_795_215_600_000);
/// So long that only the players to move at midnight run out of time.
const MOVE_TIME: Span = Span::from_secs(7_200);
const SWEEP: Span = Span::from_secs(300);
/// The agents and their operators.
const AGENTS: [(&str, u8); 6] = [("ada", 1), ("bob", 1), ("cid", 1), ("dan", 2), ("eve", 2), ("fay", 3)];
/// More than any step makes due.
const MOST_SWEEPS: u32 = 1_000;

/// A step. Agents are named by index, so that a step keeps its meaning when earlier ones are left out.
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

/// A start, followed by random steps.
fn steps() -> impl Strategy<Value = (Step, Vec<Step>)> {
    let start = || {
        (select(vec![0, 0, 0, 3, 8]), select(vec![1, 1, 2, 0]))
            .prop_map(|(joins_per_day, concurrent_games)| Step::Start { joins_per_day, concurrent_games })
    };
    let place = || 0_usize..AGENTS.len();
    let lobby = || (place(), select(vec![Division::Open, Division::Pure]));
    let step = prop_oneof![
        48 => lobby().prop_map(|(place, division)| Step::Join(place, division)),
        4 => lobby().prop_map(|(place, division)| Step::Leave(place, division)),
        16 => place().prop_map(Step::Resign),
        4 => start(),
        4 => place().prop_map(Step::Suspend),
        8 => place().prop_map(Step::Restore),
        4 => Just(Step::Reread),
        1 => Just(Step::Midnight),
        7 => select(vec![Span::from_millis(1), SWEEP]).prop_map(Step::Wait),
    ];
    (start(), prop::collection::vec(step, 0..90))
}

/// Lets agents join, play and leave.
fn compare(
    (start, steps): (Step, Vec<Step>),
    decide: impl Fn(&Hall, Asked<'_>, &mut Dice) -> Decision,
) -> Result<(), TestCaseError> {
    let played = Halls::run(start, steps, &decide);
    played.map_err(|divergence| TestCaseError::fail(divergence.to_string()))
}

/// The hall and the reference hall.
struct Halls<'a, D> {
    hall: Hall,
    reference: Reference,
    agents: Vec<AgentId>,
    now: Timestamp,
    entropy: Dice,
    decide: &'a D,
}

impl<'a, D: Fn(&Hall, Asked<'_>, &mut Dice) -> Decision> Halls<'a, D> {
    /// All agents register after the first step, which starts the hall. Then the other steps follow.
    fn run(start: Step, steps: Vec<Step>, decide: &'a D) -> Result<(), Divergence> {
        let mut halls = Self {
            hall: Hall::new(CATALOG, docket_wording),
            reference: Reference::new(),
            agents: Vec::new(),
            now: START,
            entropy: Dice::of(0, "lobbies", 0),
            decide,
        };
        halls.take(start)?;
        halls.admit()?;
        for step in steps {
            halls.take(step)?;
        }
        halls.reference.compare(&halls.hall, Extent::Whole)
    }

    fn admit(&mut self) -> Result<(), Divergence> {
        for (name, operator) in AGENTS {
            if let Some(Reply::Registered { agent, .. }) =
                self.ask(Caller::Hall, &registration(name, operator))?
            {
                self.agents.push(agent);
                for division in [Division::Open, Division::Pure] {
                    let filing = Filing { division, ..filing() };
                    let what = Command::Desk(DeskCommand::FileHomologation { agent, filing });
                    self.ask(Caller::Agent(agent), &what)?;
                }
            }
        }
        Ok(())
    }

    fn take(&mut self, step: Step) -> Result<(), Divergence> {
        let desk = |place, what| (self.by(place), Command::Desk(what));
        let governance = |what| (Caller::Operator, Command::Governance(what));
        let handle = |place: usize| Handle::parse(AGENTS[place].0).unwrap();
        let reason = "a reason".to_owned();
        let asked = match step {
            Step::Join(place, division) => Some(desk(place, DeskCommand::JoinLobby(lobby(division)))),
            Step::Leave(place, division) => Some(desk(place, DeskCommand::LeaveLobby(lobby(division)))),
            Step::Resign(place) => self.resignation(place),
            Step::Suspend(place) => {
                Some(governance(GovernanceCommand::SuspendAgent { handle: handle(place), reason }))
            }
            Step::Restore(place) => {
                Some(governance(GovernanceCommand::RestoreAgent { handle: handle(place), reason }))
            }
            Step::Start { joins_per_day, concurrent_games } => {
                let settings = settings(joins_per_day, concurrent_games);
                Some((Caller::Hall, Command::Hall(HallCommand::Start { settings, keys: keys() })))
            }
            Step::Reread => {
                self.hall = Hall::restore(CATALOG, docket_wording, &self.hall.save())
                    .expect("what was saved is read back");
                None
            }
            Step::Wait(span) => {
                self.now = self.now + span;
                None
            }
            Step::Midnight => {
                self.now = Timestamp::from_millis((self.now.utc_day() + 1) * 86_400_000);
                None
            }
        };
        self.pass_time()?;
        asked.map_or(Ok(()), |(who, what)| self.ask(who, &what).map(drop))
    }

    /// The agent with this index.
    fn by(&self, place: usize) -> Caller {
        Caller::Agent(self.agents[place])
    }

    fn resignation(&self, place: usize) -> Option<(Caller, Command)> {
        let game = self.hall.desk().live_games(&self.agents[place]).next()?;
        let mut request = submission(game, self.hall.rooms().find(&game)?.turn_index(), None);
        (request.resign, request.signed) = (true, None);
        Some((self.by(place), Command::Room(RoomCommand::Submit(request))))
    }

    /// Does what is due.
    fn pass_time(&mut self) -> Result<(), Divergence> {
        for _ in 0..MOST_SWEEPS {
            if self.hall.next_deadline().is_none_or(|due| due > self.now) {
                break;
            }
            self.ask(Caller::Hall, &Command::Hall(HallCommand::Sweep))?;
        }
        Ok(())
    }

    /// Both decide, and must agree before and after. Returns the granted reply.
    fn ask(&mut self, who: Caller, what: &Command) -> Result<Option<Reply>, Divergence> {
        let at = self.now;
        let decision = (self.decide)(&self.hall, Asked { at, stamp: at, who, what }, &mut self.entropy);
        self.reference.follow(at, at, who, what, &decision)?;
        decision.facts.iter().for_each(|fact| self.hall.apply(fact));
        self.hall.check();
        self.reference.compare(&self.hall, Extent::LastStep)?;
        Ok(decision.answer.ok())
    }
}

/// The settings with which a hall starts.
fn settings(joins_per_day: u32, concurrent_games: u32) -> HallSettings {
    let chess = Timing { move_time: MOVE_TIME, side_time: None };
    HallSettings {
        joins_per_day,
        concurrent_games,
        feedback_per_day: 1,
        sweep_every: SWEEP,
        timing: [(word("chess"), chess)].into(),
        ..HallSettings::default()
    }
}

fn usual(hall: &Hall, asked: Asked<'_>, dice: &mut Dice) -> Decision {
    hall.decide(asked.at, asked.stamp, asked.who, asked.what, dice)
}

proptest! {
    #[test]
    fn lobbies_match_the_reference(steps in steps()) {
        compare(steps, usual)?;
    }
}

/// The fewest steps after which a faulty hall is noticed.
fn noticed_after(decide: impl Fn(&Hall, Asked<'_>, &mut Dice) -> Decision) -> Option<Vec<Step>> {
    let config = Config { failure_persistence: None, ..Config::default() };
    let rng = TestRng::deterministic_rng(config.rng_algorithm);
    match TestRunner::new_with_rng(config, rng).run(&steps(), |steps| compare(steps, &decide)) {
        Err(TestError::Fail(_, (_, steps))) => Some(steps),
        Ok(()) | Err(TestError::Abort(_)) => None,
    }
}

/// A hall that decides as if it had been started with other settings.
fn under(other: impl Fn(&mut HallSettings)) -> impl Fn(&Hall, Asked<'_>, &mut Dice) -> Decision {
    move |hall, asked, dice| {
        let Some(mut settings) = hall.settings().cloned() else { return usual(hall, asked, dice) };
        if matches!(asked.what, Command::Hall(HallCommand::Start { .. })) {
            return usual(hall, asked, dice);
        }
        other(&mut settings);
        let mut hall = hall.clone();
        hall.apply(&Fact::Hall(HallFact::SettingsSet { at: hall.clock(), settings }));
        usual(&hall, asked, dice)
    }
}

#[test]
fn a_forgotten_cap_or_quota_and_a_skipped_agent_are_noticed_after_a_few_steps() {
    let uncapped = noticed_after(under(|settings| settings.concurrent_games = 0)).expect("no cap");
    let joins = uncapped.iter().filter(|step| matches!(step, Step::Join(..)));
    assert!(joins.count() <= 3, "{uncapped:?}");
    assert!(noticed_after(under(|settings| settings.concurrent_games += 1)).is_some(), "a cap too high");
    assert!(noticed_after(under(|settings| settings.joins_per_day = 0)).is_some(), "no quota");
    let nobody = noticed_after(|hall, asked, dice| {
        let decision = usual(hall, asked, dice);
        let Caller::Agent(agent) = asked.who else { return decision };
        let waits = hall.desk().lobbies_of(&agent).next().is_some();
        if waits && matches!(asked.what, Command::Desk(DeskCommand::JoinLobby(_))) {
            let facts = decision.facts.into_iter().filter(|fact| fact.in_room().is_none()).collect();
            return Decision { facts, ..decision };
        }
        decision
    });
    assert!(nobody.is_some(), "who waits elsewhere is not paired");
}
