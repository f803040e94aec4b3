//! The network between agents and hall: delays, losses, repetitions, and groups that are cut off.

use crate::dice::Dice;
use hall_wire::{Span, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How bad the network is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetworkConditions {
    /// The least delay of a message.
    pub least: Span,
    /// The usual delay above it at most.
    pub usual: Span,
    /// Chance in thousandths of a delay ten to a hundred times as long.
    pub heavy_tail: u32,
    /// Chance in thousandths that a request is lost.
    pub loses_requests: u32,
    /// Chance in thousandths that an answer is lost.
    pub loses_answers: u32,
    /// Chance in thousandths that a request arrives twice.
    pub repeats: u32,
    /// Chance in thousandths that a request spends up to two seconds between its stamp and its command.
    pub lingers: u32,
    /// Groups that are cut off, with the time until which they are.
    #[serde(skip)]
    cut: BTreeMap<u64, Timestamp>,
}

/// The number of groups in which agents are cut off.
pub(super) const GROUPS: u64 = 8;

/// The fate of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// It arrives after so long.
    Arrives(Span),
    /// It is lost.
    Lost,
}

impl NetworkConditions {
    /// A network without faults, with delays of a few milliseconds.
    #[must_use]
    pub const fn calm() -> Self {
        Self {
            least: Span::from_millis(1),
            usual: Span::from_millis(20),
            heavy_tail: 0,
            loses_requests: 0,
            loses_answers: 0,
            repeats: 0,
            lingers: 0,
            cut: BTreeMap::new(),
        }
    }

    /// Cuts a group off until then.
    pub fn cut(&mut self, group: u64, until: Timestamp) {
        self.cut.insert(group, until);
    }

    /// Ends all faults.
    pub fn calm_down(&mut self) {
        *self = Self { least: self.least, usual: self.usual, ..Self::calm() };
    }

    /// Whether every message arrives, once and soon.
    #[must_use]
    pub const fn is_faultless(&self) -> bool {
        self.heavy_tail == 0
            && self.loses_requests == 0
            && self.loses_answers == 0
            && self.repeats == 0
            && self.lingers == 0
    }

    fn is_cut(&self, agent: usize, now: Timestamp) -> bool {
        let group = u64::try_from(agent).unwrap_or(0) % GROUPS;
        self.cut.get(&group).is_some_and(|until| now < *until)
    }

    /// The fate of a request that an agent sends now.
    pub fn request(&self, agent: usize, now: Timestamp, dice: &mut Dice) -> Delivery {
        if self.is_cut(agent, now) || dice.permille(self.loses_requests) {
            return Delivery::Lost;
        }
        Delivery::Arrives(self.delay(dice))
    }

    /// The fate of an answer to an agent that is sent now.
    pub fn answer(&self, agent: usize, now: Timestamp, dice: &mut Dice) -> Delivery {
        if self.is_cut(agent, now) || dice.permille(self.loses_answers) {
            return Delivery::Lost;
        }
        Delivery::Arrives(self.delay(dice))
    }

    fn delay(&self, dice: &mut Dice) -> Span {
        let usual = dice.span(Span::from_millis(0), self.usual).as_millis();
        let factor = if dice.permille(self.heavy_tail) { dice.between(10, 100) } else { 1 };
        Span::from_millis(self.least.as_millis() + usual * factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_cut_off_until_its_time_and_others_are_not() {
        let mut network = NetworkConditions::calm();
        let mut dice = Dice::of(1, "network", 0);
        let at = Timestamp::from_millis;
        network.cut(1, at(100));
        assert_eq!(network.request(1, at(99), &mut dice), Delivery::Lost);
        assert_eq!(network.answer(9, at(99), &mut dice), Delivery::Lost);
        assert!(matches!(network.request(2, at(99), &mut dice), Delivery::Arrives(_)));
        assert!(matches!(network.request(1, at(100), &mut dice), Delivery::Arrives(_)));
    }
}
