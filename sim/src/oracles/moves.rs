//! M1 to M11: turns, moves, illegal moves and what is offered. N3: what a shared turn tells is what was sealed in it.

use super::ledger::{Game, Ledger};
use super::observation::{Observation, Picture};
use super::{Family, Violations};
use crate::crypto::{Crypto, KnownKeys};
use crate::direct::Observed;
use crate::protocol::{AnswerBrief, ViewBrief};
use hall_core::rooms::{
    BeaconStatus, BodyRecord, ForcedCause, Resolution, RoomChange, RoomFact, SealedAction,
};
use hall_core::{Command, Fact, Rejection, RoomCommand, RoomRejection};
use hall_wire::{Digest, Notation, Player, Timestamp};
use serde_json::Value;

/// What was done in a turn.
#[derive(Clone, Copy)]
struct Made<'a> {
    turn_index: u32,
    player: Option<Player>,
    notation: Option<Notation>,
    forced: Option<ForcedCause>,
    body: Option<&'a BodyRecord>,
}

impl<'a> Made<'a> {
    fn of(resolution: &'a Resolution) -> Self {
        let Resolution { turn_index, player, notation, forced, body, .. } = resolution;
        Self {
            turn_index: *turn_index,
            player: *player,
            notation: *notation,
            forced: *forced,
            body: body.as_ref(),
        }
    }

    fn sealed(turn_index: u32, player: Player, action: &'a SealedAction) -> Self {
        let SealedAction { notation, forced, body, .. } = action;
        Self {
            turn_index,
            player: Some(player),
            notation: Some(*notation),
            forced: *forced,
            body: body.as_ref(),
        }
    }
}

/// The keys that moves are verified with.
#[derive(Clone, Default)]
pub(super) struct Moves {
    crypto: Option<Crypto>,
    prepared: KnownKeys,
}

impl Family for Moves {
    fn observation(&mut self, observation: &Observation, ledger: &Ledger, violations: &mut Violations) {
        match observation {
            Observation::Began(terms) => self.crypto = Some(terms.crypto),
            Observation::Judged(judged) => {
                if let (Some(AnswerBrief::View(view)), true) = (&judged.answer, judged.spent) {
                    let agent = ledger.handles.get(&judged.request.handle);
                    let player = agent.and_then(|agent| ledger.games.get(&view.game)?.player_of(agent));
                    offers(view, player, ledger, judged.at, violations);
                }
            }
            _ => {}
        }
    }

    fn picture(&mut self, picture: &Picture, ledger: &Ledger, violations: &mut Violations) {
        pictured(picture, ledger, violations);
    }

    fn before(&mut self, observed: &Observed, _: &Ledger, violations: &mut Violations) {
        let counted =
            matches!(&observed.decision.answer, Err(Rejection::Room(RoomRejection::IllegalMove(_))));
        if matches!(observed.what, Command::Room(RoomCommand::Submit(_)))
            && observed.decision.answer.is_err()
            && !counted
        {
            let unchanged = observed.decision.facts.is_empty();
            violations.require(unchanged, "M5", observed.at, || "a refused submission has facts".to_owned());
        }
    }

