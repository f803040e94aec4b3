//! The auditor: at the end of the world it asks the hall for every game that it lists.

use super::agent::SeededRandomness;
use super::dialer::SiteDialer;
use super::host::{HALL, PORT};
use super::replays;
use crate::oracles::ClientRecord;
use hall_client::answer::{GameEvent, GameStatus};
use hall_client::wire::{GameId, Handle};
use hall_client::{Client, Error, GamesQuery, Key, Link, Origin, RetryPolicy};
use hall_verify::replay::{RoundCache, Trust};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The hall's answers about a game at the end of the world.
#[derive(Clone, Debug)]
pub(super) struct ToldGame {
    pub(super) status: GameStatus,
    pub(super) events: Vec<GameEvent>,
    pub(super) replay: Option<Value>,
}

/// Asks the hall for every game that it lists.
///
/// # Errors
/// The hall, which is running without faults, does not answer.
///
/// # Panics
/// Never: handle, token and address are well-formed.
pub(super) async fn ask(seed: u64, dialer: SiteDialer) -> Result<BTreeMap<GameId, ToldGame>, Error> {
    let hall = Origin::parse(&format!("http://{HALL}:{PORT}")).expect("an address");
    let key = Key::from_seed(&hall, &[9; 32], "no operator at all").expect("a token");
    let handle = Handle::parse("auditor").expect("a handle");
    let randomness = Arc::new(SeededRandomness::new(seed, "auditor", 0));
    let client = Client::over(Link::over(dialer), handle, key, RetryPolicy::default(), randomness);
    let mut told = BTreeMap::new();
    let mut cursor = None;
    loop {
        let page =
            client.games(GamesQuery { limit: Some(200), cursor: cursor.as_deref(), ..GamesQuery::default() });
        let page = page.await?;
        for game in page.games {
            let (id, status) = (game.id, game.status);
            let events = client.events_since(&id, 0).await?;
            let replay = if status == GameStatus::Ended { Some(client.replay(&id).await?) } else { None };
            if told.insert(id, ToldGame { status, events, replay }).is_some() {
                return Err(Error::Request(format!("{id} is listed twice")));
            }
        }
        cursor = page.next_cursor;
        if cursor.is_none() {
            return Ok(told);
        }
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
