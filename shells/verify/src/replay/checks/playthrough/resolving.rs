//! How a turn was resolved: by what its player signed, or by the hall in the player's place.

use super::nature::worded as why_refused;
use super::table::Vacancy;
use super::{Fault, Needs, Replayer, worded};
use crate::replay::document::{Body, Choice, ForcedBy, Turn};
use crate::replay::report::ClaimId;
use hall_games::{Chance as _, GameResult, Reason, Refused};
use hall_wire::{Notation, Player, Timestamp};
use serde_json::json;

/// So many illegal moves in a turn cost a strike.
pub(in crate::replay::checks) const ILLEGAL_MOVES: usize = 3;

/// So many strikes lose the game.
const STRIKES: u32 = 3;

/// How a turn was resolved.
pub(super) enum Resolved {
    /// By this move.
    Move { notation: Notation, offers: bool, needs: Needs },
    /// By the end of the game, in which no move is applied.
    End(GameResult),
}

impl Replayer<'_, '_> {
    /// The illegal moves of a player counted before the turn was resolved.
    pub(super) fn attempts(&mut self, place: usize, turn: &Turn<'_>, player: Player) {
        let mut counted = 0;
        for attempt in self.bodies.of_attempts.get(place).into_iter().flatten() {
            if attempt.player != Some(player) {
                continue;
            }
            counted += 1;
            self.queue(player, "illegal_attempt", json!({ "count": counted }), Needs::Nothing);
            let Some(body) = &attempt.body else { continue };
            let offered = self.offer.is_some_and(|by| by != player);
            let legal = body.choice.as_ref().and_then(|choice| self.named(player, choice));
            let problem = match (legal, &body.choice) {
                _ if body.resign => "resigns".to_owned(),
                _ if offered && (body.draw_accept || body.draw_offer) => "accepts a draw".to_owned(),
                _ if body.draw_accept => {
                    "accepts a draw that nobody offered, which is not counted".to_owned()
                }
                _ if body.draw_offer && !self.has_draw_offers() => {
                    "offers a draw at a table without offers, which is not counted".to_owned()
                }
                (_, None) => "names no move at all, which is not counted".to_owned(),
                (Some(legal), _) => format!("names the legal move {legal}"),
                (None, Some(_)) => continue,
            };
            let reason = format!("illegal move {counted} of turn {} {problem}", turn.turn_index);
            self.ledger.fail(ClaimId::Legality, reason);
        }
        let struck_out = self.vacated_now(player).is_some_and(|vacancy| vacancy.reason == "strikes");
        let right = match (turn.player.filter(|of| *of == player), turn.forced) {
            (Some(_), Some(ForcedBy::IllegalMoves)) => counted == ILLEGAL_MOVES,
            (Some(_), Some(ForcedBy::Vacated)) if struck_out => counted <= ILLEGAL_MOVES,
            // While the third one waits for the beacon, the operator may end the game; and an action that is void may
            // have been forced.
            (None, _) => counted <= ILLEGAL_MOVES,
            (Some(_), None | Some(ForcedBy::Deadline | ForcedBy::Vacated)) => counted < ILLEGAL_MOVES,
        };
        if !right {
            let reason = format!(
                "turn {} counts {counted} illegal moves, and the third forces a move",
                turn.turn_index
            );
            self.ledger.fail(ClaimId::Forced, reason);
        }
    }

    /// How many illegal moves of this player are counted in an entry.
    pub(super) fn counted(&self, place: usize, player: Player) -> usize {
        let attempts = self.bodies.of_attempts.get(place).into_iter().flatten();
        attempts.filter(|attempt| attempt.player == Some(player)).count()
    }

    /// The operator ended the game; that it did so is all that can be checked here, and the docket tells why.
    pub(super) fn settled(&mut self, turn: &Turn<'_>) -> Result<Resolved, Fault> {
        let result = &self.replay.result;
        let one_winner = matches!(result.winners.as_slice(), [winner] if self.replay.seat(*winner).is_some());
        let sound = match result.reason.as_str() {
            "adjudicated" => one_winner != result.draw && (one_winner || result.winners.is_empty()),
            "aborted" => result.winners.is_empty() && !result.draw,
            _ => false,
        };
        if !sound || turn.forced.is_some() {
            let reason =
                format!("turn {} is nobody's, and {} is no verdict", turn.turn_index, worded(result));
            return Err((ClaimId::Result, reason));
        }
        self.ledger.say(
            ClaimId::Result,
            format!("The hall's operator ended the game: {}. The public docket says why.", worded(result)),
        );
        let GameResult { winners, draw, reason, .. } = result.clone();
        Ok(self.ends(GameResult::new(winners, draw, reason), None))
    }

