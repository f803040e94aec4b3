//! How each seat of an ended game was played.

use super::{PLAYS, Statistics};
use crate::archive::ArchiveError;
use crate::seat_plays::{self, SeatTurns, SeatsPlayed, attempt, leave_out, turns_of, wait};
use crate::tables;
use hall_core::rooms::Room;
use hall_games::Reason;
use hall_journal::KeyRange;
use hall_wire::{GameId, Player, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError};

/// Facts read at a time.
const PAGE: usize = 256;

/// How one seat of a game was played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeatPlay {
    /// Turns in which the agent sent a move, legal or not.
    pub tried: u32,
    /// Of these, the turns in which the first move that it sent was legal.
    pub first_try: u32,
    /// Turns in which the hall moved in its place. A forfeit is none: nothing is moved with it.
    pub forced: u32,
    /// How long its own moves took, from the beginning of the turn, in the order of the turns.
    pub times: Vec<Span>,
}

impl Statistics {
    /// How each seat of a game was played, by seat. `ended` is the game as the archive shows it; its outline is enough.
    ///
    /// # Errors
    /// A row is damaged or unknown.
    pub fn play_of(&self, ended: &Room) -> Result<Arc<[SeatPlay]>, ArchiveError> {
        let game = ended.id();
        let kept = || self.plays.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(play) = kept().get(&game) {
            return Ok(Arc::clone(play));
        }
        let rows = self.archive.reader().rows(
            tables::SEAT_PLAYS,
            KeyRange::prefix(game.as_bytes()),
            false,
            usize::MAX,
        )?;
        let was_told_otherwise = has_chance(ended) || is_forfeit(ended);
        let noted = seat_plays::read(&game, &rows, was_told_otherwise).map_err(|error| {
            ArchiveError::Form { table: tables::SEAT_PLAYS.name(), reason: error.to_string() }
        })?;
        let played = match noted {
            Some(played) => played,
            None => self.play_in_facts(&game)?,
        };
        let play: Arc<[SeatPlay]> = played
            .turns
            .iter()
            .zip(0..)
            .map(|(turns, seat)| play(turns, Player::new(seat), &played.attempted))
            .collect();
        kept().put(game, Arc::clone(&play), PLAYS);
        Ok(play)
    }

    /// The same from all facts of the game, for games that began before there was a row for it.
    fn play_in_facts(&self, game: &GameId) -> Result<SeatsPlayed, ArchiveError> {
        let Some(room) = self.archive.ended_room(game)? else { return Ok(SeatsPlayed::default()) };
        let (mut turns, mut next) = (turns_of(&room), 1);
        let (mut waits, mut attempted) = (BTreeMap::new(), BTreeSet::new());
        loop {
            let facts = self.archive.room_facts(game, next, PAGE)?;
            attempted.extend(facts.iter().filter_map(attempt));
            waits.extend(facts.iter().filter_map(|fact| wait(fact, &room)));
            match facts.last() {
                Some(last) if facts.len() == PAGE => next = last.number.saturating_add(1),
                Some(_) | None => break,
            }
        }
        leave_out(&waits, &mut turns);
        Ok(SeatsPlayed { turns, attempted })
    }
}

/// Whether something in the game is drawn; also of games by rules that are gone, as nothing tells what they were.
fn has_chance(ended: &Room) -> bool {
    ended.rules().is_none_or(|rules| rules.describe().randomness != "none")
}

/// Whether a third strike or a side clock ended the game.
fn is_forfeit(ended: &Room) -> bool {
    let reason = ended.result().map(|result| &result.reason);
    reason.is_some_and(|reason| *reason == Reason::STRIKES || *reason == Reason::CLOCK)
}

fn play(turns: &SeatTurns, player: Player, attempted: &BTreeSet<(u32, Player)>) -> SeatPlay {
    let moved: BTreeSet<u32> = turns.own.iter().map(|(turn_index, _)| *turn_index).collect();
    let missed = attempted.iter().filter(|(_, by)| *by == player).map(|(turn_index, _)| *turn_index);
    let missed: BTreeSet<u32> = missed.collect();
    let count = |turns: usize| u32::try_from(turns).unwrap_or(u32::MAX);
    SeatPlay {
        tried: count(moved.union(&missed).count()),
        first_try: count(moved.difference(&missed).count()),
        forced: turns.forced,
        times: turns.own.iter().map(|(_, took)| *took).collect(),
    }
}
