//! Goofspiel by counting: the prize is met by the card that stands as high in the hand as the prize does among those left.

use super::dice::Dice;
use hall_client::answer::{LegalMove, View};
use serde_json::Value;

/// How often, of a hundred turns, a card beside the one that counting names is bid: who can be foretold is outbid by one.
const ASIDE: f64 = 0.3;

/// The card that stands as high in the hand as the prize among the prizes left, sometimes the next higher or lower one;
/// any move if the view is of another game, `None` if there is no legal move.
pub(super) fn choose(view: &View, dice: Dice) -> Option<&LegalMove> {
    let Some(place) = place(view) else { return dice.any(view) };
    let mut hand: Vec<(u64, &LegalMove)> =
        view.legal_moves.iter().filter_map(|legal| Some((legal.notation.parse().ok()?, legal))).collect();
    hand.sort_by_key(|(card, _)| *card);
    let mut rolls = dice.rolls(view);
    let aside = rolls.part();
    let place = if aside < ASIDE / 3.0 {
        place.saturating_sub(1)
    } else if aside < ASIDE {
        (place + 1).min(hand.len().saturating_sub(1))
    } else {
        place
    };
    hand.get(place).map(|(_, legal)| *legal).or_else(|| dice.any(view))
}

/// How many of the prizes left, the one on the table included, are lower than it. There are as many as cards in the hand.
fn place(view: &View) -> Option<usize> {
    let prize = view.public.get("prize")?.as_u64()?;
    let left = view.public.get("left")?.as_array()?;
    Some(left.iter().filter_map(Value::as_u64).filter(|other| *other < prize).count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::strategy::tests::view;
    use serde_json::json;
    use std::collections::BTreeMap;

    #[test]
    fn a_prize_is_met_by_the_card_of_its_rank_and_sometimes_by_a_neighbour() {
        let mut view = view("", &["10", "12", "2", "4", "7"]);
        view.public = json!({ "prize": 9, "left": [3, 5, 11, 13] });
        let mut bids = BTreeMap::new();
        for seed in 0..300 {
            let chosen = choose(&view, Dice::new(seed)).unwrap();
            *bids.entry(chosen.notation.as_str()).or_insert(0) += 1;
        }
        assert_eq!(bids.keys().copied().collect::<Vec<_>>(), ["10", "4", "7"], "{bids:?}");
        assert!(bids["7"] > 180 && bids["10"] > bids["4"], "{bids:?}");
    }

    #[test]
    fn the_last_card_is_bid_and_another_game_gets_a_legal_move() {
        let mut last = view("", &["5"]);
        last.public = json!({ "prize": 13, "left": [] });
        assert_eq!(choose(&last, Dice::new(3)).unwrap().notation, "5");
        assert!(choose(&view("", &["a", "b"]), Dice::new(3)).is_some());
    }
}
