//! Turns that players share: what one does is sealed until all have acted (decision 13.4).

use super::agent::Agent;
use super::lobby::Game;
use super::play::{answer, view};
use super::report::{CheckResult, ConformanceReport, ensure, soon};
use super::site::{Site, is, list_at, text_at};
use hall_client::SignedMove;
use hall_client::play::{Choice, MoveRef};
use hall_client::wire::json::Value;
use serde_json::json;

/// What is a move in no game.
const NO_MOVE: &str = "no-move";

pub(super) async fn claims(
    site: &Site,
    report: &mut ConformanceReport,
    game: &Game,
    first: &Agent,
    second: &Agent,
) {
    report.claim("A draw cannot be offered in turns that are shared.", no_draws(site, game, first).await);
    report.claim(
        "An action is sealed: its answer has no state_hash, its event has no words, and only its player sees it.",
        sealed(site, game, first, second).await,
    );
    report.claim(
        "The same action again is wrong_turn, and your_last says that it was taken.",
        again(site, game, first).await,
    );
    report.claim(
        "Three illegal moves seal one at random in the same turn, and the last action resolves it for all.",
        illegal(site, game, second).await,
    );
    report
        .claim("Actions by index are accepted, in either order.", resolved(site, game, first, second).await);
    report
        .claim("A resignation ends the game, whatever is sealed.", resigned(site, game, first, second).await);
}

async fn no_draws(site: &Site, game: &Game, first: &Agent) -> CheckResult {
    let offer = Choice::offer_draw(MoveRef::Index(0));
    answer(site, game, first, 0, &offer).await?.refused(422, "INVALID_BODY").map(|_| ())
}

async fn sealed(site: &Site, game: &Game, first: &Agent, second: &Agent) -> CheckResult {
    let moves = list_at(&view(site, game, first).await?, "legal_moves")?;
    let notation = text_at(moves.last().ok_or("there is no legal move")?, "notation")?;
    let data = answer(site, game, first, 0, &Choice::play(&notation)).await?.data()?;
    is(&data, "verdict.notation", notation.as_str())?;
    is(&data, "verdict.state_hash", Value::Null)?;
    is(&data, "verdict.game_over", false)?;
    soon(async || {
        let events = list_at(&site.get(&game.path("events")).await?.data()?, "events")?;
        let told = events.last().and_then(|event| event.get("event")).cloned().unwrap_or_default();
        is(&told, "type", "move_sealed")?;
        is(&told, "data", json!({ "turn_index": 0, "player": "p0" }))
    })
    .await?;
    let own = view(site, game, first).await?;
    is(&own, "private.sealed", notation)?;
    is(&own, "legal_moves", json!([]))?;
    let others = view(site, game, second).await?;
    is(&others, "to_move", json!(["p1"]))?;
    is(&others, "history", json!([]))?;
    ensure(others.pointer("/private/sealed").is_none_or(Value::is_null), || {
        "the other player sees something sealed".to_owned()
    })
}

async fn again(site: &Site, game: &Game, first: &Agent) -> CheckResult {
    let notation = text_at(&view(site, game, first).await?, "private.sealed")?;
    let choice = Choice::play(&notation);
    let sent = SignedMove::new(&first.key, &game.id, 0, &choice).body_sha256.to_hex();
    let detail = answer(site, game, first, 0, &choice).await?.refused(409, "wrong_turn")?;
    is(&detail, "your_last.body_sha256", sent)?;
    is(&detail, "your_last.notation", notation)
}

async fn illegal(site: &Site, game: &Game, second: &Agent) -> CheckResult {
    let choice = Choice::play(NO_MOVE);
    for count in 1..=2 {
        let refused = answer(site, game, second, 0, &choice).await?.refused(422, "illegal_move")?;
        is(&refused, "illegal_attempts", count)?;
    }
    let third = answer(site, game, second, 0, &choice).await?.refused(422, "illegal_move")?;
    is(&third, "applied.forced", "illegal_moves")?;
    is(&third, "applied.turn_index", 0)?;
    is(&third, "strikes.p1", 1)?;
    is(&third, "turn_index", 1)
}

async fn resolved(site: &Site, game: &Game, first: &Agent, second: &Agent) -> CheckResult {
    let data = answer(site, game, second, 1, &Choice::index(0)).await?.data()?;
    is(&data, "verdict.state_hash", Value::Null)?;
    let data = answer(site, game, first, 1, &Choice::index(0)).await?.data()?;
    ensure(text_at(&data, "verdict.state_hash")?.len() == 64, || {
        "the last action has no state_hash".to_owned()
    })?;
    let history = list_at(&view(site, game, first).await?, "history")?;
    let told: Vec<(&Value, &Value)> =
        history.iter().filter_map(|turn| Some((turn.get("turn_index")?, turn.get("player")?))).collect();
    let expected = json!([[0, "p0"], [0, "p1"], [1, "p0"], [1, "p1"]]);
    ensure(json!(told) == expected, || format!("history has {told:?}"))
}

async fn resigned(site: &Site, game: &Game, first: &Agent, second: &Agent) -> CheckResult {
    answer(site, game, second, 2, &Choice::index(0)).await?.data()?;
    let data = answer(site, game, first, 2, &Choice::resign()).await?.data()?;
    is(&data, "verdict.game_over", true)?;
    is(&data, "verdict.result.winners", json!(["p1"]))?;
    is(&data, "verdict.result.reason", "resignation")
}
