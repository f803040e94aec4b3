//! M12 to M15: how games end, and draw offers.

use super::ledger::{Game, Ledger};
use super::{Family, Violations};
use crate::direct::Observed;
use hall_core::rooms::{ForcedCause, Resolution, RoomChange, TurnBrief};
use hall_core::{Command, Fact, GameVerdict, RoomCommand};
use hall_games::{GameResult, Reason};
use hall_wire::{GameId, Player, Timestamp};
use serde_json::Value;

/// Results are checked against the ledger alone.
#[derive(Clone, Default)]
pub(super) struct Results;

impl Family for Results {
    fn fact(&mut self, fact: &Fact, observed: &Observed, ledger: &Ledger, violations: &mut Violations) {
        let Fact::Room(fact) = fact else { return };
        let Some(game) = ledger.games.get(&fact.game).filter(|game| game.is_live()) else { return };
        let at = fact.at;
        match &fact.change {
            RoomChange::Ended { result, resolution } => {
                ended(game, result, resolution.as_ref(), observed, at, ledger, violations);
            }
            RoomChange::DrawOffered { turn_index, player } => {
                // The move that it comes with is entered already.
                let made = |last: &TurnBrief| last.player == Some(*player) && last.turn_index == *turn_index;
                let own = *turn_index + 1 == game.turn && game.last_turns.iter().any(made);
                let asked =
                    matches!(&observed.what, Command::Room(RoomCommand::Submit(asked)) if asked.draw_offer);
                let text = || format!("{player} of game {} offers a draw without having said so", game.id);
                // Where both move at once, an own offer may stand still.
                let is_new = game.offer.is_none_or(|(by, turn)| by == *player && turn != *turn_index);
                violations.require(own && asked && is_new, "M13", at, text);
            }
            RoomChange::DrawDeclined { turn_index, player } => {
                // Who gives up, or is out, declines as well: before the turn that ends the game is resolved.
                let gives_up = *turn_index == game.turn && is_out(*player, fact.game, observed);
                let is_late = *turn_index + 1 == game.turn || gives_up;
                let due = game.offer.is_some_and(|(by, _)| by != *player) && is_late;
                violations.require(due, "M13", at, || {
                    format!("{player} of game {} declines what nobody offers", game.id)
                });
            }
            RoomChange::Started(_)
            | RoomChange::MovePlayed(_)
            | RoomChange::IllegalAttempted { .. }
            | RoomChange::StrikeGiven { .. }
            | RoomChange::DeadlineExtended { .. }
            | RoomChange::PenaltyDeferred { .. }
            | RoomChange::MoveSealed { .. }
            | RoomChange::NatureActed { .. }
            | RoomChange::HallDeferred { .. }
            | RoomChange::Shown { .. }
            | RoomChange::SeatVacated { .. }
            | RoomChange::BeaconSettled { .. } => {}
        }
    }

    fn after(&mut self, observed: &Observed, ledger: &Ledger, violations: &mut Violations) {
        for fact in observed.decision.facts.iter().filter_map(Fact::in_room) {
            let (RoomChange::MovePlayed(resolution), Some(game)) =
                (&fact.change, ledger.games.get(&fact.game))
            else {
                continue;
            };
            let decided = game.is_live() && game.position.outcome().is_some();
            let text = || format!("game {} goes on, though it is over by its rules", game.id);
            violations.require(!decided, "M15", observed.at, text);
            let stale =
                game.offer.is_some_and(|(by, turn)| turn + 1 != game.turn && resolution.player != Some(by));
            let text = || format!("an offer in game {} outlives the opponent's move", game.id);
            violations.require(!stale, "M13", observed.at, text);
        }
    }
}

