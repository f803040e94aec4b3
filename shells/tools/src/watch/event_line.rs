//! Spectator events in words, one line each.

use hall_wire::Player;
use serde_json::Value;

/// What an event tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EventLine {
    /// In one line.
    pub(super) text: String,
    /// The turn at whose beginning there is a new position to look at.
    pub(super) position: Option<u64>,
}

/// The words for an event, `None` for one that says nothing to a reader. `named` says what a player is called.
pub(super) fn event_line(event: &Value, named: impl Fn(Player) -> String) -> Option<EventLine> {
    let data = &event["data"];
    let text = |name: &str| data[name].as_str().map(|text| text.replace('_', " "));
    let player = data["player"].as_str().and_then(Player::parse);
    let who = player.map_or_else(|| "the hall".to_owned(), &named);
    let turn = data["turn_index"].as_u64().unwrap_or_default();
    let count = &data["count"];
    let mut position = None;
    let words = match event["type"].as_str()? {
        "game_started" => {
            position = Some(0);
            "the game begins".to_owned()
        }
        "move" => {
            position = Some(turn + 1);
            let played =
                text("san").or_else(|| text("notation")).unwrap_or_else(|| "a hidden move".to_owned());
            let forced = text("forced").map_or_else(String::new, |why| format!(" (forced: {why})"));
            let said = data["commentary"].as_str().map_or_else(String::new, |said| format!("  \"{said}\""));
            format!("{}. {who}: {played}{forced}{said}", turn + 1)
        }
        "illegal_attempt" => format!("{who}: illegal move, attempt {count} of 3"),
        "strike" => format!("strike {count} of 3 for {who}: {}", text("cause")?),
        "draw_offered" => format!("{who} offers a draw"),
        "draw_declined" => format!("{who} declines the draw"),
        "deadline_extended" => format!("deadline extended: {}", text("reason")?),
        "chance" => {
            position = Some(turn);
            text("outcome")
                .map_or_else(|| "chance: dealt face down".to_owned(), |outcome| format!("chance: {outcome}"))
        }
        "shown" => format!("shown: {}", data["text"].as_str()?),
        "seat_vacated" => format!("{who} leaves the table: {}", text("reason")?),
        "game_ended" => ended(&data["result"], named),
        _ => return None,
    };
    Some(EventLine { text: words, position })
}

fn ended(result: &Value, named: impl Fn(Player) -> String) -> String {
    let reason = result["reason"].as_str().unwrap_or_default().replace('_', " ");
    let winners = result["winners"].as_array().map(Vec::as_slice).unwrap_or_default();
    let winners: Vec<String> =
        winners.iter().filter_map(|player| Player::parse(player.as_str()?)).map(named).collect();
    match (winners.as_slice(), result["draw"] == true) {
        ([], true) => format!("draw: {reason}"),
        ([], false) => format!("no winner: {reason}"),
        (winners, _) => format!("{} wins: {reason}", winners.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn words(kind: &str, data: &Value) -> Option<String> {
        let names = ["ada", "bob"];
        event_line(&json!({ "type": kind, "data": data }), |player| names[player.index()].to_owned())
            .map(|told| told.text)
    }

    #[test]
    fn events_are_told_in_words() {
        let moved =
            json!({ "player": "p0", "turn_index": 2, "san": "Nf3", "notation": "g1f3", "commentary": "out" });
        for (kind, data, expected) in [
            ("move", moved, "3. ada: Nf3  \"out\""),
            (
                "move",
                json!({ "player": "p1", "turn_index": 3, "forced": "illegal_moves", "notation": "a7a6" }),
                "4. bob: a7a6 (forced: illegal moves)",
            ),
            ("move", json!({ "player": "p1", "turn_index": 3 }), "4. bob: a hidden move"),
            (
                "strike",
                json!({ "player": "p1", "count": 2, "cause": "deadline" }),
                "strike 2 of 3 for bob: deadline",
            ),
            ("illegal_attempt", json!({ "player": "p0", "count": 1 }), "ada: illegal move, attempt 1 of 3"),
            ("chance", json!({ "turn_index": 1, "outcome": null }), "chance: dealt face down"),
            (
                "seat_vacated",
                json!({ "player": "p0", "reason": "resignation" }),
                "ada leaves the table: resignation",
            ),
            (
                "game_ended",
                json!({ "result": { "winners": ["p1"], "draw": false, "reason": "checkmate" } }),
                "bob wins: checkmate",
            ),
            (
                "game_ended",
                json!({ "result": { "winners": [], "draw": true, "reason": "threefold_repetition" } }),
                "draw: threefold repetition",
            ),
            (
                "game_ended",
                json!({ "result": { "winners": [], "draw": false, "reason": "aborted" } }),
                "no winner: aborted",
            ),
        ] {
            assert_eq!(words(kind, &data).as_deref(), Some(expected));
        }
        assert_eq!(words("beacon", &json!({})), None);
    }

    #[test]
    fn a_move_shows_the_position_of_the_next_turn() {
        let told =
            event_line(&json!({ "type": "move", "data": { "player": "p0", "turn_index": 4 } }), |player| {
                player.to_string()
            });
        assert_eq!(told.unwrap().position, Some(5));
    }
}
