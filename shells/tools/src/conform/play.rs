//! Turns, moves, illegal moves, draws.

use super::agent::Agent;
use super::chosen::FIRST;
use super::identity::Cast;
use super::lobby::{Game, Turn, name};
use super::report::{CheckResult, ConformanceReport, SOON, ensure, soon};
use super::shared;
use super::site::{Reply, Site, has, is, list_at, text_at, with};
use hall_client::play::{Choice, MoveRef};
use hall_client::wire::json::{Value, canonical};
use hall_client::wire::{Digest, GameId, Notation, message};
use hall_client::{SignedMove, auth_headers};
use serde_json::json;
use std::time::Duration;
use tokio::time::Instant;

/// The fields of a view that the specification names, and those that the decisions add.
const VIEW: [&str; 16] = [
    "you",
    "to_move",
    "turn_index",
    "phase",
    "deadline_utc",
    "board_text",
    "state_string",
    "public",
    "private",
    "legal_moves",
    "history",
    "rules_card",
    "boundary",
    "game_id",
    "result",
    "season_id",
];

/// What the first move says to spectators.
const COMMENTARY: &str = "a good beginning";
/// What is a move in no game.
const NO_MOVE: &str = "no-move";

pub(super) async fn claims(site: &Site, report: &mut ConformanceReport, cast: &Cast, game: &Game) {
    report.group("Play");
    let opener = match game.turn(site, cast).await {
        Ok(turn) => turn.seat,
        Err(why) => {
            report.claim("Somebody is to move.", Err(why));
            return;
        }
    };
    let (first, second) = (game.seat(cast, opener), game.seat(cast, 1 - opener));
    report.claim(
        "The first player sees the opening position with its legal moves, sorted.",
        opening(site, game, first, opener).await,
    );
    if !game.chosen.shares_turns() {
        report.claim(
            "The second player sees no legal moves, and its move is wrong_turn with a report.",
            not_to_move(site, game, second).await,
        );
    }
    report.claim("A caller without a seat is NOT_SEATED.", not_seated(site, game, &cast.sibling).await);
    report.claim(
        "The pulse of the first player names the turn, and a held one answers at once.",
        pulse(site, game, first).await,
    );
    report.claim("Another game_id in the body is GAME_ID_MISMATCH.", other_game(site, game, first).await);
    report.claim(
        "A body signature by another key is SIG_INVALID (body) and spends the challenge.",
        forged(site, game, first, second).await,
    );
    report.claim("Accepting a draw that nobody offered is no_draw_offer.", no_offer(site, game, first).await);
    if game.chosen.shares_turns() {
        return shared::claims(site, report, game, first, second).await;
    }
    report.claim(
        "A move is answered with what was played and the hash of the state.",
        first_move(site, game, first).await,
    );
    report.claim(
        "The same move again is wrong_turn, and your_last says that it was taken.",
        again(site, game, first).await,
    );
    report.claim(
        "An illegal move is refused twice, the second time with the legal ones; the third is replaced. A legal one \
         in another spelling counts as illegal, and did_you_mean names it.",
        illegal(site, cast, game).await,
    );
    report.claim("A move by index is accepted.", by_index(site, cast, game).await);
    report.claim(
        "A replay of a live game is REPLAY_NOT_READY.",
        soon(async || not_ready(site, game).await).await,
    );
    report.claim("A draw is offered with a move and agreed by draw_accept.", agreed(site, cast, game).await);
}

/// Sends an answer to a turn.
pub(super) async fn answer(
    site: &Site,
    game: &Game,
    agent: &Agent,
    turn: u32,
    choice: &Choice,
) -> Result<Reply, String> {
    let signed = SignedMove::new(&agent.key, &game.id, turn, choice);
    agent.ask(site, "POST", &game.path("moves"), Some(&signed.body)).await
}

/// Sends any body, signed as a body.
async fn raw(site: &Site, game: &Game, agent: &Agent, turn: u32, body: Value) -> Result<Reply, String> {
    let hash = Digest::of(canonical(&body).as_bytes());
    let signature = agent.key.sign(&message::game_move(&game.id, turn, &hash));
    let body = with(body, "signature", signature.to_string());
    agent.post(site, &game.path("moves"), &body).await
}

/// The last of the legal moves: not the one that index 0 names. A pass only if there is no other: with the one that the
/// hall may choose later at random, two in a row would end the game.
pub(super) fn last_legal(view: &Value) -> Result<String, String> {
    let moves = list_at(view, "legal_moves")?;
    let moves: Vec<String> =
        moves.iter().map(|entry| text_at(entry, "notation")).collect::<Result<_, _>>()?;
    let last = moves.iter().rfind(|notation| *notation != "pass").or(moves.last());
    last.cloned().ok_or_else(|| "there is no legal move".to_owned())
}

pub(super) async fn view(site: &Site, game: &Game, agent: &Agent) -> Result<Value, String> {
    let mut data = agent.get(site, &game.path("view")).await?.data()?;
    data.get_mut("view").map(Value::take).ok_or_else(|| "there is no view".to_owned())
}

