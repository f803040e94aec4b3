//! Lobbies and pairing.

use super::agent::Agent;
use super::chosen::ChosenGame;
use super::identity::Cast;
use super::play::view;
use super::report::{CheckResult, ConformanceReport, ensure, soon};
use super::site::{Site, has, is, list_at, number_at, text_at};
use hall_client::SignedMove;
use hall_client::play::Choice;
use hall_client::wire::json::Value;
use hall_client::wire::{Digest, GameId};
use serde_json::json;
use std::time::Duration;

/// A game of the two agents.
pub(super) struct Game {
    pub(super) id: GameId,
    pub(super) chosen: ChosenGame,
    /// Which of the two has the seat p0.
    pub(super) first: usize,
}

/// The player who is to move, and in which turn.
#[derive(Clone, Copy)]
pub(super) struct Turn {
    /// Its seat.
    pub(super) seat: usize,
    /// The turn.
    pub(super) index: u32,
}

/// How long a game may wait for nature: the round of its beacon is awaited for ten seconds.
const NATURE: Duration = Duration::from_secs(15);
/// The pause between two checks.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// How often an agent looks whether it can resign: each look waits for its turn.
const RESIGNATIONS: u32 = 5;

/// Why claims about the two agents cannot be tried.
pub(super) const OTHERS: &str = "somebody else was in the lobby; run this at a hall without other agents";

impl Game {
    /// The agent in a seat.
    pub(super) fn seat<'a>(&self, cast: &'a Cast, seat: usize) -> &'a Agent {
        let [one, two] = &cast.players;
        if (seat == 0) == (self.first == 0) { one } else { two }
    }

    /// The first of the players who are to move now, once there is one: as a signed read of one of them shows it, which is as
    /// new as all that was acknowledged.
    pub(super) async fn turn(&self, site: &Site, cast: &Cast) -> Result<Turn, String> {
        let until = tokio::time::Instant::now() + NATURE;
        loop {
            let view = view(site, self, self.seat(cast, 0)).await?;
            let index = u32::try_from(number_at(&view, "turn_index")?).unwrap_or(u32::MAX);
            match list_at(&view, "to_move")?.first().and_then(Value::as_str) {
                Some(player) => return Ok(Turn { seat: usize::from(player == "p1"), index }),
                None if tokio::time::Instant::now() > until => return Err("nobody is to move".to_owned()),
                None => tokio::time::sleep(POLL_INTERVAL).await,
            }
        }
    }

    /// A path below the game.
    pub(super) fn path(&self, what: &str) -> String {
        format!("/api/games/{}/{what}", self.id)
    }
}

pub(super) async fn claims(
    site: &Site,
    report: &mut ConformanceReport,
    cast: &Cast,
    chosen: &ChosenGame,
) -> Option<Game> {
    report.group("Lobby");
    let [ada, bob] = &cast.players;
    report.claim(
        "An unknown game is GAME_UNKNOWN, an unknown variant VARIANT_UNKNOWN.",
        unknown(site, ada, chosen).await,
    );
    report.claim("Leaving a lobby without waiting in it is NOT_IN_LOBBY.", not_in(site, ada, chosen).await);
    site.wait_for_a_game().await;
    match join(site, ada, chosen).await {
        Ok((201, None)) => {
            report.claim("A join is 201 and waits.", Ok(()));
            let found = twice(site, ada, chosen).await;
            if !waiting(site, report, cast, ada, "A second join is ALREADY_IN_LOBBY.", found).await {
                return None;
            }
            let (sibling, claim) = (&cast.sibling, "Two agents of one operator are not paired.");
            waiting(site, report, cast, sibling, claim, siblings(site, sibling, chosen).await).await;
            let found = leave(site, sibling, chosen).await;
            waiting(site, report, cast, sibling, "Leaving ends the wait.", found).await;
        }
        Ok((201, Some(_))) => {
            report.skip("A join waits.", OTHERS);
            return None;
        }
        Ok((status, _)) => {
            report.claim("A join is 201 and waits.", Err(format!("HTTP {status}")));
            return None;
        }
        Err(why) => {
            report.claim("A join is 201 and waits.", Err(why));
            return None;
        }
    }
    let game = match join(site, bob, chosen).await {
        Ok((_, Some(id))) => seated(site, chosen, id, ada, bob).await,
        Ok((_, None)) if plays_a_stranger(site, cast, ada).await => Ok(None),
        Ok((_, None)) => Err("two agents of two operators are left waiting in one lobby".to_owned()),
        Err(why) => Err(why),
    };
    match game {
        Ok(Some(game)) => {
            report.claim("The next join pairs at once.", Ok(()));
            report.claim(
                "The record of the game is complete, and the seats are as the rule says.",
                soon(async || record(site, &game, cast).await).await,
            );
            Some(game)
        }
        Ok(None) => {
            report.skip("The next join pairs at once.", OTHERS);
            None
        }
        Err(why) => {
            report.claim("The next join pairs at once.", Err(why));
            None
        }
    }
}

