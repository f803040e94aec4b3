//! Claims about ended games: result, events, replay, log, standings, feedback.

use super::agent::Agent;
use super::identity::Cast;
use super::lobby::{Game, OTHERS, Turn, join, name, plays_a_stranger, seated};
use super::play::answer;
use super::report::{CheckResult, ConformanceReport, SOON, ensure, soon};
use super::site::{Site, at, is, list_at, number_at, text_at};
use hall_client::play::Choice;
use hall_client::wire::json::{Value, canonical};
use hall_client::wire::{Digest, GameId};
use hall_verify::note::{Checkpoint, Note, VerifierKey};
use hall_verify::replay::{Trust, verify};
use hall_verify::tree;
use serde_json::json;
use std::time::Duration;

/// The pause between two checks.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

pub(super) async fn claims(
    site: &Site,
    report: &mut ConformanceReport,
    cast: &Cast,
    game: &Game,
    before: Result<&Checkpoint, &String>,
) {
    report.group("Ending");
    let (first, second) = (game.seat(cast, 0), game.seat(cast, 1));
    report.claim("A move after the end is GAME_NOT_LIVE.", not_live(site, game, second).await);
    report.claim("Record and view show the result.", soon(async || result(site, game, first).await).await);
    report.claim(
        "The events are numbered from 1 to the end, and since skips.",
        soon(async || events(site, game).await).await,
    );
    report.claim(
        "The stream of an ended game ends, and is 204 after its last event.",
        soon(async || stream(site, game).await).await,
    );
    match game.chosen.has_pgn() {
        true => _ = report.claim("The PGN is there.", soon(async || pgn(site, game).await).await),
        false => report.skip("The PGN is there.", "the game has none"),
    }
    report.claim("A checkpoint covers the game within seconds.", covered(site, game).await);
    report.claim(
        "The replay verifies: seats, signatures, rules, draws, commitment, log.",
        soon(async || replay(site, game).await).await,
    );
    report.claim(
        "Each event's leaf is in the tree of the newest checkpoint.",
        soon(async || proof(site, game).await).await,
    );
    report.claim(
        "Checkpoints are consistent with each other.",
        soon(async || consistency(site, before).await).await,
    );
    report.claim(
        "Both agents are on the leaderboard.",
        soon(async || leaderboard(site, game, first, second).await).await,
    );
    let (resigned, answered) = (
        "A second game can be resigned, and changes who sits first.",
        "The end of a game answers a held pulse, and recently_ended names it.",
    );
    match second_game(site, cast, game).await {
        Ok(Some(ended)) => {
            report.claim(resigned, Ok(()));
            report.claim(answered, told(site, &ended).await);
        }
        Ok(None) => {
            report.skip(resigned, OTHERS);
            report.skip(answered, OTHERS);
        }
        Err(why) => {
            report.claim(resigned, Err(why));
            report.skip(answered, "there was no second game");
        }
    }
    report.claim(
        "A feedback entry is accepted, counted and labelled as untrusted.",
        feedback(site, first).await,
    );
}

async fn not_live(site: &Site, game: &Game, second: &Agent) -> CheckResult {
    let detail = answer(site, game, second, 5, &Choice::index(0)).await?.refused(409, "GAME_NOT_LIVE")?;
    is(&detail, "result.reason", if game.chosen.shares_turns() { "resignation" } else { "agreement" })
}

async fn result(site: &Site, game: &Game, first: &Agent) -> CheckResult {
    let data = site.get(&format!("/api/games/{}", game.id)).await?.data()?;
    is(&data, "game.status", "ended")?;
    is(&data, "game.result.draw", !game.chosen.shares_turns())?;
    is(&data, "game.replay", game.path("replay"))?;
    let data = first.get(site, &game.path("view")).await?.data()?;
    is(&data, "view.phase", "ended")?;
    is(&data, "view.legal_moves", json!([]))
}

