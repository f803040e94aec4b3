//! Implements [`Position`] for Goofspiel.

use super::board_text;
use super::position::{Bids, GoofspielPosition, notation, read_card, write_numbers};
use super::view;
use crate::shuffle::shuffle;
use crate::{
    Act, Chance, GameResult, LegalMove, Outcome, Picture, Played, PlayerSet, Position, Reason, Refused,
    Viewer,
};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write as _;
use hall_wire::json::{Map, Value};
use hall_wire::{Notation, Player};

impl Position for GoofspielPosition {
    fn to_move(&self) -> PlayerSet {
        self.players().filter(|player| self.may_bid(*player)).fold(PlayerSet::EMPTY, PlayerSet::with)
    }

    fn legal_moves(&self, player: Player) -> Vec<LegalMove> {
        let prize = self.prize().unwrap_or(0);
        let entry = |card| LegalMove {
            notation: notation(card),
            summary: format!("bid {card} for the prize {prize}"),
        };
        self.choices(player).map(entry).collect()
    }

    fn notations(&self, player: Player) -> Vec<Notation> {
        self.choices(player).map(notation).collect()
    }

    /// A card with leading zeros or words around it, or by its name in a pack of cards (`A`, `J`, `Q`, `K`).
    fn did_you_mean(&self, player: Player, written: &Notation) -> Option<Notation> {
        let text = written.as_str();
        let mut numbers = text.split(|letter: char| !letter.is_ascii_digit()).filter(|part| !part.is_empty());
        let card = match (text.to_ascii_uppercase().as_str(), numbers.next(), numbers.next()) {
            ("A", ..) => 1,
            ("J", ..) => 11,
            ("Q", ..) => 12,
            ("K", ..) => 13,
            (_, Some(number), None) => number.parse().ok()?,
            _ => return None,
        };
        let found = self.choices(player).find(|choice| *choice == card).map(notation)?;
        (found != *written).then_some(found)
    }

    fn awaits_nature(&self) -> bool {
        self.sealed.is_none() && !self.is_over()
    }

    /// Shuffles the prizes and turns the first, or turns the next one.
    fn act(&mut self, chance: &mut dyn Chance) -> Result<Act, Refused> {
        if !self.awaits_nature() {
            return Err(Refused::Illegal);
        }
        let complete = if self.order.is_none() {
            let mut order = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13];
            shuffle(&mut order, chance).ok_or(Refused::NeedsChance)?;
            self.shuffle_into(order);
            let written = order.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
            Some(format!("order {written}"))
        } else {
            self.sealed = Some(Bids::default());
            None
        };
        let told = format!("prize {}", self.prize().ok_or(Refused::Illegal)?);
        Ok(Act { complete: complete.unwrap_or_else(|| told.clone()), outcome: Some(told) })
    }

    fn play(
        &mut self,
        player: Player,
        notation: &Notation,
        _chance: &mut dyn Chance,
    ) -> Result<Played, Refused> {
        let card = read_card(notation.as_str()).ok_or(Refused::Illegal)?;
        self.bid(player, card).ok_or(Refused::Illegal)?;
        Ok(Played::PLAIN)
    }

    fn outcome(&self) -> Option<Outcome> {
        if !self.is_over() {
            return None;
        }
        let points: Vec<u8> = self.players().map(|player| self.points_of(player)).collect();
        let better = |than: u8| points.iter().filter(|points| **points > than).count();
        let places: Vec<u8> = points.iter().filter_map(|own| u8::try_from(better(*own) + 1).ok()).collect();
        let is_draw = places.iter().all(|place| *place == 1);
        let first = self.players().zip(&places).filter(|(_, place)| **place == 1 && !is_draw);
        Some(Outcome {
            winners: first.map(|(player, _)| player).fold(PlayerSet::EMPTY, PlayerSet::with),
            reason: Reason::of_game(if is_draw { "equal_points" } else { "more_points" }),
            places: if self.seats > 2 { places } else { Vec::new() },
        })
    }

    fn points(&self, _result: &GameResult) -> Option<Vec<i64>> {
        Some(self.players().map(|player| i64::from(self.points_of(player))).collect())
    }

    fn state_string(&self) -> String {
        if !self.is_set_up() {
            return "unset".to_string();
        }
        let mut out = String::with_capacity(160);
        out.push_str("prize ");
        write_numbers(&mut out, self.prize().into_iter());
        out.push_str(" left ");
        write_numbers(&mut out, self.left());
        out.push_str(" hands");
        for player in self.players() {
            write!(out, " {player} ").expect("writing to a string does not fail");
            write_numbers(&mut out, self.hand(player));
        }
        out.push_str(" points ");
        write_numbers(&mut out, self.players().map(|player| self.points_of(player)));
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

    /// The card: the room shows it when the turn is over.
    fn disclosed(&self, _player: Player, notation: &Notation) -> Option<Notation> {
        Some(*notation)
    }

    // Nothing is private: hands are public, and the room itself tells players what they have sealed.

    fn hidden(&self) -> Value {
        view::hidden(self)
    }

    fn save(&self) -> String {
        Self::save(self)
    }
}
