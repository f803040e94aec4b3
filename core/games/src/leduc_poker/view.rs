//! A match as data: its public part, what one player knows alone, what was hidden, and the picture.

use super::hand::Hand;
use super::position::LeducPosition;
use super::rules::Step;
use crate::by_player::by_player;
use crate::{Counter, Hand as PictureHand, Picture};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use hall_wire::Player;
use hall_wire::json::{Map, Value};
use serde_json::json;

const SEATS: u8 = 2;

impl LeducPosition {
    /// The hands in order, the one in play among them.
    fn hands(&self) -> impl Iterator<Item = &Hand> {
        self.played.iter().chain(&self.now)
    }

    /// The name of the card of `player` in `hand`.
    pub(super) fn card(&self, hand: &Hand, player: Player) -> Option<&'static str> {
        hand.card(player).map(|card| self.rules.name(card))
    }

    /// The name of the board of `hand`, once it is turned.
    pub(super) fn board(&self, hand: &Hand) -> Option<&'static str> {
        hand.board().map(|card| self.rules.name(card))
    }
}

/// `{ hand, hands, round, board, pot, chips, bet_size, this_hand, last_hand }`: `hand` is counted from 0, `hands` is
/// how many there are, `chips` are those of the hands that are over.
pub(super) fn public(position: &LeducPosition) -> Map<String, Value> {
    let betting = position.betting();
    let chips = by_player(SEATS, |player| {
        json!(if player == Player::new(0) { position.chips } else { -position.chips })
    });
    let fields = [
        ("hand", json!(position.played.len())),
        ("hands", json!(position.rules.hands)),
        ("round", json!(betting.round + 1)),
        ("board", json!(position.now.as_ref().and_then(|hand| position.board(hand)))),
        ("pot", by_player(SEATS, |player| json!(betting.paid(player)))),
        ("chips", chips),
        ("bet_size", json!(betting.size(position.rules))),
        ("this_hand", position.now.as_ref().map_or(Value::Null, rounds)),
        ("last_hand", position.played.last().map_or(Value::Null, |hand| closed(position, hand))),
    ];
    fields.into_iter().map(|(key, value)| (key.to_string(), value)).collect()
}

/// What was done in each round of a hand, as words.
fn rounds(hand: &Hand) -> Value {
    let words = |round: &[Step]| round.iter().map(|step| step.word()).collect::<Vec<_>>();
    json!({
        "first": hand.first,
        "actions": hand.steps().split(|step| *step == Step::Board).map(words).collect::<Vec<_>>(),
    })
}

/// A hand that is over, as everybody saw it.
fn closed(position: &LeducPosition, hand: &Hand) -> Value {
    let net = hand.net(position.rules).unwrap_or_default();
    json!({
        "board": position.board(hand),
        "rounds": rounds(hand),
        "shown": hand.shown(position.rules),
        "won": by_player(SEATS, |player| json!(net.get(player.index()))),
    })
}

/// `{ card, cards }`: the card in the hand in play, `null` before it is dealt, and the cards of all hands by hand.
pub(super) fn private(position: &LeducPosition, player: Player) -> Value {
    json!({
        "card": position.now.as_ref().and_then(|hand| position.card(hand, player)),
        "cards": position.hands().map(|hand| position.card(hand, player)).collect::<Vec<_>>(),
    })
}

/// `{ hands: [["Js", "Qh"], …] }` by hand and seat.
pub(super) fn hidden(position: &LeducPosition) -> Value {
    let cards = |hand: &Hand| [0, 1].map(|seat| position.card(hand, Player::new(seat)));
    let hands: Vec<_> = position.hands().map(cards).collect();
    if hands.is_empty() { Value::Null } else { json!({ "hands": hands }) }
}

/// The cards on the table, with chips and pot beside them. Between two hands nothing lies there; after the end the
/// last hand does.
pub(super) fn picture(position: &LeducPosition, revealed: bool) -> Picture {
    let mut picture = Picture::table_set_up(position.is_set_up());
    let hand = position.now.as_ref().or_else(|| position.played.last().filter(|_| position.is_over()));
    let is_open =
        revealed || position.now.is_none() && hand.is_some_and(|hand| hand.shown(position.rules).is_some());
    let betting = position.betting();
    for player in [0, 1].map(Player::new) {
        let card = hand.and_then(|hand| position.card(hand, player));
        picture.hands.push(PictureHand {
            player: Some(player),
            title: "cards".to_string(),
            shown: card.filter(|_| is_open).map(String::from).into_iter().collect(),
            hidden: u8::from(card.is_some() && !is_open),
        });
        let chips = if player == Player::new(0) { position.chips } else { -position.chips };
        let counters = [("chips", format!("{chips:+}")), ("pot", betting.paid(player).to_string())];
        picture.counters.extend(counters.map(|(title, value)| Counter {
            player: Some(player),
            title: title.to_string(),
            value,
        }));
    }
    if position.rules.bets.len() > 1 {
        let third = |hand: &Hand| position.rules.name(hand.third_card());
        let board = if revealed { hand.map(third) } else { hand.and_then(|hand| position.board(hand)) };
        picture.hands.push(PictureHand {
            player: None,
            title: "board".to_string(),
            shown: board.map(String::from).into_iter().collect(),
            hidden: u8::from(hand.is_some() && board.is_none()),
        });
    }
    picture
}
