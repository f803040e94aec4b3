//! A game of which the reference has no model: it is followed by the hall's own rules, in a room beside the reference
//! and in a direct world, where agents, oracles and probes take it from the catalog.

use crate::world::{World, filing, lobby, registration, settings, word};
use hall_core::fixtures::submission;
use hall_core::rooms::RoomChange;
use hall_core::{
    Caller, Choice, Command, DeskCommand, Division, Fact, HallSettings, JoinLobby, Reply, RoomCommand, Timing,
};
use hall_games::{
    Catalog, Chance, Description, Game, LegalMove, Outcome, Played, PlayerCount, PlayerSet, Position, Reason,
    Refused, SetupRefused, UnreadablePosition, Viewer,
};
use hall_sim::direct;
use hall_sim::oracles::Oracles;
use hall_sim::plan::{Profile, WorldPlan};
use hall_sim::reference::Reference;
use hall_wire::json::{Map, Value};
use hall_wire::{AgentId, GameId, Notation, Player, Span};
use serde_json::json;
use std::sync::Arc;

/// Two players take one to three of 21 counters in turn; taking the last counter wins.
#[derive(Debug)]
struct Subtraction;

const GAMES: &[&dyn Game] = &[&Subtraction];
const CATALOG: Catalog = Catalog::new(GAMES);
const COUNTERS: u8 = 21;

impl Game for Subtraction {
    fn describe(&self) -> Description {
        Description {
            id: "subtraction",
            name: "Subtraction",
            players: PlayerCount::exactly(2),
            player_names: &[],
            information: "perfect",
            randomness: "none",
            variants: &[],
            simultaneous: false,
            points: None,
            record_formats: &[],
            default_action: "A legal move drawn at random.",
            notation: "1, 2 or 3",
            ruleset_version: "subtraction/1",
            move_time: Span::from_secs(30),
            side_time: Span::from_secs(600),
        }
    }

    fn open(&self, variant: &str, seats: u8) -> Result<Box<dyn Position>, SetupRefused> {
        match (variant, seats) {
            ("standard", 2) => Ok(Box::new(Counters { left: COUNTERS, mover: 0 })),
            ("standard", _) => Err(SetupRefused::Seats),
            _ => Err(SetupRefused::Variant),
        }
    }

    fn restore(&self, saved: &str) -> Result<Box<dyn Position>, UnreadablePosition> {
        let (left, mover) = saved.split_once(' ').ok_or(UnreadablePosition)?;
        let [left, mover] = [left, mover].map(|number| number.parse::<u8>().map_err(|_| UnreadablePosition));
        let counters = Counters { left: left?, mover: mover? };
        if counters.left <= COUNTERS && counters.mover < 2 {
            Ok(Box::new(counters))
        } else {
            Err(UnreadablePosition)
        }
    }

    fn rules_card(&self) -> Value {
        json!({ "game": "subtraction", "counters": COUNTERS })
    }

    fn how_to(&self) -> Value {
        json!({ "game": "subtraction", "turn": "Take one to three counters." })
    }
}

#[derive(Clone, Debug)]
struct Counters {
    left: u8,
    mover: u8,
}

impl Position for Counters {
    fn to_move(&self) -> PlayerSet {
        if self.left == 0 { PlayerSet::EMPTY } else { PlayerSet::only(Player::new(self.mover)) }
    }

    fn legal_moves(&self, player: Player) -> Vec<LegalMove> {
        let most = if self.to_move().contains(player) { self.left.min(3) } else { 0 };
        let entry = |count: u8| LegalMove {
            notation: Notation::parse(&count.to_string()).unwrap(),
            summary: format!("takes {count}"),
        };
        (1..=most).map(entry).collect()
    }

    fn play(&mut self, player: Player, notation: &Notation, _: &mut dyn Chance) -> Result<Played, Refused> {
        if !self.notations(player).contains(notation) {
            return Err(Refused::Illegal);
        }
        let taken: u8 = notation.as_str().parse().map_err(|_| Refused::Illegal)?;
        (self.left, self.mover) = (self.left - taken, 1 - self.mover);
        Ok(Played::PLAIN)
    }

    fn outcome(&self) -> Option<Outcome> {
        let winners = PlayerSet::only(Player::new(1 - self.mover));
        (self.left == 0).then_some(Outcome::of_two(winners, Reason::of_game("last_counter")))
    }

    fn state_string(&self) -> String {
        format!("{} counters, p{} to move", self.left, self.mover)
    }

    fn board_text(&self, viewer: &Viewer<'_>) -> String {
        format!("{}\nYou: {}", self.state_string(), viewer.player)
    }

    fn public(&self) -> Map<String, Value> {
        [("left".to_owned(), Value::from(self.left))].into_iter().collect()
    }

    fn disclosed(&self, _: Player, notation: &Notation) -> Option<Notation> {
        Some(*notation)
    }

    fn private(&self, _: Player) -> Value {
        json!({})
    }

    fn save(&self) -> String {
        format!("{} {}", self.left, self.mover)
    }
}

