//! Who is still in the game, and what an ended game counts for: winners, points and places.

use crate::room::Room;
use alloc::vec::Vec;
use core::cmp::Reverse;
use hall_games::{BySeat, GameResult, Outcome, PlayerSet, Position, Reason};
use hall_wire::Player;

/// Whether the others play on when a player leaves this table, and places are counted at it: at every table of more
/// than two, but for rules that are older than that.
pub(crate) fn plays_on(room: &Room) -> bool {
    room.seats().len() > 2 && room.rules().is_some_and(|rules| rules.plays_on())
}

/// The only player who is left, where others have left the table and `position` is that of the room after their last
/// move.
pub(crate) fn survivor(room: &Room, position: &dyn Position) -> Option<Player> {
    if !plays_on(room) || !room.players().any(|player| room.is_vacant(player)) {
        return None;
    }
    let present: PlayerSet = room.players().filter(|player| !room.is_vacant(*player)).collect();
    let seated = position.eliminated().into_iter().fold(present, PlayerSet::without);
    let mut seated = seated.iter();
    seated.next().filter(|_| seated.next().is_none())
}

/// The result of a game that its rules have decided, or in which one player is left.
pub(crate) fn decided(room: &Room) -> Option<GameResult> {
    let position = room.position();
    if let Some(outcome) = position.outcome() {
        return Some(by_the_rules(room, outcome));
    }
    let survivor = survivor(room, position)?;
    let last =
        room.seats().iter().filter_map(|seat| seat.vacancy.as_deref()).max_by_key(|vacancy| vacancy.order)?;
    Some(counted(room, GameResult::won_by(survivor, last.reason.clone()), None))
}

/// The result by the rules. Vacant seats rank behind all others, whatever their points.
fn by_the_rules(room: &Room, outcome: Outcome) -> GameResult {
    let by_rules = outcome.places.clone();
    let mut result = GameResult::from(outcome);
    result.points = room.position().points(&result).map(BySeat);
    if !plays_on(room) {
        result.places = None;
    } else if room.players().any(|player| room.is_vacant(player)) {
        let rank = |player: Player| match room.seat(player).and_then(|seat| seat.vacancy.as_deref()) {
            Some(vacancy) => (1, Reverse(vacancy.order), 0),
            None => (0, Reverse(0), by_rules.get(player.index()).copied().unwrap_or(u8::MAX)),
        };
        let places = ranking(room, rank);
        result.winners =
            room.players().zip(&places).filter(|(_, place)| **place == 1).map(|(player, _)| player).collect();
        result.draw = false;
        result.places = Some(BySeat(places));
    }
    result
}

/// The result of an end that is not by the rules, with points as they stand and places: winners first, then those who
/// are seated, then those who are out in reverse order, then vacant seats, the first vacated last. `left` is the player
/// whose leaving has ended the game.
pub(crate) fn counted(room: &Room, result: GameResult, left: Option<Player>) -> GameResult {
    let points = room.position().points(&result).map(BySeat);
    let places = plays_on(room).then(|| {
        if result.reason == Reason::ABORTED {
            return BySeat(Vec::new());
        }
        let eliminated = room.position().eliminated();
        BySeat(ranking(room, |player| {
            let vacancy = room.seat(player).and_then(|seat| seat.vacancy.as_deref());
            if result.draw || result.winners.contains(&player) {
                (0, Reverse(0))
            } else if left == Some(player) {
                (3, Reverse(usize::MAX))
            } else if let Some(vacancy) = vacancy {
                (3, Reverse(usize::from(vacancy.order)))
            } else if let Some(order) = eliminated.iter().position(|out| *out == player) {
                (2, Reverse(order))
            } else {
                (1, Reverse(0))
            }
        }))
    });
    GameResult { points, places, ..result }
}

/// The place of each seat: one more than how many rank before it.
fn ranking<R: Ord>(room: &Room, rank: impl Fn(Player) -> R) -> Vec<u8> {
    let ranks: Vec<R> = room.players().map(rank).collect();
    let place = |own: &R| ranks.iter().filter(|other| *other < own).count() + 1;
    ranks.iter().map(|own| u8::try_from(place(own)).unwrap_or(u8::MAX)).collect()
}
