//! A hand as its player sees it.

use super::hand::{Action, RANKS, Rank, Stakes, key};
use hall_client::answer::View;
use serde_json::Value;

/// What a view tells its player.
#[derive(Debug)]
pub(super) struct HandView {
    pub(super) stakes: Stakes,
    rank: Rank,
    board: Option<Rank>,
    /// What was done, by round.
    rounds: Vec<Vec<Action>>,
    /// What the player and the other have paid.
    paid: [f64; 2],
}

impl HandView {
    /// Reads a view; `None` if it is none of this game with a hand in play.
    pub(super) fn of(view: &View) -> Option<Self> {
        let card = view.private.get("card")?.as_str()?;
        let board = view.public.get("board").and_then(Value::as_str);
        let rounds = view.public.get("this_hand")?.get("actions")?.as_array()?;
        let actions = |round: &Value| {
            round.as_array()?.iter().map(|word| Action::of_word(word.as_str()?)).collect::<Option<Vec<_>>>()
        };
        let pot = view.public.get("pot")?;
        let own = pot.get(view.you.player.to_string())?.as_f64()?;
        let all: f64 = pot.as_object()?.values().filter_map(Value::as_f64).sum();
        Some(Self {
            // Only cards of Leduc hold'em name a suit.
            stakes: if card.len() == 1 { Stakes::Kuhn } else { Stakes::Leduc },
            rank: rank(card)?,
            board: board.and_then(rank),
            rounds: rounds.iter().map(actions).collect::<Option<_>>()?,
            paid: [own, all - own],
        })
    }

    /// What the player knows, as the solver names it.
    pub(super) fn key(&self) -> String {
        key(self.rank, self.board, &self.rounds)
    }

    /// The chance to win against any card that may be left, half of a tie counted.
    pub(super) fn odds(&self) -> f64 {
        let strength = |rank: Rank| (self.board == Some(rank), rank);
        let (mut all, mut won) = (0.0, 0.0);
        for other in 0..RANKS.len() {
            let known = u32::from(other == self.rank) + u32::from(self.board == Some(other));
            let left = f64::from(self.stakes.suits().saturating_sub(known));
            all += left;
            won += left
                * match strength(self.rank).cmp(&strength(other)) {
                    std::cmp::Ordering::Less => 0.0,
                    std::cmp::Ordering::Equal => 0.5,
                    std::cmp::Ordering::Greater => 1.0,
                };
        }
        if all > 0.0 { won / all } else { 0.5 }
    }

    /// Which chance of winning a call needs to be worth it.
    pub(super) fn price(&self) -> f64 {
        let [own, others] = self.paid;
        (others - own) / (2.0 * others)
    }
}

fn rank(card: &str) -> Option<Rank> {
    let first = card.chars().next()?;
    RANKS.iter().position(|rank| *rank == first)
}
