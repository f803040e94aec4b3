//! What differs in GTP from game to game: how the board is set up, and how moves are written.

use crate::agent::board::game_id;
use crate::agent::process::ProgramError;
use hall_client::answer::View;
use serde_json::Value;

/// The moves of a game as its engines write them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// `D4`, rows from the bottom, no column I; as in the hall.
    Go,
    /// `D3`, rows from the top; small letters in the hall.
    Othello,
    /// `c4`, rows from the top; the swap is called `swap-pieces`.
    Hex,
}

impl Dialect {
    /// That of the view's game.
    pub(super) fn of(view: &View) -> Result<Self, ProgramError> {
        match game_id(view) {
            "go" => Ok(Self::Go),
            "othello" => Ok(Self::Othello),
            "hex" => Ok(Self::Hex),
            other => Err(ProgramError::Refused {
                command: format!("the game {other:?}"),
                answer: "GTP has no words for it".to_owned(),
            }),
        }
    }

    /// The commands that make an empty board of the view's size.
    pub(super) fn set_up(self, view: &View) -> Vec<String> {
        let lines = view.state_string.split(' ').next().unwrap_or_default().split('/').count();
        let size = if self == Self::Othello { 8 } else { lines };
        let mut commands = vec![format!("boardsize {size}"), "clear_board".to_owned()];
        if self == Self::Go {
            let komi = match view.public.get("komi") {
                Some(Value::String(text)) => text.clone(),
                Some(number) => number.to_string(),
                None => "7".to_owned(),
            };
            commands.push(format!("komi {komi}"));
        }
        commands
    }

    /// Whether a pass is legal only where nothing else is.
    pub(super) const fn forces_passes(self) -> bool {
        matches!(self, Self::Othello)
    }

    /// A move of the hall as the engine reads it.
    pub(super) fn vertex(self, notation: &str) -> String {
        match (self, notation) {
            (Self::Hex, "swap") => "swap-pieces".to_owned(),
            (_, "pass") | (Self::Go | Self::Hex, _) => notation.to_owned(),
            (Self::Othello, _) => notation.to_ascii_uppercase(),
        }
    }

    /// A move of the engine as the hall reads it, or `resign`.
    pub(super) fn notation(self, vertex: &str) -> String {
        let small = vertex.to_ascii_lowercase();
        match (self, small.as_str()) {
            (_, "pass" | "resign") => small,
            (Self::Hex, "swap-pieces" | "swap-sides") => "swap".to_owned(),
            (Self::Go, _) => vertex.to_ascii_uppercase(),
            (Self::Othello | Self::Hex, _) => small,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_written_as_the_engines_of_each_game_write_them() {
        for (dialect, notation, vertex) in [
            (Dialect::Go, "D4", "D4"),
            (Dialect::Go, "pass", "pass"),
            (Dialect::Othello, "d3", "D3"),
            (Dialect::Othello, "pass", "pass"),
            (Dialect::Hex, "i11", "i11"),
            (Dialect::Hex, "swap", "swap-pieces"),
        ] {
            assert_eq!(dialect.vertex(notation), vertex, "{dialect:?}");
            assert_eq!(dialect.notation(vertex), notation, "{dialect:?}");
        }
        assert_eq!(Dialect::Go.notation("d4"), "D4");
        assert_eq!(Dialect::Hex.notation("C4"), "c4");
        assert_eq!(Dialect::Othello.notation("PASS"), "pass");
        assert_eq!(Dialect::Go.notation("RESIGN"), "resign");
    }
}
