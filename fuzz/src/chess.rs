//! Moves as text.

use hall_games::{CHESS, Game as _, NoChance};
use hall_wire::Notation;

/// Plays the words of a text as moves of one game of chess, and skips illegal ones.
///
/// # Panics
/// If a notation is accepted that is not listed as legal, or a listed one is refused; if a refused move
/// changes the position; if the position does not come back from its saved form.
pub fn moves(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(mut position) = CHESS.open("standard", 2) else { panic!("chess is played by two") };
    for word in text.split_ascii_whitespace().take(300) {
        let Some(notation) = Notation::parse(word) else { continue };
        assert_eq!(notation.as_str(), word, "a notation is its text");
        let Some(player) = position.to_move().iter().next() else {
            assert!(position.outcome().is_some(), "nobody is to move in a game that goes on");
            break;
        };
        let legal = position.legal_moves(player);
        let listed = legal.iter().any(|entry| entry.notation == notation);
        let before = position.save();
        let played = position.play(player, &notation, &mut NoChance).is_ok();
        assert_eq!(played, listed, "{word} in {before}");
        if !played {
            assert_eq!(position.save(), before, "{word} was refused and changed the position");
        }
    }
    let saved = position.save();
    let restored = CHESS.restore(&saved).map(|restored| (restored.save(), restored.state_string()));
    assert_eq!(restored.ok(), Some((saved, position.state_string())), "a saved position does not come back");
}
