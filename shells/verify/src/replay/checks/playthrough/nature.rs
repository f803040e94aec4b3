//! What comes before a turn: acts of nature and their rolls, and seats that became vacant.

use super::expected_events::ADJUDICATED;
use super::table::Vacancy;
use super::{Fault, Needs, OpenedTurn, Replayer};
use crate::replay::document::{Act, BeaconStatus, Event, RollText, Turn};
use crate::replay::report::ClaimId;
use hall_games::{Chance, PlayerSet, Refused};
use hall_wire::Player;
use hall_wire::json::Value;
use hall_wire::message;
use hall_wire::roll::{RollHash, Rolls};
use serde_json::json;

/// Why a seat becomes vacant by what its player does or fails to do.
const LEFT: [&str; 3] = ["resignation", "strikes", "clock"];

impl<'a> Replayer<'a, '_> {
    /// Lets nature act as long as the rules call for it, unless the game is over; `next` is the entry of the turn.
    pub(super) fn begin_turn(&mut self, next: Option<&Turn<'_>>) -> Result<(), Fault> {
        while self.result.is_none() {
            self.result = self.decided();
            let acts = self.replay.chance.iter().flatten().nth(self.acts);
            let act = acts.filter(|act| act.turn_index == self.turn_index);
            // The operator may have ended the game while nature waited for the beacon.
            let ended_before = act.is_none() && next.is_some_and(|turn| turn.player.is_none());
            if self.result.is_some() || !self.position.awaits_nature() || ended_before {
                break;
            }
            let act = act.ok_or_else(|| {
                (
                    ClaimId::Rolls,
                    format!("nature is to act before turn {}, but no act is listed", self.turn_index),
                )
            })?;
            self.vacate_before_act()?;
            self.act(act)?;
        }
        if self.result.is_none() {
            let to_move = self.position.to_move();
            let is_vacant = |player: &Player| self.table.vacancy(*player).is_some();
            let vacant: PlayerSet = to_move.iter().filter(is_vacant).collect();
            let running = vacant.iter().fold(to_move, PlayerSet::without);
            self.playthrough.turns.push(OpenedTurn { running, vacant });
        }
        Ok(())
    }

    fn act(&mut self, act: &Act<'_>) -> Result<(), Fault> {
        let fault = |reason: String| (ClaimId::Rolls, format!("before turn {}: {reason}", act.turn_index));
        let randomness = self.randomness();
        let mut chance = self.chance(&randomness);
        let acted = self.position.act(&mut chance).map_err(|refused| fault(worded(refused).to_owned()))?;
        let taken = chance.rolls.taken();
        let needs = Needs::of(!taken.is_empty());
        self.take(taken, &act.rolls, &format!("the act of nature before turn {}", act.turn_index))?;
        if acted.complete != act.outcome {
            let reason = format!("nature came to {:?}, but {:?} is listed", acted.complete, act.outcome);
            return Err(fault(reason));
        }
        let state = self.position.state_string();
        let clocks = self.clocks_before();
        let data = json!({
            "outcome": acted.outcome,
            "state_hash": message::state_hash(&self.replay.game_id, act.turn_index, &state).to_hex(),
            "clocks_ms": clocks,
            "to_move": names(self.to_move()),
        });
        self.expect("chance", act.turn_index, data, needs);
        self.acts += 1;
        Ok(())
    }

    /// The side clocks as they stand at the beginning of the current turn.
    fn clocks_before(&self) -> Value {
        let before = self.replay.moves.iter().rev().find(|turn| turn.turn_index < self.turn_index);
        if let Some(turn) = before {
            return turn.value.get("clocks_ms").cloned().unwrap_or_default();
        }
        let side = self.replay.events.first().and_then(|event| event.data.get("side_ms")).cloned();
        match side {
            Some(side) if !side.is_null() => {
                self.replay.seats.iter().map(|seat| (seat.player.to_string(), side.clone())).collect()
            }
            _ => Value::Null,
        }
    }

    /// The seats that the operator has vacated in the current turn while its next act of nature waited for the beacon.
    fn vacate_before_act(&mut self) -> Result<(), Fault> {
        let acted = self.expected_of_turn().filter(|next| next.kind == "chance").count();
        let chance = self.events_of_turn().filter(|event| event.kind == "chance").nth(acted);
        let Some(seq) = chance.map(|event| event.seq) else { return Ok(()) };
        self.vacate(|event| event.seq < seq)?;
        self.expect_queued();
        Ok(())
    }

    /// The seats that the replay tells to have become vacant in the current turn.
    pub(super) fn vacate_told(&mut self) -> Result<(), Fault> {
        self.vacate(|_| true)
    }

    fn vacate(&mut self, is_meant: impl Fn(&Event<'_>) -> bool) -> Result<(), Fault> {
        let told = self.events_of_turn().filter(|event| event.kind == "seat_vacated");
        for event in told.skip(self.table.vacated_in(self.turn_index)).take_while(|event| is_meant(event)) {
            let fault = |reason: &str| (ClaimId::Forced, format!("event {}: {reason}", event.seq));
            let player = event.player().ok_or_else(|| fault("it names no player"))?;
            let reason = event.data.get("reason").and_then(Value::as_str).unwrap_or_default();
            if !self.table.seated(&*self.position).contains(player) {
                return Err(fault("a seat becomes vacant in which nobody sits"));
            }
            if !self.table.goes_on_without(player, &*self.position) {
                return Err(fault("a seat becomes vacant, but without it the game is over"));
            }
            if reason == ADJUDICATED {
                self.queue_vacated(player, reason);
                let sentence = format!(
                    "The hall moved for a player only after a missed deadline or three illegal moves, which cost a strike, \
                     or once its seat was vacant; its operator vacated that of {player}, and the public docket says why."
                );
                self.ledger.say(ClaimId::Forced, sentence);
            } else if !LEFT.contains(&reason) {
                return Err(fault("it gives no reason for which a seat becomes vacant"));
            }
            self.table.vacate(Vacancy { turn_index: self.turn_index, player, reason: reason.to_owned() });
        }
        Ok(())
    }

    /// The beacon's randomness as rolls use it.
    pub(super) fn randomness(&self) -> String {
        self.replay.beacon.randomness.map_or_else(String::new, |randomness| randomness.to_hex())
    }

    /// Rolls of the current turn, after those that were made in it.
    pub(super) fn chance<'d>(&self, randomness: &'d str) -> RecomputedChance<'d>
    where
        'a: 'd,
    {
        let replay = self.replay;
        let rolls = Rolls::new(replay.game_id, self.turn_index, &replay.seed, randomness);
        let beacon = &replay.beacon;
        let known = match beacon.status {
            BeaconStatus::Verified => beacon.randomness.is_some(),
            BeaconStatus::Waiting => false,
            BeaconStatus::Off | BeaconStatus::Missed => true,
        };
        RecomputedChance { rolls: rolls.after(self.hashes_taken), known }
    }

    /// Takes the hashes of a roll; `listed` must be the same.
    pub(super) fn take(
        &mut self,
        taken: Vec<RollHash>,
        listed: &[RollText<'_>],
        place: &str,
    ) -> Result<(), Fault> {
        if !is_written(&taken, listed) {
            let reason = format!("{place}: the numbers listed are not those that follow from the seed");
            return Err((ClaimId::Rolls, reason));
        }
        self.hashes_taken = self.hashes_taken.saturating_add(u32::try_from(taken.len()).unwrap_or(u32::MAX));
        Ok(())
    }
}

/// Random numbers as the hall must have taken them.
pub(super) struct RecomputedChance<'d> {
    pub(super) rolls: Rolls<'d>,
    known: bool,
}

impl Chance for RecomputedChance<'_> {
    fn below(&mut self, n: u64) -> Option<u64> {
        self.known.then(|| self.rolls.below(n))
    }
}

/// Why there is no random number or no act.
pub(super) const fn worded(refused: Refused) -> &'static str {
    match refused {
        Refused::Illegal => "nature is not to act",
        Refused::NeedsChance => "a number was drawn before the beacon was known",
    }
}

/// Players as events list them.
pub(super) fn names(players: PlayerSet) -> Vec<Player> {
    players.iter().collect()
}

/// Whether the hashes taken are listed exactly so.
fn is_written(taken: &[RollHash], listed: &[RollText<'_>]) -> bool {
    taken.len() == listed.len()
        && taken.iter().zip(listed).all(|(roll, listed)| {
            let x = format!("{:016x}", roll.x);
            *listed == RollText { counter: u64::from(roll.counter), n: roll.n, x: &x, value: roll.value }
        })
}