/// Notes a claim about an agent that waits. It cannot be tried where somebody else came and is its opponent now; says
/// whether it was tried.
async fn waiting(
    site: &Site,
    report: &mut ConformanceReport,
    cast: &Cast,
    agent: &Agent,
    claim: &str,
    found: CheckResult,
) -> bool {
    if found.is_err() && plays_a_stranger(site, cast, agent).await {
        report.skip(claim, OTHERS);
        return false;
    }
    report.claim(claim, found);
    true
}

/// Whether an agent of this run plays with somebody else.
pub(super) async fn plays_a_stranger(site: &Site, cast: &Cast, agent: &Agent) -> bool {
    let is_ours = |seat: &Value| {
        let handle = seat.get("handle").and_then(Value::as_str);
        cast.all().iter().any(|agent| Some(agent.handle.as_str()) == handle)
    };
    let games = live_games(site, agent, "").await.unwrap_or_default();
    games.iter().any(|game| list_at(game, "seats").is_ok_and(|seats| !seats.iter().all(is_ours)))
}

/// Takes the agents of this run out of the lobby and out of their games.
pub(super) async fn leave_all(site: &Site, cast: &Cast, chosen: &ChosenGame) {
    for agent in cast.all() {
        // An agent that does not wait is refused.
        let _ = agent.post(site, "/api/lobby/leave", &chosen.lobby()).await;
    }
    for agent in cast.all() {
        if let Err(why) = resign_all(site, agent).await {
            eprintln!("({} is still in a game: {why})", agent.handle);
        }
    }
}

/// Resigns each live game of an agent when it is to move there.
async fn resign_all(site: &Site, agent: &Agent) -> CheckResult {
    let mut wait = "";
    for _ in 0..RESIGNATIONS {
        let games = live_games(site, agent, wait).await?;
        if games.is_empty() {
            return Ok(());
        }
        let (own, others): (Vec<_>, Vec<_>) =
            games.iter().partition(|game| game.get("your_turn") == Some(&Value::Bool(true)));
        for game in own {
            let id = text_at(game, "id")?;
            let id = GameId::parse(&id).ok_or_else(|| format!("id is {id:?}"))?;
            let turn = u32::try_from(number_at(game, "turn_index")?).unwrap_or(u32::MAX);
            let signed = SignedMove::new(&agent.key, &id, turn, &Choice::resign());
            agent.ask(site, "POST", &format!("/api/games/{id}/moves"), Some(&signed.body)).await?;
        }
        wait = if others.is_empty() { "" } else { "&wait=20" };
    }
    Err("its opponent does not move".to_owned())
}

/// The live games of an agent, as a signed read shows them.
async fn live_games(site: &Site, agent: &Agent, wait: &str) -> Result<Vec<Value>, String> {
    list_at(&agent.get(site, &format!("/api/my/games?status=live{wait}")).await?.data()?, "games")
}

/// Joins; the status, and the game if one began.
pub(super) async fn join(
    site: &Site,
    agent: &Agent,
    chosen: &ChosenGame,
) -> Result<(u16, Option<GameId>), String> {
    let reply = agent.post(site, "/api/lobby/join", &chosen.lobby()).await?;
    let data = reply.data()?;
    is(&data, "joined", chosen.lobby())?;
    let id = match data.get("game_id") {
        Some(Value::String(id)) => Some(GameId::parse(id).ok_or_else(|| format!("game_id is {id:?}"))?),
        _ => None,
    };
    is(&data, "paired", id.is_some())?;
    Ok((reply.status(), id))
}

