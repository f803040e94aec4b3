//! Liar's dice by counting: how likely a bid holds, from one's own dice and the number of all others.

use super::dice::Dice;
use hall_client::answer::{LegalMove, View};
use serde_json::Value;

/// The face that counts for every other one.
const WILD: u64 = 6;
/// How much likelier a die of a bidder shows the face that it has bid for: most bids are meant.
const MEANT: f64 = 0.12;

/// Challenges a bid that is less likely to hold than any higher one, else makes the bid that is likeliest to hold, a tie
/// decided by dice; any move if the view is of another game, `None` if there is no legal move.
pub(super) fn choose(view: &View, dice: Dice) -> Option<&LegalMove> {
    let Some(seen) = RoundView::of(view) else { return dice.any(view) };
    let scored: Vec<(f64, &LegalMove)> = view
        .legal_moves
        .iter()
        .map(|legal| {
            let chance = match bid(&legal.notation) {
                Some((quantity, face)) => seen.holds(quantity, face),
                None => 1.0 - seen.last.map_or(0.0, |(quantity, face)| seen.holds(quantity, face)),
            };
            (chance, legal)
        })
        .collect();
    let best = scored.iter().map(|(chance, _)| *chance).fold(f64::NEG_INFINITY, f64::max);
    // What certainly holds tells much of one's dice; of several, dice choose.
    let moves: Vec<&LegalMove> =
        scored.into_iter().filter(|(chance, _)| *chance >= best - 0.001).map(|(_, legal)| legal).collect();
    dice.pick(view, &moves)
}

/// What a player knows in a round.
struct RoundView {
    own: Vec<u64>,
    /// The dice of the others.
    others: u64,
    last: Option<(u64, u64)>,
}

impl RoundView {
    fn of(view: &View) -> Option<Self> {
        let own: Vec<u64> = view.private.get("dice")?.as_array()?.iter().filter_map(Value::as_u64).collect();
        let all = view.public.get("dice_in_all")?.as_u64()?;
        let last = view.public.get("bid")?.get("notation").and_then(Value::as_str).and_then(bid);
        let others = all.checked_sub(u64::try_from(own.len()).ok()?)?;
        Some(Self { own, others, last })
    }

    /// How likely at least `quantity` of all dice count for `face`.
    fn holds(&self, quantity: u64, face: u64) -> f64 {
        let counts = self.own.iter().filter(|die| **die == face || **die == WILD).count();
        let missing = quantity.saturating_sub(u64::try_from(counts).unwrap_or(0));
        let fair = if face == WILD { 1.0 / 6.0 } else { 1.0 / 3.0 };
        let is_meant = self.last.is_some_and(|(_, bid)| bid == face);
        at_least(missing, self.others, if is_meant { fair + MEANT } else { fair })
    }
}

/// How likely at least `wanted` of `dice` dice show what each shows with this chance.
fn at_least(wanted: u64, dice: u64, chance: f64) -> f64 {
    // The chances of 0, 1, 2, … after each die.
    let mut counts = vec![1.0];
    for _ in 0..dice {
        let mut next = vec![0.0; counts.len() + 1];
        for (count, before) in counts.iter().enumerate() {
            for (place, part) in [(count, 1.0 - chance), (count + 1, chance)] {
                if let Some(sum) = next.get_mut(place) {
                    *sum += before * part;
                }
            }
        }
        counts = next;
    }
    counts.iter().skip(usize::try_from(wanted).unwrap_or(usize::MAX)).sum()
}

/// The quantity and the face of a bid; `None` for the challenge.
fn bid(notation: &str) -> Option<(u64, u64)> {
    let (quantity, face) = notation.split_once('x')?;
    Some((quantity.parse().ok()?, face.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::strategy::tests::view;
    use serde_json::json;

    fn seen(own: &[u8], all: u8, bid: Option<&str>, moves: &[&str]) -> View {
        let mut view = view("", moves);
        view.private = json!({ "dice": own });
        view.public = json!({ "dice_in_all": all, "bid": bid.map(|bid| json!({ "notation": bid })) });
        view
    }

    #[test]
    fn a_bid_that_cannot_hold_is_challenged_and_a_certain_one_is_not() {
        let moves = ["4x5", "5x2", "5x5", "liar"];
        for (own, bid, chosen) in [([1, 1, 2, 3, 3], "4x4", "liar"), ([5, 5, 5, 6, 1], "3x5", "4x5")] {
            let view = seen(&own, 6, Some(bid), &moves);
            let found = &choose(&view, Dice::new(1)).unwrap().notation;
            assert_eq!(found, chosen, "{own:?} after {bid}");
        }
    }

    #[test]
    fn sixes_count_for_every_face_and_alone_for_their_own() {
        let view = seen(&[6, 6, 3], 3, None, &["1x1"]);
        let known = RoundView::of(&view).unwrap();
        for (quantity, face, chance) in [(3, 3, 1.0), (2, 1, 1.0), (2, 6, 1.0), (3, 6, 0.0), (3, 1, 0.0)] {
            assert_eq!(known.holds(quantity, face), chance, "{quantity}x{face}");
        }
        assert!((at_least(1, 2, 0.5) - 0.75).abs() < 1e-12);
    }
}