    fn fact(&mut self, fact: &Fact, observed: &Observed, ledger: &Ledger, violations: &mut Violations) {
        let Fact::Room(fact) = fact else { return };
        let at = fact.at;
        if let RoomChange::Started(_) = &fact.change {
            let new = !ledger.games.contains_key(&fact.game) && !ledger.archived.contains(&fact.game);
            return violations.require(new, "M10", at, || format!("game {} begins again", fact.game));
        }
        let Some(game) = ledger.games.get(&fact.game).filter(|game| game.is_live()) else {
            return violations.report(
                "M10",
                at,
                format!("{:?} in game {}, which is not live", fact.change, fact.game),
            );
        };
        match &fact.change {
            RoomChange::MovePlayed(resolution) => {
                turn_is(game, resolution.turn_index, at, violations);
                if game.position.is_simultaneous() {
                    unsealed(game, resolution, at, violations);
                } else {
                    self.made(game, &Made::of(resolution), at, ledger, violations);
                }
            }
            RoomChange::MoveSealed { turn_index, player, action, .. } => {
                turn_is(game, *turn_index, at, violations);
                let again = game.sealed.contains_key(player);
                violations.require(!again, "M1", at, || format!("{player} of game {} acts twice", game.id));
                self.made(game, &Made::sealed(*turn_index, *player, action), at, ledger, violations);
            }
            RoomChange::Ended { resolution: Some(resolution), .. } => {
                turn_is(game, resolution.turn_index, at, violations);
                if let (Some(player), Some(body)) = (resolution.player, &resolution.body) {
                    self.body_is(game, (player, resolution.turn_index), body, at, ledger, violations);
                }
            }
            RoomChange::IllegalAttempted { turn_index, player, count, attempt } => {
                self.body_is(game, (*player, *turn_index), &attempt.body, at, ledger, violations);
                let body = ledger.texts.read(&attempt.body.text);
                let named = named(game, *player, &body);
                let due = *turn_index == game.turn && game.is_to_move(*player);
                let next = *count == game.illegal_of(*player) + 1 && *count <= 3;
                let text = || format!("{:?}, which is not the next illegal move of that turn", fact.change);
                violations.require(due && next && named.is_none(), "M6", at, text);
            }
            RoomChange::StrikeGiven { player, cause: ForcedCause::IllegalMoves, .. } => {
                let earned = game.illegal_of(*player) == 3;
                violations.require(earned, "M7", at, || {
                    format!("a strike of {player} without three illegal moves")
                });
            }
            RoomChange::PenaltyDeferred { player, cause: ForcedCause::IllegalMoves, .. } => {
                let waits = game.beacon == BeaconStatus::Waiting && game.illegal_of(*player) == 3;
                violations.require(waits, "M7", at, || format!("a penalty of {player} is held without need"));
            }
            RoomChange::Started(_)
            | RoomChange::Ended { resolution: None, .. }
            | RoomChange::StrikeGiven { .. }
            | RoomChange::DrawOffered { .. }
            | RoomChange::DrawDeclined { .. }
            | RoomChange::DeadlineExtended { .. }
            | RoomChange::PenaltyDeferred { .. }
            | RoomChange::NatureActed { .. }
            | RoomChange::HallDeferred { .. }
            | RoomChange::Shown { .. }
            | RoomChange::SeatVacated { .. }
            | RoomChange::BeaconSettled { .. } => {}
        }
        let _ = observed;
        comments(fact, ledger, violations);
    }

    fn after(&mut self, observed: &Observed, ledger: &Ledger, violations: &mut Violations) {
        for fact in observed.decision.facts.iter().filter_map(Fact::in_room) {
            let (RoomChange::IllegalAttempted { count: 3, player, .. }, Some(game)) =
                (&fact.change, ledger.games.get(&fact.game))
            else {
                continue;
            };
            let struck = count_of(
                observed,
                fact,
                |change| matches!(change, RoomChange::StrikeGiven { cause: ForcedCause::IllegalMoves, player: whom, .. } if whom == player),
            );
            let played = count_of(observed, fact, |change| match change {
                RoomChange::MoveSealed { action, .. } => {
                    action.forced == Some(ForcedCause::IllegalMoves) && !action.rolls.is_empty()
                }
                RoomChange::MovePlayed(it) => {
                    let is_told_only = game.position.is_simultaneous();
                    it.forced == Some(ForcedCause::IllegalMoves) && it.chosen_at_random && !is_told_only
                }
                _ => false,
            });
            let forfeited = count_of(observed, fact, |change| match change {
                RoomChange::Ended { resolution: Some(it), .. } => it.forced.is_some(),
                RoomChange::SeatVacated { player: whom, .. } => whom == player,
                _ => false,
            });
            let done = game.deferred.is_some() || struck == 1 && played + forfeited == 1;
            let text =
                || format!("the third illegal move of {player} in game {} is not punished at once", game.id);
            violations.require(done, "M7", observed.at, text);
        }
    }
}

