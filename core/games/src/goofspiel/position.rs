//! A game in play.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write as _;
use hall_wire::{Notation, Player};

/// The highest card; there are as many prizes, and as many cards in each hand, with the values from 1.
pub(super) const CARDS: u8 = 13;
pub(super) const MOST_SEATS: usize = 4;

/// The cards in the order of their notations, whose bytes put `10` before `2`.
pub(super) const AS_WRITTEN: [u8; 13] = [1, 10, 11, 12, 13, 2, 3, 4, 5, 6, 7, 8, 9];

/// The bids of one turn by seat; 0 where there is none.
pub(super) type Bids = [u8; MOST_SEATS];

/// A game: the order of the prizes and what was bid for them.
#[derive(Clone, Debug)]
pub(super) struct GoofspielPosition {
    pub(super) seats: u8,
    /// The order of all prizes, once nature has shuffled them.
    pub(super) order: Option<[u8; 13]>,
    /// The bids for the prizes that are decided.
    pub(super) turns: Vec<Bids>,
    /// The bids of the turn in play as far as they are in; `None` while its prize is not turned.
    pub(super) sealed: Option<Bids>,
}

impl GoofspielPosition {
    /// Whether the prizes were shuffled.
    pub(super) const fn is_set_up(&self) -> bool {
        self.order.is_some()
    }

    /// A game before the shuffle.
    pub(super) const fn initial(seats: u8) -> Self {
        Self { seats, order: None, turns: Vec::new(), sealed: None }
    }

    pub(super) fn players(&self) -> impl Iterator<Item = Player> + use<> {
        (0..self.seats).map(Player::new)
    }

    pub(super) fn is_over(&self) -> bool {
        self.turns.len() == usize::from(CARDS)
    }

    /// The prize that is bid for.
    pub(super) fn prize(&self) -> Option<u8> {
        self.sealed.and(self.order?.get(self.turns.len()).copied())
    }

    /// The prizes that are not turned, from the lowest.
    pub(super) fn left(&self) -> impl Iterator<Item = u8> {
        let turned = self.turns.len() + usize::from(self.sealed.is_some());
        let is_turned = move |prize: &u8| {
            self.order.is_some_and(|order| order.iter().take(turned).any(|card| card == prize))
        };
        (1..=CARDS).filter(move |prize| !is_turned(prize))
    }

    /// Whether `player` holds `card`, from before the turn in play.
    pub(super) fn holds(&self, player: Player, card: u8) -> bool {
        let has_bid = |bids: &Bids| bids.get(player.index()) == Some(&card);
        player.seat() < self.seats && (1..=CARDS).contains(&card) && !self.turns.iter().any(has_bid)
    }

    /// The cards that `player` holds, from the lowest, from before the turn in play.
    pub(super) fn hand(&self, player: Player) -> impl Iterator<Item = u8> {
        (1..=CARDS).filter(move |card| self.holds(player, *card))
    }

    /// Each prize that is decided with its bids and who took it: the highest bidder, if there is only one.
    pub(super) fn decided(&self) -> impl Iterator<Item = (u8, &Bids, Option<Player>)> {
        let prizes = self.order.into_iter().flatten();
        prizes.zip(&self.turns).map(|(prize, bids)| (prize, bids, taker(bids)))
    }

    /// The prizes that `player` has won, added up.
    pub(super) fn points_of(&self, player: Player) -> u8 {
        self.decided().filter(|(_, _, taker)| *taker == Some(player)).map(|(prize, ..)| prize).sum()
    }

    /// Puts the prizes into this order and turns the first.
    pub(super) fn shuffle_into(&mut self, order: [u8; 13]) {
        self.order = Some(order);
        self.sealed = Some(Bids::default());
    }

    /// Seals the bid of `player`, and decides the turn if it was the last; `None` if the player is not to move or
    /// does not hold the card.
    pub(super) fn bid(&mut self, player: Player, card: u8) -> Option<()> {
        if !self.holds(player, card) {
            return None;
        }
        let bids = self.sealed.as_mut()?;
        let bid = bids.get_mut(player.index()).filter(|bid| **bid == 0)?;
        *bid = card;
        if bids.iter().filter(|bid| **bid > 0).count() == usize::from(self.seats) {
            self.turns.extend(self.sealed.take());
        }
        Some(())
    }

    pub(super) fn may_bid(&self, player: Player) -> bool {
        player.seat() < self.seats && self.sealed.is_some_and(|bids| bids.get(player.index()) == Some(&0))
    }

    /// The cards that `player` may bid, ordered as they are written.
    pub(super) fn choices(&self, player: Player) -> impl Iterator<Item = u8> {
        let may_bid = self.may_bid(player);
        AS_WRITTEN.into_iter().filter(move |card| may_bid && self.holds(player, *card))
    }
}

/// Who bid the most, if only one did.
pub(super) fn taker(bids: &Bids) -> Option<Player> {
    let most = bids.iter().max()?;
    let mut highest = (0..).map(Player::new).zip(bids).filter(|(_, bid)| *bid == most);
    let (player, _) = highest.next()?;
    highest.next().is_none().then_some(player)
}

/// Reads a card that is written to the letter.
pub(super) fn read_card(text: &str) -> Option<u8> {
    let card = text.parse().ok()?;
    ((1..=CARDS).contains(&card) && !text.starts_with(['0', '+'])).then_some(card)
}

pub(super) fn notation(card: u8) -> Notation {
    Notation::parse(&card.to_string()).expect("a number is short ASCII")
}

/// Numbers joined by commas, `-` for none.
pub(super) fn write_numbers(out: &mut String, numbers: impl Iterator<Item = u8>) {
    let length = out.len();
    for number in numbers {
        let comma = if out.len() > length { "," } else { "" };
        write!(out, "{comma}{number}").expect("writing to a string does not fail");
    }
    if out.len() == length {
        out.push('-');
    }
}
