//! A game as data: its public part, what one player knows alone, what was hidden, and the picture.

use super::dice::{Roll, Rolls};
use super::position::{LiarsPosition, Settled};
use crate::by_player::by_player;
use crate::{Counter, Hand, Picture};
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use hall_wire::Player;
use hall_wire::json::{Map, Value};
use serde_json::json;

impl LiarsPosition {
    /// The players in seat order, also those who are out.
    pub(super) fn players(&self) -> impl Iterator<Item = Player> + use<> {
        (0..self.seats).map(Player::new)
    }

    fn faces(&self, rolls: &Rolls) -> Value {
        by_player(self.seats, |player| json!(rolls.of_player(player).faces().collect::<Vec<_>>()))
    }
}

impl Rolls {
    /// What `player` rolled.
    pub(super) fn of_player(&self, player: Player) -> Roll {
        self.0.get(player.index()).copied().unwrap_or_default()
    }
}

/// `{ round, dice, dice_in_all, bid, bids, last_round }`, rounds counted from 0.
pub(super) fn public(position: &LiarsPosition) -> Map<String, Value> {
    let bids = position.now.as_ref().map_or(&[][..], |round| &round.bids);
    let entry = |(place, bid): (usize, &super::bid::Bid)| {
        json!({
            "player": position.actor(place), "quantity": bid.quantity, "face": bid.face, "notation": bid.to_string(),
        })
    };
    let bids: Vec<Value> = bids.iter().enumerate().map(entry).collect();
    let fields = [
        ("round", json!(position.settled.len())),
        ("dice", by_player(position.seats, |player| json!(position.dice_of(player)))),
        ("dice_in_all", json!(position.all_dice())),
        ("bid", bids.last().cloned().unwrap_or(Value::Null)),
        ("bids", Value::Array(bids)),
        ("last_round", position.settled.last().map_or(Value::Null, |settled| closed(position, settled))),
    ];
    fields.into_iter().map(|(key, value)| (key.to_string(), value)).collect()
}

/// A round that is over; all of it is known to everybody.
fn closed(position: &LiarsPosition, settled: &Settled) -> Value {
    json!({
        "dice": position.faces(&settled.rolls),
        "bid": settled.bid.to_string(),
        "bidder": settled.bidder,
        "challenger": settled.challenger,
        "held": settled.loser == settled.challenger,
        "lost_a_die": settled.loser,
    })
}

/// `{ dice }`: the faces of the player's dice in this round, in order of size.
pub(super) fn private(position: &LiarsPosition, player: Player) -> Value {
    let faces = position.now.as_ref().map(|round| round.rolls.of_player(player).faces().collect::<Vec<_>>());
    json!({ "dice": faces.unwrap_or_default() })
}

/// `{ rolls: [{ "p0": [1, 3, 3, 5, 6], … }, …] }` by round and player.
pub(super) fn hidden(position: &LiarsPosition) -> Value {
    let now = position.now.as_ref().map(|round| &round.rolls);
    let rolls = position.settled.iter().map(|settled| &settled.rolls).chain(now);
    let rolls: Vec<Value> = rolls.map(|rolls| position.faces(rolls)).collect();
    if rolls.is_empty() { Value::Null } else { json!({ "rolls": rolls }) }
}

/// The dice of each player, face down unless `revealed`, with the bid beside them. After the end the winner still has
/// those of the last round.
pub(super) fn picture(position: &LiarsPosition, revealed: bool) -> Picture {
    let mut picture = Picture::table_set_up(position.is_set_up());
    let last = position.settled.last().filter(|_| position.is_over()).map(|settled| &settled.rolls);
    let rolls = position.now.as_ref().map(|round| &round.rolls).or(last);
    for player in position.players() {
        let rolled = rolls.filter(|_| position.dice_of(player) > 0).map(|rolls| rolls.of_player(player));
        let shown: Vec<_> = rolled
            .filter(|_| revealed)
            .map_or_else(Vec::new, |roll| roll.faces().map(|face| face.to_string()).collect());
        let hidden = if shown.is_empty() { position.dice_of(player) } else { 0 };
        picture.hands.push(Hand { player: Some(player), title: "dice".to_string(), shown, hidden });
        let value = position.dice_of(player).to_string();
        picture.counters.push(Counter { player: Some(player), title: "dice".to_string(), value });
    }
    let bids = position.now.iter().flat_map(|round| round.bids.iter().enumerate());
    if let Some((place, bid)) = bids.last() {
        let (player, title) = (position.actor(place), "bid".to_string());
        picture.counters.push(Counter { player, title, value: bid.to_string() });
    }
    picture
}