fn ended(
    game: &Game,
    result: &GameResult,
    resolution: Option<&Resolution>,
    observed: &Observed,
    at: Timestamp,
    ledger: &Ledger,
    violations: &mut Violations,
) {
    if resolution.is_none() && game.position.outcome().is_none() {
        return left_alone(game, result, at, violations);
    }
    let player = resolution.and_then(|resolution| resolution.player);
    let forced = resolution.and_then(|resolution| resolution.forced);
    let body =
        resolution.and_then(|resolution| resolution.body.as_ref()).map(|body| ledger.texts.read(&body.text));
    let says =
        |word: &str| body.as_ref().is_some_and(|body| body.get(word).and_then(Value::as_bool) == Some(true));
    let beats = |loser: Player| game.is_lost_by(loser, result);
    let to_move = player.is_some_and(|player| game.is_to_move(player));
    let drawn = result.winners.is_empty() && result.draw;
    let text = || format!("game {} ends with {result:?} by {player:?}", game.id);
    match result.reason.as_str() {
        "agreement" => {
            let offered = game.offer.is_some_and(|(by, _)| Some(by) != player);
            let accepted = says("draw_accept") || says("draw_offer");
            let holds = drawn && offered && accepted && to_move;
            violations.require(holds, "M13", at, text);
        }
        "resignation" => {
            let holds = to_move && player.is_some_and(beats);
            violations.require(holds && says("resign"), "M14", at, text);
        }
        "clock" | "strikes" if drawn => {
            let all_out = resolution.is_some() && forced == Some(ForcedCause::Deadline);
            let is_out = |player: Player| {
                let flags = game.open_turn(player).and_then(|open| {
                    game.side_deadline(&open).map(|side| side <= open.move_deadline && side < at)
                });
                game.strikes_of(player) == 3 || flags == Some(true)
            };
            let holds = all_out && game.position.is_simultaneous() && game.seated().iter().all(is_out);
            violations.require(holds, "M12", at, text);
        }
        "clock" => {
            let late = player.and_then(|player| game.open_turn(player)).is_some_and(|open| {
                game.side_deadline(&open).is_some_and(|side| side <= open.move_deadline && side < at)
            });
            let holds = late && forced == Some(ForcedCause::Deadline) && to_move;
            violations.require(holds && player.is_some_and(beats), "M12", at, text);
        }
        "strikes" => {
            let out = |player: Player| game.strikes_of(player) == 3 && beats(player);
            violations.require(forced.is_some() && player.is_some_and(out), "M12", at, text);
        }
        "adjudicated" | "aborted" => {
            let verdict = match &observed.what {
                Command::Room(RoomCommand::Adjudicate { game: which, verdict, .. }) if *which == game.id => {
                    Some(*verdict)
                }
                _ => None,
            };
            let holds = match verdict {
                Some(GameVerdict::Winner(winner)) => result.winners == [winner] && !result.draw,
                Some(GameVerdict::Draw) => drawn,
                Some(GameVerdict::Abort) => {
                    result.winners.is_empty() && !result.draw && result.reason.as_str() == "aborted"
                }
                None => false,
            };
            violations.require(holds && player.is_none(), "M12", at, text);
        }
        // Anything else must be what the rules of the game say of the position.
        _ => {
            let holds = resolution.is_none()
                && game.position.outcome().is_some_and(|outcome| {
                    let others_win = !game.vacant.is_empty();
                    let same = outcome.winners == result.winners && outcome.draw == result.draw;
                    outcome.reason == result.reason && (same || others_win)
                });
            violations.require(holds, "M12", at, text);
        }
    }
}

/// The one who is left wins, for the reason of the last who has left.
fn left_alone(game: &Game, result: &GameResult, at: Timestamp, violations: &mut Violations) {
    let seated: Vec<Player> = game.seated().iter().collect();
    let last = game.vacant.last().map(|vacant| &vacant.reason);
    let holds = game.plays_on()
        && seated.len() == 1
        && result.winners == seated
        && !result.draw
        && last == Some(&result.reason);
    violations.require(holds, "M12", at, || format!("game {} ends with {result:?} by itself", game.id));
}

/// Whether a decision ends a game because this player gives up, or is out.
fn is_out(player: Player, game: GameId, observed: &Observed) -> bool {
    let mut facts = observed.decision.facts.iter().filter_map(Fact::in_room).filter(|fact| fact.game == game);
    facts.any(|fact| {
        let RoomChange::Ended { result, resolution: Some(resolution) } = &fact.change else { return false };
        let out = [Reason::RESIGNATION, Reason::STRIKES, Reason::CLOCK].contains(&result.reason);
        out && resolution.player == Some(player)
    })
}
