//! The how-to-play guides: grammar, phases, traps, and examples that the rules engine plays when a guide is requested.
//!
//! No legal move, position, SAN or verdict in the examples is written down: all of them are answers of the code that
//! runs the games, so a guide cannot disagree with it.

use super::Rules;
use super::rules_card::rules_card;
use crate::guide::{Example, open};
use alloc::format;
use hall_wire::json::Value;
use serde_json::json;

mod played;
pub(crate) mod words;

const CHOOSE: &str = "Choose one entry of legal_moves. state_string is the FEN, board_text the board with White below for both.";

/// What a guide says of one game alone.
pub(crate) struct Guide {
    /// The game's name within a sentence.
    pub(crate) name: &'static str,
    /// The move grammar as a regular expression.
    pub(crate) pattern: &'static str,
    /// The rules of the grammar.
    pub(crate) notation: &'static [&'static str],
    /// What the list of legal moves is already filtered for.
    pub(crate) filtered: &'static str,
    /// What differs from chess; null for chess.
    pub(crate) special: Value,
    /// How the rules end a game, in a few words.
    pub(crate) ends: &'static str,
    /// Each end in a sentence.
    pub(crate) ending: Value,
    /// Positions and what is tried in them.
    pub(crate) examples: &'static [Example],
    /// The number of the start position of the short game, where nature draws it.
    pub(crate) start: Option<u64>,
    /// The moves of the worked example: a whole game.
    pub(crate) short_game: &'static [&'static str],
}

pub(in crate::chess_family) fn how_to<R: Rules>() -> Value {
    let guide = R::guide();
    let mut chapters = json!({
        "game": R::ID,
        "ruleset_version": R::RULESET_VERSION,
        "rules_card": rules_card::<R>(),
        "grammar": grammar(&guide),
        "turn": open::turn(CHOOSE),
        "phases": open::phases(guide.ends),
        "ending": guide.ending,
        "penalties": open::penalties_with_what_counts(&format!(
            "When deadline_utc passes, a random legal move is played for you and you get a strike; {} has no pass.",
            guide.name,
        )),
        "draw_offers": draw_offers(),
        "clocks": clocks(),
        "examples": guide.examples.iter().filter_map(played::example::<R>).collect::<Value>(),
        "worked_example": played::worked_example::<R>(guide.start, guide.short_game),
    });
    if let Value::Object(chapters) = &mut chapters
        && !guide.special.is_null()
    {
        chapters.insert("special_rules".into(), guide.special);
    }
    chapters
}

fn grammar(guide: &Guide) -> Value {
    json!({
        "pattern": guide.pattern,
        "rules": guide.notation,
        "legal_moves": format!(
            "Complete and already filtered for {}; sorted by notation (as ASCII text), index counting from 0; empty \
             unless it is your turn. move equals notation.",
            guide.filtered,
        ),
    })
}

fn draw_offers() -> Value {
    json!({
        "offer": open::OFFER,
        "accept": open::ACCEPT,
        "decline": open::DECLINE,
        "nothing_to_accept": open::NOTHING_TO_ACCEPT,
        "not_by_words": "An offer in commentary is no offer.",
    })
}

fn clocks() -> Value {
    json!({
        "rule": "Each move has a deadline, and each side a clock for all its moves: move_ms and side_ms beside this \
                 guide and in the catalog are this hall's times; without side_ms there is no clock for all moves. \
                 deadline_utc is the earlier of the two and the only deadline that counts; a move that has arrived \
                 by then is on time. A side whose clock is used up loses (clock). view.public.clocks_ms says what \
                 is left.",
    })
}
