//! What only the tests of these games share: ends, boards, guesses, and the checks of guides and rules cards.

use crate::testing::{P0, checked_verdicts, mover, play, replay};
use crate::{Game, Position, Viewer};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use hall_wire::json::{Value, canonical};
use hall_wire::{Notation, Player};

/// A game of `variant` after these moves, separated by spaces.
pub(crate) fn after(game: &dyn Game, variant: &str, moves: &str) -> Box<dyn Position> {
    let mut position = game.open(variant, 2).unwrap();
    play(&mut *position, moves);
    position
}

/// Winner and reason, as `p0 four_in_line`, `draw board_full` or `-`.
pub(crate) fn ending(position: &dyn Position) -> String {
    let Some(outcome) = position.outcome() else { return "-".to_string() };
    let winner = outcome.winners.iter().next().map_or("draw".to_string(), |winner| winner.to_string());
    format!("{winner} {}", outcome.reason.as_str())
}

/// The board as `player` sees it in a live game, or one that the rules have ended.
pub(crate) fn board_text(position: &dyn Position, player: Player, last: Option<(Player, &str)>) -> String {
    let last_move = last.map(|(player, text)| (player, Notation::parse(text).unwrap()));
    position.board_text(&Viewer { player, result: None, to_move: position.to_move(), last_move })
}

/// What the position takes each text for, as `C4=c4`, or `C4=-`.
pub(crate) fn guesses(position: &dyn Position, texts: &[&str]) -> Vec<String> {
    let player = mover(position).unwrap_or(P0);
    let guess = |text: &&str| {
        let meant = position.did_you_mean(player, &Notation::parse(text).unwrap());
        format!("{text}={}", meant.map_or("-".to_string(), |meant| meant.to_string()))
    };
    texts.iter().map(guess).collect()
}

/// The verdicts of the guide's examples, as `+d3 -D3`, after it was checked that they agree with the legal lists, that
/// no chapter is empty, and that the worked example can be played again.
pub(crate) fn checked_guide(game: &'static dyn Game, examples: usize) -> String {
    let guide = game.how_to();
    for name in ["game", "ruleset_version"] {
        assert_eq!(guide[name], game.rules_card()[name]);
    }
    for chapter in ["grammar", "turn", "phases", "ending", "penalties", "draw_offers", "traps"] {
        let is_empty = guide[chapter].as_array().is_some_and(Vec::is_empty) || guide[chapter].is_null();
        assert!(!is_empty, "{chapter}");
    }
    let verdicts = checked_verdicts(&guide);
    assert_eq!(verdicts.len(), examples, "every example is shown");
    check_worked_example(game, &guide["worked_example"]);
    verdicts.concat().join(" ")
}

fn check_worked_example(game: &dyn Game, worked: &Value) {
    let mut position = game.open(worked["variant"].as_str().unwrap(), 2).unwrap();
    let shown = worked["first_legal_moves"].as_array().unwrap().iter().map(|entry| {
        assert_eq!(entry["move"], entry["notation"]);
        (entry["index"].as_u64(), entry["move"].as_str(), entry["summary"].as_str())
    });
    let legal = position.legal_moves(P0);
    let listed = (0..)
        .zip(&legal)
        .map(|(index, entry)| (Some(index), Some(entry.notation.as_str()), Some(entry.summary.as_str())));
    assert!(shown.eq(listed), "the first turn is shown as the view shows it");
    replay(&mut *position, worked);
    let formats = worked["final"]["records"].as_object().unwrap();
    assert!(formats.keys().eq(game.describe().record_formats));
}

/// The rules card has the fields that every card has, and is short enough for every view.
pub(crate) fn check_rules_card(game: &dyn Game) {
    let (card, described) = (game.rules_card(), game.describe());
    assert_eq!(card["game"], described.id);
    assert_eq!(card["ruleset_version"], described.ruleset_version);
    assert_eq!(card["guide"], format!("/api/howto/{}", described.id));
    for field in ["seats", "notation", "choose", "goal", "illegal_moves", "deadline", "strikes"] {
        assert!(card[field].as_str().is_some_and(|text| text.contains(' ')), "{field}");
    }
    let length = canonical(&card).len();
    assert!(length < 1_536, "{length} bytes");
}
