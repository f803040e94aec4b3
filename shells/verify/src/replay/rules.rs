//! The rules that a replay's game was played by, as the catalog of `hall-games` has them: public, and compared there
//! with what other people's programs say of the same games.
//!
//! Nothing here names a game. One that the catalog gains is checked as soon as its rules are of the kind that is
//! played again here: two players who take turns, nothing hidden and nothing random.

use super::document::{GameResult, Replay};
use hall_games::{BySeat, CATALOG, Chance, Game, Played, Position, Reason};
use hall_wire::json::Value;
use hall_wire::{Notation, Player};

/// How many play a game that is played again here.
pub(super) const SEATS: usize = 2;

/// The rules of one replay.
pub(super) struct Rules {
    game: &'static dyn Game,
}

impl Rules {
    /// The rules of this id and version; `None` if the catalog has none such, or they are of another kind.
    pub(super) fn of(replay: &Replay<'_>) -> Option<Self> {
        let game = CATALOG.find_version(replay.game, replay.ruleset)?;
        let described = game.describe();
        let for_two = [described.players.min, described.players.max].map(usize::from) == [SEATS, SEATS];
        let is_plain = (described.information, described.randomness) == ("perfect", "none");
        (for_two && is_plain).then_some(Self { game })
    }

    /// The beginning of the game.
    ///
    /// A variant that does not exist fails as such; what else is wrong is found on the standard one.
    pub(super) fn open(&self, replay: &Replay<'_>) -> Option<Board> {
        let variant = replay.value.get("variant").and_then(Value::as_str).unwrap_or_default();
        let seats = self.game.describe().players.min;
        let opened = self.game.open(variant, seats).or_else(|_| self.game.open("standard", seats));
        opened.ok().map(|position| Board { position })
    }

    /// Who is to move in each turn. Behind a move that is not legal the seats are taken in turn.
    pub(super) fn movers(&self, replay: &Replay<'_>) -> Movers {
        let mut movers = Vec::new();
        let mut board = self.open(replay);
        for turn in &replay.moves {
            let mover = board.as_ref().and_then(Board::to_move);
            let Some((board, mover)) = board.as_mut().zip(mover) else { break };
            movers.push(mover);
            if turn.notation.is_none_or(|notation| board.play(mover, notation).is_none()) {
                break;
            }
        }
        Movers(movers)
    }

    /// Whether the game can be written as PGN.
    pub(super) fn has_pgn(&self) -> bool {
        self.game.describe().record_formats.contains(&"pgn")
    }
}

/// The players who are to move, by turn.
pub(super) struct Movers(Vec<Player>);

impl Movers {
    /// Who is to move in the turn with this number.
    pub(super) fn of_turn(&self, turn: usize) -> Player {
        let by_seat = if turn.is_multiple_of(2) { 0 } else { 1 };
        self.0.get(turn).copied().unwrap_or(Player::new(by_seat))
    }
}

/// A game in play.
pub(super) struct Board {
    position: Box<dyn Position>,
}

impl Board {
    /// Whose turn it is; nobody's when the game is over.
    pub(super) fn to_move(&self) -> Option<Player> {
        self.position.to_move().iter().next()
    }

    /// The legal moves of the player to move, in the order that indices count.
    pub(super) fn legal(&self) -> Vec<Notation> {
        self.to_move().map(|player| self.position.notations(player)).unwrap_or_default()
    }

    /// The pass that a missed deadline plays, where the rules have one.
    pub(super) fn pass(&self) -> Option<Notation> {
        self.position.default_action(self.to_move()?)
    }

    /// Plays a move; `None` if it is not, letter by letter, among the legal ones of this player.
    pub(super) fn play(&mut self, player: Player, notation: &str) -> Option<Played> {
        self.position.play(player, &Notation::parse(notation)?, &mut NoChance).ok()
    }

    /// The public state that is hashed into the log.
    pub(super) fn state_string(&self) -> String {
        self.position.state_string()
    }

    /// How the game ended by its own rules, if it is over.
    pub(super) fn result(&self) -> Option<GameResult> {
        let result = hall_games::GameResult::from(self.position.outcome()?);
        let hall_games::GameResult { winners, draw, reason, .. } = result;
        Some(self.counted(GameResult { winners, draw, reason: reason.as_str().to_owned(), points: None }))
    }

    /// A result of the game as it stands, with its points.
    pub(super) fn counted(&self, result: GameResult) -> GameResult {
        let GameResult { winners, draw, reason, .. } = result;
        let as_played = hall_games::GameResult::new(winners.clone(), draw, Reason::named(&reason));
        GameResult { winners, draw, reason, points: self.position.points(&as_played).map(BySeat) }
    }
}

/// The games that are played again here draw nothing.
struct NoChance;

impl Chance for NoChance {
    fn below(&mut self, _n: u64) -> Option<u64> {
        None
    }
}