    /// What an entry did for its player.
    pub(super) fn resolve(
        &mut self,
        place: usize,
        turn: &Turn<'_>,
        mover: Player,
    ) -> Result<Resolved, Fault> {
        self.charge(place, turn, mover);
        match turn.forced {
            None if self
                .table
                .vacancy(mover)
                .is_some_and(|vacancy| !self.shares_turns || vacancy.turn_index < self.turn_index) =>
            {
                let reason = format!("{mover} signed turn {}, but its seat is vacant", turn.turn_index);
                Err((ClaimId::Forced, reason))
            }
            None => self.signed(place, turn, mover),
            Some(ForcedBy::Vacated) => self.vacant(place, turn, mover),
            Some(forced) => self.forced(turn, mover, forced),
        }
    }

    /// Notes until when the clock of the player ran.
    pub(super) fn charge(&mut self, place: usize, turn: &Turn<'_>, mover: Player) {
        let charged_until = self.charged_until(place, turn, mover);
        if let Some(slot) = self.playthrough.charged_until.get_mut(place) {
            *slot = charged_until;
        }
    }

    fn charged_until(&self, place: usize, turn: &Turn<'_>, mover: Player) -> Option<Timestamp> {
        let attempts = self.bodies.of_attempts.get(place).map_or(&[][..], Vec::as_slice);
        let last = attempts.iter().rfind(|attempt| attempt.player == Some(mover)).map(|attempt| attempt.at);
        match turn.forced {
            None => Some(turn.at),
            Some(ForcedBy::Deadline) => turn.deadline,
            Some(ForcedBy::IllegalMoves) => last,
            Some(ForcedBy::Vacated) => match self.vacated_now(mover)?.reason.as_str() {
                "strikes" if self.counted(place, mover) == ILLEGAL_MOVES => last,
                "strikes" | "clock" => turn.deadline,
                _ => Some(turn.at),
            },
        }
    }

    fn signed(&mut self, place: usize, turn: &Turn<'_>, mover: Player) -> Result<Resolved, Fault> {
        let index = turn.turn_index;
        let bodies = self.bodies;
        let Some(body) = bodies.of_turns.get(place).and_then(Option::as_ref) else {
            return self.unread(turn, mover);
        };
        if body.resign {
            return self.lost_by(mover, Reason::RESIGNATION);
        }
        if body.draw_offer && !self.has_draw_offers() {
            return Err((
                ClaimId::DrawOffers,
                format!("turn {index} offers a draw, which this table does not know"),
            ));
        }
        let offered = self.offer.is_some_and(|by| by != mover);
        if offered && (body.draw_accept || body.draw_offer) {
            return Ok(self.ends(GameResult::drawn(Reason::AGREEMENT), None));
        }
        if body.draw_accept {
            return Err((ClaimId::DrawOffers, format!("turn {index} accepts a draw that nobody offered")));
        }
        let named = body.choice.as_ref().and_then(|choice| self.named(mover, choice));
        let Some(notation) = named else {
            return Err((ClaimId::Legality, format!("the body of turn {index} names no legal move")));
        };
        applied(turn, notation, "its body names")?;
        Ok(Resolved::Move { notation, offers: body.draw_offer, needs: Needs::Nothing })
    }

    /// Draws are offered at tables of two who take turns.
    const fn has_draw_offers(&self) -> bool {
        self.table.is_of_two() && !self.shares_turns
    }