async fn events(site: &Site, game: &Game) -> CheckResult {
    let data = site.get(&game.path("events")).await?.data()?;
    let all = list_at(&data, "events")?;
    let last = number_at(&data, "last_seq")?;
    for (event, seq) in all.iter().zip(1_u64..) {
        is(event, "seq", seq)?;
    }
    ensure(u64::try_from(all.len()) == Ok(last), || format!("{} events, last_seq {last}", all.len()))?;
    let types: Vec<&str> = all.iter().filter_map(|event| event.get("event")?.get("type")?.as_str()).collect();
    ensure(types.first() == Some(&"game_started") && types.last() == Some(&"game_ended"), || {
        format!("{types:?}")
    })?;
    is(&data, "live", false)?;
    let rest = site.get(&format!("{}?since={}&limit=1", game.path("events"), last - 1)).await?.data()?;
    is(&rest, "events.0.seq", last)
}

async fn stream(site: &Site, game: &Game) -> CheckResult {
    let headers = [("accept", "text/event-stream")];
    let reply = site.ask("GET", &game.path("events"), &headers, None).await?;
    let kind = reply.header("content-type").unwrap_or_default().to_owned();
    ensure(reply.status() == 200 && kind.starts_with("text/event-stream"), || {
        format!("{} {kind}", reply.status())
    })?;
    let text = reply.text();
    let ids: Vec<u64> =
        text.lines().filter_map(|line| line.strip_prefix("id:")?.trim().parse().ok()).collect();
    let numbered = ids.iter().copied().eq(1..=u64::try_from(ids.len()).unwrap_or(0));
    ensure(!ids.is_empty() && numbered, || format!("ids {ids:?}"))?;
    let past = format!("{}?since={}", game.path("events"), ids.len());
    let reply = site.ask("GET", &past, &headers, None).await?;
    ensure(reply.status() == 204, || reply.brief())
}

async fn pgn(site: &Site, game: &Game) -> CheckResult {
    let reply = site.get(&game.path("pgn")).await?;
    let kind = reply.header("content-type").unwrap_or_default().to_owned();
    ensure(reply.status() == 200 && kind.starts_with("application/x-chess-pgn"), || {
        format!("{} {kind}", reply.status())
    })?;
    ensure(reply.text().contains("[Result \"1/2-1/2\"]"), || reply.brief())
}

