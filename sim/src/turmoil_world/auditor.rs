//! The auditor: at the end of the world it asks the hall for every game that it lists.

use super::agent::SeededRandomness;
use super::dialer::SiteDialer;
use super::host::{HALL, PORT};
use super::lists::{self, ToldList};
use super::replays;
use crate::oracles::ClientRecord;
use hall_client::answer::{GameEvent, GameStatus};
use hall_client::wire::{GameId, Handle};
use hall_client::{Asked, Client, Error, GamesQuery, Key, Link, Origin, RetryPolicy, send};
use hall_verify::replay::{RoundCache, Trust};
use serde_json::Value;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// How long a profile may take, and how long it may be.
pub(super) const ANSWER_TIMEOUT: Duration = Duration::from_secs(14);
pub(super) const MOST_ANSWER_BYTES: usize = 1 << 20;

/// The hall's answers about a game at the end of the world.
#[derive(Clone, Debug)]
pub(super) struct ToldGame {
    pub(super) status: GameStatus,
    pub(super) events: Vec<GameEvent>,
    pub(super) replay: Option<Value>,
}

/// The hall's answer about the operator of an agent at the end of the world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ToldAgent {
    pub(super) operator_id: String,
    pub(super) operator_name: Option<String>,
    /// Its model; none if its words about itself are withheld.
    pub(super) model_id: Option<String>,
    /// When it registered, as it is written.
    pub(super) created_at: String,
}

/// Everything that the hall answers at the end of the world.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    pub(super) games: BTreeMap<GameId, ToldGame>,
    /// Agents by their place in the plan; those that never registered are missing.
    pub(super) agents: BTreeMap<usize, ToldAgent>,
    pub(super) lists: Vec<ToldList>,
}

/// Asks the hall for every game that it lists, and for the agents of so many places in the plan.
///
/// # Errors
/// The hall, which is running without faults, does not answer.
///
/// # Panics
/// Never: handle, token and address are well-formed.
pub(super) async fn ask(seed: u64, agents: usize, dialer: SiteDialer) -> Result<Told, Error> {
    let hall = Origin::parse(&format!("http://{HALL}:{PORT}")).expect("an address");
    let key = Key::from_seed(&hall, &[9; 32], "no operator at all").expect("a token");
    let handle = Handle::parse("auditor").expect("a handle");
    let randomness = Arc::new(SeededRandomness::new(seed, "auditor", 0));
    // A client of its own for each game, if clients are limited: there are many.
    let client_of = |number: usize| {
        let link = Link::over(dialer.of_client(number));
        Client::over(link, handle.clone(), key.clone(), RetryPolicy::default(), randomness.clone())
    };
    let client = client_of(0);
    let mut told = Told::default();
    let mut cursor = None;
    loop {
        let page =
            client.games(GamesQuery { limit: Some(200), cursor: cursor.as_deref(), ..GamesQuery::default() });
        let page = page.await?;
        for game in page.games {
            let (id, status) = (game.id, game.status);
            let another = dialer.is_behind_proxy().then(|| client_of(told.games.len() + 1));
            let client = another.as_ref().unwrap_or(&client);
            let events = client.events_since(&id, 0).await?;
            let replay = if status == GameStatus::Ended { Some(client.replay(&id).await?) } else { None };
            if told.games.insert(id, ToldGame { status, events, replay }).is_some() {
                return Err(Error::Request(format!("{id} is listed twice")));
            }
        }
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    let lists = Cell::new(agents + told.games.len());
    let link = || {
        lists.set(lists.get() + 1);
        Link::over(dialer.of_client(lists.get()))
    };
    told.lists = lists::read(&hall, link).await?;
    let mut another = None;
    for place in 0..agents {
        let link = another.get_or_insert_with(|| Link::over(dialer.of_client(told.games.len() + place + 1)));
        let address = format!("{hall}/api/agents/agent-{place}");
        let asked = Asked { method: "GET", address: &address, headers: &[], body: None };
        let profile = send(link, asked, MOST_ANSWER_BYTES, ANSWER_TIMEOUT).await?;
        told.agents.extend(ToldAgent::parse(&profile.body).map(|agent| (place, agent)));
        if dialer.is_behind_proxy() {
            another = None;
        }
    }
    Ok(told)
}

impl ToldAgent {
    /// The agent of a profile; none if there is no such agent.
    fn parse(profile: &[u8]) -> Option<Self> {
        let profile: Value = serde_json::from_slice(profile).ok()?;
        let told = |name: &str| profile.pointer(&format!("/data/agent/{name}"))?.as_str().map(str::to_owned);
        let (operator_id, created_at) = (told("operator_id")?, told("created_at")?);
        Some(Self {
            operator_id,
            operator_name: told("operator_name"),
            model_id: told("model_id"),
            created_at,
        })
    }
}

impl ToldGame {
    /// The record of a game, with a stranger's verdict on its replay; also whether the replay is in the log, if it was
    /// verified.
    pub(super) fn record(
        &self,
        game: GameId,
        trust: &Trust,
        rounds: &mut RoundCache,
    ) -> (ClientRecord, Option<bool>) {
        let verdict = self.replay.as_ref().map(|replay| replays::judge(game, replay, trust, rounds));
        let events = self.events.iter().map(|event| (event.seq, event.event.clone())).collect();
        let bodies = self.replay.as_ref().map(|replay| {
            let moves = replay.get("moves").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let body = |turn: &Value| turn.get("body_sha256").and_then(Value::as_str).map(str::to_owned);
            moves.iter().map(body).collect()
        });
        let (ended, logged) = (self.status == GameStatus::Ended, verdict.clone().and_then(Result::ok));
        let failure = verdict.and_then(Result::err);
        (ClientRecord::Game { game, ended, events, bodies, failure }, logged)
    }
}
