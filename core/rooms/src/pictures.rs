//! What could be seen of a game, turn by turn (decision 13.10).

use crate::fact::{RoomChange, RoomFact};
use crate::opening;
use crate::room::Room;
use alloc::vec::Vec;
use core::ops::Range;
use hall_games::{Catalog, Mark, MarkKind, Picture};

/// The pictures at the beginning of the turns in `turns`, each with the number of its turn; the last one of an ended game
/// shows how it ended. `facts` are all facts of the game in order. Of a game that has ended everything is revealed, of a
/// live one only what is public is shown.
///
/// # Panics
/// If the first fact is not the start of a game, or the facts are not those of one game in order.
#[must_use]
pub fn pictures<'a>(
    facts: impl IntoIterator<Item = &'a RoomFact>,
    catalog: &Catalog,
    revealed: bool,
    turns: Range<u32>,
) -> Vec<(u32, Picture)> {
    let mut facts = facts.into_iter();
    let Some(first) = facts.next() else { return Vec::new() };
    let mut room = opening::open(first, catalog);
    let mut pictures = Vec::new();
    let mut look = |room: &Room| {
        let turn_index = room.turn_index();
        // Nature acts, and other players of a shared turn move, before a turn begins: only the last look counts.
        pictures.pop_if(|(turn, _): &mut (u32, Picture)| *turn == turn_index);
        if turns.contains(&turn_index) {
            pictures.push((turn_index, seen(room, revealed)));
        }
    };
    look(&room);
    for fact in facts {
        room.apply(fact);
        if matches!(
            fact.change,
            RoomChange::MovePlayed(_) | RoomChange::NatureActed { .. } | RoomChange::Ended { .. }
        ) {
            look(&room);
        }
    }
    pictures
}

/// The picture of a room as it is: the last of its [`pictures`].
#[must_use]
pub fn picture(room: &Room) -> Picture {
    seen(room, room.result().is_some())
}

/// The picture of a room, with its last move marked.
fn seen(room: &Room, revealed: bool) -> Picture {
    let mut picture = room.position().picture(revealed);
    let last = room.turns().last().map(|turn| if revealed { turn } else { room.turn_for(None, &turn) });
    let places = last.and_then(|turn| turn.notation).map(|notation| room.position().places(&notation));
    let marked = places.into_iter().flatten();
    picture.marks.extend(marked.map(|(column, row)| Mark {
        column,
        row,
        mark: MarkKind::LastMove,
        player: None,
    }));
    picture
}
