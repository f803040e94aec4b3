//! A game as text: the seats; the order of the prizes; the bids of each turn; the bids of the turn in play with `0`
//! for those that are not in, if its prize is turned.
//!
//! `2 7,1,13,2,3,4,5,6,8,9,10,11,12 4,5 0,9`. Everything else follows from these.

use super::position::{Bids, CARDS, GoofspielPosition, MOST_SEATS};
use alloc::string::String;
use core::fmt::{self, Write as _};
use hall_wire::Player;

impl GoofspielPosition {
    /// The text that [`Self::restore`] reads.
    pub(super) fn save(&self) -> String {
        let mut out = String::new();
        self.write(&mut out).expect("writing to a string does not fail");
        out
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        write!(out, "{}", self.seats)?;
        let Some(order) = &self.order else { return Ok(()) };
        write_word(out, order)?;
        for bids in self.turns.iter().chain(&self.sealed) {
            write_word(out, bids.get(..usize::from(self.seats)).unwrap_or(bids))?;
        }
        Ok(())
    }

    /// Reads what [`Self::save`] wrote, to the letter; `None` for anything else.
    pub(super) fn restore(saved: &str) -> Option<Self> {
        let mut words = saved.split(' ');
        let seats = words.next()?.parse().ok()?;
        let mut position = (2..=4).contains(&seats).then(|| Self::initial(seats))?;
        if let Some(order) = words.next() {
            let order: [u8; 13] = read_word(order)?;
            let is_shuffled = (1..=CARDS).all(|card| order.contains(&card));
            position.shuffle_into(is_shuffled.then_some(order)?);
            // The prize of the first turn is turned with the shuffle; that of another one before its bids.
            position.sealed = None;
        }
        for word in words {
            if position.is_over() {
                return None;
            }
            // A turn that is not decided is the last word; if another one follows, the texts below differ.
            position.sealed = Some(Bids::default());
            let bids: [u8; MOST_SEATS] = read_word(word)?;
            for (player, bid) in (0..).map(Player::new).zip(bids).filter(|(_, bid)| *bid > 0) {
                position.bid(player, bid)?;
            }
        }
        (position.save() == saved && (position.order.is_none() || position.has_begun())).then_some(position)
    }

    /// Whether the first prize is turned, as it is from the shuffle on.
    fn has_begun(&self) -> bool {
        self.sealed.is_some() || !self.turns.is_empty()
    }
}

fn write_word(out: &mut String, numbers: &[u8]) -> fmt::Result {
    numbers.iter().enumerate().try_for_each(|(place, number)| {
        let separator = if place == 0 { ' ' } else { ',' };
        write!(out, "{separator}{number}")
    })
}

/// Up to `N` numbers, filled up with zeros.
fn read_word<const N: usize>(word: &str) -> Option<[u8; N]> {
    let mut numbers = [0; N];
    let mut places = numbers.iter_mut();
    for number in word.split(',') {
        *places.next()? = number.parse().ok()?;
    }
    Some(numbers)
}
