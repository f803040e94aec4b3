//! Only what a model needs to choose a move, because its context window holds every answer until the game ends.

use hall_games::CATALOG;
use hall_wire::Player;
use serde_json::{Map, Value, json};

/// The game of a list of own games that waits on the caller with the earliest deadline.
pub(super) fn most_urgent(games: &[Value]) -> Option<&Value> {
    let waiting = games.iter().filter(|game| is_true(game, "your_turn"));
    // Timestamps of one form sort as texts.
    waiting.min_by_key(|game| game.get("deadline_utc").and_then(Value::as_str).unwrap_or_default().to_owned())
}

/// A summary of the caller's games.
pub(super) fn in_brief(games: &[Value]) -> Value {
    let brief = |game: &Value| picked(game, &[("id", "/id"), ("game", "/game"), ("your_turn", "/your_turn")]);
    games.iter().map(|game| Value::Object(brief(game))).collect()
}

/// The turn that waits on the caller: from the game in the list of own games and from its view. `None` if the turn
/// has passed in between.
pub(super) fn turn(game: &Value, view: &Value) -> Option<Value> {
    let legal = view.get("legal_moves")?.as_array()?;
    let legal: Vec<&Value> = legal.iter().filter_map(|entry| entry.get("notation")).collect();
    if legal.is_empty() {
        return None;
    }
    let mut turn = picked(game, &[("game_id", "/id"), ("game", "/game"), ("variant", "/variant")]);
    turn.extend(picked(
        view,
        &[
            ("turn_index", "/turn_index"),
            ("deadline_utc", "/deadline_utc"),
            ("you", "/you/player"),
            ("board", "/board_text"),
            ("private", "/private"),
            ("draw_offer", "/public/draw_offer"),
        ],
    ));
    turn.retain(|name, value| match name.as_str() {
        "variant" => value != "standard",
        // Absent where there is nothing to report.
        "private" | "draw_offer" => !value.is_null() && *value != json!({}),
        _ => true,
    });
    if let Some(colour) = colour(game, view) {
        turn.insert("colour".to_owned(), json!(colour));
    }
    let own = turn.get("you").and_then(Value::as_str).unwrap_or_default();
    let strikes = view.pointer("/public/strikes").and_then(|strikes| strikes.get(own)).cloned();
    if let Some(strikes) = strikes.filter(|strikes| *strikes != json!(0)) {
        turn.insert("strikes".to_owned(), strikes);
    }
    turn.insert("last_move".to_owned(), last_move(view));
    turn.insert("legal_moves".to_owned(), json!(legal));
    Some(Value::Object(turn))
}

/// The part of the rules that a player needs, without the chapters about requests and the example.
pub(super) fn rules(mut rules: Value) -> Value {
    let chapters = rules.pointer_mut("/how_to_play").map(Value::take).unwrap_or_default();
    let mut kept =
        picked(&chapters, &[("grammar", "/grammar"), ("ending", "/ending"), ("penalties", "/penalties")]);
    if let Some(penalties) = kept.get_mut("penalties").and_then(Value::as_object_mut) {
        // Of signatures and bodies, which are the bridge's.
        penalties.remove("what_counts");
    }
    if let Some(members) = rules.as_object_mut() {
        // The rules card says it too.
        members.remove("notation");
        members.insert("how_to_play".to_owned(), Value::Object(kept));
    }
    if let Some(card) = rules.pointer_mut("/rules_card").and_then(Value::as_object_mut) {
        card.remove("guide");
    }
    rules
}

/// What the caller is called, in a game that has names for its players.
fn colour(game: &Value, view: &Value) -> Option<String> {
    let rules = CATALOG.find(game.get("game")?.as_str()?)?;
    let player = Player::parse(view.pointer("/you/player")?.as_str()?)?;
    rules.describe().player_names.get(player.index()).map(|name| name.to_lowercase())
}