/// Two agents at a game, in a hall beside the reference, which panics where they differ.
struct Pair {
    world: World,
    game: GameId,
}

impl Pair {
    fn new() -> Self {
        let timing = Timing { move_time: Span::from_secs(30), side_time: Some(Span::from_secs(600)) };
        let settings = HallSettings { timing: [(word("subtraction"), timing)].into(), ..settings() };
        let mut world = World::offering(CATALOG, settings, 1);
        let mut formed = None;
        for (name, operator) in [("ada", 1), ("bob", 2)] {
            let what = registration(name, operator);
            let Ok(Reply::Registered { agent, .. }) = world.ask(Caller::Hall, what) else { panic!("{name}") };
            let what = DeskCommand::FileHomologation { agent, filing: filing() };
            world.ask(Caller::Agent(agent), Command::Desk(what)).unwrap();
            let what = JoinLobby { game: "subtraction".into(), ..lobby(Division::Open) };
            let joined = world.ask(Caller::Agent(agent), Command::Desk(DeskCommand::JoinLobby(what)));
            let Ok(Reply::Joined { game, .. }) = joined else { panic!("{joined:?}") };
            formed = game;
        }
        Self { world, game: formed.expect("two agents are paired") }
    }

    fn mover(&self) -> Option<AgentId> {
        let mover = self.world.hall.rooms().find(&self.game).unwrap().to_move().iter().next()?;
        Some(self.world.agent(self.game, mover.seat()))
    }

    fn take(&mut self, count: &str) -> bool {
        let agent = self.mover().expect("the game is live");
        let turn = self.world.hall.rooms().find(&self.game).unwrap().turn_index();
        let asked = submission(self.game, turn, Notation::parse(count).map(Choice::Notation));
        self.world.ask(Caller::Agent(agent), Command::Room(RoomCommand::Submit(asked))).is_ok()
    }
}

#[test]
fn a_game_without_a_model_is_played_beside_the_reference() {
    let mut pair = Pair::new();
    assert!(["3", "1", "2"].iter().all(|count| pair.take(count)));
    // Three illegal moves bring a strike and a random move, and so does a missed deadline.
    assert!(!["4", "0", "e2e4"].iter().any(|count| pair.take(count)));
    pair.world.wait(30_001);
    pair.world.sweep();
    while pair.mover().is_some() {
        let _ = pair.take("3") || pair.take("2") || pair.take("1");
    }
    for seen in ["IllegalAttempted", "StrikeGiven", "last_counter"] {
        assert!(pair.world.seen.contains(seen), "{seen} in {:?}", pair.world.seen);
    }
}

#[test]
fn a_fault_of_the_hall_in_a_game_without_a_model_is_noticed() {
    let mut pair = Pair::new();
    assert!(["3", "3", "3", "3", "3", "3", "3"].iter().all(|count| pair.take(count)));
    let errs = |bend: fn(&mut RoomChange)| {
        let mut reference = Reference::with_catalog(CATALOG);
        pair.world.taken.iter().any(|taken| {
            let mut decision = taken.decision.clone();
            for fact in &mut decision.facts {
                if let Fact::Room(fact) = fact {
                    bend(&mut Arc::make_mut(fact).change);
                }
            }
            reference.follow(taken.at, taken.stamp, taken.who, &taken.what, &decision).is_err()
        })
    };
    assert!(!errs(|_| ()));
    let faults: [fn(&mut RoomChange); 3] = [
        |change| {
            if let RoomChange::MovePlayed(resolution) = change {
                resolution.turns.clear();
            }
        },
        |change| {
            if let RoomChange::MovePlayed(resolution) = change {
                resolution.notation = Notation::parse("1");
            }
        },
        |change| {
            if let RoomChange::Ended { result, .. } = change {
                result.winners = vec![Player::new(1)];
            }
        },
    ];
    for (number, fault) in faults.into_iter().enumerate() {
        assert!(errs(fault), "fault {number}");
    }
}

#[test]
fn direct_worlds_play_a_game_of_another_catalog_under_every_oracle() {
    let mut ended = 0;
    for (seed, profile) in (1..).zip([Profile::Calm, Profile::Swarm, Profile::Swarm, Profile::Storm]) {
        let mut plan = WorldPlan::draw(seed, profile);
        plan.set_game(&Subtraction);
        let report = direct::World::offering(plan, CATALOG).run();
        assert_eq!(report.violations, [], "seed {seed} {profile:?}");
        ended += report.games_ended;
    }
    assert!(ended > 100, "{ended} games ended");
}

#[test]
fn oracles_for_a_hall_with_other_games_report_violations() {
    let mut plan = WorldPlan::calm(1, 4);
    plan.set_game(&Subtraction);
    let (_, seen) = direct::World::offering(plan, CATALOG).run_seen();
    let objections = |mut oracles: Oracles| {
        seen.iter().cloned().for_each(|observation| oracles.see(observation));
        oracles.take()
    };
    assert_eq!(objections(Oracles::new(1).offering(CATALOG)), []);
    assert_ne!(objections(Oracles::new(1)), []);
}
