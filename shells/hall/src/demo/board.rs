//! One game as a person sees it.

use hall_core::rooms::Room;
use hall_games::CATALOG;
use hall_wire::Player;
use std::fmt::Write as _;

/// `white – black`, by their handles.
pub(super) fn names(room: &Room) -> String {
    let handles: Vec<&str> = room.seats().iter().map(|seat| seat.seat.handle.as_str()).collect();
    handles.join(" - ")
}

/// How a game ended, in one line; how far it is, if it is live.
pub(super) fn standing(room: &Room) -> String {
    let Some(result) = room.result() else {
        let turn = room.turn_index();
        return if counts_pairs(room) { format!("move {}", turn / 2 + 1) } else { format!("turn {turn}") };
    };
    let score = match result.winners.as_slice() {
        [] if result.draw => "draw".to_owned(),
        [] => "no result".to_owned(),
        winners => {
            let handle = |player: &Player| room.seat(*player).map(|seat| seat.seat.handle.as_str());
            format!("{} wins", winners.iter().filter_map(handle).collect::<Vec<_>>().join(", "))
        }
    };
    let (reason, turns) = (result.reason.as_str().replace('_', " "), room.turn_index());
    format!("{score} by {reason}, after {turns} {}", if turns == 1 { "turn" } else { "turns" })
}

/// The last turns, as people write them: in pairs where people count moves so, else each with its player.
pub(super) fn last_moves(room: &Room, count: usize) -> String {
    let turns = room.turns();
    let skipped = turns.len().saturating_sub(count);
    let in_pairs = counts_pairs(room);
    let mut text = String::new();
    for (index, turn) in turns.iter().enumerate().skip(skipped) {
        let Some(written) = turn.san.or(turn.notation) else { continue };
        if in_pairs && (index % 2 == 0 || index == skipped) {
            let dots = if index % 2 == 0 { "." } else { "..." };
            let _ = write!(text, "{}{dots} ", index / 2 + 1);
        }
        match turn.player.filter(|_| !in_pairs) {
            Some(player) => {
                let _ = write!(text, "{player} {written}, ");
            }
            None => {
                let _ = write!(text, "{written} ");
            }
        }
    }
    text.trim_end_matches([' ', ',']).to_owned()
}

/// Whether people count the turns of both players as one move: in chess and its variants.
fn counts_pairs(room: &Room) -> bool {
    let game = CATALOG.find(room.variant().game.as_str());
    game.is_some_and(|game| game.describe().record_formats.contains(&"pgn"))
}
