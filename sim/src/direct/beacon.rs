//! The beacon: rounds that arrive in time, late, all at once, or never, and rounds that nobody waits for.
//!
//! What comes here is verified already: that forged rounds are refused is the client's business, which the other world
//! runs. But the core must not take a round of another chain or of another number for its own, nor a second one.

use super::agenda::Event;
use super::world::World;
use crate::dice::Dice;
use crate::oracles::Observation;
use hall_core::{Command, RoomCommand};
use hall_wire::{Digest, Span};

/// How far another round is from the one that games wait for.
const STRAY: u64 = 7;

/// Planned events of the beacon besides its rounds.
pub(super) struct Beacon {
    /// A separate stream, so that worlds without a beacon are unchanged.
    dice: Dice,
    /// Rounds that come later, all at the same time.
    kept_back: Vec<u64>,
    /// This many more are held back.
    keeps: u64,
}

impl Beacon {
    pub(super) fn of(seed: u64) -> Self {
        Self { dice: Dice::of(seed, "beacon", 0), kept_back: Vec::new(), keeps: 0 }
    }
}

impl World {
    /// Plans the first beacon round, if the hall has a beacon.
    pub(super) fn plan_beacon(&mut self) {
        if let Some(chain) = &self.plan.settings.beacon {
            let round = chain.round_at_or_after(self.plan.begins);
            self.plan_round(round);
        }
    }

    fn plan_round(&mut self, round: u64) {
        let Some(chain) = &self.plan.settings.beacon else { return };
        let due = chain.genesis + Span::from_millis(chain.period.as_millis() * (round - 1));
        // Mostly in time, sometimes too late for those who wait, and some rounds never come.
        let late = match self.dice.below(20) {
            0 => self.dice.span(Span::from_secs(9), Span::from_secs(14)),
            _ => self.dice.span(Span::from_millis(100), Span::from_secs(2)),
        };
        self.at((due + late).max(self.now()), Event::Beacon(round));
    }

    /// A round of the beacon arrives, verified.
    pub(super) fn publish_beacon(&mut self, round: u64) {
        self.plan_round(round + 1);
        if self.dice.permille(20) && !self.calm {
            return self.report.fault("beacon_round_missing");
        }
        let Some(chain) = self.plan.settings.beacon.as_ref().map(|chain| chain.chain_hash) else { return };
        self.beacon.kept_back.push(round);
        if self.calm {
            self.beacon.keeps = 0;
        } else if self.beacon.keeps > 0 {
            self.beacon.keeps -= 1;
        } else if self.beacon.dice.permille(15) {
            self.beacon.keeps = self.beacon.dice.between(2, 8);
        }
        if self.beacon.keeps > 0 {
            return;
        }
        let come = std::mem::take(&mut self.beacon.kept_back);
        if come.len() > 1 {
            self.report.fault("beacon_burst");
        }
        for round in come {
            self.publish(chain, round);
        }
    }

    /// Hands over a round that games are bound to, and sometimes what is not it.
    fn publish(&mut self, chain: Digest, round: u64) {
        let awaited = self.host.as_ref().is_some_and(|host| {
            host.peek(|hall| {
                hall.rooms().iter().any(|room| room.beacon_terms().is_some_and(|terms| terms.round == round))
            })
        });
        if !awaited {
            return;
        }
        let mut sometimes = || self.beacon.dice.permille(60) && !self.calm;
        let (other_chain, stray, second) = (sometimes(), sometimes(), sometimes());
        if other_chain {
            self.report.fault("beacon_other_chain");
            self.receive(Digest::of(b"another chain"), round, "other");
        }
        if stray {
            self.report.fault("beacon_stray_round");
            self.receive(chain, round + STRAY, "stray");
        }
        self.receive(chain, round, "round");
        if second {
            self.report.fault("beacon_second_signature");
            self.receive(chain, round, "second");
        }
    }

    /// Tells the hall a round, with a signature that is made of `word`.
    fn receive(&mut self, chain_hash: Digest, round: u64, word: &str) {
        let signature = Digest::of_parts(&[word.as_bytes(), &round.to_be_bytes()]);
        let randomness = Digest::of(signature.as_bytes());
        let signature = signature.to_hex();
        let Some(host) = &mut self.host else { return };
        if host.engine().status().writable {
            self.oracles.see(Observation::BeaconGiven { at: host.now(), chain_hash, round });
        }
        host.command_of_hall(Command::Room(RoomCommand::ReceiveBeacon {
            chain_hash,
            round,
            randomness,
            signature,
            after: None,
        }));
        self.step_at(self.now());
    }
}