async fn covered(site: &Site, game: &Game) -> CheckResult {
    let until = tokio::time::Instant::now() + SOON;
    loop {
        let data = soon(async || site.get(&game.path("replay")).await?.data()).await?;
        if data.get("replay").and_then(|replay| replay.get("log")).is_some_and(Value::is_object) {
            return Ok(());
        }
        ensure(tokio::time::Instant::now() < until, || "the replay's log is still null".to_owned())?;
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

async fn replay(site: &Site, game: &Game) -> CheckResult {
    let replay = site.get(&game.path("replay")).await?;
    let trust = Trust { log_keys: vec![log_key(site).await?], ..Trust::default() };
    let report = verify(replay.bytes(), &trust).map_err(|problem| problem.to_string())?;
    ensure(report.holds(), || format!("{:?}", report.first_failing()))
}

async fn proof(site: &Site, game: &Game) -> CheckResult {
    let events = site.get(&game.path("events")).await?.data()?;
    let proof = site.get(&game.path("proof")).await?.data()?;
    proven(&proof, &events, game.id, &log_key(site).await?)
}

/// Whether there is proof of each event of a game.
pub(super) fn proven(proof: &Value, events: &Value, game: GameId, key: &VerifierKey) -> CheckResult {
    let Checkpoint { size, root, .. } = checkpoint(&text_at(proof, "proof.note")?, key)?;
    let (leaves, last) = (list_at(proof, "proof.leaves")?, number_at(events, "last_seq")?);
    ensure(u64::try_from(leaves.len()) == Ok(last), || format!("{} leaves, last_seq {last}", leaves.len()))?;
    for ((leaf, event), seq) in leaves.iter().zip(&list_at(events, "events")?).zip(1_u64..) {
        is(leaf, "seq", seq)?;
        is(event, "seq", seq)?;
        let hash = digest(&text_at(leaf, "leaf_hash")?)?;
        ensure(hash == tree::leaf_hash(event_leaf(event, game)?.as_bytes()), || {
            format!("{leaf} is not the hash of the leaf of {event}")
        })?;
        tree::inclusion(number_at(leaf, "leaf_index")?, size, &hash, &path(leaf)?, &root)
            .map_err(|why| format!("{leaf}: {why}"))?;
    }
    Ok(())
}

/// The leaf of an event: its words stand in it only as their hash (decision 8.1).
fn event_leaf(event: &Value, game: GameId) -> Result<String, String> {
    let mut told = at(event, "event")?.clone();
    if let Some(data) = told.get_mut("data").and_then(Value::as_object_mut)
        && let Some(words) = data.remove("commentary")
    {
        let hash = words.as_str().map(|words| Digest::of(words.as_bytes()).to_hex());
        data.insert("commentary_sha256".to_owned(), hash.into());
    }
    Ok(canonical(&json!({
        "kind": "event",
        "game_id": game.to_string(),
        "seq": at(event, "seq")?,
        "created_at": at(event, "created_at")?,
        "event": told,
    })))
}

/// The newest checkpoint, signed by the hall's log key.
pub(super) async fn newest(site: &Site) -> Result<Checkpoint, String> {
    let data = site.get("/api/checkpoint").await?.data()?;
    let key = log_key(site).await?;
    is(&data, "checkpoint.public_key", key.to_string())?;
    let newest = checkpoint(&text_at(&data, "checkpoint.note")?, &key)?;
    is(&data, "checkpoint.tree_size", newest.size)?;
    is(&data, "checkpoint.root", newest.root.to_hex())?;
    Ok(newest)
}

/// The key that signs checkpoints.
async fn log_key(site: &Site) -> Result<VerifierKey, String> {
    let official = site.get("/api/official").await?.data()?;
    VerifierKey::parse_log(&text_at(&official, "official.log.public_key")?).map_err(|why| why.to_string())
}

/// `before` is of a time at which the agents of this run were not registered.
async fn consistency(site: &Site, before: Result<&Checkpoint, &String>) -> CheckResult {
    let before = before.map_err(Clone::clone)?;
    let newest = newest(site).await?;
    let raw = site.get("/log/checkpoint").await?;
    ensure(raw.status() == 200, || raw.brief())?;
    let raw = checkpoint(&raw.text(), &log_key(site).await?)?;
    for after in [&newest, &raw] {
        let range = format!("from={}&to={}", before.size, after.size);
        let proof = site.get(&format!("/api/checkpoint/consistency?{range}")).await?.data()?;
        grown(before, after, &proof)?;
    }
    let beyond = format!("/api/checkpoint/consistency?from=0&to={}", newest.size);
    site.get(&beyond).await?.refused(422, "INVALID_QUERY").map(|_| ())
}

/// Whether the tree of one checkpoint is the beginning of that of another, which has more leaves.
pub(super) fn grown(before: &Checkpoint, after: &Checkpoint, proof: &Value) -> CheckResult {
    ensure(before.size < after.size, || format!("the log still has {} leaves", after.size))?;
    tree::consistency((before.size, &before.root), (after.size, &after.root), &path(proof)?)
        .map_err(|why| why.to_string())
}

async fn leaderboard(site: &Site, game: &Game, first: &Agent, second: &Agent) -> CheckResult {
    // New agents are provisional and come last; the newest pages are few at a hall of one's own.
    let mut cursor = String::new();
    let mut found = 0;
    loop {
        let data = site
            .get(&format!("/api/leaderboards?game={}&division=open&limit=200{cursor}", game.chosen.id))
            .await?
            .data()?;
        for row in list_at(&data, "leaderboard")? {
            let handle = text_at(&row, "handle")?;
            if handle == first.handle.as_str() || handle == second.handle.as_str() {
                is(&row, "draws", u8::from(!game.chosen.shares_turns()))?;
                is(&row, "provisional", true)?;
                found += 1;
            }
        }
        match data.get("next_cursor").and_then(Value::as_str) {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    ensure(found == 2, || format!("{found} of the two"))
}

/// A game that the player to move resigned while the other waited with a pulse.
struct Resigned<'a> {
    game: Game,
    second: &'a Agent,
    /// The tag of a pulse before the end.
    tag: String,
    /// The pulse that was held, and for how long.
    pulse: Value,
    took: Duration,
}

/// Pairs the two again and lets one of them resign; `None` if somebody else came between them.
async fn second_game<'a>(site: &Site, cast: &'a Cast, before: &Game) -> Result<Option<Resigned<'a>>, String> {
    let [ada, bob] = &cast.players;
    site.wait_for_a_game().await;
    let paired = match join(site, ada, &before.chosen).await? {
        (_, Some(id)) => Some(id),
        (_, None) => join(site, bob, &before.chosen).await?.1,
    };
    let Some(id) = paired else {
        let is_disturbed = plays_a_stranger(site, cast, ada).await;
        return if is_disturbed { Ok(None) } else { Err("the second join does not pair".to_owned()) };
    };
    let Some(game) = seated(site, &before.chosen, id, ada, bob).await? else { return Ok(None) };
    ensure(game.first != before.first, || "the same agent sits first again".to_owned())?;
    let Turn { seat, index } = game.turn(site, cast).await?;
    let (first, second) = (game.seat(cast, seat), game.seat(cast, 1 - seat));
    let tag = text_at(&second.get(site, "/api/pulse").await?.data()?, "waiting_tag")?;
    let target = format!("/api/pulse?wait=20&after={tag}");
    let begun = tokio::time::Instant::now();
    let held = async { (second.get(site, &target).await, begun.elapsed()) };
    let resigned = async {
        tokio::time::sleep(POLL_INTERVAL).await;
        answer(site, &game, first, index, &Choice::resign()).await
    };
    let ((pulse, took), resigned) = tokio::join!(held, resigned);
    let data = resigned?.data()?;
    is(&data, "verdict.result.winners", json!([name(1 - seat)]))?;
    is(&data, "verdict.result.draw", false)?;
    is(&data, "verdict.result.reason", "resignation")?;
    let pulse = pulse?.data()?;
    Ok(Some(Resigned { game, second, tag, pulse, took }))
}

async fn told(site: &Site, ended: &Resigned<'_>) -> CheckResult {
    let Resigned { game, second, tag, pulse, took } = ended;
    ensure(*took < SOON, || format!("the pulse was held for {took:?}"))?;
    is(pulse, "recently_ended.0.game_id", game.id.to_string())?;
    is(pulse, "recently_ended.0.result.reason", "resignation")?;
    ensure(text_at(pulse, "waiting_tag")? != tag.as_str(), || "the tag has not changed".to_owned())?;
    let own = second.get(site, "/api/my/games").await?.data()?;
    is(&own, "recently_ended", pulse.get("recently_ended").cloned().unwrap_or_default())
}

async fn feedback(site: &Site, agent: &Agent) -> CheckResult {
    let body = json!({ "kind": "other", "subject": "hall conform", "body": "A run of the conformance kit." });
    let posted = agent.post(site, "/api/feedback", &body).await?.data()?;
    let id = text_at(&posted, "feedback_id")?;
    number_at(&posted, "remaining_today")?;
    let whole = soon(async || {
        let reply = site.get("/api/feedback?limit=1").await?;
        is(&reply.data()?, "feedback.0.id", id.as_str())?;
        reply.json()
    })
    .await?;
    let listed = list_at(&whole, "metadata.untrusted_fields")?;
    for field in ["data.feedback[].handle", "data.feedback[].subject", "data.feedback[].body"] {
        ensure(listed.iter().any(|known| known == field), || format!("{field} is not listed"))?;
    }
    Ok(())
}

/// The checkpoint in a note that this key has signed.
pub(super) fn checkpoint(note: &str, key: &VerifierKey) -> Result<Checkpoint, String> {
    let note = Note::parse(note).map_err(|why| why.to_string())?;
    note.verify(key).map_err(|why| why.to_string())?;
    Checkpoint::parse(note.text()).map_err(|why| why.to_string())
}

fn digest(hex: &str) -> Result<Digest, String> {
    Digest::parse(hex).ok_or_else(|| format!("{hex:?} is no sha256"))
}

/// The hashes of a path.
fn path(of: &Value) -> Result<Vec<Digest>, String> {
    list_at(of, "path")?.iter().map(|hash| digest(hash.as_str().unwrap_or_default())).collect()
}
