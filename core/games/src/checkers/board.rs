//! What stands where and who is to move, and its standard text, the FEN of PDN.

use super::square::{DIRECTIONS, Direction, Square, Squares};
use crate::board_games::Colour;
use alloc::string::String;
use core::fmt::Write as _;

/// How many pieces a side begins with.
const PIECES: u32 = 12;

/// Room for every FEN.
const LONGEST_FEN: usize = 96;

/// A piece with its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) colour: Colour,
    pub(super) is_king: bool,
}

impl Piece {
    /// The directions in which it moves and captures.
    pub(super) fn directions(self) -> impl Iterator<Item = Direction> {
        let (skipped, taken) = match self {
            Self { is_king: true, .. } => (0, 4),
            Self { colour: Colour::Black, .. } => (0, 2),
            Self { colour: Colour::White, .. } => (2, 2),
        };
        DIRECTIONS.into_iter().skip(skipped).take(taken)
    }

    /// Whether it is a man that becomes a king on `square`.
    pub(super) fn is_crowned_on(self, square: Square) -> bool {
        !self.is_king && square.row() == last_row(self.colour)
    }
}

/// The pieces and who is to move: what repetition compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Board {
    pub(super) turn: Colour,
    black: Squares,
    white: Squares,
    kings: Squares,
}

impl Board {
    /// The beginning: Black's men on 1 to 12, White's on 21 to 32.
    pub(super) fn initial() -> Self {
        let men = |range: core::ops::RangeInclusive<u8>| range.filter_map(Square::new).collect();
        Self { turn: Colour::Black, black: men(1..=12), white: men(21..=32), kings: Squares::NONE }
    }

    /// The squares of one side's pieces.
    pub(super) fn pieces(&self, colour: Colour) -> Squares {
        match colour {
            Colour::Black => self.black,
            Colour::White => self.white,
        }
    }

    /// The squares of one side's men.
    pub(super) fn men(&self, colour: Colour) -> Squares {
        self.pieces(colour).without(self.kings)
    }

    /// The squares of one side's kings.
    pub(super) fn kings(&self, colour: Colour) -> Squares {
        self.pieces(colour).without(self.men(colour))
    }

    pub(super) fn occupied(&self) -> Squares {
        self.black.union(self.white)
    }

    pub(super) fn piece_on(&self, square: Square) -> Option<Piece> {
        let colour = Colour::BOTH.into_iter().find(|colour| self.pieces(*colour).contains(square))?;
        Some(Piece { colour, is_king: self.kings.contains(square) })
    }

    /// The board after a piece of the side to move has gone from one square to another and taken `taken`.
    pub(super) fn after(&self, from: Square, to: Square, taken: Squares) -> Self {
        let is_king = self.piece_on(from).is_some_and(|piece| piece.is_king || piece.is_crowned_on(to));
        let own = self.pieces(self.turn).without(Squares::only(from)).with(to);
        let others = self.pieces(self.turn.other()).without(taken);
        let (black, white) = match self.turn {
            Colour::Black => (own, others),
            Colour::White => (others, own),
        };
        let kings = self.kings.without(taken.with(from));
        let kings = if is_king { kings.with(to) } else { kings };
        Self { turn: self.turn.other(), black, white, kings }
    }

    /// The standard text: who is to move, then each side's squares in order, kings with a K, as `B:WK3,21:B1,2`.
    pub(super) fn fen(&self) -> String {
        let mut out = String::with_capacity(LONGEST_FEN);
        out.push(letter(self.turn));
        for colour in [Colour::White, Colour::Black] {
            out.extend([':', letter(colour)]);
            for (place, square) in self.pieces(colour).iter().enumerate() {
                let comma = if place == 0 { "" } else { "," };
                let king = if self.kings.contains(square) { "K" } else { "" };
                write!(out, "{comma}{king}{square}").expect("writing to a string does not fail");
            }
        }
        out
    }

    /// Reads exactly what [`Self::fen`] writes of a position that can stand on a board in play: at most twelve pieces a
    /// side, no man on the row where it would be a king, and a piece that has made the last move.
    pub(super) fn parse(fen: &str) -> Option<Self> {
        let (turn, sides) = fen.split_once(":W")?;
        let (white, black) = sides.split_once(":B")?;
        let turn = Colour::BOTH.into_iter().find(|colour| turn.chars().eq([letter(*colour)]))?;
        let (white, white_kings) = read_side(white)?;
        let (black, black_kings) = read_side(black)?;
        let board = Self { turn, black, white, kings: white_kings.union(black_kings) };
        let fits = Colour::BOTH.into_iter().all(|colour| {
            board.pieces(colour).len() <= PIECES
                && board.men(colour).iter().all(|man| man.row() != last_row(colour))
        });
        let overlap = black.len() + white.len() != board.occupied().len();
        let has_moved = !board.pieces(turn.other()).is_empty();
        (fits && !overlap && has_moved && board.fen() == fen).then_some(board)
    }
}

/// The squares of a list, and those among them with kings.
fn read_side(list: &str) -> Option<(Squares, Squares)> {
    let (mut pieces, mut kings) = (Squares::NONE, Squares::NONE);
    for text in list.split(',').filter(|_| !list.is_empty()) {
        let number = text.strip_prefix('K');
        let square = Square::parse(number.unwrap_or(text))?;
        pieces = pieces.with(square);
        if number.is_some() {
            kings = kings.with(square);
        }
    }
    Some((pieces, kings))
}

/// How the standard text names a side.
fn letter(colour: Colour) -> char {
    match colour {
        Colour::Black => 'B',
        Colour::White => 'W',
    }
}

/// The row on which a side's men become kings.
fn last_row(colour: Colour) -> u8 {
    match colour {
        Colour::Black => 7,
        Colour::White => 0,
    }
}
