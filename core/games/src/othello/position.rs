//! A game of Othello in play.

use super::board::{Board, SIZE, bit};
use super::{board_text, picture};
use crate::board_games::{Cell, Side};
use crate::{
    Chance, GameResult, LegalMove, Outcome, Picture, Played, PlayerSet, Position, Reason, Refused, Viewer,
};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use hall_wire::json::{Map, Value};
use hall_wire::{Notation, Player};

/// How a pass is written.
pub(super) const PASS: &str = "pass";

/// A position with what follows from it.
#[derive(Clone, Debug)]
pub(super) struct OthelloPosition {
    pub(super) board: Board,
    /// Whose turn it is, or would be if the game were not over.
    pub(super) turn: Side,
    /// The disc placed last; `None` at the beginning and after a pass.
    pub(super) last: Option<Cell>,
    /// The cells on which the side to move may place a disc, as bits.
    open: u64,
    is_over: bool,
}

impl OthelloPosition {
    /// The opening position.
    pub(super) fn initial() -> Self {
        Self::with(Board::OPENING, Side::First, None)
    }

    /// `board` with `turn` to move, after a disc was placed on `last`.
    pub(super) fn with(board: Board, turn: Side, last: Option<Cell>) -> Self {
        let open = board.open_to(turn);
        let is_over = open == 0 && board.open_to(turn.other()) == 0;
        Self { board, turn, last, open, is_over }
    }

    pub(super) const fn is_over(&self) -> bool {
        self.is_over
    }

    fn waits_for(&self, player: Player) -> bool {
        !self.is_over && self.turn.player() == player
    }

    /// What `player` may do, in the order of the notations; `None` is a pass.
    fn moves(&self, player: Player) -> impl Iterator<Item = Option<Cell>> {
        let is_to_move = self.waits_for(player);
        // By columns, since the letter comes first.
        let cells = (0..SIZE).flat_map(|column| (0..SIZE).map(move |row| Cell { column, row }));
        let placed = cells.filter(|cell| self.open & bit(*cell) != 0).map(Some);
        placed.filter(move |_| is_to_move).chain(self.must_pass(player).then_some(None))
    }

    /// Whether `player` is to move and can place no disc.
    fn must_pass(&self, player: Player) -> bool {
        self.waits_for(player) && self.open == 0
    }

    /// The side with more discs.
    fn leader(&self) -> Option<Side> {
        let more = |side: &Side| self.board.count(*side) > self.board.count(side.other());
        Side::BOTH.into_iter().find(more)
    }

    /// The points of both sides: the discs, and in a game that is over the empty cells for the one with more of them.
    fn score(&self) -> [i64; 2] {
        let [black, white] = Side::BOTH.map(|side| i64::from(self.board.count(side)));
        let empty = i64::from(SIZE * SIZE) - black - white;
        match self.leader() {
            _ if !self.is_over => [black, white],
            Some(Side::First) => [black + empty, white],
            Some(Side::Second) => [black, white + empty],
            None => [black + empty / 2, white + empty / 2],
        }
    }
}

impl Position for OthelloPosition {
    fn to_move(&self) -> PlayerSet {
        if self.is_over { PlayerSet::EMPTY } else { self.turn.set() }
    }

    fn legal_moves(&self, player: Player) -> Vec<LegalMove> {
        let summary = |placed| match placed {
            None => "pass, no disc can be placed".to_string(),
            Some(cell) => {
                format!("disc on {cell}, turns {} over", self.board.turned_by(cell, self.turn).count_ones())
            }
        };
        self.moves(player)
            .map(|placed| LegalMove { notation: notation(placed), summary: summary(placed) })
            .collect()
    }

    fn notations(&self, player: Player) -> Vec<Notation> {
        self.moves(player).map(notation).collect()
    }

    /// A cell or a pass in another spelling.
    fn meant(&self, player: Player, written: &Notation) -> Option<Notation> {
        let is_pass = ["pass", "pa", "ps", "skip", "--", "0000"]
            .contains(&written.as_str().to_ascii_lowercase().as_str());
        let found = if is_pass { Some(None) } else { Cell::guess(written.as_str(), SIZE).map(Some) };
        let found = found.filter(|found| self.moves(player).any(|legal| legal == *found)).map(notation);
        found.filter(|found| found != written)
    }

    fn default_action(&self, player: Player) -> Option<Notation> {
        self.must_pass(player).then(|| notation(None))
    }

    fn play(
        &mut self,
        player: Player,
        notation: &Notation,
        _chance: &mut dyn Chance,
    ) -> Result<Played, Refused> {
        let next = self.turn.other();
        if notation.as_str() == PASS && self.must_pass(player) {
            *self = Self::with(self.board, next, None);
            return Ok(Played::PLAIN);
        }
        let cell = Cell::parse(notation.as_str(), SIZE).ok_or(Refused::Illegal)?;
        if !self.waits_for(player) || self.open & bit(cell) == 0 {
            return Err(Refused::Illegal);
        }
        *self = Self::with(self.board.after(cell, self.turn), next, Some(cell));
        Ok(Played::PLAIN)
    }

    fn outcome(&self) -> Option<Outcome> {
        let outcome = || match self.leader() {
            Some(winner) => Outcome::of_two(winner.set(), Reason::of_game("more_discs")),
            None => Outcome::of_two(PlayerSet::EMPTY, Reason::of_game("equal_discs")),
        };
        self.is_over.then(outcome)
    }

    /// The discs as they lie, if the game did not end by its rules.
    fn points(&self, _result: &GameResult) -> Option<Vec<i64>> {
        Some(self.score().to_vec())
    }

    fn state_string(&self) -> String {
        self.state()
    }

    fn board_text(&self, viewer: &Viewer<'_>) -> String {
        board_text::board_text(self, viewer)
    }

    fn picture(&self, _revealed: bool) -> Picture {
        picture::picture(self)
    }

    /// `{ board, discs, must_pass }`: the rows from the top with `X` for Black, `O` for White and `.` for an empty cell,
    /// the number of discs by player, and whether the player to move can do nothing but pass.
    fn public(&self) -> Map<String, Value> {
        let discs = |side: Side| (side.player().to_string(), Value::from(self.board.count(side)));
        Map::from_iter([
            ("board".to_string(), board_text::rows(self).map(Value::from).collect()),
            ("discs".to_string(), Value::Object(Side::BOTH.map(discs).into_iter().collect())),
            ("must_pass".to_string(), Value::from(self.must_pass(self.turn.player()))),
        ])
    }

    fn told(&self, _player: Player, notation: &Notation) -> Option<Notation> {
        Some(*notation)
    }

    fn private(&self, _player: Player) -> Value {
        Value::Object(Map::new())
    }

    fn hidden(&self) -> Value {
        Value::Null
    }

    fn save(&self) -> String {
        Self::save(self)
    }

    fn clone_box(&self) -> Box<dyn Position> {
        Box::new(self.clone())
    }
}

fn notation(placed: Option<Cell>) -> Notation {
    match placed {
        Some(cell) => cell.notation(),
        None => Notation::parse(PASS).expect("the word is short ASCII"),
    }
}
