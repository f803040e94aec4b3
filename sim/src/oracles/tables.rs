//! N2, N4 and N5: what is sealed stays sealed, a vacant seat holds up nobody, and points and places are those of the
//! rules.

use super::ledger::{Game, Ledger, Vacated};
use super::observation::Picture;
use super::{Family, Violations};
use crate::direct::Observed;
use hall_core::Fact;
use hall_core::rooms::{RoomChange, RoomFact};
use hall_games::{GameResult, Reason};
use hall_wire::Player;
use serde_json::Value;

/// Everything is in the ledger.
#[derive(Clone, Default)]
pub(super) struct Tables;

/// Words shorter than this may occur by accident.
const TELLING: usize = 8;

impl Family for Tables {
    fn picture(&mut self, picture: &Picture, ledger: &Ledger, violations: &mut Violations) {
        for room in &picture.rooms {
            let Some(game) = ledger.games.get(&room.game).filter(|game| game.is_live()) else { continue };
            for Vacated { player, .. } in &game.vacant {
                let Some(seat) = room.seats.get(player.index()) else { continue };
                let waits = room.to_move.contains(*player) || seat.deadline.is_some();
                let text = || format!("game {} waits for the vacant seat of {player}", game.id);
                violations.require(!waits, "N4", picture.at, text);
            }
        }
    }

    fn fact(&mut self, fact: &Fact, _: &Observed, ledger: &Ledger, violations: &mut Violations) {
        let Fact::Room(fact) = fact else { return };
        let Some(game) = ledger.games.get(&fact.game) else { return };
        keeps_sealed(fact, game, violations);
        match &fact.change {
            RoomChange::StrikeGiven { player, .. } | RoomChange::PenaltyDeferred { player, .. } => {
                let text = || format!("the vacant seat of {player} of game {} is struck", game.id);
                violations.require(game.vacated(*player).is_none(), "N4", fact.at, text);
            }
            RoomChange::SeatVacated { turn_index, player, .. } => {
                let is_seated = game.seated().contains(*player) && *turn_index == game.turn;
                let others = game.seated().without(*player).iter().count();
                let text = || format!("{player} of game {} leaves {others} others", game.id);
                violations.require(is_seated && others >= 2 && game.plays_on(), "N4", fact.at, text);
            }
            RoomChange::Ended { result, .. } => {
                let text = || format!("game {} counts as {result:?}", game.id);
                violations.require(ranks(game, result) && adds_up(game, result), "N5", fact.at, text);
            }
            _ => {}
        }
    }

    fn after(&mut self, observed: &Observed, ledger: &Ledger, violations: &mut Violations) {
        for fact in observed.decision.facts.iter().filter_map(Fact::in_room) {
            let Some(game) = ledger.games.get(&fact.game).filter(|game| game.is_live()) else { continue };
            let clock = game.open.iter().find(|open| game.vacated(open.player).is_some());
            let waits = game.unsealed().iter().any(|player| game.vacated(player).is_some());
            let holds = clock.is_none() && (!waits || game.is_waiting());
            let text = || format!("game {} waits for a vacant seat: {clock:?}", game.id);
            violations.require(holds, "N4", observed.at, text);
        }
    }
}

/// While others are still to act in a shared turn, nothing that is told of the game tells what was done in it.
fn keeps_sealed(fact: &RoomFact, game: &Game, violations: &mut Violations) {
    let Some(event) = &fact.event else { return };
    let sealing = match &fact.change {
        RoomChange::MoveSealed { action, .. } => Some(action),
        // The turn is resolved, or the game is over.
        RoomChange::MovePlayed(_) | RoomChange::Ended { .. } => return,
        _ => None,
    };
    for action in game.sealed.values().chain(sealing) {
        let body = action.body.as_ref().map(|body| body.sha256.to_hex());
        let words = action.commentary.as_deref().filter(|words| words.len() >= TELLING);
        let mut secrets = body.as_deref().into_iter().chain(words);
        let is_told = secrets.any(|secret| event.leaf.contains(secret))
            || event.commentary.is_some()
            || event.leaf.contains("\"notation\"");
        let text = || format!("an event of game {} tells what is sealed: {}", game.id, event.leaf);
        violations.require(!is_told, "N2", fact.at, text);
    }
}

