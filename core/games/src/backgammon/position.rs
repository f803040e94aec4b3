//! A game of backgammon in play.

use super::board::{BAR, Board, OFF};
use super::dice::{Dice, Roll};
use super::end::{self, End};
use super::play_text::PlayText;
use super::plays::{Way, ways};
use super::reading::Reading;
use super::side::Side;
use super::{board_text, picture, state, summary};
use crate::{
    Act, Chance, GameResult, LegalMove, Outcome, Picture, Played, PlayerSet, Position, Refused, Viewer,
};
use alloc::boxed::Box;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use hall_wire::json::{Map, Value};
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

/// A legal play.
struct Play {
    notation: Notation,
    text: PlayText,
    after: Board,
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
    fn task(&self, player: Player) -> Option<(Side, Board, Dice)> {
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
    fn advance(&mut self, side: Side, after: Board, touched: u32) {
        self.board = after.seen_by(side);
        self.turn = Some(side.other());
        self.dice = None;
        self.turns += 1;
        self.touched = touched;
    }
}

/// The plays among `ways`, in no order.
fn plays(board: &Board, dice: Dice, ways: &[Way]) -> impl Iterator<Item = Play> {
    ways.chunk_by(|one, other| one.after == other.after).filter_map(move |same| {
        let text = PlayText::of(board, dice, same)?;
        Some(Play { notation: text.notation(), text, after: same.first()?.after })
    })
}

/// The one notation of a turn in which nothing can be played.
fn pass() -> Notation {
    Notation::parse(PASS).expect("the word is short ASCII")
}

/// The places that a play touches, as bits.
fn touched(side: Side, text: &PlayText) -> u32 {
    text.parts()
        .iter()
        .flat_map(|part| part.stops().iter().map(|stop| stop.point).chain([part.from]))
        .filter(|point| *point != OFF)
        .map(|point| if point == BAR { 1 } else { 1 << side.seen_by_p0(point) })
        .fold(0, |all, bit: u32| all | bit)
}

impl Position for BackgammonPosition {
    fn to_move(&self) -> PlayerSet {
        self.mover().map_or(PlayerSet::EMPTY, |(side, _)| PlayerSet::only(side.player()))
    }

    fn legal_moves(&self, player: Player) -> Vec<LegalMove> {
        let Some((_, board, dice)) = self.task(player) else { return Vec::new() };
        let ways = ways(&board, dice);
        if ways.is_empty() {
            return Vec::from([LegalMove { notation: pass(), summary: summary::PASS.to_string() }]);
        }
        let entry = |play: Play| LegalMove { notation: play.notation, summary: summary::summary(&play.text) };
        let mut legal: Vec<LegalMove> = plays(&board, dice, &ways).map(entry).collect();
        legal.sort_unstable_by_key(|entry| entry.notation);
        legal
    }

    fn notations(&self, player: Player) -> Vec<Notation> {
        let Some((_, board, dice)) = self.task(player) else { return Vec::new() };
        let ways = ways(&board, dice);
        if ways.is_empty() {
            return Vec::from([pass()]);
        }
        let mut notations: Vec<Notation> = plays(&board, dice, &ways).map(|play| play.notation).collect();
        notations.sort_unstable();
        notations
    }

    fn meant(&self, player: Player, notation: &Notation) -> Option<Notation> {
        let (_, board, dice) = self.task(player)?;
        let ways = ways(&board, dice);
        if ways.is_empty() {
            return Reading::says_pass(notation.as_str()).then(pass).filter(|pass| pass != notation);
        }
        let reading = Reading::of(notation.as_str())?;
        let fitting = reading.fitting(&board, &ways);
        let mut found: Vec<Play> = plays(&board, dice, &fitting).collect();
        if found.len() > 1 && reading.names_hits() {
            found.retain(|play| reading.hits_as(&play.text));
        }
        let [only] = found.as_slice() else { return None };
        Some(only.notation).filter(|found| found != notation)
    }

    /// The pass, where it is the only move.
    fn default_action(&self, player: Player) -> Option<Notation> {
        let (_, board, dice) = self.task(player)?;
        ways(&board, dice).is_empty().then(pass)
    }

    fn awaits_nature(&self) -> bool {
        self.dice.is_none() && self.end().is_none()
    }

    fn act(&mut self, chance: &mut dyn Chance) -> Result<Act, Refused> {
        if !self.awaits_nature() {
            return Err(Refused::Illegal);
        }
        let roll = if self.turn.is_some() { Roll::turn(chance) } else { Roll::opening(chance) };
        let roll = roll.ok_or(Refused::NeedsChance)?;
        self.take(roll).ok_or(Refused::Illegal)?;
        let complete = roll.to_string();
        Ok(Act { outcome: Some(complete.clone()), complete })
    }

    fn play(
        &mut self,
        player: Player,
        notation: &Notation,
        _chance: &mut dyn Chance,
    ) -> Result<Played, Refused> {
        let (side, board, dice) = self.task(player).ok_or(Refused::Illegal)?;
        let ways = ways(&board, dice);
        if ways.is_empty() {
            if notation.as_str() != PASS {
                return Err(Refused::Illegal);
            }
            self.advance(side, board, 0);
            return Ok(Played::PLAIN);
        }
        // To describe all plays would take long; only those with this result can be written so.
        let reading = Reading::of(notation.as_str()).ok_or(Refused::Illegal)?;
        let fitting = reading.fitting(&board, &ways);
        let wish = plays(&board, dice, &fitting).find(|play| play.notation == *notation);
        let Play { text, after, .. } = wish.ok_or(Refused::Illegal)?;
        self.advance(side, after, touched(side, &text));
        Ok(Played::PLAIN)
    }

    fn outcome(&self) -> Option<Outcome> {
        self.end().map(End::outcome)
    }

    fn points(&self, result: &GameResult) -> Option<Vec<i64>> {
        Some(end::points(result))
    }

    fn state_string(&self) -> String {
        state::state_string(self)
    }

    fn board_text(&self, viewer: &Viewer<'_>) -> String {
        board_text::board_text(self, viewer)
    }

    fn picture(&self, _revealed: bool) -> Picture {
        picture::picture(self)
    }

    fn public(&self) -> Map<String, Value> {
        state::public(self)
    }

    /// Every move is public.
    fn told(&self, _player: Player, notation: &Notation) -> Option<Notation> {
        Some(*notation)
    }

    fn private(&self, _player: Player) -> Value {
        Value::Object(Map::new())
    }

    fn hidden(&self) -> Value {
        Value::Null
    }

    fn save(&self) -> String {
        state::save(self)
    }

    fn clone_box(&self) -> Box<dyn Position> {
        Box::new(self.clone())
    }
}
