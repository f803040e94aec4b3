//! The board for people and language models.

use super::NAMES;
use super::board::{COLUMNS, ROWS};
use super::position::ConnectFourPosition;
use super::save::letter;
use crate::Viewer;
use crate::board_games::Cell;
use crate::closing_lines::write_lines_of_two;
use alloc::string::String;
use core::fmt::Write as _;

/// More than a board with its lines needs.
const CAPACITY: usize = 448;

/// The text: column numbers, the bordered grid with row 1 at the bottom, legend, last move, turn, result, and who the
/// viewer is.
pub(super) fn board_text(position: &ConnectFourPosition, viewer: &Viewer<'_>) -> String {
    const COLUMN_NUMBERS: &str = "    1 2 3 4 5 6 7\n";
    const BORDER: &str = "  +---------------+\n";
    let mut out = String::with_capacity(CAPACITY);
    out.push_str(COLUMN_NUMBERS);
    out.push_str(BORDER);
    for (number, row) in (1..=ROWS).rev().zip(rows(position)) {
        let _ = write!(out, "{number} |");
        for letter in row.chars() {
            out.extend([' ', letter]);
        }
        let _ = writeln!(out, " | {number}");
    }
    out.push_str(BORDER);
    out.push_str(COLUMN_NUMBERS);
    out.push_str(
        "Legend: x = X (p0), o = O (p1), . = empty; discs fall to the lowest empty cell of a column\n",
    );
    write_lines_of_two(&mut out, NAMES, position, "", viewer).expect("writing to a string does not fail");
    out
}

/// The rows from the top, one letter for each cell.
pub(super) fn rows(position: &ConnectFourPosition) -> impl Iterator<Item = String> {
    let cell = |column, row| position.board.at(Cell { column, row }).map_or('.', letter);
    (0..ROWS).map(move |row| (0..COLUMNS).map(|column| cell(column, row)).collect())
}
