//! A turn of one player.

use super::nature::names;
use super::resolving::Resolved;
use super::{Fault, Needs, Replayer, shown};
use crate::replay::document::Turn;
use crate::replay::report::ClaimId;
use hall_games::{NoChance, Played};
use hall_wire::{Notation, Player};
use serde_json::json;

impl Replayer<'_, '_> {
    /// Plays the turn that stands at `place` in `moves`; the place of the next one.
    pub(super) fn turn_of_one(&mut self, place: usize, turn: &Turn<'_>) -> Result<usize, Fault> {
        let index = self.turn_index;
        self.vacate_told()?;
        let mover = self.position.to_move().iter().next();
        let resolved = match (turn.player, mover) {
            (None, _) => {
                mover.into_iter().for_each(|mover| self.attempts(place, turn, mover));
                self.settled(turn)?
            }
            (Some(_), None) => {
                return Err((ClaimId::TurnOrder, format!("nobody is to move in turn {index}")));
            }
            (Some(player), Some(mover)) if player != mover => {
                let reason = format!("turn {index} names {}, but {mover} is to move", shown(turn.player));
                return Err((ClaimId::TurnOrder, reason));
            }
            (Some(_), Some(mover)) => {
                self.attempts(place, turn, mover);
                self.resolve(place, turn, mover)?
            }
        };
        self.expect_queued();
        match (resolved, mover) {
            (Resolved::Move { notation, offers, needs }, Some(mover)) => {
                self.apply(place, turn, mover, notation, offers, needs)?;
            }
            (Resolved::Move { .. }, None) => {}
            (Resolved::End(result), _) => {
                self.ended_by(turn)?;
                self.decline_at_the_end(turn, mover, result.draw);
                self.result = Some(result);
            }
        }
        Ok(place + 1)
    }

    fn apply(
        &mut self,
        place: usize,
        turn: &Turn<'_>,
        mover: Player,
        notation: Notation,
        offers: bool,
        needs: Needs,
    ) -> Result<(), Fault> {
        // No player's own move takes a random number (decision 13.3).
        let Ok(Played { san, shown }) = self.position.play(mover, &notation, &mut NoChance) else {
            return Err((ClaimId::Legality, format!("{notation} is not legal in turn {}", turn.turn_index)));
        };
        if needs == Needs::Nothing {
            self.no_rolls(turn);
        }
        self.state_hash(turn);
        self.expect_move(place, turn, (mover, notation), san, needs);
        self.expect_shown(shown);
        if self.offer.is_some_and(|by| by != mover) {
            self.expect("draw_declined", turn.turn_index, json!({ "player": mover }), Needs::Nothing);
            self.offer = None;
        }
        if self.decided().is_none() && offers {
            self.expect("draw_offered", turn.turn_index, json!({ "player": mover }), Needs::Nothing);
            self.offer = Some(mover);
        }
        Ok(())
    }

    /// The event of a move that has led to the position as it is now.
    pub(super) fn expect_move(
        &mut self,
        place: usize,
        turn: &Turn<'_>,
        (mover, notation): (Player, Notation),
        san: Option<Notation>,
        needs: Needs,
    ) {
        let body = self.bodies.of_turns.get(place).and_then(Option::as_ref);
        let told = |name: &str| turn.value.get(name).cloned().unwrap_or_default();
        // A resignation that vacates a seat has no words.
        let commentary = body.filter(|body| !body.resign).and_then(|body| body.commentary.clone());
        let data = json!({
            "player": mover, "notation": notation, "san": san,
            "forced": told("forced"), "commentary": commentary, "at": told("at"),
            "body_sha256": told("body_sha256"), "state_hash": told("state_hash"),
            "clocks_ms": told("clocks_ms"), "to_move": names(self.to_move()),
        });
        self.expect("move", turn.turn_index, data, needs);
        self.playthrough.san.push(san.unwrap_or(notation).to_string());
    }

    pub(super) fn expect_shown(&mut self, shown: Option<String>) {
        if let Some(text) = shown {
            self.expect("shown", self.turn_index, json!({ "text": text }), Needs::Nothing);
        }
    }

    /// The entry ends the game, and applies no move.
    pub(super) fn ended_by(&mut self, turn: &Turn<'_>) -> Result<(), Fault> {
        if turn.notation.is_some() {
            let reason = format!("turn {} applies a move, but ends the game without one", turn.turn_index);
            return Err((ClaimId::Legality, reason));
        }
        self.no_rolls(turn);
        self.state_hash(turn);
        Ok(())
    }

    /// Who gives up, or is out, declines a standing offer. Replays from before that was told have no event.
    fn decline_at_the_end(&mut self, turn: &Turn<'_>, mover: Option<Player>, is_draw: bool) {
        let Some(mover) = mover.filter(|_| !is_draw && turn.player.is_some()) else { return };
        if self.offer.is_some_and(|by| by != mover) && self.is_told(turn, "draw_declined") {
            self.expect("draw_declined", turn.turn_index, json!({ "player": mover }), Needs::Nothing);
        }
    }

    pub(super) fn no_rolls(&mut self, turn: &Turn<'_>) {
        if !turn.rolls.is_empty() {
            let reason =
                format!("turn {} lists random numbers, but nothing was drawn in it", turn.turn_index);
            self.ledger.fail(ClaimId::Rolls, reason);
        }
    }
}
