//! A position that a guide shows, and moves that are tried in it.

use super::worked::ExampleRolls;
use super::{board_of, mover, notations};
use crate::{Game, GameResult, Mark, MarkKind, NoChance, Position, ShownExample, ShownMove};
use alloc::vec::Vec;
use hall_wire::Notation;
use hall_wire::json::Value;
use serde_json::json;

/// The tries to be drawn, legal ones and refused ones; `None` if none is legal.
pub(crate) fn shown(
    topic: &'static str,
    position: &dyn Position,
    tries: &'static [(&'static str, &'static str)],
) -> Option<ShownExample> {
    let before = position.picture(true);
    let player = mover(position)?;
    let shown = |(text, note): &(&'static str, &'static str)| {
        let (mut after, notation) = (position.clone_box(), Notation::parse(text)?);
        after.play(player, &notation, &mut ExampleRolls::default()).ok()?;
        let mut picture = after.picture(true);
        let places = after.places(&notation).into_iter();
        picture.marks.extend(places.map(|(column, row)| Mark {
            column,
            row,
            mark: MarkKind::LastMove,
            player: None,
        }));
        Some(ShownMove { notation: text, note, after: Some(picture).filter(|after| *after != before) })
    };
    let moves: Vec<_> = tries.iter().filter_map(shown).collect();
    let is_legal = |text: &str| moves.iter().any(|shown| shown.notation == text);
    let refused = tries.iter().filter(|(text, _)| !is_legal(text)).copied().collect();
    (!moves.is_empty()).then_some(ShownExample { topic, before, moves, refused })
}

/// One position and some moves tried in it by the first player who is to move.
pub(crate) struct Example {
    /// What the example teaches.
    pub(crate) topic: &'static str,
    /// The position as the game saves it.
    pub(crate) saved: &'static str,
    /// The moves as sent, each with what it shows.
    pub(crate) tries: &'static [(&'static str, &'static str)],
}

impl Example {
    /// What can be drawn of it.
    pub(crate) fn shown(&self, game: &dyn Game) -> Option<ShownExample> {
        shown(self.topic, &*game.restore(self.saved).ok()?, self.tries)
    }

    /// Asks the rules of a game with hidden information; `None` if the position cannot be read or nobody is to move,
    /// which tests rule out.
    pub(crate) fn play(&self, game: &dyn Game) -> Option<Value> {
        let position = game.restore(self.saved).ok()?;
        let player = mover(&*position)?;
        let tries: Vec<Value> =
            self.tries.iter().filter_map(|(text, note)| verdict_with_shown(&*position, text, note)).collect();
        Some(json!({
            "topic": self.topic,
            "player": player,
            "state_string": position.state_string(),
            "private": position.private(player),
            "board_text": board_of(&*position),
            "legal_moves": notations(&position.legal_moves(player)),
            "tries": tries,
        }))
    }

    /// Asks the rules of a game in which nothing is hidden; `None` as in [`Self::play`].
    pub(crate) fn play_open(&self, game: &dyn Game) -> Option<Value> {
        tell_open(self.topic, &*game.restore(self.saved).ok()?, self.tries, verdict)
    }
}

/// Tells a position in which nothing is hidden, and what `verdict` says of each of the tries.
pub(crate) fn tell_open(
    topic: &str,
    position: &dyn Position,
    tries: &[(&str, &str)],
    verdict: impl Fn(&dyn Position, &str, &str) -> Option<Value>,
) -> Option<Value> {
    let player = mover(position)?;
    let tries: Vec<Value> = tries.iter().filter_map(|(text, note)| verdict(position, text, note)).collect();
    Some(json!({
        "topic": topic,
        "state_string": position.state_string(),
        "board_text": board_of(position),
        "to_move": player,
        "legal_moves": notations(&position.legal_moves(player)),
        "tries": tries,
    }))
}

/// What the rules say of `text` in a position in which nothing is hidden.
fn verdict(position: &dyn Position, text: &str, note: &str) -> Option<Value> {
    open_verdict(position, text, note, |after| after.result_by_the_rules())
}

/// The same with a result that leaves the points out.
pub(crate) fn verdict_without_points(position: &dyn Position, text: &str, note: &str) -> Option<Value> {
    open_verdict(position, text, note, |after| after.outcome().map(GameResult::from))
}

fn open_verdict(
    position: &dyn Position,
    text: &str,
    note: &str,
    result: impl FnOnce(&dyn Position) -> Option<GameResult>,
) -> Option<Value> {
    let mut after = position.clone_box();
    let player = mover(position)?;
    let notation = Notation::parse(text)?;
    Some(match after.play(player, &notation, &mut NoChance) {
        Ok(_) => json!({
            "move": text,
            "accepted": true,
            "state_string_after": after.state_string(),
            "result": result(&*after),
            "note": note,
        }),
        Err(_) => json!({
            "move": text,
            "accepted": false,
            "code": "illegal_move",
            "did_you_mean": position.did_you_mean(player, &notation),
            "note": note,
        }),
    })
}

/// What the rules say of `text` in a position in which something is hidden: also what the move shows to all.
fn verdict_with_shown(position: &dyn Position, text: &str, note: &str) -> Option<Value> {
    let mut after = position.clone_box();
    let player = mover(position)?;
    let answer = after.play(player, &Notation::parse(text)?, &mut ExampleRolls::default());
    Some(match answer {
        Ok(played) => json!({
            "move": text,
            "accepted": true,
            "shown": played.shown,
            "state_string_after": after.state_string(),
            "result": after.outcome().map(GameResult::from),
            "note": note,
        }),
        Err(_) => json!({ "move": text, "accepted": false, "code": "illegal_move", "note": note }),
    })
}

#[cfg(test)]
mod tests {
    use crate::{CATALOG, ShownExample};
    use alloc::vec::Vec;
    use hall_wire::json::Value;

    #[test]
    fn every_game_shows_moves_and_what_comes_of_them() {
        for game in CATALOG.iter() {
            let id = game.describe().id;
            let examples = game.examples();
            let shown: usize = examples
                .iter()
                .flat_map(|example| &example.moves)
                .filter(|shown| shown.after.is_some())
                .count();
            assert!(shown >= 2, "{id}: {examples:?}");
            let guide = game.how_to();
            let accepted = |example: &&Value| {
                let tries = example["tries"].as_array().unwrap();
                tries.iter().any(|tried| tried["accepted"] == true)
            };
            let told: Vec<&str> = guide["examples"]
                .as_array()
                .unwrap()
                .iter()
                .filter(accepted)
                .map(|example| example["topic"].as_str().unwrap())
                .collect();
            assert_eq!(examples.iter().map(|example| example.topic).collect::<Vec<_>>(), told, "{id}");
            let tried = |example: &ShownExample| example.moves.len() + example.refused.len();
            assert!(examples.iter().map(tried).sum::<usize>() > shown, "{id}: something is refused");
        }
    }
}
