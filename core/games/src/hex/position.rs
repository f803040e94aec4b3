//! A game of Hex in play.

use super::board::Board;
use super::{board_text, picture};
use crate::board_games::{Cell, Side};
use crate::{Chance, LegalMove, Outcome, Picture, Played, PlayerSet, Position, Reason, Refused, Viewer};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use hall_wire::json::{Map, Value};
use hall_wire::{Notation, Player};

/// How the swap is written.
pub(super) const SWAP: &str = "swap";

/// A position.
#[derive(Clone, Debug)]
pub(super) struct HexPosition {
    pub(super) board: Board,
    /// Whose turn it is, or would be if the game were not over.
    pub(super) turn: Side,
    /// The stone of the last move, after a swap the new one.
    pub(super) last: Option<Cell>,
    winner: Option<Side>,
}

/// What a player may do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    Stone(Cell),
    Swap,
}

impl HexPosition {
    /// The empty board with `size` rows.
    pub(super) const fn initial(size: u8) -> Self {
        Self { board: Board::empty(size), turn: Side::First, last: None, winner: None }
    }

    /// `board` with `turn` to move, after the other side's stone came to `last`.
    pub(super) fn with(board: Board, turn: Side, last: Option<Cell>) -> Self {
        // Only the side that has moved can have joined its edges.
        let mover = turn.other();
        Self { board, turn, last, winner: board.has_joined(mover).then_some(mover) }
    }

    /// The stone that a swap replaces, while it is legal: the first one, as long as it is the only one.
    pub(super) fn swappable(&self) -> Option<Cell> {
        self.board.only_stone().filter(|_| self.board.count(Side::Second) == 0)
    }

    /// The side that has joined its edges.
    pub(super) const fn winner(&self) -> Option<Side> {
        self.winner
    }

    fn waits_for(&self, player: Player) -> bool {
        self.winner.is_none() && self.turn.player() == player
    }

    /// What `player` may do, in the order of the notations.
    fn choices(&self, player: Player) -> impl Iterator<Item = Choice> {
        let is_to_move = self.waits_for(player);
        let size = self.board.size();
        // By bytes row 10 comes before row 2, and swap after all cells.
        let rows = [0, 9, 10, 1, 2, 3, 4, 5, 6, 7, 8].into_iter().filter(move |row| *row < size);
        let cells = (0..size).flat_map(move |column| rows.clone().map(move |row| Cell { column, row }));
        let stones = cells.filter(|cell| self.board.is_empty_at(*cell)).map(Choice::Stone);
        stones.chain(self.swappable().map(|_| Choice::Swap)).filter(move |_| is_to_move)
    }

    /// The choice that `text` names, legal or not.
    fn read(&self, text: &str) -> Option<Choice> {
        if text == SWAP {
            Some(Choice::Swap)
        } else {
            Cell::parse(text, self.board.size()).map(Choice::Stone)
        }
    }

    /// The position after a choice of the side to move; `None` if it is not legal.
    fn after(&self, choice: Choice) -> Option<Self> {
        let (mut board, placed) = match choice {
            Choice::Stone(cell) => (self.board, cell),
            Choice::Swap => {
                let replaced = self.swappable()?;
                (self.board.without(replaced), mirrored(replaced))
            }
        };
        if !board.is_empty_at(placed) {
            return None;
        }
        board.put(placed, self.turn);
        Some(Self::with(board, self.turn.other(), Some(placed)))
    }
}

impl Position for HexPosition {
    fn to_move(&self) -> PlayerSet {
        if self.winner.is_some() { PlayerSet::EMPTY } else { self.turn.set() }
    }

    fn legal_moves(&self, player: Player) -> Vec<LegalMove> {
        let summary = |choice| match (choice, self.swappable()) {
            (Choice::Stone(cell), _) => format!("stone on {cell}"),
            (Choice::Swap, Some(first)) => {
                format!("swap: the stone on {first} goes, a stone of yours comes to {}", mirrored(first))
            }
            (Choice::Swap, None) => SWAP.to_string(),
        };
        self.choices(player)
            .map(|choice| LegalMove { notation: notation(choice), summary: summary(choice) })
            .collect()
    }

    fn notations(&self, player: Player) -> Vec<Notation> {
        self.choices(player).map(notation).collect()
    }

    /// A cell or the swap in another spelling.
    fn meant(&self, player: Player, written: &Notation) -> Option<Notation> {
        let lower = written.as_str().to_ascii_lowercase();
        let is_swap = [SWAP, "swap-pieces", "swap pieces", "swap_pieces", "swap-sides", "swap sides"]
            .contains(&lower.as_str());
        let guess = Cell::guess(&lower, self.board.size()).map(Choice::Stone);
        let choice = if is_swap { Some(Choice::Swap) } else { guess };
        let found =
            choice.filter(|choice| self.waits_for(player) && self.after(*choice).is_some()).map(notation);
        found.filter(|found| found != written)
    }

    fn play(
        &mut self,
        player: Player,
        notation: &Notation,
        _chance: &mut dyn Chance,
    ) -> Result<Played, Refused> {
        let choice = self.read(notation.as_str()).filter(|_| self.waits_for(player));
        *self = choice.and_then(|choice| self.after(choice)).ok_or(Refused::Illegal)?;
        Ok(Played::PLAIN)
    }

    fn outcome(&self) -> Option<Outcome> {
        self.winner.map(|winner| Outcome::of_two(winner.set(), Reason::of_game("connection")))
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

    /// `{ size, board, swap }`: rows and columns, the rows from the top with `x` for `p0`, `o` for `p1` and `.` for an
    /// empty cell, and whether a swap is legal now.
    fn public(&self) -> Map<String, Value> {
        Map::from_iter([
            ("size".to_string(), Value::from(self.board.size())),
            ("board".to_string(), board_text::rows(self).map(Value::from).collect()),
            (SWAP.to_string(), Value::from(self.swappable().is_some())),
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

/// The cell with column and row exchanged: where a stone stands in the same way towards the other player's edges.
const fn mirrored(cell: Cell) -> Cell {
    Cell { column: cell.row, row: cell.column }
}

fn notation(choice: Choice) -> Notation {
    match choice {
        Choice::Stone(cell) => cell.notation(),
        Choice::Swap => Notation::parse(SWAP).expect("the word is short ASCII"),
    }
}
