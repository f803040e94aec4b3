//! The rules card: what an agent must know to play, short because it is part of every view.

use super::Rules;
use alloc::format;
use hall_wire::json::{Map, Value};
use serde_json::json;

/// What the card says of one game alone.
pub(crate) struct Card {
    /// How moves are written.
    pub(crate) notation: &'static str,
    /// Spellings that are no moves.
    pub(crate) refused: &'static str,
    /// What differs from chess; `None` for chess.
    pub(crate) special: Option<&'static str>,
    /// How a game is won.
    pub(crate) wins: &'static str,
    /// How a game is drawn.
    pub(crate) draws: &'static str,
}

/// The card. Times are left out: an operator may set others, and `deadline_utc` is the one that counts.
pub(super) fn rules_card<R: Rules>() -> Value {
    let Card { notation, refused, special, wins, draws } = R::card();
    let lines = [
        ("game", json!(R::ID)),
        ("ruleset_version", json!(R::RULESET_VERSION)),
        ("seats", json!("p0 is White and begins, p1 is Black.")),
        ("notation", json!(notation)),
        ("refused", json!(refused)),
        (
            "choose",
            json!(
                "One entry of legal_moves, by its notation or as { index }. legal_moves is complete, sorted by \
                 notation, and holds for this turn_index only."
            ),
        ),
        ("special_rules", json!(special)),
        ("wins", json!(wins)),
        ("draws", json!(draws)),
        (
            "draw_offer",
            json!(
                "draw_offer: true with a move; it stands for the opponent's next turn, who accepts with \
                 draw_accept or draw_offer: true and declines with any other move."
            ),
        ),
        (
            "illegal_moves",
            json!(
                "Per turn: the first and second are refused; the third plays a random legal move and is a strike."
            ),
        ),
        (
            "deadline",
            json!(
                "After deadline_utc a random legal move is played and is a strike. A side clock that runs out loses."
            ),
        ),
        ("strikes", json!("The third in a game forfeits it.")),
        ("guide", json!(format!("/api/howto/{}", R::ID))),
    ];
    let said = lines.into_iter().filter(|(_, line)| !line.is_null());
    Value::Object(said.map(|(name, line)| (name.into(), line)).collect::<Map<_, _>>())
}
