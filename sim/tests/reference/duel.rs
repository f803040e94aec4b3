//! A game with simultaneous, sealed moves, in which a coin breaks ties, in direct worlds: the oracles recount clocks,
//! turns, sealed moves and draws for any number of open turns.

use hall_games::{
    Catalog, Chance, Description, Game, LegalMove, Outcome, Played, PlayerCount, PlayerSet, Position, Reason,
    Refused, SetupRefused, UnreadablePosition, Viewer,
};
use hall_sim::direct::World;
use hall_sim::plan::{Profile, WorldPlan};
use hall_wire::json::{Map, Value};
use hall_wire::{Notation, Player, Span};
use serde_json::json;

/// Both players show 1, 2 or 3; the higher number wins a point, and a coin decides if they are equal. Three points win.
#[derive(Debug)]
struct Duel;

const GAMES: &[&dyn Game] = &[&Duel];
const CATALOG: Catalog = Catalog::new(GAMES);
const SHOWN: [&str; 3] = ["1", "2", "3"];
const GOAL: u8 = 3;

impl Game for Duel {
    fn describe(&self) -> Description {
        Description {
            id: "duel",
            name: "Duel",
            players: PlayerCount::exactly(2),
            player_names: &[],
            information: "hidden",
            randomness: "a coin breaks ties",
            variants: &[],
            simultaneous: false,
            points: None,
            record_formats: &[],
            default_action: "A legal move drawn at random.",
            notation: "1, 2 or 3",
            ruleset_version: "duel/1",
            move_time: Span::from_secs(30),
            side_time: Span::from_secs(120),
        }
    }

    fn open(&self, variant: &str, seats: u8) -> Result<Box<dyn Position>, SetupRefused> {
        match (variant, seats) {
            ("standard", 2) => Ok(Box::new(Round { points: [0; 2], shown: [0; 2] })),
            ("standard", _) => Err(SetupRefused::Seats),
            _ => Err(SetupRefused::Variant),
        }
    }

    fn restore(&self, saved: &str) -> Result<Box<dyn Position>, UnreadablePosition> {
        let numbers: Vec<u8> = saved.split(' ').filter_map(|number| number.parse().ok()).collect();
        let [a, b, c, d] = numbers.try_into().map_err(|_| UnreadablePosition)?;
        Ok(Box::new(Round { points: [a, b], shown: [c, d] }))
    }

    fn rules_card(&self) -> Value {
        json!({ "game": "duel", "goal": GOAL })
    }

    fn how_to(&self) -> Value {
        json!({ "game": "duel", "turn": "Show 1, 2 or 3." })
    }
}

/// The points, and the numbers shown in the open round; 0 for none yet.
#[derive(Clone, Debug)]
struct Round {
    points: [u8; 2],
    shown: [u8; 2],
}

impl Position for Round {
    fn to_move(&self) -> PlayerSet {
        let waits = |seat: &u8| !self.points.contains(&GOAL) && self.shown[usize::from(*seat)] == 0;
        (0..2).filter(waits).map(Player::new).fold(PlayerSet::EMPTY, PlayerSet::with)
    }

    fn legal_moves(&self, player: Player) -> Vec<LegalMove> {
        let shown = if self.to_move().contains(player) { &SHOWN[..] } else { &[] };
        let entry = |text: &&str| LegalMove {
            notation: Notation::parse(text).unwrap(),
            summary: format!("shows {text}"),
        };
        shown.iter().map(entry).collect()
    }

    fn play(
        &mut self,
        player: Player,
        notation: &Notation,
        chance: &mut dyn Chance,
    ) -> Result<Played, Refused> {
        if !self.notations(player).contains(notation) {
            return Err(Refused::Illegal);
        }
        let mut shown = self.shown;
        shown[player.index()] = notation.as_str().parse().map_err(|_| Refused::Illegal)?;
        match shown {
            [0, _] | [_, 0] => self.shown = shown,
            [one, other] => {
                let coin = if one == other { chance.below(2).ok_or(Refused::NeedsChance)? } else { 0 };
                let second = other > one || coin == 1;
                self.points[usize::from(second)] += 1;
                self.shown = [0; 2];
            }
        }
        Ok(Played::PLAIN)
    }

    fn outcome(&self) -> Option<Outcome> {
        let winner = self.points.iter().position(|points| *points == GOAL)?;
        let winners = PlayerSet::only(Player::new(u8::from(winner == 1)));
        Some(Outcome::of_two(winners, Reason::of_game("three_points")))
    }

    fn state_string(&self) -> String {
        format!("{}-{}, {:?} to move", self.points[0], self.points[1], self.to_move())
    }

    fn board_text(&self, viewer: &Viewer<'_>) -> String {
        format!("{}\nYou: {}", self.state_string(), viewer.player)
    }

    fn public(&self) -> Map<String, Value> {
        [("points".to_owned(), json!(self.points))].into_iter().collect()
    }

    fn disclosed(&self, _: Player, _: &Notation) -> Option<Notation> {
        None
    }

    fn private(&self, player: Player) -> Value {
        json!({ "shown": self.shown[player.index()] })
    }

    fn hidden(&self) -> Value {
        json!({ "shown": self.shown })
    }

    fn save(&self) -> String {
        format!("{} {} {} {}", self.points[0], self.points[1], self.shown[0], self.shown[1])
    }
}

#[test]
fn every_oracle_follows_a_game_with_two_open_turns() {
    let (mut ended, mut strikes) = (0, 0);
    let profiles = [Profile::Calm, Profile::Swarm, Profile::Swarm, Profile::Swarm, Profile::Storm];
    for (seed, profile) in (1..).zip(profiles) {
        let mut plan = WorldPlan::draw(seed, profile);
        plan.set_game(&Duel);
        let report = World::offering(plan, CATALOG).run();
        assert_eq!(report.violations, [], "seed {seed} {profile:?}");
        (ended, strikes) = (ended + report.games_ended, strikes + report.strikes);
    }
    assert!(ended > 100 && strikes > 10, "{ended} games ended, with {strikes} strikes");
}
