//! The table for people and language models, as one player sees it.

use super::hand::Hand;
use super::position::LeducPosition;
use super::rules::{Step, opponent};
use crate::Viewer;
use crate::closing_lines::write_lines_of_seats;
use alloc::string::String;
use core::fmt::{self, Write as _};
use hall_wire::Player;

/// More than a table with its lines needs.
const CAPACITY: usize = 640;

/// The text: hand and round, cards, pot, chips, what was done in this hand, how the hand before ended, and the lines
/// that end every text.
pub(super) fn board_text(position: &LeducPosition, viewer: &Viewer<'_>) -> String {
    let mut out = String::with_capacity(CAPACITY);
    write_all(&mut out, position, viewer).expect("writing to a string does not fail");
    out
}

fn write_all(out: &mut String, position: &LeducPosition, viewer: &Viewer<'_>) -> fmt::Result {
    if !position.is_set_up() {
        out.write_str("Cards: unset, they have not been dealt yet\n")?;
        return write_lines_of_seats(out, position, 2, viewer);
    }
    let (rules, betting) = (position.rules, position.betting());
    let [zero, one] = betting.pot;
    match &position.now {
        Some(_) => writeln!(
            out,
            "Hand {} (of 0 to {}), round {} of {}, bets of {}",
            position.played.len(),
            rules.hands - 1,
            betting.round + 1,
            rules.bets.len(),
            betting.size(rules)
        )?,
        None if position.is_over() => writeln!(out, "All {} hands are played", rules.hands)?,
        None => {
            writeln!(out, "Hand {} (of 0 to {}) is not dealt yet", position.played.len(), rules.hands - 1)?
        }
    }
    if rules.bets.len() > 1 {
        writeln!(
            out,
            "Board: {}",
            position.now.as_ref().and_then(|hand| position.board(hand)).unwrap_or("-")
        )?;
    }
    if let Some(hand) = &position.now {
        write_cards(out, position, hand, viewer)?;
    }
    writeln!(out, "Pot: p0 {zero}, p1 {one}")?;
    let chips = position.chips;
    writeln!(out, "Chips won before this hand: p0 {chips:+}, p1 {:+}", -chips)?;
    if let Some(hand) = &position.now {
        out.write_str("This hand: ")?;
        write_steps(out, hand)?;
        out.write_char('\n')?;
    }
    if let Some(hand) = position.played.last() {
        write_closed(out, position, hand)?;
    }
    write_lines_of_seats(out, position, 2, viewer)
}

/// The viewer's own card; both cards once the game has ended.
fn write_cards(out: &mut String, position: &LeducPosition, hand: &Hand, viewer: &Viewer<'_>) -> fmt::Result {
    let card = |player| position.card(hand, player).unwrap_or("-");
    if viewer.result.is_some() {
        return writeln!(out, "Cards: p0 {}, p1 {}", card(Player::new(0)), card(Player::new(1)));
    }
    writeln!(out, "Your card: {}", card(viewer.player))
}

/// `p1 check, p0 bet; board Qh; p1 …`, or `-`.
fn write_steps(out: &mut String, hand: &Hand) -> fmt::Result {
    if hand.steps().is_empty() {
        return out.write_char('-');
    }
    let mut player = hand.first;
    let mut separator = "";
    for step in hand.steps() {
        if *step == Step::Board {
            out.write_str("; board turned")?;
            (player, separator) = (hand.first, "; ");
        } else {
            write!(out, "{separator}{player} {}", step.word())?;
            (player, separator) = (opponent(player), ", ");
        }
    }
    Ok(())
}

fn write_closed(out: &mut String, position: &LeducPosition, hand: &Hand) -> fmt::Result {
    let rules = position.rules;
    write!(out, "Hand before ({}): ", position.played.len() - 1)?;
    write_steps(out, hand)?;
    if let Some(board) = position.board(hand) {
        write!(out, "; board {board}")?;
    }
    if let Some(shown) = hand.shown(rules) {
        write!(out, "; shown {shown}")?;
    }
    let [zero, one] = hand.net(rules).unwrap_or_default();
    writeln!(out, "; p0 {zero:+}, p1 {one:+}")
}
