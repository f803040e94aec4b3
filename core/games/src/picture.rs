//! A position as data from which a picture is drawn: what lies where, whose it is, and what is written beside it.
//!
//! A picture says nothing of colours, sizes or fonts. One renderer draws every game from it.

use alloc::string::String;
use alloc::vec::Vec;
use hall_wire::Player;
use serde::{Deserialize, Serialize};

/// The public picture of a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// How the places of `pieces` and `marks` are meant.
    pub kind: PictureKind,
    /// What the places look like.
    pub pattern: Pattern,
    /// The names of the columns from the left; empty at a table.
    pub columns: Vec<String>,
    /// The names of the rows from the top; empty at a table. Where the columns of a checkered board have no names, the
    /// dark squares are numbered, and a row is named by the numbers of its first and its last one, `9-12`.
    pub rows: Vec<String>,
    /// What lies on the board.
    pub pieces: Vec<Piece>,
    /// Places that are to be noticed.
    pub marks: Vec<Mark>,
    /// What the players hold, and what lies on the table in no place of its own.
    pub hands: Vec<Hand>,
    /// Numbers and words beside the board.
    pub counters: Vec<Counter>,
    /// Lines of text below it.
    pub labels: Vec<String>,
}

/// How the places of a picture are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PictureKind {
    /// Rows and columns at right angles.
    Grid,
    /// Rows of hexagons, each row half a place further to the right than the one above it.
    Hex,
    /// The points of a backgammon board: one row, columns 1 to 24 as the first seat counts them, column 0 for the bar.
    Points,
    /// No places: cards and dice alone.
    Table,
}

/// What the places of a board look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// All the same.
    Plain,
    /// Light and dark by turns; the place in the last row and the first column is dark.
    Checkered,
    /// Crossings of lines, on which stones are put.
    Lines,
    /// Holes that discs fall behind.
    Holes,
}

/// One piece, or several of a kind on one place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// The column, from 0 at the left.
    pub column: u8,
    /// The row, from 0 at the top.
    pub row: u8,
    /// Whose it is; `None` for a piece of nobody.
    pub player: Option<Player>,
    /// Its kind: `disc`, `stone`, `man`, `crowned_man`, `king`, `queen`, `rook`, `bishop`, `knight`, `pawn`; a renderer
    /// writes the word itself where it knows no shape for it.
    pub shape: String,
    /// How many of them.
    pub count: u8,
}

/// A mark on one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The column, from 0 at the left.
    pub column: u8,
    /// The row, from 0 at the top.
    pub row: u8,
    /// What is to be noticed.
    pub mark: MarkKind,
    /// Whom it concerns, where it concerns one player (territory).
    pub player: Option<Player>,
}

/// What a mark says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MarkKind {
    /// The last move began or ended here.
    LastMove,
    /// The king here is in check.
    Check,
    /// The piece here can be taken, or must be moved.
    Threatened,
    /// The place belongs to the player's area.
    Territory,
    /// The place is part of the line or the chain that won.
    Winning,
}

/// Cards, dice or pieces in somebody's hand, or on the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hand {
    /// Whose they are; `None` for what lies on the table.
    pub player: Option<Player>,
    /// What they are, as `cards` or `dice`.
    pub title: String,
    /// Those that everybody sees, each as a short text (`Qs`, `5`).
    pub shown: Vec<String>,
    /// How many lie face down.
    pub hidden: u8,
}

/// A number or a word beside the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counter {
    /// Whom it belongs to, if to one player.
    pub player: Option<Player>,
    /// What is counted.
    pub title: String,
    /// The number or the word.
    pub value: String,
}

impl Picture {
    /// An empty board of this kind.
    #[must_use]
    pub const fn board(kind: PictureKind, pattern: Pattern, columns: Vec<String>, rows: Vec<String>) -> Self {
        Self {
            kind,
            pattern,
            columns,
            rows,
            pieces: Vec::new(),
            marks: Vec::new(),
            hands: Vec::new(),
            counters: Vec::new(),
            labels: Vec::new(),
        }
    }

    /// An empty table.
    #[must_use]
    pub const fn table() -> Self {
        Self::board(PictureKind::Table, Pattern::Plain, Vec::new(), Vec::new())
    }

    /// A table, which says so while nature has not set it up yet (decision 13.3).
    #[must_use]
    pub fn table_set_up(is_set_up: bool) -> Self {
        if is_set_up { Self::table() } else { Self::table().labelled(String::from("unset")) }
    }

    /// The same with a line of text below it.
    #[must_use]
    pub fn labelled(mut self, line: String) -> Self {
        self.labels.push(line);
        self
    }
}
