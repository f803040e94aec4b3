//! A game as text: the variant, and behind it each round.
//!
//! `standard;13356/22344 3x5 4;1335/22344 2x3,3x3`: the dice of each player; behind them, in a round that is over,
//! the challenged bid and how many bids there were, and in the round in play all bids. Everything else follows from
//! these.

use super::bid::Bid;
use super::dice::{Roll, Rolls};
use super::position::LiarsPosition;
use super::{FOUR, seats_of};
use crate::STANDARD;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write as _};

impl LiarsPosition {
    /// The text that [`Self::restore`] reads.
    pub(super) fn save(&self) -> String {
        let mut out = String::new();
        self.write(&mut out).expect("writing to a string does not fail");
        out
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        out.write_str(if self.seats == 2 { STANDARD } else { FOUR })?;
        for settled in &self.settled {
            self.write_rolls(out, &settled.rolls)?;
            write!(out, " {} {}", settled.bid, settled.bids)?;
        }
        let Some(round) = &self.now else { return Ok(()) };
        self.write_rolls(out, &round.rolls)?;
        for (place, bid) in round.bids.iter().enumerate() {
            write!(out, "{}{bid}", if place > 0 { ',' } else { ' ' })?;
        }
        Ok(())
    }

    fn write_rolls(&self, out: &mut String, rolls: &Rolls) -> fmt::Result {
        for player in self.players() {
            out.write_char(if player.seat() == 0 { ';' } else { '/' })?;
            rolls.of_player(player).faces().try_for_each(|face| write!(out, "{face}"))?;
        }
        Ok(())
    }

    /// Reads what [`Self::save`] wrote, to the letter; `None` for anything else.
    pub(super) fn restore(saved: &str) -> Option<Self> {
        let mut parts = saved.split(';');
        let mut position = Self::initial(seats_of(parts.next()?)?);
        for part in parts {
            let words: Vec<&str> = part.split(' ').collect();
            position.begin(read_rolls(words.first()?)?)?;
            match *words.as_slice() {
                [_] => {}
                [_, bids] => {
                    bids.split(',').try_for_each(|bid| position.bid(Bid::parse(bid)?))?;
                }
                [_, bid, bids] => {
                    let (bid, bids) = (Bid::parse(bid)?, bids.parse().ok()?);
                    // There are only so many bids up to the last one, and no round ends without a bid.
                    if bids > bid.rank() || bid.quantity > position.all_dice() {
                        return None;
                    }
                    position.settle(bid, bids)?;
                }
                _ => return None,
            }
        }
        (position.save() == saved).then_some(position)
    }
}

fn read_rolls(text: &str) -> Option<Rolls> {
    let mut rolls = Rolls::default();
    let mut places = rolls.0.iter_mut();
    for roll in text.split('/') {
        let faces: Vec<u8> = roll.bytes().map(|byte| byte.wrapping_sub(b'0')).collect();
        *places.next()? = Roll::of(&faces)?;
    }
    Some(rolls)
}
