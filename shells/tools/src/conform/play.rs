//! Turns, moves, illegal moves, draws.

use super::agent::Agent;
use super::identity::Cast;
use super::lobby::Game;
use super::report::{Found, Report, ensure};
use super::site::{Reply, Site, has, is, list_at, number_at, text_at, with};
use hall_client::play::{Choice, MoveRef};
use hall_client::wire::json::{Value, canonical};
use hall_client::wire::message;
use hall_client::{SignedMove, auth_headers};
use serde_json::json;

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

pub(super) async fn claims(site: &Site, report: &mut Report, cast: &Cast, game: &Game) {
    report.group("Play");
    let (white, black) = (game.seat(cast, 0), game.seat(cast, 1));
    report.claim(
        "White sees the opening position with its twenty moves, sorted.",
        opening(site, game, white).await,
    );
    report.claim(
        "Black sees no legal moves, and its move is wrong_turn with a report.",
        not_to_move(site, game, black).await,
    );
    report.claim("Who has no seat is NOT_SEATED.", not_seated(site, game, &cast.sibling).await);
    report.claim(
        "The pulse of White names the turn, and a held one answers at once.",
        pulse(site, game, white).await,
    );
    report.claim("Another game_id in the body is GAME_ID_MISMATCH.", other_game(site, game, white).await);
    report.claim(
        "A body signature by another key is SIG_INVALID (body) and spends the challenge.",
        forged(site, game, white, black).await,
    );
    report.claim("Accepting a draw that nobody offered is no_draw_offer.", no_offer(site, game, white).await);
    report.claim(
        "A move is answered with what was played and the hash of the state.",
        first_move(site, game, white).await,
    );
    report.claim(
        "The same move again is wrong_turn, and your_last says that it was taken.",
        again(site, game, white).await,
    );
    report.claim(
        "An illegal move is refused twice, the second time with the legal ones; the third is replaced. A legal one \
         in SAN counts as illegal, and did_you_mean names it.",
        illegal(site, game, black).await,
    );
    report.claim("A move by index is taken.", by_index(site, game, white).await);
    report.claim("A replay of a live game is REPLAY_NOT_READY.", not_ready(site, game).await);
    report.claim(
        "A draw is offered with a move and agreed by draw_accept.",
        agreed(site, game, white, black).await,
    );
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
    let hash = hall_client::wire::Digest::of(canonical(&body).as_bytes());
    let signature = agent.key.sign(&message::game_move(&game.id, turn, &hash));
    let body = with(body, "signature", signature.to_string());
    agent.post(site, &game.path("moves"), &body).await
}

async fn view(site: &Site, game: &Game, agent: &Agent) -> Result<Value, String> {
    let mut data = agent.get(site, &game.path("view")).await?.data()?;
    data.get_mut("view").map(Value::take).ok_or_else(|| "there is no view".to_owned())
}

