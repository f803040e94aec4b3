//! The 32 squares of play, the four directions between them, and sets of squares.

use core::fmt;

/// A dark square, numbered as in PDN: 1 to 4 are the row on Black's side, from White's left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Square(u8);

impl Square {
    /// The square with this number.
    pub(super) fn new(number: u8) -> Option<Self> {
        (1..=32).contains(&number).then_some(Self(number))
    }

    /// Reads a number without leading zeros.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let begins_well = text.starts_with(|letter: char| matches!(letter, '1'..='9'));
        begins_well.then(|| Self::new(text.parse().ok()?)).flatten()
    }

    /// All squares in order.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        (1..=32).map(Self)
    }

    pub(super) fn number(self) -> u8 {
        self.0
    }

    /// The row, from 0 on Black's side.
    pub(super) fn row(self) -> u8 {
        (self.0 - 1) / 4
    }

    /// The column, from 0 at White's left.
    pub(super) fn column(self) -> u8 {
        (self.0 - 1) % 4 * 2 + (1 - self.row() % 2)
    }

    /// The dark square in this row and column.
    pub(super) fn at(row: u8, column: u8) -> Option<Self> {
        let is_dark = row < 8 && column < 8 && (row + column) % 2 == 1;
        is_dark.then(|| Self(row * 4 + column / 2 + 1))
    }

    /// The neighbour in this direction.
    pub(super) fn step(self, Direction(rows, columns): Direction) -> Option<Self> {
        Self::at(self.row().checked_add_signed(rows)?, self.column().checked_add_signed(columns)?)
    }
}

impl fmt::Display for Square {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// One step on a diagonal: rows away from Black's side, columns to White's right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Direction(i8, i8);

/// The directions of a king; Black's men have the first two of them, White's the last two.
pub(super) const DIRECTIONS: [Direction; 4] =
    [Direction(1, -1), Direction(1, 1), Direction(-1, -1), Direction(-1, 1)];

/// A set of squares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Squares(u32);

impl Squares {
    pub(super) const NONE: Self = Self(0);

    pub(super) fn only(square: Square) -> Self {
        Self(1 << (square.0 - 1))
    }

    pub(super) fn contains(self, square: Square) -> bool {
        self.0 & Self::only(square).0 != 0
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn len(self) -> u32 {
        self.0.count_ones()
    }

    pub(super) fn with(self, square: Square) -> Self {
        self.union(Self::only(square))
    }

    pub(super) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// The squares in order.
    pub(super) fn iter(self) -> impl Iterator<Item = Square> {
        Square::all().filter(move |square| self.contains(*square))
    }
}

impl FromIterator<Square> for Squares {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        squares.into_iter().fold(Self::NONE, Self::with)
    }
}