fn count_of(observed: &Observed, fact: &RoomFact, is: impl Fn(&RoomChange) -> bool) -> usize {
    let own = observed.decision.facts.iter().filter_map(Fact::in_room).filter(|it| it.game == fact.game);
    own.filter(|it| is(&it.change)).count()
}

fn turn_is(game: &Game, turn: u32, at: Timestamp, violations: &mut Violations) {
    let text = || format!("turn {turn} of game {} is resolved, but turn {} is open", game.id, game.turn);
    if turn < game.turn {
        violations.report("M1", at, text());
    } else if turn > game.turn {
        violations.report("M2", at, text());
    }
}

impl Moves {
    /// What is done in a turn is legal, and what its player signed.
    fn made(
        &mut self,
        game: &Game,
        made: &Made<'_>,
        at: Timestamp,
        ledger: &Ledger,
        violations: &mut Violations,
    ) {
        let Made { turn_index, player, notation, forced, body } = *made;
        let legal = player.map_or_else(Vec::new, |player| game.position.notations(player));
        let place = legal.iter().position(|legal| Some(*legal) == notation);
        let right = player.is_some_and(|player| game.position.to_move().contains(player)) && place.is_some();
        violations.require(right, "M3", at, || {
            format!("{notation:?} of {player:?} is not legal in game {}", game.id)
        });
        match (player, forced, body) {
            (Some(player), None, Some(record)) => {
                self.body_is(game, (player, turn_index), record, at, ledger, violations);
                let body = ledger.texts.read(&record.text);
                match body.get("move") {
                    Some(Value::Object(choice)) => {
                        let index = choice.get("index").and_then(Value::as_u64);
                        let index = index.and_then(|index| usize::try_from(index).ok());
                        let text = || format!("{:?} is played for {choice:?} in game {}", notation, game.id);
                        violations.require(index.is_some() && index == place, "M8", at, text);
                    }
                    Some(Value::String(written)) => {
                        let same = notation.is_some_and(|notation| notation.as_str() == written);
                        violations.require(same, "M4", at, || {
                            format!("{notation:?} is played, {written} was signed")
                        });
                    }
                    _ => violations.report("M4", at, "a body without a move moves"),
                }
            }
            (_, None, None) => violations.report("M4", at, format!("an unsigned move in game {}", game.id)),
            // Who resigns at a table where the others play on has signed the turn that the hall plays for it.
            (Some(player), Some(ForcedCause::Vacated), Some(record)) => {
                self.body_is(game, (player, turn_index), record, at, ledger, violations);
                let own = game.vacated(player).is_some_and(|own| own.turn == turn_index && own.is_signed);
                let body = ledger.texts.read(&record.text);
                let resigns = body.get("resign").and_then(Value::as_bool) == Some(true);
                let text = || format!("{player} of game {} has not resigned in turn {turn_index}", game.id);
                violations.require(own && resigns, "M4", at, text);
            }
            (_, Some(_), Some(_)) => violations.report("M4", at, "a forced move carries a signed body"),
            (_, Some(_), None) | (None, None, Some(_)) => {}
        }
    }

    fn body_is(
        &mut self,
        game: &Game,
        (player, turn): (Player, u32),
        record: &BodyRecord,
        at: Timestamp,
        ledger: &Ledger,
        violations: &mut Violations,
    ) {
        let digest = Digest::of(record.text.as_bytes());
        let body = ledger.texts.read(&record.text);
        let means = body.get("game_id").and_then(Value::as_str) == Some(game.id.to_string().as_str())
            && body.get("turn_index").and_then(Value::as_u64) == Some(u64::from(turn));
        // Written out, so that it is noticed if the hall and its agents agree on another text.
        let text = format!("svc.move.v1:{}:{turn}:{digest}", game.id);
        let key = game.terms.seats.get(player.index()).map(|seat| seat.key);
        let signed = self.crypto.is_none_or(|crypto| {
            let verify = |key| self.prepared.verify(crypto, key, text.as_bytes(), &record.signature);
            key.is_some_and(verify)
        });
        let holds = means && signed && digest == record.sha256;
        violations.require(holds, "M4", at, || {
            format!("the body of turn {turn} of game {} is not what {player} signed", game.id)
        });
    }
}