/// Places are a ranking of more than two: equal ones share the better number, winners are first, vacant seats are last
/// and the first vacated the very last.
fn ranks(game: &Game, result: &GameResult) -> bool {
    let Some(places) = &result.places else { return !game.plays_on() };
    if result.reason == Reason::ABORTED {
        return places.is_empty();
    }
    let place = |player: Player| places.get(player.index()).copied().unwrap_or(0);
    let is_rank = |own: &u8| {
        let before = places.iter().filter(|other| *other < own).count();
        usize::from(*own) == before + 1
    };
    if places.len() != game.terms.seats.len() || !places.iter().all(is_rank) {
        return false;
    }
    if result.draw {
        return places.iter().all(|place| *place == 1);
    }
    let first = game.players().filter(|player| place(*player) == 1);
    let vacated: Vec<u8> = game.vacant.iter().map(|vacant| place(vacant.player)).collect();
    let is_vacant = |player: &Player| game.vacated(*player).is_some();
    let present = game.players().filter(|player| !is_vacant(player)).map(place).max().unwrap_or(0);
    let winner_left = result.winners.iter().any(is_vacant);
    first.eq(result.winners.iter().copied())
        && (winner_left || vacated.is_sorted_by(|first, next| first > next))
        && (winner_left || vacated.iter().all(|place| *place > present))
}

/// Points are those of the rules: they add up to what there is to win, and a winner by the rules has most.
fn adds_up(game: &Game, result: &GameResult) -> bool {
    let by_rules = game.position.outcome().is_some();
    let Some(points) = &result.points else { return true };
    let sum: i64 = points.iter().sum();
    let adds = match game.terms.variant.game.as_str() {
        "backgammon" | "leduc_poker" => sum == 0,
        "othello" if by_rules => sum == 64,
        "othello" => (4..=64).contains(&sum),
        "goofspiel" => (0..=91).contains(&sum),
        "liars_dice" => (1..=20).contains(&sum) && points.iter().all(|own| (0..=5).contains(own)),
        _ => true,
    };
    let most = points.iter().max();
    let wins = |player: &Player| points.get(player.index()) == most;
    let counted = match game.terms.variant.game.as_str() {
        "backgammon" => Some(stakes(game, result)),
        _ => game.tally.points(),
    };
    let adds = adds && counted.is_none_or(|counted| counted == **points);
    adds && (!by_rules || !game.vacant.is_empty() || result.winners.iter().all(wins))
}

/// What a game of backgammon is worth by its last board: three to who wins before the other has borne off a checker or
/// brought all of them out of the winner's home, two before it has borne off one, else one, and nothing where nobody won.
fn stakes(game: &Game, result: &GameResult) -> Vec<i64> {
    let board = game.position.public();
    let count = |place: &str, player: Player| {
        board.get(place).and_then(|place| place.get(player.to_string())).and_then(Value::as_u64).unwrap_or(0)
    };
    let points: Vec<i64> = board
        .get("points")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_i64)
        .collect();
    let Some(winner) = result.winners.first().copied() else { return vec![0, 0] };
    let is_first = winner == Player::new(0);
    let loser = Player::new(u8::from(is_first));
    // The points are numbered by the first player, whose checkers count above zero.
    let mut home = points.iter().take(24).skip(if is_first { 0 } else { 18 }).take(6);
    let is_behind = count("bar", loser) > 0 || home.any(|here| if is_first { *here < 0 } else { *here > 0 });
    let stake = match (game.position.outcome().is_some(), count("off", loser), is_behind) {
        (false, ..) | (true, 1.., _) => 1,
        (true, 0, true) => 3,
        (true, 0, false) => 2,
    };
    if is_first { vec![stake, -stake] } else { vec![-stake, stake] }
}
