//! What games of two on a board of cells have in common: the two sides, the names of cells, boards as text, the frame
//! of the guide, and records in SGF.
//!
//! Knows no rules. Everything here serves several games; what only one game needs belongs to that game.

mod cell;
mod colour;
mod guide;
mod rows;
mod sgf;
mod side;
#[cfg(test)]
pub(crate) mod testing;

pub(crate) use cell::Cell;
pub(crate) use colour::Colour;
pub(crate) use guide::Guide;
pub(crate) use rows::{push_rows, read_rows};
pub(crate) use sgf::Sgf;
pub(crate) use side::{BySide, Side};
