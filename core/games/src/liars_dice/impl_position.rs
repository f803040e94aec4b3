//! Implements [`Position`] for liar's dice.

use super::bid::{Bid, LIAR, liar};
use super::board_text;
use super::dice::Rolls;
use super::did_you_mean::did_you_mean;
use super::position::LiarsPosition;
use super::view;
use crate::{
    Act, Chance, GameResult, LegalMove, Outcome, Picture, Played, PlayerSet, Position, Reason, Refused,
    Viewer,
};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use hall_wire::json::{Map, Value};
use hall_wire::{Notation, Player};

impl Position for LiarsPosition {
    fn to_move(&self) -> PlayerSet {
        self.mover().map_or(PlayerSet::EMPTY, PlayerSet::only)
    }

    fn legal_moves(&self, player: Player) -> Vec<LegalMove> {
        let dice = self.all_dice();
        let bids =
            self.bids(player).map(|bid| LegalMove { notation: bid.notation(), summary: bid.summary(dice) });
        let challenge = self
            .last_bid()
            .filter(|_| self.may_challenge(player))
            .map(|bid| LegalMove { notation: liar(), summary: format!("challenge {bid}") });
        bids.chain(challenge).collect()
    }

    fn notations(&self, player: Player) -> Vec<Notation> {
        self.bids(player).map(Bid::notation).chain(self.may_challenge(player).then(liar)).collect()
    }

    fn did_you_mean(&self, player: Player, notation: &Notation) -> Option<Notation> {
        let found = did_you_mean(notation.as_str())?;
        let is_new = found != *notation;
        let is_legal = if found == liar() {
            self.may_challenge(player)
        } else {
            Bid::parse(found.as_str()).is_some_and(|meant| self.bids(player).any(|bid| bid == meant))
        };
        (is_new && is_legal).then_some(found)
    }

    fn awaits_nature(&self) -> bool {
        self.now.is_none() && !self.is_over()
    }

    /// Rolls all dice of the next round.
    fn act(&mut self, chance: &mut dyn Chance) -> Result<Act, Refused> {
        if !self.awaits_nature() {
            return Err(Refused::Illegal);
        }
        let rolls = Rolls::from_chance(self.dice, chance).ok_or(Refused::NeedsChance)?;
        self.begin(rolls).ok_or(Refused::Illegal)?;
        Ok(Act { outcome: None, complete: rolls.text() })
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
        if notation.as_str() != LIAR {
            let bid = Bid::parse(notation.as_str()).ok_or(Refused::Illegal)?;
            self.bid(bid).ok_or(Refused::Illegal)?;
            return Ok(Played::PLAIN);
        }
        let round = self.now.as_ref().ok_or(Refused::Illegal)?;
        let shown = round.rolls.text();
        let bids = u8::try_from(round.bids.len()).map_err(|_| Refused::Illegal)?;
        let bid = self.last_bid().ok_or(Refused::Illegal)?;
        self.settle(bid, bids).ok_or(Refused::Illegal)?;
        Ok(Played { san: None, shown: Some(shown) })
    }

    fn outcome(&self) -> Option<Outcome> {
        let winner = *self.bidders().first().filter(|_| self.is_over())?;
        let place = |player: Player| {
            let place =
                self.out.iter().position(|out| *out == player).map_or(0, |went| self.out.len() - went);
            u8::try_from(place).ok()?.checked_add(1)
        };
        let places = (0..self.seats).filter(|_| self.seats > 2).map(Player::new).filter_map(place).collect();
        Some(Outcome { winners: PlayerSet::only(winner), reason: Reason::of_game("last_with_dice"), places })
    }

    fn eliminated(&self) -> Vec<Player> {
        self.out.clone()
    }

    fn points(&self, _result: &GameResult) -> Option<Vec<i64>> {
        Some(self.dice.iter().take(usize::from(self.seats)).map(|dice| i64::from(*dice)).collect())
    }

    fn state_string(&self) -> String {
        if !self.is_set_up() {
            return "unset".to_string();
        }
        let dice: Vec<String> =
            self.dice.iter().take(usize::from(self.seats)).map(ToString::to_string).collect();
        let bids = self.now.as_ref().map_or(0, |round| round.bids.len());
        let bidder = bids.checked_sub(1).and_then(|before| self.actor(before));
        let bid = match (self.last_bid(), bidder) {
            (Some(bid), Some(bidder)) => format!("{bid} by {bidder}"),
            _ => "-".to_string(),
        };
        let to = self.mover().map_or_else(|| "-".to_string(), |player| player.to_string());
        format!("dice {} bid {bid} to {to}", dice.join(","))
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

    /// Bids and challenges are public.
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