/// The game, if the two are its players.
pub(super) async fn seated(
    site: &Site,
    chosen: &ChosenGame,
    id: GameId,
    one: &Agent,
    two: &Agent,
) -> Result<Option<Game>, String> {
    let data = soon(async || site.get(&format!("/api/games/{id}")).await?.data()).await?;
    let handles = [text_at(&data, "game.seats.0.handle")?, text_at(&data, "game.seats.1.handle")?];
    let (one, two) = (one.handle.to_string(), two.handle.to_string());
    let first = if handles == [one.clone(), two.clone()] {
        0
    } else if handles == [two, one] {
        1
    } else {
        return Ok(None);
    };
    Ok(Some(Game { id, chosen: chosen.clone(), first }))
}

async fn unknown(site: &Site, agent: &Agent, chosen: &ChosenGame) -> CheckResult {
    for (game, variant, code) in
        [("nothing", "standard", "GAME_UNKNOWN"), (&chosen.id, "nothing", "VARIANT_UNKNOWN")]
    {
        let body = json!({ "game": game, "variant": variant, "division": "open" });
        agent.post(site, "/api/lobby/join", &body).await?.refused(422, code)?;
    }
    Ok(())
}

async fn not_in(site: &Site, agent: &Agent, chosen: &ChosenGame) -> CheckResult {
    agent.post(site, "/api/lobby/leave", &chosen.lobby()).await?.refused(409, "NOT_IN_LOBBY").map(|_| ())
}

async fn twice(site: &Site, agent: &Agent, chosen: &ChosenGame) -> CheckResult {
    agent.post(site, "/api/lobby/join", &chosen.lobby()).await?.refused(409, "ALREADY_IN_LOBBY").map(|_| ())
}

async fn siblings(site: &Site, sibling: &Agent, chosen: &ChosenGame) -> CheckResult {
    let (_, game) = join(site, sibling, chosen).await?;
    ensure(game.is_none(), || "they were".to_owned())
}

async fn leave(site: &Site, agent: &Agent, chosen: &ChosenGame) -> CheckResult {
    is(&agent.post(site, "/api/lobby/leave", &chosen.lobby()).await?.data()?, "left", chosen.lobby())
}

/// The name of the player in a seat.
pub(super) fn name(seat: usize) -> String {
    format!("p{seat}")
}

async fn record(site: &Site, game: &Game, cast: &Cast) -> CheckResult {
    let turn = game.turn(site, cast).await?;
    let data = site.get(&format!("/api/games/{}", game.id)).await?.data()?;
    let record = data.get("game").ok_or("there is no game")?;
    let names = [
        "id",
        "game",
        "variant",
        "division",
        "season_id",
        "status",
        "seats",
        "ruleset_version",
        "commitment",
        "beacon",
        "turn_index",
        "to_move",
        "deadline_utc",
        "strikes",
        "started_at",
        "ended_at",
        "result",
        "replay",
    ];
    has(record, &names)?;
    is(record, "status", "live")?;
    let openers = if game.chosen.shares_turns() { json!(["p0", "p1"]) } else { json!([name(turn.seat)]) };
    is(record, "to_move", openers)?;
    ensure(game.chosen.opening().is_none() || turn.seat == 0, || "p0 does not move first".to_owned())?;
    is(record, "strikes", json!({ "p0": 0, "p1": 0 }))?;
    is(record, "result", Value::Null)?;
    ensure(list_at(record, "seats")?.len() == 2, || "not two seats".to_owned())?;
    let commitment = text_at(record, "commitment")?;
    ensure(Digest::parse(&commitment).is_some(), || format!("commitment is {commitment:?}"))?;
    // Both are new here, so the hash decides.
    let rank = |agent: &Agent| Digest::of(format!("svc.seat.v1:{}:{}", game.id, agent.handle).as_bytes());
    ensure(rank(game.seat(cast, 0)) < rank(game.seat(cast, 1)), || {
        "the other agent should sit first".to_owned()
    })
}
