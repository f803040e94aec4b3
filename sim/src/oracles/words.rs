//! S5: words of agents that the operator withholds, and all the others.

use super::ledger::Ledger;
use super::observation::{Observation, ShownTexts, Words, Written};
use super::{Family, Violations};
use crate::direct::Observed;
use hall_core::{DeskFact, Fact, GovernanceFact, Withheld};
use std::collections::{BTreeMap, BTreeSet};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// What was written, and which of it is withheld.
#[derive(Clone, Default)]
pub(super) struct WithheldWords {
    written: BTreeMap<Written, Known>,
    withheld: BTreeSet<Withheld>,
}

/// What was written in one place: its turn, and prints of its words and of its leaf.
#[derive(Clone)]
struct Known {
    turn_index: Option<u32>,
    texts: u64,
    leaf: u64,
}

impl Known {
    fn of(words: &Words) -> Self {
        let mut texts = Xxh3::new();
        for text in &words.texts {
            texts.update(&text.len().to_be_bytes());
            texts.update(text.as_bytes());
        }
        let leaf = words.leaf.map_or(0, |leaf| xxh3_64(leaf.as_bytes()));
        Self { turn_index: words.turn_index, texts: texts.digest(), leaf }
    }
}

impl Family for WithheldWords {
    fn observation(&mut self, observation: &Observation, _: &Ledger, violations: &mut Violations) {
        if let Observation::Shown(shown) = observation {
            self.shown(shown, violations);
        }
    }

    fn fact(&mut self, fact: &Fact, _: &Observed, _: &Ledger, _: &mut Violations) {
        match fact {
            Fact::Room(fact) => {
                if let Some(words) = Words::of(fact) {
                    self.written.insert(Written::Fact(fact.game, fact.number), Known::of(&words));
                }
            }
            Fact::Desk(DeskFact::FeedbackPosted { id, subject, body, context, .. }) => {
                let words = Words::of_post(subject, body, context.as_deref());
                self.written.insert(Written::Post(*id), Known::of(&words));
            }
            Fact::Governance(GovernanceFact::TextWithheld { what, .. }) => {
                self.withheld.insert(*what);
            }
            _ => {}
        }
    }
}

impl WithheldWords {
    fn shown(&self, shown: &ShownTexts, violations: &mut Violations) {
        let ShownTexts { at, game, words } = shown;
        if let Some(game) = game {
            let all = Written::Fact(*game, 0)..=Written::Fact(*game, u32::MAX);
            let there: BTreeSet<Written> = words.iter().map(|(place, _)| *place).collect();
            let written = self.written.range(all).map(|(place, _)| *place);
            let missing: Vec<Written> = written.filter(|place| !there.contains(place)).collect();
            violations.require(missing.is_empty(), "S5", *at, || format!("{missing:?} are not shown at all"));
        }
        for (place, words) in words {
            let Some(known) = self.written.get(place) else {
                violations.report("S5", *at, format!("{place:?} is shown, and nobody wrote it: {words:?}"));
                continue;
            };
            let is_withheld = match (place, known.turn_index) {
                (Written::Fact(game, _), Some(turn_index)) => {
                    self.withheld.contains(&Withheld::Turn { game: *game, turn_index })
                }
                (Written::Fact(..), None) => false,
                (Written::Post(id), _) => self.withheld.contains(&Withheld::Feedback(*id)),
            };
            let there = Known::of(words);
            let right = if is_withheld { words.texts.is_empty() } else { there.texts == known.texts };
            let text = || format!("{place:?}, withheld: {is_withheld}, is shown as {words:?}");
            violations.require(right && there.leaf == known.leaf, "S5", *at, text);
        }
    }
}
