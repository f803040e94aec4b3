//! Endgames out of nowhere: the hall's chess against the reference's from random positions with few pieces, near the
//! fifty-move limit and to and fro, so that the rare automatic draws come about, also two at once.

use super::chess::Chess;
use crate::dice::Dice;
use hall_games::{CHESS, Chance, Game as _, GameResult};
use hall_wire::Notation;
use std::collections::VecDeque;

/// Plies of one endgame.
const PLIES: usize = 60;

/// Chess draws nothing.
struct NoChance;

impl Chance for NoChance {
    fn below(&mut self, _: u64) -> Option<u64> {
        None
    }
}

/// Plays a random endgame on both sides. The first difference, in words.
pub(crate) fn differ(dice: &mut Dice) -> Option<String> {
    let fen = random_fen(dice);
    let (Ok(mut hall), Some(mut own)) = (CHESS.restore(&fen), Chess::from_fen(&fen)) else { return None };
    let walk = 2 * usize::try_from(dice.between(1, 5)).unwrap_or(1);
    let (mut path, mut back) = (Vec::new(), VecDeque::new());
    for ply in 0..PLIES {
        let (outcome, found) = (own.outcome(), hall.outcome().map(GameResult::from));
        if outcome != found || own.fen() != hall.state_string() {
            return Some(format!(
                "{fen}, {ply} plies on {}: {outcome:?}, the hall says {found:?}",
                own.fen()
            ));
        }
        let legal = own.notations();
        let returning: Option<Notation> = back
            .pop_front()
            .and_then(|turned: String| legal.iter().find(|legal| legal.as_str() == turned).copied());
        if returning.is_none() {
            back.clear();
        }
        // Nobody is to move any more when the game is over.
        let chosen = returning.or_else(|| dice.pick(&legal).copied())?;
        if returning.is_none() {
            path.push(chosen);
        }
        if path.len() == walk {
            // Both take their walk back, the newest move first.
            for pair in path.chunks(2).rev() {
                back.extend(pair.iter().filter_map(|it| {
                    let text = it.as_str();
                    Some(format!("{}{}", text.get(2..4)?, text.get(..2)?))
                }));
            }
            path.clear();
        }
        let player = own.mover();
        let place = own.find(&chosen)?;
        own.play(place);
        if let Err(why) = hall.play(player, &chosen, &mut NoChance) {
            return Some(format!("{fen}, {ply} plies on: {chosen:?} is {why:?}"));
        }
        // What a snapshot keeps is all that counts.
        match CHESS.restore(&hall.save()) {
            Ok(again) => hall = again,
            Err(_) => return Some(format!("{fen}, {ply} plies on: what was saved is not read back")),
        }
    }
    None
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
