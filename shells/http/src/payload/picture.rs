//! Pictures of a game: data from which a renderer draws (decision 13.10).

use super::schema::{Components, Schema, component, described, object, payload};
use hall_games::{Counter, Hand, Mark, Picture, Piece};
use hall_wire::json::Value;
use hall_wire::{GameId, Player};
use serde_json::json;

payload! {
    /// What could be seen at the beginning of a turn.
    pub TurnPicture as "TurnPicture" {
        /// The turn. The last one of an ended game shows how it ended.
        turn_index: u32,
        /// What could be seen; in an ended game everything is revealed.
        picture: Picture,
    }

    /// Pictures of a game.
    pub PicturesData as "PicturesData" {
        /// The game.
        game_id: GameId,
        /// The pictures, in the order of the turns.
        pictures: Vec<TurnPicture>,
        /// Whether the game goes on.
        live: bool,
    }
}

impl Schema for Picture {
    fn schema(components: &mut Components) -> Value {
        component(components, "Picture", |components| {
            let names = json!({ "type": "array", "items": { "type": "string" } });
            let members = vec![
                (
                    "kind",
                    words(
                        &["grid", "hex", "points", "table"],
                        "How the places are arranged: rows and columns at right angles; rows of hexagons, each half a place further to the right than the one above it; the points of a backgammon board, one row, columns 1 to 24 as p0 counts them and column 0 for the bar; no places.",
                    ),
                ),
                (
                    "pattern",
                    words(
                        &["plain", "checkered", "lines", "holes"],
                        "What the places look like: all the same; light and dark by turns, the place in the last row and the first column dark; crossings of lines; holes that discs fall behind.",
                    ),
                ),
                (
                    "columns",
                    described(names.clone(), "The names of the columns from the left; empty at a table."),
                ),
                (
                    "rows",
                    described(
                        names.clone(),
                        "The names of the rows from the top; empty at a table. Where the columns of a checkered board have no names, the dark squares are numbered, and a row is named by the numbers of its first and its last one, `9-12`.",
                    ),
                ),
                ("pieces", Vec::<Piece>::schema(components)),
                ("marks", Vec::<Mark>::schema(components)),
                ("hands", Vec::<Hand>::schema(components)),
                ("counters", Vec::<Counter>::schema(components)),
                ("labels", described(names, "Lines of text below the board.")),
            ];
            object(
                "A position as data from which a picture is drawn. It says nothing of colours, sizes or fonts.",
                members,
                &[],
            )
        })
    }
}

impl Schema for Piece {
    fn schema(components: &mut Components) -> Value {
        component(components, "PicturePiece", |components| {
            let [column, row] = place(components);
            let members = vec![
                column,
                row,
                (
                    "player",
                    described(
                        Option::<Player>::schema(components),
                        "Whose it is; null for a piece of nobody.",
                    ),
                ),
                (
                    "shape",
                    described(
                        String::schema(components),
                        "disc, stone, man, crowned_man, king, queen, rook, bishop, knight or pawn; a renderer writes the word where it knows no shape for it.",
                    ),
                ),
                ("count", described(u8::schema(components), "How many of them.")),
            ];
            object("One piece, or several of a kind on one place.", members, &[])
        })
    }
}

impl Schema for Mark {
    fn schema(components: &mut Components) -> Value {
        component(components, "PictureMark", |components| {
            let [column, row] = place(components);
            let kinds = ["last_move", "check", "threatened", "territory", "winning"];
            let members = vec![
                column,
                row,
                ("mark", words(&kinds, "What is to be noticed.")),
                (
                    "player",
                    described(
                        Option::<Player>::schema(components),
                        "Whom it concerns, where it concerns one player.",
                    ),
                ),
            ];
            object("A mark on one place.", members, &[])
        })
    }
}

impl Schema for Hand {
    fn schema(components: &mut Components) -> Value {
        component(components, "PictureHand", |components| {
            let members = vec![
                (
                    "player",
                    described(
                        Option::<Player>::schema(components),
                        "Whose they are; null for what lies on the table.",
                    ),
                ),
                ("title", described(String::schema(components), "What they are, as cards or dice.")),
                (
                    "shown",
                    described(
                        Vec::<String>::schema(components),
                        "Those that everybody sees, each as a short text (Qs, 5).",
                    ),
                ),
                ("hidden", described(u8::schema(components), "How many lie face down.")),
            ];
            object("Cards, dice or pieces in a hand, or on the table.", members, &[])
        })
    }
}

impl Schema for Counter {
    fn schema(components: &mut Components) -> Value {
        component(components, "PictureCounter", |components| {
            let members = vec![
                (
                    "player",
                    described(Option::<Player>::schema(components), "Whom it belongs to, if to one player."),
                ),
                ("title", described(String::schema(components), "What is counted.")),
                ("value", described(String::schema(components), "The number or the word.")),
            ];
            object("A number or a word beside the board.", members, &[])
        })
    }
}

fn place(components: &mut Components) -> [(&'static str, Value); 2] {
    [
        ("column", described(u8::schema(components), "From 0 at the left.")),
        ("row", described(u8::schema(components), "From 0 at the top.")),
    ]
}

fn words(words: &[&str], description: &str) -> Value {
    described(json!({ "type": "string", "enum": words }), description)
}
