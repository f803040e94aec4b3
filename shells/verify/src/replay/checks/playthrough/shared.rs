//! A turn that several players share (decision 13.4).

use super::expected_events::ADJUDICATED;
use super::nature::names;
use super::resolving::{ILLEGAL_MOVES, Resolved, clock_is_used_up};
use super::table::Vacancy;
use super::{Fault, Needs, Replayer};
use crate::replay::document::{Body, ForcedBy, Turn, Unresolved};
use crate::replay::report::ClaimId;
use hall_games::{GameResult, NoChance, Reason};
use hall_wire::{Notation, Player};
use serde_json::json;
use std::collections::BTreeMap;

impl Replayer<'_, '_> {
    /// Plays the turn whose entries begin at `place` in `moves`; the place behind them.
    pub(super) fn shared_turn(&mut self, place: usize) -> Result<usize, Fault> {
        let replay = self.replay;
        let entries = replay.moves.get(place..).unwrap_or_default();
        let count = entries.iter().take_while(|turn| turn.turn_index == self.turn_index).count();
        let entries = entries.get(..count).unwrap_or_default();
        self.vacate_told()?;
        let sealed: Vec<Player> = self
            .events_of_turn()
            .filter(|event| event.kind == "move_sealed")
            .filter_map(|event| event.player())
            .collect();
        match entries {
            [turn] if turn.notation.is_none() => self.ended_shared(place, turn, &sealed)?,
            entries => self.resolved_shared(place, entries, &sealed)?,
        }
        Ok(place + count)
    }

