//! The sizes of the board, its points, and how they are written.

use alloc::string::ToString as _;
use core::fmt;
use hall_wire::Notation;

/// The longest side of a board.
const LONGEST_SIDE: u8 = 19;

/// The most points of a board.
pub(super) const MOST_POINTS: usize = 19 * 19;

/// The columns from the left; I is left out, because it looks like J and 1.
const LETTERS: &[u8; 19] = b"ABCDEFGHJKLMNOPQRST";

/// The rows from the bottom in the order of their texts.
const ROWS_AS_TEXT: [u8; 19] = [1, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 2, 3, 4, 5, 6, 7, 8, 9];

/// How many lines a board has in each direction, at most [`LONGEST_SIDE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size(u8);

impl Size {
    pub(super) const SMALL: Self = Self(9);
    pub(super) const MEDIUM: Self = Self(13);
    pub(super) const LARGE: Self = Self(19);

    /// A board of any size, for tests: the rules hold on all of them.
    #[cfg(test)]
    pub(super) const fn of_lines(lines: u8) -> Self {
        assert!(lines <= LONGEST_SIDE, "no such board");
        Self(lines)
    }

    /// How many lines.
    pub(super) fn lines(self) -> u8 {
        self.0
    }

    /// After so many turns the game ends.
    pub(super) fn turn_limit(self) -> usize {
        4 * usize::from(self.0) * usize::from(self.0)
    }

    /// What White gets for moving second, in half points: 7 points on the small board, 7.5 on the others.
    pub(super) fn komi_in_half_points(self) -> i64 {
        if self == Self::SMALL { 14 } else { 15 }
    }

    /// All points, row by row from the top.
    pub(super) fn points(self) -> impl Iterator<Item = Point> {
        (0..self.0).flat_map(move |row| (0..self.0).map(move |column| Point { column, row }))
    }

    /// All points in the order of their notations.
    pub(super) fn points_by_notation(self) -> impl Iterator<Item = Point> {
        let numbers = move || ROWS_AS_TEXT.into_iter().filter(move |number| *number <= self.0);
        (0..self.0)
            .flat_map(move |column| numbers().map(move |number| Point { column, row: self.0 - number }))
    }

    /// The letter of a column.
    pub(super) fn letter(column: u8) -> char {
        LETTERS.get(usize::from(column)).map_or('?', |letter| char::from(*letter))
    }
}

/// A point of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Point {
    /// From 0 at the left.
    pub(super) column: u8,
    /// From 0 at the top.
    pub(super) row: u8,
}

impl Point {
    /// Its place among [`MOST_POINTS`], the same on boards of every size.
    pub(super) fn index(self) -> usize {
        usize::from(self.row) * usize::from(LONGEST_SIDE) + usize::from(self.column)
    }

    /// Whether a board of this size has it.
    pub(super) fn is_on(self, size: Size) -> bool {
        self.column < size.0 && self.row < size.0
    }

    /// The points beside it.
    pub(super) fn neighbours(self, size: Size) -> impl Iterator<Item = Self> {
        [(0, -1), (-1, 0), (1, 0), (0, 1)].into_iter().filter_map(move |(columns, rows)| {
            let column = self.column.checked_add_signed(columns)?;
            let row = self.row.checked_add_signed(rows)?;
            Some(Self { column, row }).filter(|beside| beside.is_on(size))
        })
    }

    /// The written form on a board of this size.
    pub(super) fn on(self, size: Size) -> Written {
        Written { letter: Size::letter(self.column), number: size.0.saturating_sub(self.row) }
    }

    /// Reads the written form, to the letter.
    pub(super) fn parse(text: &str, size: Size) -> Option<Self> {
        let (letter, number) = text.split_at_checked(1)?;
        let column = LETTERS.iter().position(|known| letter.as_bytes() == [*known])?;
        let column = u8::try_from(column).ok()?;
        let begins_well = number.starts_with(|digit: char| matches!(digit, '1'..='9'));
        let number: u8 = number.parse().ok()?;
        let is_on_board = column < size.0 && (1..=size.0).contains(&number);
        (begins_well && is_on_board).then(|| Self { column, row: size.0 - number })
    }
}

/// A point as it is written: `D4`.
pub(super) struct Written {
    letter: char,
    number: u8,
}

impl Written {
    /// The notation of a stone there.
    pub(super) fn notation(&self) -> Notation {
        Notation::parse(&self.to_string()).expect("a letter and a number are short ASCII")
    }
}

impl fmt::Display for Written {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}{}", self.letter, self.number)
    }
}

/// A set of points, one row in each number.
#[derive(Clone, Debug, Default)]
pub(super) struct Points([u32; 19]);

impl Points {
    /// Adds a point; whether it was not in the set before.
    pub(super) fn add(&mut self, point: Point) -> bool {
        let bit = 1 << point.column;
        let Some(row) = self.0.get_mut(usize::from(point.row)) else { return false };
        let is_new = *row & bit == 0;
        *row |= bit;
        is_new
    }

    pub(super) fn contains(&self, point: Point) -> bool {
        self.0.get(usize::from(point.row)).is_some_and(|row| row & 1 << point.column != 0)
    }
}
