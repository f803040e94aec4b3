//! A match in play.

use super::hand::{Betting, Hand, Next};
use super::rules::{ANTE, Card, MOST_CARDS, Rules, Step, opponent};
use crate::Chance;
use crate::shuffle::shuffle;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use hall_wire::Player;

/// The hands of a match as far as they are played.
#[derive(Clone, Debug)]
pub(super) struct LeducPosition {
    pub(super) rules: &'static Rules,
    /// The hands that are over, in order.
    pub(super) played: Vec<Hand>,
    /// The hand in play; `None` while its cards are not shuffled, and after the last one.
    pub(super) now: Option<Hand>,
    /// The net chips of `p0` from the hands that are over; `p1` has as many below zero.
    pub(super) chips: i32,
}

impl LeducPosition {
    /// Whether the first cards were dealt.
    pub(super) const fn is_set_up(&self) -> bool {
        !self.played.is_empty() || self.now.is_some()
    }

    /// A match before its first hand.
    pub(super) const fn initial(rules: &'static Rules) -> Self {
        Self { rules, played: Vec::new(), now: None, chips: 0 }
    }

    pub(super) fn is_over(&self) -> bool {
        self.played.len() >= usize::from(self.rules.hands)
    }

    /// Who acts first in the hand in play, or in the next one: the players take turns.
    pub(super) fn first(&self) -> Player {
        Player::new(u8::from(!self.played.len().is_multiple_of(2)))
    }

    /// How the bets stand in the hand in play. Between two hands the antes of the next one are paid; before the first one
    /// nothing is.
    pub(super) fn betting(&self) -> Betting {
        match &self.now {
            Some(hand) => hand.betting(self.rules),
            None => {
                let is_between = self.is_set_up() && !self.is_over();
                Betting::of_first(self.first(), if is_between { ANTE } else { 0 })
            }
        }
    }

    pub(super) fn mover(&self) -> Option<Player> {
        match self.now.as_ref()?.betting(self.rules).next {
            Next::Player(player) => Some(player),
            Next::Board | Next::Folded(_) | Next::Showdown => None,
        }
    }

    /// What `player` may do, in the order of the words.
    pub(super) fn actions(&self, player: Player) -> impl Iterator<Item = Step> {
        let betting = (self.mover() == Some(player)).then(|| self.betting());
        Step::ACTIONS
            .into_iter()
            .filter(move |action| betting.is_some_and(|betting| betting.allows(self.rules, *action)))
    }

    /// Deals the next hand from a shuffled deck.
    pub(super) fn deal(&mut self, deck: [Card; MOST_CARDS]) {
        self.now = Some(Hand::dealt(deck, self.first()));
    }

    /// Goes one step on in the hand in play, and closes it if it is over; `None` if the step is not possible. What a
    /// showdown shows comes back.
    pub(super) fn step(&mut self, step: Step) -> Option<Option<String>> {
        let hand = self.now.as_mut()?;
        hand.take(self.rules, step)?;
        let Some([won, _]) = hand.net(self.rules) else { return Some(None) };
        let shown = hand.shown(self.rules);
        self.chips += won;
        self.played.extend(self.now.take());
        Some(shown)
    }

    pub(super) fn shuffled(&self, chance: &mut dyn Chance) -> Option<[Card; MOST_CARDS]> {
        let mut deck = [0, 1, 2, 3, 4, 5].map(Card);
        shuffle(deck.get_mut(..self.rules.cards.len())?, chance)?;
        Some(deck)
    }

    pub(super) fn summary(&self, action: Step, player: Player) -> String {
        let betting = self.betting();
        let owed = betting.paid(opponent(player)) - betting.paid(player);
        let size = betting.size(self.rules);
        match action {
            Step::Bet => format!("bet {size}"),
            Step::Call => format!("call {owed}"),
            Step::Raise => format!("call {owed} and raise by {size}"),
            Step::Fold => format!("fold and lose {}", betting.paid(player)),
            Step::Check | Step::Board => action.word().to_string(),
        }
    }
}
