//! A game as data: its public part, what was hidden, and the picture.

use super::position::{Bids, GoofspielPosition};
use crate::by_player::by_player;
use crate::{Counter, Hand, Picture};
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use hall_wire::Player;
use hall_wire::json::{Map, Value};
use serde_json::json;

/// `{ prize, left, hands, points, turns }`; `turns` has each prize that is decided with its bids and who took it.
pub(super) fn public(position: &GoofspielPosition) -> Map<String, Value> {
    let each = |value: &dyn Fn(Player) -> Value| by_player(position.seats, value);
    let turn = |(prize, bids, taker): (u8, &Bids, Option<Player>)| {
        let bids = each(&|player| json!(bids.get(player.index())));
        json!({ "prize": prize, "bids": bids, "taken_by": taker })
    };
    let fields = [
        ("prize", json!(position.prize())),
        ("left", json!(position.left().collect::<Vec<_>>())),
        ("hands", each(&|player| json!(position.hand(player).collect::<Vec<_>>()))),
        ("points", each(&|player| json!(position.points_of(player)))),
        ("turns", position.decided().map(turn).collect()),
    ];
    fields.into_iter().map(|(key, value)| (key.to_string(), value)).collect()
}

/// `{ order }`: all prizes in their order.
pub(super) fn hidden(position: &GoofspielPosition) -> Value {
    position.order.map_or(Value::Null, |order| json!({ "order": order }))
}

/// The prize on the table, and the hands, which everybody knows. The prizes to come lie face down unless
/// `revealed`; then they follow in their order.
pub(super) fn picture(position: &GoofspielPosition, revealed: bool) -> Picture {
    let mut picture = Picture::table_set_up(position.is_set_up());
    let (prizes, hidden): (Vec<u8>, usize) = match position.order.filter(|_| revealed) {
        Some(order) => (order.into_iter().skip(position.turns.len()).collect(), 0),
        None => (position.prize().into_iter().collect(), position.left().count()),
    };
    picture.hands.push(Hand {
        player: None,
        title: "prizes".to_string(),
        shown: prizes.iter().map(u8::to_string).collect(),
        hidden: u8::try_from(hidden).unwrap_or(u8::MAX),
    });
    for player in position.players() {
        let shown = position.hand(player).map(|card| card.to_string()).collect();
        picture.hands.push(Hand { player: Some(player), title: "cards".to_string(), shown, hidden: 0 });
        let value = position.points_of(player).to_string();
        picture.counters.push(Counter { player: Some(player), title: "points".to_string(), value });
    }
    picture
}
