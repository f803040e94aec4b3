//! Whole games between strategies, without a hall: each turn is seen as a hall shows it.

use super::board::Bounds;
use super::dice::{Dice, Rolls};
use super::strategy::{self, tests::view};
use hall_client::answer::{HistoryTurn, View};
use hall_games::{CATALOG, Game, GameResult, Position};
use hall_wire::{Notation, Player};
use serde_json::{Value, json};

/// A strategy at a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plays {
    Random,
    Greedy,
    /// With so many moves in its trials.
    Search(u32),
}

impl Plays {
    pub(super) fn choose(self, view: &View, dice: Dice) -> String {
        let chosen = match self {
            Self::Random => dice.any(view),
            Self::Greedy => strategy::greedy(view, dice),
            Self::Search(moves) => strategy::search(view, dice, Bounds { moves, until: None }),
        };
        chosen.unwrap().notation.clone()
    }
}

/// A game in play.
#[derive(Debug)]
pub(super) struct Trial {
    game: &'static dyn Game,
    pub(super) position: Box<dyn Position>,
    history: Vec<HistoryTurn>,
    rolls: Rolls,
    seed: u64,
}

impl Trial {
    pub(super) fn new(game: &str, variant: &str, seed: u64) -> Self {
        let game = CATALOG.find(game).unwrap();
        let seats = game.describe().players_of(variant).unwrap().min;
        let position = game.open(variant, seats).unwrap();
        let rolls = Dice::new(seed).rolls(&view("", &[]));
        let mut trial = Self { game, position, history: Vec::new(), rolls, seed };
        trial.nature_acts();
        trial
    }

    fn nature_acts(&mut self) {
        while self.position.awaits_nature() {
            self.position.act(&mut self.rolls).unwrap();
        }
    }

    /// Who are to move.
    pub(super) fn movers(&self) -> Vec<Player> {
        self.position.to_move().iter().collect()
    }

    /// The view of a player.
    pub(super) fn view(&self, player: Player) -> View {
        let legal = self.position.notations(player);
        let mut view =
            view(&self.position.state_string(), &legal.iter().map(Notation::as_str).collect::<Vec<_>>());
        view.you.player = player;
        view.to_move = self.movers();
        view.turn_index = u32::try_from(self.history.len()).unwrap();
        view.public = Value::Object(self.position.public());
        view.private = self.position.private(player);
        view.rules_card = self.game.rules_card();
        view.history.clone_from(&self.history);
        view
    }

    /// Plays a move of each player who is to move.
    pub(super) fn play(&mut self, moves: &[(Player, String)]) {
        for (player, notation) in moves {
            let notation = Notation::parse(notation).unwrap();
            self.position.play(*player, &notation, &mut self.rolls).unwrap();
            let turn = json!({ "turn_index": self.history.len(), "player": player, "notation": notation });
            self.history.push(serde_json::from_value(turn).unwrap());
        }
        self.nature_acts();
    }

    /// Lets each player choose by its strategy until the end, or until so many turns are over.
    pub(super) fn play_out(&mut self, players: &[Plays], most: usize) -> Option<GameResult> {
        for _ in 0..most {
            let movers = self.movers();
            if movers.is_empty() {
                break;
            }
            let choice = |player: Player| {
                let dice = Dice::new(self.seed.wrapping_mul(64).wrapping_add(u64::from(player.seat())));
                (player, players[player.index()].choose(&self.view(player), dice))
            };
            let chosen: Vec<(Player, String)> = movers.into_iter().map(choice).collect();
            self.play(&chosen);
        }
        self.position.outcome().map(GameResult::from)
    }
}

/// The score of the first strategy against the second one over some games, in which they change places.
pub(super) fn score(game: &str, variant: &str, [one, other]: [Plays; 2], games: u64) -> f64 {
    let mut score = 0.0;
    for seed in 0..games {
        let seat = usize::from(seed % 2 == 1);
        let players = if seat == 0 { [one, other] } else { [other, one] };
        let mut trial = Trial::new(game, variant, seed);
        let result = trial.play_out(&players, 2_000).unwrap();
        score += match result.winners.as_slice() {
            [] => 0.5,
            [winner] if winner.index() == seat => 1.0,
            _ => 0.0,
        };
    }
    score
}