async fn opening(site: &Site, game: &Game, white: &Agent) -> Found {
    let view = view(site, game, white).await?;
    has(&view, &VIEW)?;
    is(&view, "you", json!({ "player": "p0", "seat": 0 }))?;
    is(&view, "to_move", json!(["p0"]))?;
    is(&view, "turn_index", 0)?;
    is(&view, "phase", "playing")?;
    is(&view, "state_string", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")?;
    let moves = list_at(&view, "legal_moves")?;
    let names: Vec<&str> = moves.iter().filter_map(|entry| entry.get("notation")?.as_str()).collect();
    ensure(names.len() == 20 && names.is_sorted(), || format!("{names:?}"))?;
    for (index, entry) in moves.iter().enumerate() {
        is(entry, "index", index)?;
        has(entry, &["move", "summary"])?;
    }
    let only = white.get(site, &game.path("legal_moves")).await?.data()?;
    is(&only, "legal_moves", Value::Array(moves))
}

async fn not_to_move(site: &Site, game: &Game, black: &Agent) -> Found {
    is(&view(site, game, black).await?, "legal_moves", json!([]))?;
    let detail = answer(site, game, black, 0, &Choice::play("e7e5")).await?.refused(409, "wrong_turn")?;
    is(&detail, "rejected_by", "ROOM_REJECTED")?;
    is(&detail, "turn_index", 0)?;
    has(&detail, &["game_id", "to_move", "illegal_attempts", "strikes", "last_move", "your_last", "result"])
}

async fn not_seated(site: &Site, game: &Game, stranger: &Agent) -> Found {
    stranger.get(site, &game.path("view")).await?.refused(403, "NOT_SEATED")?;
    answer(site, game, stranger, 0, &Choice::play("e2e4")).await?.refused(403, "NOT_SEATED").map(|_| ())
}

async fn pulse(site: &Site, game: &Game, white: &Agent) -> Found {
    let data = white.get(site, "/api/pulse?wait=20").await?.data()?;
    let waiting = list_at(&data, "waiting_on_you")?;
    let id = game.id.to_string();
    let named = waiting.iter().any(|turn| turn.get("game_id").and_then(Value::as_str) == Some(&id));
    ensure(named, || format!("{waiting:?}"))?;
    text_at(&data, "waiting_tag").map(|_| ())
}

async fn other_game(site: &Site, game: &Game, white: &Agent) -> Found {
    let body = json!({ "game_id": "g_00000000000000000000000000", "turn_index": 0, "move": "e2e4" });
    raw(site, game, white, 0, body).await?.refused(422, "GAME_ID_MISMATCH").map(|_| ())
}

async fn forged(site: &Site, game: &Game, white: &Agent, black: &Agent) -> Found {
    let signed = SignedMove::new(&black.key, &game.id, 0, &Choice::play("e2e4"));
    let challenge = white.challenge(site).await?;
    let path = game.path("moves");
    let headers = auth_headers(&white.key, &white.handle, &challenge, "POST", &path, Some(&signed.body));
    let detail =
        white.send(site, &headers, "POST", &path, Some(&signed.body)).await?.refused(401, "SIG_INVALID")?;
    is(&detail, "which", "body")?;
    white
        .send(site, &headers, "POST", &path, Some(&signed.body))
        .await?
        .refused(401, "CHALLENGE_SPENT")
        .map(|_| ())
}

async fn no_offer(site: &Site, game: &Game, white: &Agent) -> Found {
    answer(site, game, white, 0, &Choice::accept_draw()).await?.refused(409, "no_draw_offer").map(|_| ())
}

async fn first_move(site: &Site, game: &Game, white: &Agent) -> Found {
    let choice = Choice::play("e2e4").saying("a good beginning");
    let data = answer(site, game, white, 0, &choice).await?.data()?;
    let verdict = data.get("verdict").ok_or("there is no verdict")?;
    is(verdict, "accepted", true)?;
    is(verdict, "turn_index", 0)?;
    is(verdict, "notation", "e2e4")?;
    is(verdict, "game_over", false)?;
    // No pawn can take en passant, so the position names no square for it.
    let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    let state = format!("svc.state.v1:{}:1:{fen}", game.id);
    is(verdict, "state_hash", hall_client::wire::Digest::of(state.as_bytes()).to_hex())
}

async fn again(site: &Site, game: &Game, white: &Agent) -> Found {
    let choice = Choice::play("e2e4").saying("a good beginning");
    let sent = SignedMove::new(&white.key, &game.id, 0, &choice).body_sha256.to_hex();
    let detail = answer(site, game, white, 0, &choice).await?.refused(409, "wrong_turn")?;
    is(&detail, "your_last.body_sha256", sent)?;
    is(&detail, "your_last.notation", "e2e4")?;
    is(&detail, "your_last.forced", Value::Null)
}

async fn illegal(site: &Site, game: &Game, black: &Agent) -> Found {
    let choice = Choice::play("e7e4");
    let first = answer(site, game, black, 1, &choice).await?.refused(422, "illegal_move")?;
    is(&first, "illegal_attempts", 1)?;
    ensure(first.get("did_you_mean").is_none(), || "e7e4 is taken for a legal move".to_owned())?;
    let second = answer(site, game, black, 1, &Choice::play("Nf6")).await?.refused(422, "illegal_move")?;
    is(&second, "did_you_mean", "g8f6")?;
    ensure(list_at(&second, "legal_moves")?.len() == 20, || "the legal moves are not restated".to_owned())?;
    let reply = answer(site, game, black, 1, &choice).await?;
    let third = reply.refused(422, "illegal_move")?;
    is(&third, "applied.forced", "illegal_moves")?;
    is(&third, "applied.turn_index", 1)?;
    is(&third, "strikes.p1", 1)?;
    is(&third, "turn_index", 2)
}

async fn by_index(site: &Site, game: &Game, white: &Agent) -> Found {
    let moves = list_at(&view(site, game, white).await?, "legal_moves")?;
    let data = answer(site, game, white, 2, &Choice::index(0)).await?.data()?;
    is(
        &data,
        "verdict.notation",
        moves.first().and_then(|entry| entry.get("notation")).cloned().unwrap_or_default(),
    )
}

async fn not_ready(site: &Site, game: &Game) -> Found {
    for what in ["replay", "pgn"] {
        site.get(&game.path(what)).await?.refused(409, "REPLAY_NOT_READY")?;
    }
    Ok(())
}

async fn agreed(site: &Site, game: &Game, white: &Agent, black: &Agent) -> Found {
    let offer = Choice::offer_draw(MoveRef::Index(0));
    let data = answer(site, game, black, 3, &offer).await?.data()?;
    is(&data, "verdict.game_over", false)?;
    is(&view(site, game, white).await?, "public.draw_offer", "p1")?;
    let data = answer(site, game, white, 4, &Choice::accept_draw()).await?.data()?;
    is(&data, "verdict.game_over", true)?;
    is(&data, "verdict.result", json!({ "winners": [], "draw": true, "reason": "agreement" }))?;
    ensure(number_at(&data, "verdict.turn_index")? == 4, || "turn_index is not 4".to_owned())
}
