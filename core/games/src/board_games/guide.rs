//! The frame of a how-to-play guide of these games: its chapters, examples, and a whole game.

use crate::guide::{Example, OpenGame, board_of, in_full, open};
use crate::{Game, GameRecord, STANDARD};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use hall_wire::Player;
use hall_wire::json::{Map, Value};
use serde_json::json;

/// The player who begins.
const P0: Player = Player::new(0);

const CHOOSE: &str = "Choose one entry of legal_moves. state_string and board_text show the same position, for programs \
                      and for readers.";

/// What a guide says of one game alone.
pub(crate) struct Guide {
    /// The game that plays the examples.
    pub(crate) game: &'static dyn Game,
    /// The chapter `grammar`: `pattern` and `rules`.
    pub(crate) grammar: Value,
    /// The chapter `ending`: a sentence for each reason of the rules.
    pub(crate) ending: Value,
    /// What players get wrong.
    pub(crate) traps: &'static [&'static str],
    /// Positions and moves that are tried in them.
    pub(crate) examples: &'static [Example],
    /// The variant of the worked example, and all its moves, separated by spaces.
    pub(crate) worked_example: (&'static str, &'static str),
}

impl Guide {
    pub(crate) fn write(self) -> Value {
        let described = self.game.describe();
        json!({
            "game": described.id,
            "ruleset_version": described.ruleset_version,
            "rules_card": self.game.rules_card(),
            "grammar": self.grammar,
            "legal_moves": "Complete; sorted by notation (as ASCII text), index counting from 0; empty unless it is your \
                            turn. move equals notation. Instead of a string, { \"index\": n } names an entry of the \
                            legal_moves of this very turn.",
            "turn": open::turn(CHOOSE),
            "phases": open::phases("an end by the rules"),
            "ending": self.ending(),
            "penalties": open::penalties_with_what_counts(&format!(
                "When deadline_utc passes, the hall moves for you and you get a strike. {}",
                described.default_action,
            )),
            "draw_offers": draw_offers(),
            "traps": self.traps,
            "examples": self.examples.iter().filter_map(|example| example.play_open(self.game)).collect::<Vec<_>>(),
            "worked_example": self.worked_example(),
        })
    }

    /// The reasons of the rules, and those of the room.
    fn ending(&self) -> Value {
        let mut ending = self.ending.clone();
        if let Some(reasons) = ending.as_object_mut() {
            let room = "resignation, agreement, clock, strikes (each forfeit is a loss, whatever the position), \
                        adjudicated, aborted (nobody wins, nothing is rated).";
            reasons.insert("by_the_room".to_string(), room.into());
        }
        ending
    }

    /// A whole game, every turn as the rules see it.
    fn worked_example(&self) -> Option<Value> {
        let (variant, moves) = self.worked_example;
        let first = self.game.open(variant, 2).ok()?;
        let mut position = first.clone();
        let mut game = OpenGame::default();
        for text in moves.split(' ') {
            game.play(&mut *position, text, |_, _| [])?;
        }
        let formats = self.game.describe().record_formats.iter();
        let ending = game.ending(&*position, P0, "records", |result| {
            let record = GameRecord { variant, ..GameRecord::of(&game.moves, result) };
            let written =
                |format: &&str| Some(((*format).to_string(), self.game.record(format, &record)?.into()));
            formats.filter_map(written).collect::<Map<String, Value>>().into()
        })?;
        Some(json!({
            "about": about(variant),
            "variant": variant,
            "first_legal_moves": in_full(&first.legal_moves(P0)),
            "first_board_text": board_of(&*first),
            "turns": game.turns,
            "final": ending,
        }))
    }
}

fn draw_offers() -> Value {
    json!({
        "offer": open::OFFER,
        "accept": open::ACCEPT,
        "decline": open::DECLINE,
        "nothing_to_accept": open::NOTHING_TO_ACCEPT,
    })
}

fn about(variant: &str) -> String {
    let which = if variant == STANDARD { String::new() } else { format!(" of the variant {variant}") };
    format!(
        "A whole game{which}. Each turn lists what legal_moves held; the first one is also shown in full."
    )
}
