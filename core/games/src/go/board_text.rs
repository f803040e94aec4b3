//! The board for people and language models: grid, legend, last move, status, score, result, and who the viewer is.

use super::board::{Board, letter};
use super::point::{Point, Size};
use super::position::GoPosition;
use super::score::{HalfPoints, areas, scores};
use crate::board_games::Colour;
use crate::closing_lines::{GAME_OVER, write_last_move, write_result, write_viewer};
use crate::{GameResult, Viewer};
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt::{self, Write as _};

/// More than the largest board with its lines needs.
const CAPACITY: usize = 1_800;

/// The text, the same way up for both players.
pub(super) fn board_text(position: &GoPosition, viewer: &Viewer<'_>) -> String {
    let mut out = String::with_capacity(CAPACITY);
    write_all(&mut out, position, viewer).expect("writing to a string does not fail");
    out
}

/// The rows from the top, one character for each point.
pub(super) fn rows(board: &Board) -> Vec<String> {
    let lines = board.size.lines();
    let row = |row| (0..lines).map(|column| letter_at(board, Point { column, row })).collect();
    (0..lines).map(row).collect()
}

/// The komi in points.
pub(super) fn komi(size: Size) -> String {
    HalfPoints(size.komi_in_half_points()).to_string()
}

fn letter_at(board: &Board, point: Point) -> char {
    board.at(point).map_or('.', letter)
}

fn write_all(out: &mut String, position: &GoPosition, viewer: &Viewer<'_>) -> fmt::Result {
    write_grid(out, &position.board)?;
    out.write_str("Legend: X = Black, O = White, . = empty; there is no column I\n")?;
    write_last_move(out, Colour::NAMES, viewer)?;
    let own_end = position.outcome_as_result();
    let result = viewer.result.or(own_end.as_ref());
    write_status(out, position, result)?;
    write_result(out, Colour::NAMES, result, "none")?;
    write_viewer(out, Colour::NAMES, viewer)
}

fn write_grid(out: &mut String, board: &Board) -> fmt::Result {
    let size = board.size;
    write_letters(out, size)?;
    for row in 0..size.lines() {
        let number = size.lines() - row;
        write!(out, "{number:>2}")?;
        for column in 0..size.lines() {
            write!(out, " {}", letter_at(board, Point { column, row }))?;
        }
        writeln!(out, " {number}")?;
    }
    write_letters(out, size)
}

fn write_letters(out: &mut String, size: Size) -> fmt::Result {
    out.write_str("  ")?;
    for column in 0..size.lines() {
        write!(out, " {}", Size::letter(column))?;
    }
    out.write_char('\n')
}

fn write_status(out: &mut String, position: &GoPosition, result: Option<&GameResult>) -> fmt::Result {
    let GoPosition { board, past, .. } = position;
    writeln!(
        out,
        "Turn: {} | Passes in a row: {} | Turns played: {} of {}",
        if result.is_some() { GAME_OVER } else { past.turn().name() },
        position.passes(),
        past.moves().len(),
        board.size.turn_limit(),
    )?;
    let [black, white] = areas(board);
    let [_, with_komi] = scores(board);
    let komi = komi(board.size);
    writeln!(out, "Area as it stands: Black {black}, White {white} (with komi {komi}: {with_komi})")?;
    let forbidden = position.forbidden_points();
    let listed = if forbidden.is_empty() { "none".to_string() } else { forbidden.join(" ") };
    writeln!(out, "Points that superko forbids now: {listed}")
}
