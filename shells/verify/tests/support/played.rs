//! Whole games, and the PGN of one.

use super::builder::Game;
use hall_wire::Timestamp;
use serde_json::{Value, json};
use shakmaty::Position as _;

impl Game {
    pub(super) fn pgn(&self, token: &str) -> String {
        let (year, month, day) = Timestamp::from_millis(self.formed).utc_date();
        let mut words: Vec<String> = Vec::new();
        for (ply, san) in self.san.iter().enumerate() {
            words.extend((ply % 2 == 0).then(|| format!("{}.", ply / 2 + 1)));
            words.push(san.clone());
        }
        words.push(token.to_owned());
        let tags =
            format!("[Event \"e\"]\n[Site \"s\"]\n[Date \"{year:04}.{month:02}.{day:02}\"]\n[Round \"-\"]\n");
        let who = format!("[White \"ada\"]\n[Black \"bob\"]\n[Result \"{token}\"]\n");
        format!("{tags}{who}\n{}\n", words.join(" "))
    }
}

/// A game of this many turns, every second one with commentary. `choose` picks each move by index from the number of
/// legal ones. The game ends with a resignation unless the board ends it before.
pub(crate) fn played(turns: usize, mut choose: impl FnMut(usize) -> usize) -> Value {
    let mut game = Game::formed(1_790_000_000_000, None);
    for turn in 0..turns {
        game.now += 1_234;
        let legal = game.legal();
        let wish = legal[choose(legal.len())].clone();
        game.act(if turn % 2 == 0 {
            json!({ "move": wish })
        } else {
            json!({ "move": wish, "commentary": "½ \"" })
        });
        if game.is_over() {
            break;
        }
    }
    let mover = game.mover();
    if !game.is_over() {
        game.act(json!({ "resign": true }));
        return game.ended(Some(mover ^ 1), "resignation");
    }
    if game.position.is_checkmate() {
        return game.ended(Some(mover ^ 1), "checkmate");
    }
    let reason = if game.position.is_stalemate() { "stalemate" } else { "insufficient_material" };
    game.ended(None, reason)
}
