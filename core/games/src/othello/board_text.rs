//! The board for people and language models.

use super::NAMES;
use super::board::SIZE;
use super::position::OthelloPosition;
use super::save::letter;
use crate::Viewer;
use crate::board_games::{Cell, Side};
use crate::closing_lines::write_lines_of_two;
use alloc::format;
use alloc::string::String;
use core::fmt::Write as _;

/// More than a board with its lines needs.
const CAPACITY: usize = 576;

/// The text: column letters, the bordered grid with row 1 at the top, legend, last move, turn and discs, result, and who
/// the viewer is.
pub(super) fn board_text(position: &OthelloPosition, viewer: &Viewer<'_>) -> String {
    const COLUMN_LETTERS: &str = "    a b c d e f g h\n";
    const BORDER: &str = "  +-----------------+\n";
    let mut out = String::with_capacity(CAPACITY);
    out.push_str(COLUMN_LETTERS);
    out.push_str(BORDER);
    for (number, row) in (1..=SIZE).zip(rows(position)) {
        let _ = write!(out, "{number} |");
        for letter in row.chars() {
            out.extend([' ', letter]);
        }
        let _ = writeln!(out, " | {number}");
    }
    out.push_str(BORDER);
    out.push_str(COLUMN_LETTERS);
    out.push_str("Legend: X = Black (p0), O = White (p1), . = empty\n");
    let [black, white] = Side::BOTH.map(|side| position.board.count(side));
    let status = format!(" | Discs: Black {black}, White {white} | Empty: {}", SIZE * SIZE - black - white);
    write_lines_of_two(&mut out, NAMES, position, &status, viewer)
        .expect("writing to a string does not fail");
    out
}

/// The rows from the top, one letter for each cell.
pub(super) fn rows(position: &OthelloPosition) -> impl Iterator<Item = String> {
    let cell = |column, row| position.board.at(Cell { column, row }).map_or('.', letter);
    (0..SIZE).map(move |row| (0..SIZE).map(|column| cell(column, row)).collect())
}
