//! Implements [`Position`] for Leduc poker.

use super::board_text;
use super::did_you_mean::did_you_mean;
use super::hand::{Hand, Next};
use super::position::LeducPosition;
use super::rules::Step;
use super::view;
use crate::{
    Act, Chance, GameResult, LegalMove, Outcome, Picture, Played, PlayerSet, Position, Reason, Refused,
    Viewer,
};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};
use core::fmt::Write as _;
use hall_wire::json::{Map, Value};
use hall_wire::{Notation, Player};

impl Position for LeducPosition {
    fn to_move(&self) -> PlayerSet {
        self.mover().map_or(PlayerSet::EMPTY, PlayerSet::only)
    }

    fn legal_moves(&self, player: Player) -> Vec<LegalMove> {
        let entry =
            |action: Step| LegalMove { notation: action.notation(), summary: self.summary(action, player) };
        self.actions(player).map(entry).collect()
    }

    fn notations(&self, player: Player) -> Vec<Notation> {
        self.actions(player).map(Step::notation).collect()
    }

    fn did_you_mean(&self, player: Player, notation: &Notation) -> Option<Notation> {
        did_you_mean(self.actions(player), notation.as_str()).map(Step::notation)
    }

    /// A check, else a fold.
    fn default_action(&self, player: Player) -> Option<Notation> {
        let passive = |action: &Step| matches!(action, Step::Check | Step::Fold);
        self.actions(player).find(passive).map(Step::notation)
    }

    fn awaits_nature(&self) -> bool {
        match &self.now {
            Some(hand) => hand.betting(self.rules).next == Next::Board,
            None => !self.is_over(),
        }
    }

    fn act(&mut self, chance: &mut dyn Chance) -> Result<Act, Refused> {
        if !self.awaits_nature() {
            return Err(Refused::Illegal);
        }
        if self.now.is_none() {
            self.deal(self.shuffled(chance).ok_or(Refused::NeedsChance)?);
            let deck = self.now.as_ref().map_or(&[][..], |hand| hand.deck(self.rules));
            let names: Vec<&str> = deck.iter().map(|card| self.rules.name(*card)).collect();
            return Ok(Act { outcome: None, complete: names.join(" ") });
        }
        self.step(Step::Board).ok_or(Refused::Illegal)?;
        let board = self.now.as_ref().and_then(Hand::board).ok_or(Refused::Illegal)?;
        let told = format!("board {}", self.rules.name(board));
        Ok(Act { outcome: Some(told.clone()), complete: told })
    }

    fn play(
        &mut self,
        player: Player,
        notation: &Notation,
        _chance: &mut dyn Chance,
    ) -> Result<Played, Refused> {
        if self.mover() != Some(player) {
            return Err(Refused::Illegal);
        }
        let action = Step::of_word(notation.as_str()).ok_or(Refused::Illegal)?;
        let shown = self.step(action).ok_or(Refused::Illegal)?;
        Ok(Played { san: None, shown })
    }

    fn outcome(&self) -> Option<Outcome> {
        let (winners, word) = match self.chips {
            _ if !self.is_over() => return None,
            0 => (PlayerSet::EMPTY, "equal_chips"),
            chips => (PlayerSet::only(Player::new(u8::from(chips < 0))), "more_chips"),
        };
        Some(Outcome::of_two(winners, Reason::of_game(word)))
    }

    /// The net chips of the hands that are over; a hand that was broken off counts for nobody.
    fn points(&self, _result: &GameResult) -> Option<Vec<i64>> {
        let chips = i64::from(self.chips);
        Some(vec![chips, -chips])
    }

    fn state_string(&self) -> String {
        if !self.is_set_up() {
            return "unset".to_string();
        }
        let betting = self.betting();
        let [zero, one] = betting.pot;
        let board = self.now.as_ref().and_then(Hand::board).map_or("-", |card| self.rules.name(card));
        let mut out = format!(
            "hand {} round {} board {board} pot {zero},{one} chips {},{} bets ",
            self.played.len(),
            betting.round + 1,
            self.chips,
            -self.chips
        );
        let steps = self.now.as_ref().map_or(&[][..], Hand::steps);
        let round = steps.rsplit(|step| *step == Step::Board).next().unwrap_or(steps);
        if round.is_empty() {
            out.push('-');
        }
        for (place, step) in round.iter().enumerate() {
            out.extend((place > 0).then_some(',').into_iter().chain([step.letter()]));
        }
        match self.mover() {
            Some(player) => write!(out, " to {player}").expect("writing to a string does not fail"),
            None => out.push_str(" to -"),
        }
        out
    }

    fn board_text(&self, viewer: &Viewer<'_>) -> String {
        board_text::board_text(self, viewer)
    }

    fn picture(&self, revealed: bool) -> Picture {
        view::picture(self, revealed)
    }

    fn public(&self) -> Map<String, Value> {
        view::public(self)
    }

    /// An action is public.
    fn disclosed(&self, _player: Player, notation: &Notation) -> Option<Notation> {
        Some(*notation)
    }

    fn private(&self, player: Player) -> Value {
        view::private(self, player)
    }

    fn hidden(&self) -> Value {
        view::hidden(self)
    }

    fn save(&self) -> String {
        Self::save(self)
    }
}
