//! X5 and X6: the numbering and delivery of a game's events, and that no reader delays anything.

use super::ledger::Ledger;
use super::observation::Observation;
use super::{Family, Violations};
use crate::direct::Observed;
use hall_core::Fact;
use hall_core::rooms::RoomChange;
use hall_wire::{Digest, GameId, Timestamp};
use std::collections::BTreeMap;

/// The progress of readers.
#[derive(Clone, Default)]
pub(super) struct Effects {
    readers: BTreeMap<(u64, GameId), u32>,
    last: BTreeMap<GameId, u32>,
    /// The hash of each event's leaf.
    leaves: BTreeMap<(GameId, u32), Digest>,
    now: Timestamp,
}

impl Family for Effects {
    fn observation(&mut self, observation: &Observation, _: &Ledger, violations: &mut Violations) {
        match observation {
            Observation::Streamed { reader, game, seq, leaf } => {
                self.streamed(*reader, *game, (*seq, *leaf), violations)
            }
            Observation::Drained { reader, game } => {
                let known = self.readers.get(&(*reader, *game)).copied().unwrap_or(0);
                let durable = self.last.get(game).copied().unwrap_or(0);
                let text = || {
                    format!(
                        "reader {reader} of game {game} has {known} events of {durable}, and no more come"
                    )
                };
                violations.require(known == durable, "X6", self.now, text);
            }
            Observation::Alone { watched, alone } => {
                let text = || format!("with readers the trace is {watched}, without {alone}");
                violations.require(watched == alone, "X6", self.now, text);
            }
            _ => {}
        }
    }

    fn fact(&mut self, fact: &Fact, observed: &Observed, ledger: &Ledger, violations: &mut Violations) {
        self.now = observed.at;
        let Fact::Room(fact) = fact else { return };
        let (facts, events) = match (&fact.change, ledger.games.get(&fact.game)) {
            (RoomChange::Started(_), _) | (_, None) => (0, 0),
            (_, Some(game)) => (game.facts, game.events),
        };
        let next =
            fact.number == facts + 1 && fact.event.as_ref().is_none_or(|event| event.seq == events + 1);
        let silent =
            matches!(fact.change, RoomChange::PenaltyDeferred { .. } | RoomChange::HallDeferred { .. });
        let text =
            || format!("fact {} of game {} follows {facts}, its event {events}", fact.number, fact.game);
        violations.require(next && fact.event.is_none() == silent, "X5", fact.at, text);
        if let Some(event) = &fact.event {
            self.last.insert(fact.game, event.seq);
            self.leaves.insert((fact.game, event.seq), Digest::of(event.leaf.as_bytes()));
        }
    }
}

impl Effects {
    fn streamed(
        &mut self,
        reader: u64,
        game: GameId,
        (seq, leaf): (u32, Digest),
        violations: &mut Violations,
    ) {
        let known = self.readers.entry((reader, game)).or_default();
        let durable = self.last.get(&game).copied().unwrap_or(0);
        let same = self.leaves.get(&(game, seq)) == Some(&leaf);
        let text = || {
            format!(
                "reader {reader} of game {game} gets event {seq} after {known}, of {durable}; as it was: {same}"
            )
        };
        violations.require(seq == *known + 1 && seq <= durable && same, "X5", self.now, text);
        *known = seq;
    }
}