    /// A turn in which everybody acted, in the order `sealed`.
    fn resolved_shared(
        &mut self,
        place: usize,
        entries: &[Turn<'_>],
        sealed: &[Player],
    ) -> Result<(), Fault> {
        let index = self.turn_index;
        let movers = names(self.position.to_move());
        let players: Vec<Player> = entries.iter().filter_map(|turn| turn.player).collect();
        if players != movers || players.len() != entries.len() {
            let reason = format!("turn {index} has entries of {players:?}, but {movers:?} are to move");
            return Err((ClaimId::TurnOrder, reason));
        }
        let mut actions = BTreeMap::new();
        for player in sealed {
            let found = (place..).zip(entries).find(|(_, turn)| turn.player == Some(*player));
            let Some((place, turn)) = found.filter(|_| !actions.contains_key(player)) else {
                return Err((ClaimId::Events, format!("turn {index} tells of {player} what it did not do")));
            };
            self.attempts(place, turn, *player);
            let resolved = self.resolve(place, turn, *player)?;
            let Resolved::Move { notation, needs, .. } = resolved else {
                self.ended_by(turn)?;
                return Err((
                    ClaimId::Legality,
                    format!("turn {index} ends the game, but has several entries"),
                ));
            };
            if needs == Needs::Nothing {
                self.no_rolls(turn);
            }
            self.queue(*player, "move_sealed", json!({}), needs);
            actions.insert(*player, notation);
        }
        if actions.len() != movers.len() {
            return Err((
                ClaimId::Events,
                format!("turn {index} does not tell of each player that it acted"),
            ));
        }
        self.expect_queued();
        self.apply_all(place, entries, &actions)
    }

    /// Plays what was sealed, in seat order.
    fn apply_all(
        &mut self,
        place: usize,
        entries: &[Turn<'_>],
        actions: &BTreeMap<Player, Notation>,
    ) -> Result<(), Fault> {
        let mut played = Vec::new();
        for (player, notation) in actions {
            let Ok(made) = self.position.play(*player, notation, &mut NoChance) else {
                return Err((
                    ClaimId::Legality,
                    format!("{notation} is not legal in turn {}", self.turn_index),
                ));
            };
            played.push(made);
        }
        let told = (place..).zip(entries).zip(actions).zip(&played);
        for (((place, turn), (player, notation)), made) in told {
            self.state_hash(turn);
            self.expect_move(place, turn, (*player, *notation), made.san, Needs::Nothing);
        }
        played.into_iter().for_each(|made| self.expect_shown(made.shown));
        Ok(())
    }

    /// A turn in which the game ended, so that what was sealed is void.
    fn ended_shared(&mut self, place: usize, turn: &Turn<'_>, sealed: &[Player]) -> Result<(), Fault> {
        let index = self.turn_index;
        let bodies = self.bodies;
        let unresolved = self.replay.unresolved.as_deref().unwrap_or_default();
        let listed: Vec<Player> = unresolved.iter().map(|action| action.player).collect();
        let movers = self.position.to_move();
        if listed != sealed || sealed.iter().any(|player| !movers.contains(*player)) {
            let reason = format!("{sealed:?} had acted when the game ended, but {listed:?} are unresolved");
            return Err((ClaimId::Events, reason));
        }
        for (action, body) in unresolved.iter().zip(&bodies.of_unresolved) {
            self.attempts(place, turn, action.player);
            self.voided(place, action, body.as_ref())?;
            self.queue(action.player, "move_sealed", json!({}), Needs::Nothing);
        }
        let waiting: Vec<Player> = movers.iter().filter(|player| !sealed.contains(player)).collect();
        waiting.iter().for_each(|player| self.attempts(place, turn, *player));
        let resolved = match turn.player {
            None => self.settled(turn)?,
            Some(player) if turn.forced == Some(ForcedBy::Deadline) && self.replay.result.draw => {
                self.charge(place, turn, player);
                self.all_out(turn, &waiting, sealed)?
            }
            Some(player) if waiting.contains(&player) => self.resolve(place, turn, player)?,
            Some(player) => {
                return Err((ClaimId::TurnOrder, format!("turn {index} names {player}, who is not to move")));
            }
        };
        let Resolved::End(result) = resolved else {
            return Err((
                ClaimId::Legality,
                format!("turn {index} applies no move, but its player made one"),
            ));
        };
        self.expect_queued();
        self.ended_by(turn)?;
        self.result = Some(result);
        Ok(())
    }

    /// An action that was sealed, and is void: what it says is checked as far as it is listed.
    fn voided(&mut self, place: usize, action: &Unresolved<'_>, body: Option<&Body>) -> Result<(), Fault> {
        let player = action.player;
        let counted = self.counted(place, player);
        let is_signed = action.signature.is_some();
        let vacancy = self.table.vacancy(player);
        match vacancy.filter(|vacancy| !self.had_acted(vacancy)) {
            Some(_) => {
                let resigned = body.map(|body| body.resign).or_else(|| is_signed.then_some(true));
                if self.left(player, counted, resigned, true)? && is_signed {
                    let text = format!("the void action of {player} is signed, but its seat was vacant");
                    self.ledger.fail(ClaimId::Forced, text);
                }
            }
            None if is_signed => body.into_iter().for_each(|body| self.sealed_body(player, body)),
            None => {
                let illegal = counted == ILLEGAL_MOVES;
                let cause = if illegal { ForcedBy::IllegalMoves } else { ForcedBy::Deadline };
                self.struck(player, cause, Needs::Nothing);
            }
        }
        Ok(())
    }

    /// Whether the player had acted in this turn when the operator vacated its seat.
    fn had_acted(&self, vacancy: &Vacancy) -> bool {
        let mut own = self.events_of_turn().filter(|event| event.player() == Some(vacancy.player));
        let first = own.find(|event| matches!(event.kind, "move_sealed" | "seat_vacated"));
        vacancy.turn_index == self.turn_index
            && vacancy.reason == ADJUDICATED
            && first.is_some_and(|event| event.kind == "move_sealed")
    }

    /// Everybody who was left is out at one instant, by the clock or by a third strike: a draw.
    fn all_out(&mut self, turn: &Turn<'_>, waiting: &[Player], sealed: &[Player]) -> Result<Resolved, Fault> {
        let reason = self.replay.result.reason.clone();
        let present = self.table.seated(&*self.position);
        let all = present.iter().all(|player| waiting.contains(&player));
        if !all || sealed.iter().any(|player| present.contains(*player)) {
            let text =
                format!("turn {} is drawn by {}, but not all are out", self.turn_index, reason.as_str());
            return Err((ClaimId::Result, text));
        }
        let mut by_strikes = 0;
        for player in present.iter().filter(|player| !clock_is_used_up(turn, *player)) {
            if !self.struck(player, ForcedBy::Deadline, Needs::Nothing) {
                let text = format!("turn {} is drawn, but {player} is not out", self.turn_index);
                return Err((ClaimId::Result, text));
            }
            by_strikes += 1;
        }
        self.playthrough.out_together = present;
        let expected = if by_strikes == 0 { Reason::CLOCK } else { Reason::STRIKES };
        Ok(self.ends(GameResult::drawn(expected), None))
    }
}
