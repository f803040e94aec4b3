//! A match as text: the variant, and behind it each hand as its deck, `:` and a letter for each step.
//!
//! `standard JsQhKsJhQsKh:kbc/kk KhJs…:b`. Everything else follows from these, so that a text which reads back is
//! one that was written.

use super::position::LeducPosition;
use super::rules::{Card, MOST_CARDS, Rules, Step};
use alloc::string::{String, ToString as _};

impl LeducPosition {
    /// The text that [`Self::restore`] reads.
    pub(super) fn save(&self) -> String {
        let mut out = self.rules.variant.to_string();
        for hand in self.played.iter().chain(&self.now) {
            out.push(' ');
            out.extend(hand.deck(self.rules).iter().map(|card| self.rules.name(*card)));
            out.push(':');
            out.extend(hand.steps().iter().map(|step| step.letter()));
        }
        out
    }

    /// Reads what [`Self::save`] wrote, to the letter; `None` for anything else.
    pub(super) fn restore(saved: &str) -> Option<Self> {
        let mut words = saved.split(' ');
        let mut position = Self::initial(Rules::find(words.next()?)?);
        for word in words {
            if position.now.is_some() || position.is_over() {
                return None;
            }
            let (deck, steps) = word.split_once(':')?;
            position.deal(read_deck(position.rules, deck)?);
            for letter in steps.chars() {
                position.step(Step::of_letter(letter)?)?;
            }
        }
        Some(position)
    }
}

fn read_deck(rules: &Rules, text: &str) -> Option<[Card; MOST_CARDS]> {
    let mut deck = [0, 1, 2, 3, 4, 5].map(Card);
    let mut rest = text;
    for place in 0..rules.cards.len() {
        let (dealt, open) = deck.split_at_mut_checked(place)?;
        let card = rules.cards.iter().position(|name| rest.starts_with(name))?;
        let card = Card(u8::try_from(card).ok()?);
        rest = rest.strip_prefix(rules.name(card))?;
        if dealt.contains(&card) {
            return None;
        }
        *open.first_mut()? = card;
    }
    rest.is_empty().then_some(deck)
}
