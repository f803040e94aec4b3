//! A game of backgammon in play.

use super::board::{BAR, Board, OFF};
use super::dice::{Dice, Roll};
use super::end::End;
use super::play_text::PlayText;
use super::plays::Way;
use super::side::Side;
use crate::Position;
use hall_wire::{Notation, Player};

/// How the turn is written in which nothing can be played.
pub(super) const PASS: &str = "pass";

/// The checkers, whose turn it is, and the dice.
///
/// There are dice exactly while somebody is to move. A game that is over has none.
#[derive(Clone, Debug)]
pub(super) struct BackgammonPosition {
    /// As `p0` sees it.
    pub(super) board: Board,
    /// Whose turn it is, or begins with the next roll; `None` before the first roll.
    pub(super) turn: Option<Side>,
    pub(super) dice: Option<Dice>,
    /// How many turns have been played.
    pub(super) turns: u16,
    /// The places that the last move touched: bit n is point n of `p0`, bit 0 the bar.
    pub(super) touched: u32,
}

pub(super) struct Play {
    pub(super) notation: Notation,
    pub(super) text: PlayText,
    pub(super) after: Board,
}

impl BackgammonPosition {
    /// The beginning, before the first roll.
    pub(super) fn initial() -> Self {
        Self { board: Board::start(), turn: None, dice: None, turns: 0, touched: 0 }
    }

    /// The board of `p0` in the middle of a game, where `side` is to play `dice`.
    pub(super) fn in_play(board: Board, side: Side, dice: Dice) -> Self {
        Self { board, turn: Some(side), dice: Some(dice), turns: 1, touched: 0 }
    }

    /// The end of the game, if it is over.
    pub(super) fn end(&self) -> Option<End> {
        End::of(&self.board, self.turns)
    }

    /// Who is to move, and the dice.
    pub(super) fn mover(&self) -> Option<(Side, Dice)> {
        self.turn.zip(self.dice)
    }

    /// The board and the dice of `player` if it is to move.
    pub(super) fn task(&self, player: Player) -> Option<(Side, Board, Dice)> {
        let (side, dice) = self.mover()?;
        (side.player() == player).then(|| (side, self.board.seen_by(side), dice))
    }

    /// Takes a roll; `None` if it is not this kind of roll that is due.
    pub(super) fn take(&mut self, roll: Roll) -> Option<()> {
        let (dice, starts) = roll.dice()?;
        if !self.awaits_nature() || self.turn.is_some() == starts.is_some() {
            return None;
        }
        self.turn = self.turn.or(starts);
        self.dice = Some(dice);
        Some(())
    }

    /// The turn of `side` is over and has led to `after`, as it sees the board.
    pub(super) fn advance(&mut self, side: Side, after: Board, touched: u32) {
        self.board = after.seen_by(side);
        self.turn = Some(side.other());
        self.dice = None;
        self.turns += 1;
        self.touched = touched;
    }
}

/// The plays among `ways`, in no order.
pub(super) fn plays(board: &Board, dice: Dice, ways: &[Way]) -> impl Iterator<Item = Play> {
    ways.chunk_by(|one, other| one.after == other.after).filter_map(move |same| {
        let text = PlayText::of(board, dice, same)?;
        Some(Play { notation: text.notation(), text, after: same.first()?.after })
    })
}

/// The one notation of a turn in which nothing can be played.
pub(super) fn pass() -> Notation {
    Notation::parse(PASS).expect("the word is short ASCII")
}

/// The places that a play touches, as bits.
pub(super) fn touched(side: Side, text: &PlayText) -> u32 {
    text.parts()
        .iter()
        .flat_map(|part| part.stops().iter().map(|stop| stop.point).chain([part.from]))
        .filter(|point| *point != OFF)
        .map(|point| if point == BAR { 1 } else { 1 << side.seen_by_p0(point) })
        .fold(0, |all, bit: u32| all | bit)
}