/// Who did what in the turn before; null before the first.
fn last_move(view: &Value) -> Value {
    let Some(last) = view.pointer("/public/last_move").filter(|last| !last.is_null()) else {
        return Value::Null;
    };
    let mut told = picked(last, &[("player", "/player"), ("notation", "/notation"), ("forced", "/forced")]);
    told.retain(|name, value| name != "forced" || !value.is_null());
    Value::Object(told)
}

/// Members of `from` under names.
fn picked(from: &Value, wanted: &[(&str, &str)]) -> Map<String, Value> {
    let found = wanted
        .iter()
        .filter_map(|(name, pointer)| Some(((*name).to_owned(), from.pointer(pointer)?.clone())));
    found.collect()
}

fn is_true(of: &Value, member: &str) -> bool {
    of.get(member) == Some(&Value::Bool(true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_turn_with_the_earliest_deadline_comes_first() {
        let game = |id: &str, waits: bool, second: u8| json!({ "id": id, "your_turn": waits, "deadline_utc": format!("2026-11-24T12:00:0{second}.000Z") });
        let games = [game("a", true, 5), game("b", false, 1), game("c", true, 3)];
        assert_eq!(most_urgent(&games).unwrap()["id"], "c");
        assert!(most_urgent(&games[1..2]).is_none());
    }

    #[test]
    fn rules_contain_what_a_player_needs_exactly_once() {
        let told = json!({
            "game": "chess", "notation": "UCI", "move_ms": 60000,
            "rules_card": { "wins": "Checkmate.", "notation": "UCI", "guide": "/api/howto/chess" },
            "how_to_play": {
                "rules_card": {}, "grammar": { "pattern": "e2e4" }, "ending": {}, "turn": ["GET /api"], "examples": [],
                "penalties": { "strikes": "Three.", "what_counts": "A signed move." },
            },
        });
        let expected = json!({
            "game": "chess", "move_ms": 60000, "rules_card": { "wins": "Checkmate.", "notation": "UCI" },
            "how_to_play": { "grammar": { "pattern": "e2e4" }, "ending": {}, "penalties": { "strikes": "Three." } },
        });
        assert_eq!(rules(told), expected);
    }

    #[test]
    fn a_turn_holds_only_what_is_needed_to_choose() {
        let game =
            json!({ "id": "g_1", "game": "chess", "variant": "standard", "seats": [], "your_turn": true });
        let mut view = json!({
            "turn_index": 3, "deadline_utc": "2026-11-24T12:00:00.000Z", "you": { "player": "p1", "seat": 1 },
            "board_text": "a board", "private": {}, "rules_card": {}, "history": [{}],
            "public": {
                "draw_offer": null, "fen": "…", "strikes": { "p0": 1, "p1": 0 },
                "last_move": { "turn_index": 2, "player": "p0", "notation": "e2e4", "forced": null, "body_sha256": "0" },
            },
            "legal_moves": [{ "index": 0, "move": "e7e5", "notation": "e7e5", "summary": "pawn e7 to e5" }],
        });
        let expected = json!({
            "game_id": "g_1", "game": "chess", "turn_index": 3, "deadline_utc": "2026-11-24T12:00:00.000Z", "you": "p1",
            "colour": "black", "board": "a board", "last_move": { "player": "p0", "notation": "e2e4" },
            "legal_moves": ["e7e5"],
        });
        assert_eq!(turn(&game, &view).unwrap(), expected);
        view["public"]["draw_offer"] = json!("p0");
        view["public"]["strikes"]["p1"] = json!(2);
        view["private"] = json!({ "cards": "As" });
        let more = turn(&game, &view).unwrap();
        assert_eq!((&more["draw_offer"], &more["private"]["cards"]), (&json!("p0"), &json!("As")));
        assert_eq!(more["strikes"], 2);
        view["legal_moves"] = json!([]);
        assert!(turn(&game, &view).is_none(), "the turn has passed");
    }
}
