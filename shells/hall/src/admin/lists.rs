//! Lists of agents, operators and games, and the report of one agent.
//!
//! Everything is read from a copy of the state, which is cheap to make, so that no list holds the hall up.

use super::context::AdminContext;
use super::decisions::unavailable_now;
use super::items::ItemSink;
use super::lines::Refused;
use super::request::{AgentFilter, GameFilter, GameState, OperatorFilter};
use hall_core::desk::{Agent, Desk};
use hall_core::rooms::Room;
use hall_core::{Division, Hall, HallSettings, Lobby};
use hall_driver::{Archive, ArchiveError, FiledEntry};
use hall_http::payload::{AgentData, HomologationRecord};
use hall_wire::{AgentId, GameId, Handle, OperatorId, Timestamp};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Games read at once.
const PAGE: usize = 256;
/// Ended games looked at for one list at most.
const LOOKED_AT: usize = 100_000;
/// Homologation entries in a report, the youngest.
const ENTRIES_SHOWN: usize = 200;
/// Ended games in a report, the youngest.
const GAMES_SHOWN: usize = 10;

/// The state as it is now.
pub(super) async fn state(context: &AdminContext) -> Result<Hall, Refused> {
    context.engine.read(Hall::clone).await.map_err(unavailable_now)
}

/// Sends the agents that fit, those registered last first.
pub(super) fn agents(
    context: &AdminContext,
    hall: &Hall,
    filter: &AgentFilter,
    sink: &ItemSink,
) -> Result<Value, Refused> {
    let operator = filter.operator.as_deref().map(operator_id).transpose()?;
    let desk = hall.desk();
    let fits = |agent: &&Agent| {
        operator.is_none_or(|operator| agent.operator == operator)
            && filter.prefix.as_deref().is_none_or(|prefix| agent.handle.as_str().starts_with(prefix))
            && (!filter.suspended || desk.is_suspended(&agent.id))
            && (!filter.waiting || desk.lobbies_of(&agent.id).next().is_some())
            && (!filter.playing || desk.live_games(&agent.id).next().is_some())
    };
    let mut found: Vec<&Agent> = desk.agents().filter(fits).collect();
    found.sort_by_key(|agent| (std::cmp::Reverse(agent.created_at), agent.id));
    for agent in found.iter().take(filter.limit) {
        sink.item(Value::Object(brief(context, hall, agent)))?;
    }
    Ok(json!({ "shown": found.len().min(filter.limit), "found": found.len() }))
}

