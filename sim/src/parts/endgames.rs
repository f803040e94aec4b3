//! Endgames out of nowhere: the hall's chess against the reference's from random positions with few pieces, near the
//! fifty-move limit and to and fro, so that the rare automatic draws come about, also two at once.

use super::Comparison;
use crate::dice::Dice;
use crate::reference::Chess;
use hall_games::{Chance, GameResult, Position, Unreadable};
use hall_wire::Notation;
use std::collections::VecDeque;

/// Plies of one endgame.
const PLIES: usize = 60;

/// A position of the hall's chess, or none.
type Restored = Result<Box<dyn Position>, Unreadable>;

/// Chess draws nothing.
struct NoChance;

impl Chance for NoChance {
    fn below(&mut self, _: u64) -> Option<u64> {
        None
    }
}

/// Endgames of one comparison.
const GAMES: u32 = 10;

/// Endgames at random; `restore` is also how the hall's chess comes back from a snapshot after each ply.
pub(super) fn compare(dice: &mut Dice, out: &mut Comparison, restore: impl Fn(&str) -> Restored) {
    for _ in 0..GAMES {
        let fen = random_fen(dice);
        play(dice, out, &fen, &restore);
    }
}

/// Plays one endgame on both sides, to its end or the first difference.
fn play(dice: &mut Dice, out: &mut Comparison, fen: &str, restore: &impl Fn(&str) -> Restored) {
    let (Some(mut own), Ok(mut hall)) = (Chess::from_fen(fen), restore(fen)) else { return };
    let walk = 2 * usize::try_from(dice.between(1, 5)).unwrap_or(1);
    let (mut path, mut back) = (Vec::new(), VecDeque::new());
    for ply in 0..PLIES {
        let expected = (own.outcome(), own.fen());
        let found = (hall.outcome().map(GameResult::from), hall.state_string());
        let is_same = expected == found;
        out.same("chess: an endgame", || format!("{ply} plies after {fen}"), expected, found);
        let legal = own.notations();
        let returning = back
            .pop_front()
            .and_then(|turned: String| legal.iter().find(|legal| legal.as_str() == turned).copied());
        if returning.is_none() {
            back.clear();
        }
        // Nobody is to move any more when the game is over.
        let chosen = returning.or_else(|| dice.pick(&legal).copied());
        let Some(chosen) = chosen.filter(|_| is_same) else { return };
        if returning.is_none() {
            path.push(chosen);
        }
        if path.len() == walk {
            back.extend(way_back(&path));
            path.clear();
        }
        let player = own.mover();
        let Some(place) = own.find(&chosen) else { return };
        own.play(place);
        let played = hall.play(player, &chosen, &mut NoChance).map(|_| ());
        let input = || format!("{chosen}, {ply} plies after {fen}");
        out.same("chess: a legal move", input, Ok(()), played.map_err(|why| format!("{why:?}")));
        // What a snapshot keeps is all that counts.
        let Ok(again) = restore(&hall.save()) else {
            out.same("chess: what was saved", input, "is read back", "is not read back");
            return;
        };
        hall = again;
    }
}

/// Both take their walk back, the newest move first.
fn way_back(path: &[Notation]) -> Vec<String> {
    let turned = |it: &Notation| {
        let text = it.as_str();
        Some(format!("{}{}", text.get(2..4)?, text.get(..2)?))
    };
    path.chunks(2).rev().flat_map(|pair| pair.iter().filter_map(turned)).collect()
}

/// Two kings and up to four other pieces anywhere; it need not be a possible position.
fn random_fen(dice: &mut Dice) -> String {
    let mut squares = [None; 64];
    let others = ["", "B", "Bb", "BBbb", "N", "Nn", "NN", "R", "Rr", "P", "Pp", "BN", "Q"];
    let mut pieces = String::from("Kk");
    pieces.push_str(dice.pick(&others).unwrap_or(&""));
    for piece in pieces.chars() {
        if let Some(square) = squares.get_mut(usize::try_from(dice.below(64)).unwrap_or(0)) {
            *square = Some(piece);
        }
    }
    let rank = |row: &[Option<char>]| -> String { row.iter().map(|it| it.unwrap_or('1')).collect() };
    // FEN counts empty squares together.
    let mut placement = squares.chunks(8).map(rank).collect::<Vec<_>>().join("/");
    for count in (2..=8_usize).rev() {
        placement = placement.replace(&"1".repeat(count), &count.to_string());
    }
    let turn = if dice.permille(500) { 'w' } else { 'b' };
    let halfmoves = if dice.permille(500) { dice.between(80, 100) } else { 0 };
    format!("{placement} {turn} - - {halfmoves} 90")
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_games::{CHESS, Game as _};

    fn differences(restore: impl Fn(&str) -> Restored) -> usize {
        let mut out = Comparison::default();
        let mut dice = Dice::of(1, "endgames", 0);
        for _ in 0..20 {
            compare(&mut dice, &mut out, &restore);
        }
        out.differences.len()
    }

    #[test]
    fn chess_that_forgets_something_between_two_plies_differs() {
        assert_eq!(differences(|saved| CHESS.restore(saved)), 0);
        // The positions seen before.
        assert_ne!(differences(|saved| CHESS.restore(saved.split(';').next().unwrap_or(saved))), 0);
        // The half-moves since the last capture or pawn move.
        let count_anew = |saved: &str| {
            let mut fields: Vec<&str> = saved.split(' ').collect();
            if let Some(halfmoves @ &mut ("98" | "99")) = fields.get_mut(4) {
                *halfmoves = "0";
            }
            CHESS.restore(&fields.join(" "))
        };
        assert_ne!(differences(count_anew), 0);
    }
}
