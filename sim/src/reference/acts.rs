//! What the hall does in a game before anybody can move: it lets nature act, and acts for vacant seats (decisions 13.3,
//! 13.5).

use super::expectation::{Expectation, player as player_json, time};
use super::room::{Room, TurnContext};
use super::text;
use super::turns::by_seat;
use hall_core::rooms::{BeaconStatus, ForcedCause, RoomChange, Vacancy};
use hall_games::{Act, Reason, Refused};
use hall_wire::{Player, Timestamp};
use serde_json::json;

impl Room {
    /// What comes before the next move of a player: the end of a game that is decided, acts of nature, and those of
    /// vacant seats. What needs the beacon before its round is known waits for it.
    pub(super) fn begin_turn(&mut self, step: &mut Expectation<'_>) {
        while self.result.is_none() {
            if let Some(result) = self.decided() {
                return self.end(step, result, None);
            }
            let to_move = self.position.to_move();
            let sealed =
                |player: Player| self.seats.get(player.index()).is_some_and(|side| side.sealed.is_some());
            let vacant = to_move.iter().find(|player| self.is_vacant(*player) && !sealed(*player));
            let acted = if self.position.awaits_nature() {
                self.let_nature_act(step)
            } else if let Some(player) = vacant {
                self.act_for(step, player)
            } else {
                return;
            };
            match acted {
                Ok(()) => {}
                Err(_) if self.beacon != BeaconStatus::Waiting => return,
                Err(_) => return self.wait_for_beacon(step),
            }
        }
    }

    fn wait_for_beacon(&mut self, step: &mut Expectation<'_>) {
        if self.waits_since.is_none() {
            self.wait_again(step);
        }
    }

    fn let_nature_act(&mut self, step: &mut Expectation<'_>) -> Result<(), Refused> {
        let mut rolls = self.rolls();
        let Act { outcome, complete } = self.position.act(&mut rolls)?;
        let rolls = rolls.into_taken();
        self.hashes_taken += u32::try_from(rolls.len()).unwrap_or(u32::MAX);
        (self.waits_since, self.deferred) = (None, None);
        let (to_move, turns) = self.open_turns(step.at, None, false);
        let turn_index = self.turn_index;
        let state_hash = self.state_hash(turn_index);
        let clocks = self.clocks();
        let data = json!({
            "turn_index": turn_index,
            "outcome": outcome,
            "state_hash": text::digest(&state_hash),
            "to_move": to_move.iter().map(player_json).collect::<Vec<_>>(),
            "deadline_utc": time(self.deadline()),
            "clocks_ms": by_seat(clocks.as_deref(), |left| left.as_millis().into()),
        });
        let change = RoomChange::NatureActed {
            turn_index,
            outcome,
            complete,
            rolls,
            state_hash,
            clocks,
            to_move,
            turns,
        };
        step.tell(self, change, Some(("chance", data)), None);
        Ok(())
    }

    /// A vacant seat does what a missed deadline would do, without a strike and without a clock. The turn in which the
    /// player left is resolved with what it signed, as of when it left.
    fn act_for(&mut self, step: &mut Expectation<'_>, player: Player) -> Result<(), Refused> {
        let vacancy = self.seats.get(player.index()).and_then(|side| side.vacancy.clone());
        let own = vacancy.filter(|vacancy| vacancy.turn_index == self.turn_index);
        let context = TurnContext {
            player: Some(player),
            forced: Some(ForcedCause::Vacated),
            at: own.as_ref().map_or(step.at, |own| own.left_at),
            charged_until: Some(own.as_ref().map_or(step.at, |own| own.charged_until)),
            body: own.and_then(|own| own.body),
            ..TurnContext::default()
        };
        let default = self.position.default_action(player);
        self.take(step, context, default)
    }

    /// A player leaves. The others play on if there are at least two; else the game is over.
    pub(super) fn leave(&mut self, step: &mut Expectation<'_>, context: TurnContext, reason: Reason) {
        let Some(player) = context.player else { return };
        let others = self.seated().into_iter().filter(|other| *other != player).count();
        if !self.plays_on() || others < 2 {
            let result = self.lost_by(player, reason);
            return self.end_by(step, context, result);
        }
        let TurnContext { at, charged_until, body, forced, .. } = context;
        let charged_until: Timestamp = charged_until.unwrap_or(at);
        let is_dated_back = self.position.is_simultaneous() && forced == Some(ForcedCause::Deadline);
        let left_at = if is_dated_back { charged_until } else { at };
        let order = self.seats.iter().filter(|side| side.vacancy.is_some()).count();
        let turn_index = self.turn_index;
        let vacancy = Vacancy {
            order: u8::try_from(order).unwrap_or(u8::MAX),
            reason: reason.clone(),
            turn_index,
            left_at,
            charged_until,
            body: body.clone(),
        };
        if let Some(side) = self.seats.get_mut(player.index()) {
            side.vacancy = Some(vacancy);
        }
        let data = json!({
            "turn_index": turn_index, "player": player_json(player), "reason": reason.as_str(),
        });
        let change = RoomChange::SeatVacated { turn_index, player, reason, body, left_at, charged_until };
        step.tell(self, change, Some(("seat_vacated", data)), None);
        self.begin_turn(step);
    }
}
