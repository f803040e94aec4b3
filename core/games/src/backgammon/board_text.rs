//! The board for people and language models.

use super::board::{BAR, Board, Half, OFF};
use super::position::BackgammonPosition;
use super::side::Side;
use crate::closing_lines::{Named, write_last_move, write_result, write_viewer};
use crate::{GameResult, Viewer};
use alloc::string::String;
use core::fmt::{self, Write as _};
use hall_wire::Player;

/// The letters of the checkers, which are all the names that the players have.
const NAMES: &[&str] = &["X", "O"];

/// More than a board with its lines needs.
const CAPACITY: usize = 1_280;

/// The text: the board in two rows between the numbers that each side gives the points, the same board as a list for
/// each side, the last move, turn and dice, result, and who the viewer is.
pub(super) fn board_text(position: &BackgammonPosition, viewer: &Viewer<'_>) -> String {
    let mut out = String::with_capacity(CAPACITY);
    let own_end = position.end().map(|end| GameResult::from(end.outcome()));
    let result = viewer.result.or(own_end.as_ref());
    write_all(&mut out, position, result, viewer).expect("writing to a string does not fail");
    out
}

fn write_all(
    out: &mut String,
    position: &BackgammonPosition,
    result: Option<&GameResult>,
    viewer: &Viewer<'_>,
) -> fmt::Result {
    write_half(out, position, Side::P0)?;
    out.write_str("    +-------------------------+-------------------------+\n")?;
    write_half(out, position, Side::P1)?;
    out.write_str(
        "Legend: X = checkers of p0, O = checkers of p1, with their number, . = empty; each side moves from its own \
         24 to its own 1 and off\n",
    )?;
    for side in Side::BOTH {
        write_checkers(out, side, position.board.seen_by(side).mine)?;
    }
    write_last_move(out, NAMES, viewer)?;
    match position.mover().filter(|_| result.is_none()) {
        Some((side, dice)) => {
            write!(
                out,
                "Turn: {} | Dice: {} {}",
                Named { player: side.player(), names: NAMES },
                dice.high,
                dice.low
            )?;
            if dice.is_double() {
                out.write_str(" (played four times)")?;
            }
        }
        None => out.write_str("Turn: nobody | Dice: none")?,
    }
    writeln!(out, " | Turns played: {}", position.turns)?;
    write_result(out, NAMES, result, "no result")?;
    write_viewer(out, NAMES, viewer)
}

/// The half of the board with the home of `outer`'s opponent and `outer`'s own numbers on the outside.
fn write_half(out: &mut String, position: &BackgammonPosition, upper: Side) -> fmt::Result {
    // From the left: in the upper half 13 to 24 of p0, in the lower one 12 to 1.
    let point = |column: u8| if upper == Side::P0 { 13 + column } else { 12 - column };
    let write_numbers = |out: &mut String, side: Side| {
        write_row(out, side.player(), |out, column| write!(out, " {:>3}", side.seen_by_p0(point(column))))
    };
    let write_cells = |out: &mut String| {
        out.write_str("   ")?;
        write_columns(out, |out, column| write_cell(out, &position.board, point(column)))
    };
    if upper == Side::P0 {
        write_numbers(out, Side::P0)?;
        write_numbers(out, Side::P1)?;
        write_cells(out)
    } else {
        write_cells(out)?;
        write_numbers(out, Side::P1)?;
        write_numbers(out, Side::P0)
    }
}

fn write_row(
    out: &mut String,
    player: Player,
    write: impl Fn(&mut String, u8) -> fmt::Result,
) -> fmt::Result {
    write!(out, "{player} ")?;
    write_columns(out, write)
}

fn write_columns(out: &mut String, write: impl Fn(&mut String, u8) -> fmt::Result) -> fmt::Result {
    out.write_str(" |")?;
    for column in 0..12 {
        write(out, column)?;
        if column == 5 {
            out.write_str(" |")?;
        }
    }
    out.write_str(" |\n")
}

/// A point of `p0` as `X5`, `O12` or `.`.
fn write_cell(out: &mut String, board: &Board, point: u8) -> fmt::Result {
    let checkers = Side::BOTH.map(|side| (side, board.seen_by(side).mine.count(side.seen_by_p0(point))));
    match checkers.into_iter().find(|(_, checkers)| *checkers > 0) {
        Some((side, checkers)) if checkers >= 10 => write!(out, " {}{checkers}", side.letter()),
        Some((side, checkers)) => write!(out, "  {}{checkers}", side.letter()),
        None => out.write_str("   ."),
    }
}

/// `X (p0) by its own points: 24:2 13:5 8:3 6:5 | bar 0 | off 0 | pips 167`.
fn write_checkers(out: &mut String, side: Side, half: Half) -> fmt::Result {
    write!(out, "{} by its own points:", Named { player: side.player(), names: NAMES })?;
    for (point, checkers) in half.occupied().filter(|(point, _)| (1..BAR).contains(point)) {
        write!(out, " {point}:{checkers}")?;
    }
    writeln!(out, " | bar {} | off {} | pips {}", half.count(BAR), half.count(OFF), half.pips())
}