/// What a shared turn tells of a player is what the player has sealed, and all who were to act have.
fn unsealed(game: &Game, resolution: &Resolution, at: Timestamp, violations: &mut Violations) {
    let sealed = resolution.player.and_then(|player| game.sealed.get(&player));
    let same = sealed.is_some_and(|action| {
        let told = (resolution.notation, resolution.forced, &resolution.body, resolution.deadline);
        told == (Some(action.notation), action.forced, &action.body, action.deadline)
            && (resolution.started_at, resolution.at) == (action.started_at, action.at)
            && resolution.rolls == action.rolls
            && resolution.chosen_at_random != action.rolls.is_empty()
    });
    let text = || format!("{:?} in game {} is not what was sealed", resolution.player, game.id);
    violations.require(same && game.unsealed().is_empty(), "N3", at, text);
}

/// The legal move of a player that a body names, if it names one.
fn named(game: &Game, player: Player, body: &Value) -> Option<Notation> {
    let legal = game.position.notations(player);
    match body.get("move")? {
        Value::String(text) => Notation::parse(text).filter(|named| legal.contains(named)),
        choice => legal.get(usize::try_from(choice.get("index")?.as_u64()?).ok()?).copied(),
    }
}

fn comments(fact: &RoomFact, ledger: &Ledger, violations: &mut Violations) {
    let said = fact.event.as_ref().and_then(|event| event.commentary.as_deref());
    let body = match &fact.change {
        // A resignation has no move to which commentary could belong.
        RoomChange::MovePlayed(resolution) if resolution.forced.is_none() => {
            resolution.body.as_ref().map(|body| ledger.texts.read(&body.text))
        }
        _ => None,
    };
    let wanted = body.as_ref().and_then(|body| body.get("commentary")?.as_str());
    let text = || format!("{said:?} is published in game {}, {wanted:?} was sent with the move", fact.game);
    violations.require(said == wanted, "M11", fact.at, text);
    let leaf = fact.event.as_ref().map_or("", |event| event.leaf.as_str());
    let whole = wanted.is_some_and(|words| words.len() > 8 && leaf.contains(words));
    violations
        .require(!whole, "M11", fact.at, || "a leaf holds commentary that could not be withheld".to_owned());
}

fn offers(
    view: &ViewBrief,
    player: Option<Player>,
    ledger: &Ledger,
    at: Timestamp,
    violations: &mut Violations,
) {
    let Some(game) = ledger.games.get(&view.game) else { return };
    let mine = player.is_some_and(|player| game.is_to_move(player));
    let legal = player.filter(|_| mine).map_or_else(Vec::new, |player| game.position.notations(player));
    let right = view.mine == mine
        && view.legal == legal
        && view.live == game.is_live()
        && view.turn_index == game.turn;
    let text = || {
        let (has, offered) = (legal.len(), view.legal.len());
        format!("game {} turn {} offers {player:?} {offered} moves, it has {has}", game.id, view.turn_index)
    };
    violations.require(right, "M9", at, text);
}

fn pictured(picture: &Picture, ledger: &Ledger, violations: &mut Violations) {
    for room in &picture.rooms {
        let Some(game) = ledger.games.get(&room.game) else { continue };
        let at = picture.at;
        let text =
            || format!("game {} stands at turn {}, {} were resolved", game.id, room.turn_index, game.turn);
        violations.require(room.turn_index == game.turn, "M2", at, text);
        for (player, seat) in (0..).map(Player::new).zip(&room.seats) {
            let counted = game.illegal_of(player);
            let text =
                || format!("{player} of game {} has {} illegal moves, not {counted}", game.id, seat.illegal);
            violations.require(seat.illegal == counted, "M6", at, text);
            let mine = game.is_to_move(player);
            let offered = seat.legal.is_none_or(|count| (count > 0) == mine);
            let right = room.to_move.contains(player) == mine && offered;
            violations
                .require(right, "M9", at, || format!("whether {player} of game {} is to move", game.id));
        }
    }
}