    /// A turn whose body is withheld, or could not be read: what it did is taken from the turn and the result.
    fn unread(&self, turn: &Turn<'_>, mover: Player) -> Result<Resolved, Fault> {
        let index = turn.turn_index;
        let reason = self.replay.result.reason.as_str();
        if turn.body.is_none() && !turn.is_withheld() {
            return Err((
                ClaimId::BodySignatures,
                format!("nobody signed turn {index}, and nothing forced it"),
            ));
        }
        match (turn.notation, reason) {
            (Some(text), _) => {
                let legal = self.position.notations(mover).into_iter().find(|legal| legal.as_str() == text);
                let notation = legal
                    .ok_or_else(|| (ClaimId::Legality, format!("{text} is not legal in turn {index}")))?;
                Ok(Resolved::Move {
                    notation,
                    offers: self.is_told(turn, "draw_offered"),
                    needs: Needs::Nothing,
                })
            }
            (None, "resignation") => self.lost_by(mover, Reason::RESIGNATION),
            (None, "agreement") if self.offer.is_some_and(|by| by != mover) => {
                Ok(self.ends(GameResult::drawn(Reason::AGREEMENT), None))
            }
            (None, _) => Err((
                ClaimId::Result,
                format!("turn {index} applies no move, and {reason} does not explain it"),
            )),
        }
    }

    /// The hall acted in the player's place.
    fn forced(&mut self, turn: &Turn<'_>, mover: Player, forced: ForcedBy) -> Result<Resolved, Fault> {
        self.unsigned(turn);
        if forced == ForcedBy::Deadline && clock_is_used_up(turn, mover) {
            return self.lost_by(mover, Reason::CLOCK);
        }
        // A missed deadline plays the default action where the rules have one; three illegal moves always play at random.
        let acting = Some(mover).filter(|_| forced == ForcedBy::Deadline);
        let default = acting.and_then(|mover| self.position.default_action(mover));
        if self.struck(mover, forced, Needs::of(default.is_none())) {
            return self.lost_by(mover, Reason::STRIKES);
        }
        self.acted_for(turn, mover, default)
    }

    /// Gives a strike; whether it is the one that loses. `needs` is what the move needs that follows otherwise.
    pub(super) fn struck(&mut self, player: Player, cause: ForcedBy, needs: Needs) -> bool {
        let strikes = self.table.strike(player);
        let loses = strikes >= STRIKES;
        let needs = if loses { Needs::Nothing } else { needs };
        self.queue(player, "strike", json!({ "cause": cause.as_str(), "count": strikes }), needs);
        loses
    }

    /// The hall acted for a seat that is vacant.
    fn vacant(&mut self, place: usize, turn: &Turn<'_>, mover: Player) -> Result<Resolved, Fault> {
        let index = turn.turn_index;
        if self.table.vacancy(mover).is_none() {
            let reason = format!("turn {index} was played for {mover}, whose seat is not vacant");
            return Err((ClaimId::Forced, reason));
        }
        let bodies = self.bodies;
        let body = bodies.of_turns.get(place).and_then(Option::as_ref);
        let resigned = body.map(|body| body.resign).or_else(|| turn.is_withheld().then_some(true));
        if self.left(mover, self.counted(place, mover), resigned, clock_is_used_up(turn, mover))? {
            self.unsigned(turn);
        }
        self.acted_for(turn, mover, self.position.default_action(mover))
    }

    /// A player left in this turn, if it did: by a body that resigns (`resigned` where there is one), by a third strike or
    /// by the clock. Whether there must be no body.
    pub(super) fn left(
        &mut self,
        player: Player,
        attempts: usize,
        resigned: Option<bool>,
        used_up: bool,
    ) -> Result<bool, Fault> {
        let Some(Vacancy { reason, .. }) = self.vacated_now(player).cloned() else { return Ok(true) };
        let is_so = match reason.as_str() {
            "resignation" => resigned == Some(true),
            "strikes" => {
                let illegal = attempts == ILLEGAL_MOVES;
                self.struck(
                    player,
                    if illegal { ForcedBy::IllegalMoves } else { ForcedBy::Deadline },
                    Needs::Nothing,
                )
            }
            "clock" => used_up,
            _ => return Ok(true),
        };
        if !is_so {
            let text = format!("{player} is out by {reason} in turn {}, but it was not", self.turn_index);
            return Err((ClaimId::Forced, text));
        }
        self.queue_vacated(player, &reason);
        Ok(reason != "resignation")
    }