async fn opening(site: &Site, game: &Game, first: &Agent, seat: usize) -> CheckResult {
    let view = view(site, game, first).await?;
    has(&view, &VIEW)?;
    is(&view, "you", json!({ "player": name(seat), "seat": seat }))?;
    is(&view, "to_move.0", name(seat))?;
    is(&view, "turn_index", 0)?;
    is(&view, "phase", "playing")?;
    let moves = list_at(&view, "legal_moves")?;
    let names: Vec<&str> = moves.iter().filter_map(|entry| entry.get("notation")?.as_str()).collect();
    ensure(!names.is_empty() && names.is_sorted(), || format!("{names:?}"))?;
    if let Some(opening) = game.chosen.opening() {
        is(&view, "state_string", opening.state_string())?;
        let legal = opening.notations(FIRST);
        ensure(names.iter().copied().eq(legal.iter().map(Notation::as_str)), || format!("{names:?}"))?;
    }
    for (index, entry) in moves.iter().enumerate() {
        is(entry, "index", index)?;
        has(entry, &["move", "summary"])?;
    }
    let only = first.get(site, &game.path("legal_moves")).await?.data()?;
    is(&only, "legal_moves", Value::Array(moves))
}

async fn not_to_move(site: &Site, game: &Game, second: &Agent) -> CheckResult {
    is(&view(site, game, second).await?, "legal_moves", json!([]))?;
    let detail = answer(site, game, second, 0, &Choice::index(0)).await?.refused(409, "wrong_turn")?;
    is(&detail, "rejected_by", "ROOM_REJECTED")?;
    is(&detail, "turn_index", 0)?;
    has(&detail, &["game_id", "to_move", "illegal_attempts", "strikes", "last_move", "your_last", "result"])
}

async fn not_seated(site: &Site, game: &Game, stranger: &Agent) -> CheckResult {
    stranger.get(site, &game.path("view")).await?.refused(403, "NOT_SEATED")?;
    answer(site, game, stranger, 0, &Choice::index(0)).await?.refused(403, "NOT_SEATED").map(|_| ())
}

async fn pulse(site: &Site, game: &Game, first: &Agent) -> CheckResult {
    let begun = Instant::now();
    let pulse = first.get(site, "/api/pulse?wait=20").await?.data()?;
    named_at_once(&pulse, &game.id, begun.elapsed())
}

/// Whether a pulse names a turn in this game and was not held for it.
pub(super) fn named_at_once(pulse: &Value, game: &GameId, took: Duration) -> CheckResult {
    ensure(took < SOON, || format!("the pulse was held for {took:?}"))?;
    let waiting = list_at(pulse, "waiting_on_you")?;
    let id = game.to_string();
    let named = waiting.iter().any(|turn| turn.get("game_id").and_then(Value::as_str) == Some(&id));
    ensure(named, || format!("{waiting:?}"))?;
    text_at(pulse, "waiting_tag").map(|_| ())
}

async fn other_game(site: &Site, game: &Game, first: &Agent) -> CheckResult {
    let body = json!({ "game_id": "g_00000000000000000000000000", "turn_index": 0, "move": { "index": 0 } });
    raw(site, game, first, 0, body).await?.refused(422, "GAME_ID_MISMATCH").map(|_| ())
}

async fn forged(site: &Site, game: &Game, first: &Agent, second: &Agent) -> CheckResult {
    let signed = SignedMove::new(&second.key, &game.id, 0, &Choice::index(0));
    let challenge = first.challenge(site).await?;
    let path = game.path("moves");
    let headers = auth_headers(&first.key, &first.handle, &challenge, "POST", &path, Some(&signed.body));
    let detail =
        first.send(site, &headers, "POST", &path, Some(&signed.body)).await?.refused(401, "SIG_INVALID")?;
    is(&detail, "which", "body")?;
    first
        .send(site, &headers, "POST", &path, Some(&signed.body))
        .await?
        .refused(401, "CHALLENGE_SPENT")
        .map(|_| ())
}

async fn no_offer(site: &Site, game: &Game, first: &Agent) -> CheckResult {
    answer(site, game, first, 0, &Choice::accept_draw()).await?.refused(409, "no_draw_offer").map(|_| ())
}

async fn first_move(site: &Site, game: &Game, first: &Agent) -> CheckResult {
    let notation = last_legal(&view(site, game, first).await?)?;
    let choice = Choice::play(&notation).saying(COMMENTARY);
    let data = answer(site, game, first, 0, &choice).await?.data()?;
    let verdict = data.get("verdict").ok_or("there is no verdict")?;
    is(verdict, "accepted", true)?;
    is(verdict, "turn_index", 0)?;
    is(verdict, "notation", notation.as_str())?;
    is(verdict, "game_over", false)?;
    // Where nature acts, the state after the move is not that of the view any more; its event has the same hash.
    let Some(position) = game.chosen.after(&notation) else {
        return soon(async || {
            let events = list_at(&site.get(&game.path("events")).await?.data()?, "events")?;
            let moved = events.iter().find(|event| event.pointer("/event/type") == Some(&json!("move")));
            let told = moved.and_then(|event| event.pointer("/event/data/state_hash")).cloned();
            is(verdict, "state_hash", told.unwrap_or_default())
        })
        .await;
    };
    let state = format!("svc.state.v1:{}:1:{}", game.id, position.state_string());
    is(verdict, "state_hash", Digest::of(state.as_bytes()).to_hex())
}