fn brief(context: &AdminContext, hall: &Hall, agent: &Agent) -> Map<String, Value> {
    let desk = hall.desk();
    let status = if desk.is_suspended(&agent.id) { "suspended" } else { "active" };
    let fields = [
        ("handle", json!(agent.handle.as_str())),
        ("agent_id", json!(agent.id.to_string())),
        ("operator_id", json!(agent.operator.to_string())),
        ("status", json!(status)),
        ("house", json!(context.house_agents.contains(&agent.id))),
        ("live_games", json!(desk.live_games(&agent.id).count())),
        ("waits_in", json!(desk.lobbies_of(&agent.id).map(lobby_name).collect::<Vec<_>>())),
        ("model_id", json!(agent.model_id)),
        ("created_at", json!(agent.created_at.to_string())),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn lobby_name(lobby: Lobby) -> String {
    format!("{}/{}/{}", lobby.variant.game, lobby.variant.variant, lobby.division.as_str())
}

/// Sends the operators that fit, those with the most agents first.
pub(super) fn operators(hall: &Hall, filter: &OperatorFilter, sink: &ItemSink) -> Result<Value, Refused> {
    let desk = hall.desk();
    let mut counts: BTreeMap<OperatorId, (usize, usize, usize)> = BTreeMap::new();
    for agent in desk.agents() {
        let (agents, live, waiting) = counts.entry(agent.operator).or_default();
        *agents += 1;
        *live += desk.live_games(&agent.id).count();
        *waiting += desk.lobbies_of(&agent.id).count();
    }
    let is_suspended = |id: &OperatorId| desk.operator(id).is_some_and(|operator| operator.suspended);
    let mut found: Vec<_> = counts.iter().filter(|(id, _)| !filter.suspended || is_suspended(id)).collect();
    found.sort_by_key(|(id, (agents, _, _))| (std::cmp::Reverse(*agents), **id));
    for (id, (agents, live, waiting)) in found.iter().take(filter.limit) {
        sink.item(json!({
            "operator_id": id.to_string(),
            "name": desk.operator(id).and_then(|operator| operator.name.as_deref()),
            "status": if is_suspended(id) { "suspended" } else { "active" },
            "agents": agents,
            "live_games": live,
            "waiting": waiting,
        }))?;
    }
    Ok(json!({ "shown": found.len().min(filter.limit), "found": found.len() }))
}

/// Sends the games that fit, those begun last first.
pub(super) fn games(
    context: &AdminContext,
    hall: &Hall,
    filter: &GameFilter,
    sink: &ItemSink,
) -> Result<Value, Refused> {
    let agent = filter.agent.as_deref().map(|handle| find(hall, handle)).transpose()?.map(|agent| agent.id);
    known(filter.game.as_deref(), hall.catalog().iter().map(|game| game.describe().id), "game")?;
    known(filter.division.as_deref(), Division::ALL.iter().map(|division| division.as_str()), "division")?;
    if filter.status == GameState::Live && filter.reason.is_some() {
        return Err(Refused::bad_request("a live game has not ended for any reason: ask for ended ones"));
    }
    let fits = |room: &Room| {
        filter.game.as_deref().is_none_or(|game| room.variant().game.as_str() == game)
            && filter.division.as_deref().is_none_or(|division| room.division().as_str() == division)
            && filter
                .reason
                .as_deref()
                .is_none_or(|reason| room.result().is_some_and(|result| result.reason.as_str() == reason))
    };
    let mut shown = 0;
    let mut searched_all = true;
    let mut show = |room: &Room| {
        if fits(room) && shown < filter.limit {
            sink.item(game(room))?;
            shown += 1;
        }
        Ok::<bool, Refused>(shown == filter.limit)
    };
    match filter.status {
        GameState::Live => {
            let seated = |room: &&Arc<Room>| agent.is_none_or(|agent| room.player_of(&agent).is_some());
            let live = hall.rooms().iter().rev().filter(|room| room.result().is_none());
            for room in live.filter(seated) {
                if show(room)? {
                    searched_all = false;
                    break;
                }
            }
        }
        GameState::Ended => searched_all = walk_ended(context.engine.archive(), agent, &mut show)?,
    }
    Ok(json!({ "shown": shown, "searched_all": searched_all }))
}

/// Walks over ended games, the youngest first, until `visit` has enough or [`LOOKED_AT`] were seen. Answers whether it
/// came to the end of them.
fn walk_ended(
    archive: &Archive,
    agent: Option<AgentId>,
    mut visit: impl FnMut(&Room) -> Result<bool, Refused>,
) -> Result<bool, Refused> {
    let mut before: Option<GameId> = None;
    let mut looked_at = 0;
    while looked_at < LOOKED_AT {
        let page = match agent {
            Some(agent) => archive.games_of(&agent, before, PAGE),
            None => archive.ended_games(before, PAGE),
        };
        let page = page.map_err(damaged)?;
        let Some(last) = page.last() else { return Ok(true) };
        before = Some(*last);
        looked_at += page.len();
        for id in &page {
            // Those of an agent include its live ones, which have no row as ended.
            let Some(room) = archive.ended_outline(id).map_err(damaged)? else { continue };
            if visit(&room)? {
                return Ok(false);
            }
        }
    }
    Ok(false)
}

fn game(room: &Room) -> Value {
    let seats: Vec<&str> = room.seats().iter().map(|seat| seat.seat.handle.as_str()).collect();
    let winners = room.result().map(|result| {
        let winners: Vec<String> = result.winners.iter().map(ToString::to_string).collect();
        winners.join("+")
    });
    json!({
        "game_id": room.id().to_string(),
        "game": room.variant().game.as_str(),
        "division": room.division().as_str(),
        "seats": seats,
        "turn_index": room.turn_index(),
        "to_move": room.to_move().iter().map(|player| player.to_string()).collect::<Vec<_>>(),
        "deadline_utc": room.deadline().map(|at| at.to_string()),
        "strikes": room.seats().iter().map(|seat| seat.strikes).collect::<Vec<_>>(),
        "started_at": room.started_at().to_string(),
        "ended_at": room.ended_at().map(|at| at.to_string()),
        "winners": winners,
        "reason": room.result().map(|result| result.reason.as_str().to_owned()),
    })
}

/// All that the hall knows of one agent: its public profile, and what only the operator may see.
pub(super) fn agent(context: &AdminContext, hall: &Hall, handle: &str) -> Result<Value, Refused> {
    let agent = find(hall, handle)?;
    let (desk, archive) = (hall.desk(), context.engine.archive());
    let filed = archive.homologations(&agent.id, ENTRIES_SHOWN).map_err(damaged)?;
    let record = |entry: &FiledEntry| {
        let (filing, voided_at) = (&entry.filing, entry.voided_at);
        HomologationRecord::of(entry.id, &entry.season, filing, entry.hash, entry.created_at, voided_at)
    };
    let profile = AgentData::of(desk, agent, filed.iter().map(record).collect());
    let profile =
        serde_json::to_value(profile).map_err(|error| Refused::new("INTERNAL", error.to_string()))?;
    let of_profile = |name: &str| profile.get(name).cloned().unwrap_or_default();
    let rooms = hall.rooms();
    let live: Vec<Value> =
        desk.live_games(&agent.id).filter_map(|id| rooms.find(&id)).map(|room| game(room)).collect();
    let mut ended = Vec::new();
    walk_ended(archive, Some(agent.id), |room| {
        ended.push(game(room));
        Ok(ended.len() == GAMES_SHOWN)
    })?;
    let now = context.engine.now();
    let left = |read: fn(&Desk, &AgentId, Timestamp, &HallSettings) -> Option<u32>| {
        hall.settings().and_then(|settings| read(desk, &agent.id, now, settings))
    };
    let mut report = brief(context, hall, agent);
    let operator = desk.operator(&agent.operator);
    for (name, value) in [
        ("operator_name", json!(operator.and_then(|operator| operator.name.as_deref()))),
        ("operator_suspended", json!(operator.is_some_and(|operator| operator.suspended))),
        ("joins_left_today", json!(left(Desk::joins_left))),
        ("feedback_left_today", json!(left(Desk::feedback_left))),
        ("doorbell", json!(desk.doorbell(&agent.id).map_or("none", |bell| bell.state_at(now).as_str()))),
        ("record", of_profile("record")),
        ("ratings", of_profile("ratings")),
        ("homologations", of_profile("homologations")),
        ("live", Value::Array(live)),
        ("ended_lately", Value::Array(ended)),
    ] {
        report.insert(name.to_owned(), value);
    }
    Ok(Value::Object(report))
}

fn find<'a>(hall: &'a Hall, handle: &str) -> Result<&'a Agent, Refused> {
    let found = Handle::parse(handle).and_then(|handle| hall.desk().agent_by_handle(&handle));
    found.ok_or_else(|| {
        Refused::new("AGENT_NOT_FOUND", "there is no agent with this handle; `hall admin agents` lists them")
    })
}

/// Refuses a word that no game can have, which would look like a list that happens to be empty.
fn known<'a>(asked: Option<&str>, words: impl Iterator<Item = &'a str>, what: &str) -> Result<(), Refused> {
    let Some(asked) = asked else { return Ok(()) };
    let words: Vec<&str> = words.collect();
    if words.contains(&asked) {
        return Ok(());
    }
    Err(Refused::bad_request(format!("there is no such {what}; there is {}", words.join(", "))))
}

fn operator_id(text: &str) -> Result<OperatorId, Refused> {
    OperatorId::parse(text).ok_or_else(|| Refused::bad_request("this is not an operator id"))
}

fn damaged(error: ArchiveError) -> Refused {
    Refused::new("DAMAGED", error.to_string())
}
