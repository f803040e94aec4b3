//! Leduc hold'em and Kuhn poker, from what a player sees: an equilibrium that is computed when it is first needed, and a
//! player that goes by the odds of its cards alone.
//!
//! A match counts chips over all hands, and neither player can tell what the other will do; so the equilibrium of one hand
//! is played in each. How far it is from a true one is its exploitability: what the best answer to it wins of it in a hand,
//! on average over both places. A test computes it.
//!
//! | module | what it owns |
//! |---|---|
//! | `hand` | a hand as a tree, by ranks |
//! | `solver` | the equilibrium |
//! | `best_answer` | what the best answer to a strategy wins, for the test |
//! | `hand_view` | a hand as its player sees it |

#[cfg(test)]
mod best_answer;
mod hand;
mod hand_view;
mod solver;

use super::dice::Dice;
use hall_client::answer::{LegalMove, View};
use hand::Stakes;
use hand_view::HandView;
use solver::Solved;
use std::sync::OnceLock;

static LEDUC: OnceLock<Solved> = OnceLock::new();
static KUHN: OnceLock<Solved> = OnceLock::new();

/// The exploitability of the equilibrium that is played, in chips a hand, is below this. A test says so.
pub const MOST_EXPLOITABLE: f64 = 0.001;

/// By the equilibrium, drawn by dice; any move if the view is of another game, `None` if there is no legal move.
pub(super) fn search(view: &View, dice: Dice) -> Option<&LegalMove> {
    let chosen = HandView::of(view).and_then(|seen| {
        let chances = solved(seen.stakes).chances(&seen.key())?;
        let mut left = dice.rolls(view).part();
        let drawn = chances.iter().find(|(_, chance)| {
            left -= chance;
            left < 0.0
        });
        let (action, _) = drawn.or(chances.last())?;
        find(view, action.word())
    });
    chosen.or_else(|| dice.any(view))
}

/// By the odds against a card of which nothing is known: bets with more than an even chance, pays what the pot is worth.
pub(super) fn greedy(view: &View, dice: Dice) -> Option<&LegalMove> {
    let chosen = HandView::of(view).and_then(|seen| {
        let odds = seen.odds();
        let bold = ["raise", "bet"].into_iter().filter(|_| odds > 0.6);
        let worth_a_call = odds >= seen.price();
        bold.chain(["check"])
            .chain(["call"].into_iter().filter(|_| worth_a_call))
            .chain(["fold"])
            .find_map(|word| find(view, word))
    });
    chosen.or_else(|| dice.any(view))
}

fn find<'a>(view: &'a View, notation: &str) -> Option<&'a LegalMove> {
    view.legal_moves.iter().find(|legal| legal.notation == notation)
}

fn solved(stakes: Stakes) -> &'static Solved {
    let solved = match stakes {
        Stakes::Leduc => &LEDUC,
        Stakes::Kuhn => &KUHN,
    };
    solved.get_or_init(|| Solved::of(stakes))
}

#[cfg(test)]
mod tests;
