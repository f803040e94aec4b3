//! Implements [`Position`] for backgammon.

use super::dice::Roll;
use super::end::{self, End};
use super::plays::ways;
use super::position::{BackgammonPosition, PASS, Play, pass, plays, touched};
use super::reading::Reading;
use super::{board_text, picture, state, summary};
use crate::{
    Act, Chance, GameResult, LegalMove, Outcome, Picture, Played, PlayerSet, Position, Refused, Viewer,
};
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use hall_wire::json::{Map, Value};
use hall_wire::{Notation, Player};

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

    fn did_you_mean(&self, player: Player, notation: &Notation) -> Option<Notation> {
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
    fn disclosed(&self, _player: Player, notation: &Notation) -> Option<Notation> {
        Some(*notation)
    }

    fn save(&self) -> String {
        state::save(self)
    }
}
