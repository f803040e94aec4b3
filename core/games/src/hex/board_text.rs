//! The board for people and language models.

use super::NAMES;
use super::position::HexPosition;
use super::save::letter;
use crate::Viewer;
use crate::board_games::Cell;
use crate::closing_lines::write_lines_of_two;
use alloc::string::String;
use core::fmt::Write as _;

/// More than a board with its lines needs.
const CAPACITY: usize = 896;

/// The text: column letters, the slanted rows, legend, last move, turn, result, and who the viewer is.
pub(super) fn board_text(position: &HexPosition, viewer: &Viewer<'_>) -> String {
    let mut out = String::with_capacity(CAPACITY);
    let size = position.board.size();
    let letters = |out: &mut String| {
        for column in 0..size {
            out.extend([' ', Cell { column, row: 0 }.letter()]);
        }
        out.push('\n');
    };
    out.push_str("   ");
    letters(&mut out);
    for (row, cells) in (0..size).zip(rows(position)) {
        let _ = write!(out, "{:indent$}{:>2} ", "", row + 1, indent = usize::from(row));
        for letter in cells.chars() {
            out.extend([' ', letter]);
        }
        let _ = writeln!(out, "  {}", row + 1);
    }
    let _ = write!(out, "{:indent$}", "", indent = usize::from(size) + 3);
    letters(&mut out);
    out.push_str(
        "Legend: x = X (p0), joins top and bottom; o = O (p1), joins left and right; . = empty\n\
         Each row is half a cell further to the right. Neighbours of c3: b3 d3 c2 c4 d2 b4\n",
    );
    let swap = if position.swappable().is_some() { " | Swap: legal" } else { "" };
    write_lines_of_two(&mut out, NAMES, position, swap, viewer).expect("writing to a string does not fail");
    out
}

/// The rows from the top, one letter for each cell.
pub(super) fn rows(position: &HexPosition) -> impl Iterator<Item = String> {
    let size = position.board.size();
    let cell = |column, row| position.board.at(Cell { column, row }).map_or('.', letter);
    (0..size).map(move |row| (0..size).map(|column| cell(column, row)).collect())
}
