//! Games: lists, records, replays, and what their players see.

use super::listing::{self, Source};
use super::{data, find_room};
use crate::answer::{Answer, Failure, Outcome};
use crate::documents::ApiCode;
use crate::payload::{
    GameData, GameRecord, GamesData, LegalMovesData, ReplayData, ReplayRecord, View, ViewData, pgn as pgn_of,
};
use crate::replay_log::replay_log;
use crate::requests::{GamesRequest, Status};
use crate::settings::limits;
use crate::shell::Shell;
use hall_core::rooms::{Room, RoomFact};
use hall_wire::{AgentId, Player};
use salvo::http::header;
use std::sync::Arc;

pub(super) async fn list(shell: &Shell, asked: GamesRequest) -> Outcome {
    let GamesRequest { status, game, agent, page } = asked;
    let known =
        game.is_none_or(|game| shell.engine.peek(|hall| hall.catalog().find(game.as_str()).is_some()));
    let agent = match &agent {
        None => Some(None),
        Some(handle) => shell
            .engine
            .read(|hall| hall.desk().agent_by_handle(handle).map(|agent| agent.id))
            .await?
            .map(Some),
    };
    let (Some(agent), true) = (agent, known) else {
        return data(&GamesData { games: Vec::new(), next_cursor: None });
    };
    let source = Source { agent, live: status != Some(Status::Ended), ended: status != Some(Status::Live) };
    let found =
        listing::page(shell, source, page, |room| game.is_none_or(|game| room.board().game == game)).await?;
    let games = found.rooms.iter().map(|room| GameRecord::of(room, &shell.house)).collect();
    data(&GamesData { games, next_cursor: found.next_cursor })
}

pub(super) async fn record(shell: &Shell, id: &str) -> Outcome {
    data(&GameData { game: GameRecord::of(&*find_room(shell, id).await?, &shell.house) })
}

pub(super) async fn replay(shell: &Shell, id: &str) -> Outcome {
    let room = ended(find_room(shell, id).await?)?;
    let facts = all_facts(shell, &room)?;
    let log = replay_log(shell.engine.log(), &shell.log, &room)?;
    let answer =
        data(&ReplayData { replay: ReplayRecord::of(&room, &facts, &shell.settings.base_url, log) })?;
    // A browser keeps it under the game's name.
    let saved_as = format!("attachment; filename=\"{}.json\"", room.id());
    Ok(answer.with_header(header::CONTENT_DISPOSITION, &saved_as))
}

pub(super) async fn pgn(shell: &Shell, id: &str) -> Outcome {
    let room = ended(find_room(shell, id).await?)?;
    match pgn_of(&room, &shell.settings.base_url) {
        Some(text) => Ok(Answer::bare("application/x-chess-pgn", text)),
        None => Err(Failure::saying(
            ApiCode::NotFound,
            "This game has no PGN. Its replay is at /api/games/ID/replay.",
        )),
    }
}

pub(super) async fn view(shell: &Shell, agent: AgentId, id: &str, history: Option<u64>) -> Outcome {
    let (room, player) = seated(shell, agent, id).await?;
    let withheld = shell.engine.read(|hall| hall.desk().withheld_count()).await?;
    let commentary = shell.commentaries.of(shell.engine.archive(), &room, withheld)?;
    let mut view = View::of(&room, player, &commentary);
    if let Some(most) = history {
        view.keep_history(usize::try_from(most).unwrap_or(usize::MAX));
    }
    data(&ViewData { view })
}

pub(super) async fn legal_moves(shell: &Shell, agent: AgentId, id: &str) -> Outcome {
    let (room, player) = seated(shell, agent, id).await?;
    data(&LegalMovesData::of(&room, player))
}

/// A game and which of its players the caller is.
async fn seated(shell: &Shell, agent: AgentId, id: &str) -> Result<(Arc<Room>, Player), Failure> {
    let room = find_room(shell, id).await?;
    let player = room.player_of(&agent).ok_or_else(|| Failure::from(ApiCode::NotSeated))?;
    Ok((room, player))
}

fn ended(room: Arc<Room>) -> Result<Arc<Room>, Failure> {
    if room.result().is_some() { Ok(room) } else { Err(ApiCode::ReplayNotReady.into()) }
}

/// Every fact of a game that `room` has seen.
fn all_facts(shell: &Shell, room: &Room) -> Result<Vec<RoomFact>, Failure> {
    let mut facts: Vec<RoomFact> = Vec::new();
    loop {
        let next = facts.last().map_or(1, |fact| fact.number + 1);
        if next > room.fact_count() {
            return Ok(facts);
        }
        let more = shell.engine.archive().room_facts(&room.id(), next, limits::FACTS_AT_ONCE)?;
        if more.is_empty() {
            tracing::error!(game = %room.id(), next, "facts of a game are missing on disk");
            return Err(ApiCode::Internal.into());
        }
        facts.extend(more.into_iter().take_while(|fact| fact.number <= room.fact_count()));
    }
}
