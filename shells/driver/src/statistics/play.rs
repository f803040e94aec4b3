//! How each seat of an ended game was played.

use super::{PLAYS, Statistics};
use crate::archive::ArchiveError;
use hall_core::rooms::{Room, RoomChange, RoomFact};
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
    /// Turns in which the hall moved in its place.
    pub forced: u32,
    /// How long its own moves took, from the beginning of the turn, in the order of the turns.
    pub times: Vec<Span>,
}

impl Statistics {
    /// How each seat of an ended game was played, by seat; `None` if no game has ended under this identifier.
    ///
    /// # Errors
    /// A row is damaged or unknown.
    pub fn play_of(&self, game: &GameId) -> Result<Option<Arc<[SeatPlay]>>, ArchiveError> {
        let kept = || self.plays.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(play) = kept().get(game) {
            return Ok(Some(Arc::clone(play)));
        }
        let Some(room) = self.archive.ended_room(game)? else { return Ok(None) };
        let mut attempted = BTreeSet::new();
        let mut next = 1;
        loop {
            let facts = self.archive.room_facts(game, next, PAGE)?;
            attempted.extend(facts.iter().filter_map(attempt));
            match facts.last() {
                Some(last) if facts.len() == PAGE => next = last.number.saturating_add(1),
                Some(_) | None => break,
            }
        }
        let play: Arc<[SeatPlay]> = played(&room, &attempted).into();
        kept().put(*game, Arc::clone(&play), PLAYS);
        Ok(Some(play))
    }
}

/// The turn and the player of an illegal move.
fn attempt(fact: &RoomFact) -> Option<(u32, Player)> {
    let RoomChange::IllegalAttempted { turn_index, player, .. } = &fact.change else { return None };
    Some((*turn_index, *player))
}

fn played(room: &Room, attempted: &BTreeSet<(u32, Player)>) -> Vec<SeatPlay> {
    let mut plays = vec![SeatPlay::default(); room.seats().len()];
    let mut tried: BTreeMap<(u32, Player), bool> = attempted.iter().map(|turn| (*turn, false)).collect();
    let (mut turn_index, mut began, mut last) = (0, room.started_at(), room.started_at());
    for turn in room.turns().iter() {
        if turn.turn_index != turn_index {
            (turn_index, began) = (turn.turn_index, last);
        }
        last = last.max(turn.at);
        let Some(player) = turn.player else { continue };
        let Some(play) = plays.get_mut(player.index()) else { continue };
        if turn.forced.is_some() {
            play.forced += 1;
        } else if turn.notation.is_some() {
            play.times.push(turn.at.since(began));
            tried.entry((turn.turn_index, player)).or_insert(true);
        }
    }
    for ((_, player), first_try) in tried {
        if let Some(play) = plays.get_mut(player.index()) {
            play.tried += 1;
            play.first_try += u32::from(first_try);
        }
    }
    plays
}