    /// How the seat of a player became vacant, if that was in this turn.
    pub(super) fn vacated_now(&self, player: Player) -> Option<&Vacancy> {
        self.table.vacancy(player).filter(|vacancy| vacancy.turn_index == self.turn_index)
    }

    fn unsigned(&mut self, turn: &Turn<'_>) {
        if turn.body.is_some() || turn.signature.is_some() || turn.body_sha256.is_some() {
            let reason = format!("turn {} was forced, but somebody signed it", turn.turn_index);
            self.ledger.fail(ClaimId::Forced, reason);
        }
    }

    /// What the hall plays for a player: this action, else a legal move at random.
    fn acted_for(
        &mut self,
        turn: &Turn<'_>,
        player: Player,
        default: Option<Notation>,
    ) -> Result<Resolved, Fault> {
        let (notation, because) = match default {
            Some(default) => (default, "the rules let the hall play"),
            None => (self.random_move(turn, player)?, "the random number chooses"),
        };
        applied(turn, notation, because)?;
        Ok(Resolved::Move { notation, offers: false, needs: Needs::of(default.is_none()) })
    }

    /// The random move of a turn, found again.
    fn random_move(&mut self, turn: &Turn<'_>, player: Player) -> Result<Notation, Fault> {
        let place = format!("turn {}", turn.turn_index);
        let fault = |reason: &str| (ClaimId::Rolls, format!("{place}: {reason}"));
        let legal = self.position.notations(player);
        let randomness = self.randomness();
        let mut chance = self.chance(&randomness);
        let value = chance.below(u64::try_from(legal.len()).unwrap_or(u64::MAX));
        let value = value.ok_or_else(|| fault(why_refused(Refused::NeedsChance)))?;
        let taken = chance.rolls.taken();
        self.take(taken, &turn.rolls, &place)?;
        let chosen = usize::try_from(value).ok().and_then(|value| legal.get(value));
        chosen.copied().ok_or_else(|| fault("there is no legal move to choose"))
    }

    /// The game ends because `loser` is out; where the others would play on, it does not.
    fn lost_by(&self, loser: Player, reason: Reason) -> Result<Resolved, Fault> {
        if self.table.goes_on_without(loser, &*self.position) {
            let text = format!(
                "{loser} is out by {} in turn {}, but the others play on",
                reason.as_str(),
                self.turn_index
            );
            return Err((ClaimId::Forced, text));
        }
        let winners = self.table.others(loser, &*self.position);
        Ok(self.ends(GameResult::new(winners, false, reason), Some(loser)))
    }

    pub(super) fn ends(&self, result: GameResult, left: Option<Player>) -> Resolved {
        Resolved::End(self.table.counted(result, left, &*self.position))
    }

    /// The legal move that a body names, if it names one.
    pub(super) fn named(&self, player: Player, choice: &Choice) -> Option<Notation> {
        let legal = self.position.notations(player);
        let found = match choice {
            Choice::Notation(text) => legal.iter().find(|legal| legal.as_str() == text),
            Choice::Index(index) => usize::try_from(*index).ok().and_then(|index| legal.get(index)),
        };
        found.copied()
    }

    /// The body of an action that was void must name a legal move; `None` if it is not known.
    pub(super) fn sealed_body(&mut self, player: Player, body: &Body) {
        let named = body.choice.as_ref().and_then(|choice| self.named(player, choice));
        if named.is_none() || body.resign || body.draw_accept || body.draw_offer {
            let reason = format!("the void action of {player} names no legal move");
            self.ledger.fail(ClaimId::Legality, reason);
        }
    }
}

/// The turn applies this move and no other.
fn applied(turn: &Turn<'_>, notation: Notation, because: &str) -> Result<(), Fault> {
    if turn.notation == Some(notation.as_str()) {
        return Ok(());
    }
    let found = turn.notation.unwrap_or("no move");
    Err((ClaimId::Legality, format!("turn {} applies {found}, but {because} {notation}", turn.turn_index)))
}

/// Whether the side clock of the player is used up after the turn.
pub(super) fn clock_is_used_up(turn: &Turn<'_>, player: Player) -> bool {
    turn.clocks.as_ref().and_then(|clocks| clocks.get(player.index())) == Some(&0)
}
