//! A game in play.

use super::bid::Bid;
use super::dice::{DICE, Rolls};
use alloc::vec::Vec;
use hall_wire::Player;

/// A game: the rounds that are over, and the one in play.
#[derive(Clone, Debug)]
pub(super) struct LiarsPosition {
    pub(super) seats: u8,
    /// The dice that each player has left.
    pub(super) dice: [u8; 4],
    /// Who bids first in the round in play, or in the next one.
    pub(super) starter: Player,
    /// The players without dice, in the order in which they lost the last one.
    pub(super) out: Vec<Player>,
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
    /// Whether the first dice were rolled.
    pub(super) const fn is_set_up(&self) -> bool {
        !self.settled.is_empty() || self.now.is_some()
    }

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

    pub(super) fn mover(&self) -> Option<Player> {
        self.actor(self.now.as_ref()?.bids.len())
    }

    /// The last bid of the round in play.
    pub(super) fn last_bid(&self) -> Option<Bid> {
        self.now.as_ref()?.bids.last().copied()
    }

    /// The bids that `player` may make, ordered as they are written.
    pub(super) fn bids(&self, player: Player) -> impl Iterator<Item = Bid> {
        let dice = if self.mover() == Some(player) { self.all_dice() } else { 0 };
        let last = self.last_bid();
        Bid::all(dice).filter(move |bid| last < Some(*bid))
    }

    /// Whether `player` may challenge.
    pub(super) fn may_challenge(&self, player: Player) -> bool {
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
