//! The table for people and language models, as one player sees it.

use super::position::LiarsPosition;
use crate::Viewer;
use crate::closing_lines::write_lines_of_seats;
use alloc::string::String;
use core::fmt::{self, Write as _};

/// More than a table with a usual number of bids needs.
const CAPACITY: usize = 640;

/// The text: dice left, the viewer's dice, the bids of this round, how the round before ended, and the lines that end
/// every text. Once the game has ended all dice are shown.
pub(super) fn board_text(position: &LiarsPosition, viewer: &Viewer<'_>) -> String {
    let mut out = String::with_capacity(CAPACITY);
    write_all(&mut out, position, viewer).expect("writing to a string does not fail");
    out
}

fn write_all(out: &mut String, position: &LiarsPosition, viewer: &Viewer<'_>) -> fmt::Result {
    if !position.is_set_up() {
        out.write_str("Dice: unset, they have not been rolled yet\n")?;
        return write_lines_of_seats(out, position, position.seats, viewer);
    }
    write!(out, "Round {} (from 0)\nDice left:", position.settled.len())?;
    for player in position.players() {
        write!(out, " {player} {},", position.dice_of(player))?;
    }
    writeln!(out, " {} in all", position.all_dice())?;
    match &position.now {
        None => out.write_str("The dice are not rolled\n")?,
        Some(round) => {
            if viewer.result.is_some() {
                writeln!(out, "All dice: {}", round.rolls.text())?;
            }
            out.write_str("Your dice:")?;
            round.rolls.of_player(viewer.player).faces().try_for_each(|face| write!(out, " {face}"))?;
            out.write_str("\nBids of this round:")?;
            for (place, bid) in round.bids.iter().enumerate() {
                let player = position.actor(place).unwrap_or(viewer.player);
                write!(out, "{} {player} {bid}", if place > 0 { "," } else { "" })?;
            }
            out.write_str(if round.bids.is_empty() { " none\n" } else { "\n" })?;
        }
    }
    if let Some(last) = position.settled.last() {
        writeln!(
            out,
            "Round before: {}; {} by {}, challenged by {}, {}; {} lost a die",
            last.rolls.text(),
            last.bid,
            last.bidder,
            last.challenger,
            if last.loser == last.challenger { "held" } else { "did not hold" },
            last.loser
        )?;
    }
    out.write_str("Sixes count for every face; a bid on sixes counts sixes alone\n")?;
    write_lines_of_seats(out, position, position.seats, viewer)
}