async fn again(site: &Site, game: &Game, first: &Agent) -> CheckResult {
    let notation = text_at(&view(site, game, first).await?, "public.last_move.notation")?;
    let choice = Choice::play(&notation).saying(COMMENTARY);
    let sent = SignedMove::new(&first.key, &game.id, 0, &choice).body_sha256.to_hex();
    let detail = answer(site, game, first, 0, &choice).await?.refused(409, "wrong_turn")?;
    is(&detail, "your_last.body_sha256", sent)?;
    is(&detail, "your_last.notation", notation)?;
    is(&detail, "your_last.forced", Value::Null)
}

async fn illegal(site: &Site, cast: &Cast, game: &Game) -> CheckResult {
    let Turn { seat, index } = game.turn(site, cast).await?;
    let agent = game.seat(cast, seat);
    let before = view(site, game, agent).await?;
    let legal = list_at(&before, "legal_moves")?;
    let choice = Choice::play(NO_MOVE);
    let refused = answer(site, game, agent, index, &choice).await?.refused(422, "illegal_move")?;
    is(&refused, "illegal_attempts", 1)?;
    ensure(refused.get("did_you_mean").is_none(), || format!("{NO_MOVE} is taken for a legal move"))?;
    let last = text_at(&before, "public.last_move.notation")?;
    let position = game.chosen.after(&last);
    let spelling = position.and_then(|position| game.chosen.other_spelling(&*position));
    let written = spelling.map_or_else(|| NO_MOVE.to_owned(), |(written, _)| written.to_string());
    let reply =
        answer(site, game, agent, index, &Choice::play(&written)).await?.refused(422, "illegal_move")?;
    if let Some((_, meant)) = spelling {
        is(&reply, "did_you_mean", meant.as_str())?;
    }
    let restated = list_at(&reply, "legal_moves")?.len();
    ensure(restated == legal.len(), || "the legal moves are not restated".to_owned())?;
    let reply = answer(site, game, agent, index, &choice).await?;
    let third = reply.refused(422, "illegal_move")?;
    is(&third, "applied.forced", "illegal_moves")?;
    is(&third, "applied.turn_index", index)?;
    is(&third, &format!("strikes.{}", name(seat)), 1)?;
    is(&third, "turn_index", index + 1)
}

async fn by_index(site: &Site, cast: &Cast, game: &Game) -> CheckResult {
    let Turn { seat, index } = game.turn(site, cast).await?;
    let agent = game.seat(cast, seat);
    let moves = list_at(&view(site, game, agent).await?, "legal_moves")?;
    let data = answer(site, game, agent, index, &Choice::index(0)).await?.data()?;
    is(
        &data,
        "verdict.notation",
        moves.first().and_then(|entry| entry.get("notation")).cloned().unwrap_or_default(),
    )
}

pub(super) async fn not_ready(site: &Site, game: &Game) -> CheckResult {
    // Outside the chess family there is nothing at /pgn (decision 13.9).
    let records: &[&str] = if game.chosen.has_pgn() { &["replay", "pgn"] } else { &["replay"] };
    for what in records {
        site.get(&game.path(what)).await?.refused(409, "REPLAY_NOT_READY")?;
    }
    Ok(())
}

/// So many turns may pass until the other player is to move, where players do not take turns.
const UNTIL_ANSWER: usize = 12;

async fn agreed(site: &Site, cast: &Cast, game: &Game) -> CheckResult {
    let Turn { seat: offering, index } = game.turn(site, cast).await?;
    let agent = |seat| game.seat(cast, seat);
    let offer = Choice::offer_draw(MoveRef::Index(0));
    let data = answer(site, game, agent(offering), index, &offer).await?.data()?;
    is(&data, "verdict.game_over", false)?;
    is(&view(site, game, agent(offering)).await?, "public.draw_offer", name(offering))?;
    for _ in 0..UNTIL_ANSWER {
        let Turn { seat, index } = game.turn(site, cast).await?;
        if seat == offering {
            answer(site, game, agent(seat), index, &Choice::index(0)).await?.data()?;
            continue;
        }
        let data = answer(site, game, agent(seat), index, &Choice::accept_draw()).await?.data()?;
        is(&data, "verdict.game_over", true)?;
        is(&data, "verdict.result.winners", json!([]))?;
        is(&data, "verdict.result.draw", true)?;
        is(&data, "verdict.result.reason", "agreement")?;
        return is(&data, "verdict.turn_index", index);
    }
    Err("the other player is never to move".to_owned())
}
