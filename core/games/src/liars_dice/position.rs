//! A game in play.

use super::bid::{Bid, LIAR, liar};
use super::board_text;
use super::dice::{DICE, Rolls};
use super::meant::meant;
use super::view;
use crate::{
    Act, Chance, GameResult, LegalMove, Outcome, Picture, Played, PlayerSet, Position, Reason, Refused,
    Viewer,
};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use hall_wire::json::{Map, Value};
use hall_wire::{Notation, Player};

/// A game: the rounds that are over, and the one in play.
#[derive(Clone, Debug)]
pub(super) struct LiarsPosition {
    pub(super) seats: u8,
    /// The dice that each player has left.
    pub(super) dice: [u8; 4],
    /// Who bids first in the round in play, or in the next one.
    starter: Player,
    /// The players without dice, in the order in which they lost the last one.
    out: Vec<Player>,
    pub(super) settled: Vec<Settled>,
    /// The round in play; `None` while its dice are not rolled, and after the end.
    pub(super) now: Option<Round>,
}

/// A round in play.
#[derive(Clone, Debug)]
pub(super) struct Round {
    pub(super) rolls: Rolls,
    /// The bids in order; each is higher than the one before it.
    pub(super) bids: Vec<Bid>,
}

/// A round that a challenge has ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settled {
    pub(super) rolls: Rolls,
    /// The challenged bid.
    pub(super) bid: Bid,
    /// How many bids there were.
    pub(super) bids: u8,
    pub(super) bidder: Player,
    pub(super) challenger: Player,
    /// Who lost a die.
    pub(super) loser: Player,
}

impl LiarsPosition {
    /// A game before the first roll.
    pub(super) fn initial(seats: u8) -> Self {
        let mut dice = [0; 4];
        dice.iter_mut().take(usize::from(seats)).for_each(|dice| *dice = DICE);
        Self { seats, dice, starter: Player::new(0), out: Vec::new(), settled: Vec::new(), now: None }
    }

    /// The dice of all.
    pub(super) fn all_dice(&self) -> u8 {
        self.dice.iter().sum()
    }

    /// The players with dice, in the order in which they bid in this round.
    pub(super) fn bidders(&self) -> Vec<Player> {
        let from = self.starter.seat();
        let in_order = (from..self.seats).chain(0..from).map(Player::new);
        in_order.filter(|player| self.dice_of(*player) > 0).collect()
    }

    /// Who acts after `bids` bids of this round.
    pub(super) fn actor(&self, bids: usize) -> Option<Player> {
        let bidders = self.bidders();
        bidders.get(bids.checked_rem(bidders.len())?).copied()
    }

    pub(super) fn dice_of(&self, player: Player) -> u8 {
        self.dice.get(player.index()).copied().unwrap_or(0)
    }

    pub(super) fn is_over(&self) -> bool {
        self.out.len() + 1 == usize::from(self.seats)
    }

    fn mover(&self) -> Option<Player> {
        self.actor(self.now.as_ref()?.bids.len())
    }

    /// The last bid of the round in play.
    pub(super) fn last_bid(&self) -> Option<Bid> {
        self.now.as_ref()?.bids.last().copied()
    }

    /// The bids that `player` may make, ordered as they are written.
    fn bids(&self, player: Player) -> impl Iterator<Item = Bid> {
        let dice = if self.mover() == Some(player) { self.all_dice() } else { 0 };
        let last = self.last_bid();
        Bid::all(dice).filter(move |bid| last < Some(*bid))
    }

    /// Whether `player` may challenge.
    fn may_challenge(&self, player: Player) -> bool {
        self.last_bid().is_some() && self.mover() == Some(player)
    }

    /// Begins a round with these dice; `None` if they are not those of the players.
    pub(super) fn begin(&mut self, rolls: Rolls) -> Option<()> {
        if self.now.is_some() || self.is_over() || !rolls.are_of(self.dice) {
            return None;
        }
        self.now = Some(Round { rolls, bids: Vec::new() });
        Some(())
    }

    /// Adds a bid to the round in play; `None` if it is not possible.
    pub(super) fn bid(&mut self, bid: Bid) -> Option<()> {
        let dice = self.all_dice();
        let round = self.now.as_mut()?;
        if bid.quantity > dice || round.bids.last() >= Some(&bid) {
            return None;
        }
        round.bids.push(bid);
        Some(())
    }

    /// Ends the round in play, in which `bid` was the last of `bids` bids, by a challenge.
    pub(super) fn settle(&mut self, bid: Bid, bids: u8) -> Option<()> {
        let count = usize::from(bids);
        let (bidder, challenger) = (self.actor(count.checked_sub(1)?)?, self.actor(count)?);
        let rolls = self.now.as_ref()?.rolls;
        let loser = if rolls.bear_out(bid) { challenger } else { bidder };
        let dice = self.dice.get_mut(loser.index())?;
        *dice = dice.checked_sub(1)?;
        let is_out = *dice == 0;
        self.now = None;
        self.settled.push(Settled { rolls, bid, bids, bidder, challenger, loser });
        self.starter = loser;
        if is_out {
            self.out.push(loser);
            self.starter = self.bidders().first().copied()?;
        }
        Some(())
    }
}

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

    fn meant(&self, player: Player, notation: &Notation) -> Option<Notation> {
        let found = meant(notation.as_str())?;
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
        let rolls = Rolls::drawn(self.dice, chance).ok_or(Refused::NeedsChance)?;
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
        if self.settled.is_empty() && self.now.is_none() {
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
    fn told(&self, _player: Player, notation: &Notation) -> Option<Notation> {
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

    fn clone_box(&self) -> Box<dyn Position> {
        Box::new(self.clone())
    }
}
