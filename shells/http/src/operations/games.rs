//! Games: lists, records, replays, and what their players see.

use super::listing::{self, Source};
use super::{archived_room, data, find_room, in_background};
use crate::answer::{Answer, Failure, Outcome};
use crate::errors::ApiCode;
use crate::game_export::{game_pgn, game_replay};
use crate::payload::{GameData, GameRecord, GamesData, LegalMovesData, ReplayData, View, ViewData};
use crate::requests::{GameFilter, GamesOrder, GamesRequest, ResultFilter, Status};
use crate::shell::Shell;
use hall_core::Withheld;
use hall_core::rooms::Room;
use hall_driver::Ended;
use hall_wire::{AgentId, Handle, HomologationId, Player};
use salvo::http::header;
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) async fn list(shell: &Shell, asked: GamesRequest) -> Outcome {
    let GamesRequest { status, agent, opponent, filter, order } = asked;
    let known =
        filter.game.is_none_or(|game| shell.engine.peek(|hall| hall.catalog().find(game.as_str()).is_some()));
    let (Some(agent), Some(opponent), true) =
        (agent_id(shell, agent.as_ref()).await?, agent_id(shell, opponent.as_ref()).await?, known)
    else {
        return data(&GamesData { games: Vec::new(), next_cursor: None });
    };
    let is_search = opponent.is_some() || filter != GameFilter::default();
    let _turn = if is_search { shell.searches.acquire().await.ok() } else { None };
    let mut search = Search { shell, agent, opponent, filter: &filter, known: BTreeMap::new() };
    let found = match order {
        GamesOrder::ByStart(page) => {
            let source =
                Source { agent, live: status != Some(Status::Ended), ended: status != Some(Status::Live) };
            listing::page(shell, source, page, |room| search.fits(room)).await?
        }
        GamesOrder::ByEnd(range, page) => {
            let take = |end: &Ended| {
                let room = archived_room(shell, &end.game)?;
                Ok(search.fits(&room)?.then_some(room))
            };
            listing::walk_ends(shell, agent, range, page, take).await?
        }
    };
    let games = found.items.iter().map(|room| GameRecord::of(room, &shell.house)).collect();
    data(&GamesData { games, next_cursor: found.next_cursor })
}

/// The agent of a handle, where one is given; `None` if nobody has it.
async fn agent_id(shell: &Shell, handle: Option<&Handle>) -> Result<Option<Option<AgentId>>, Failure> {
    let Some(handle) = handle else { return Ok(Some(None)) };
    let agent = shell.engine.read(|hall| hall.desk().agent_by_handle(handle).map(|agent| agent.id)).await?;
    Ok(agent.map(Some))
}

/// Which games one request asks for.
struct Search<'a> {
    shell: &'a Shell,
    agent: Option<AgentId>,
    opponent: Option<AgentId>,
    filter: &'a GameFilter,
    /// Whether an entry has the model, for entries that were read before.
    known: BTreeMap<HomologationId, bool>,
}

impl Search<'_> {
    /// Whether a game is among them. What costs a look at the disk comes last.
    fn fits(&mut self, room: &Room) -> Result<bool, Failure> {
        let Self { shell, agent, opponent, filter, .. } = *self;
        let GameFilter { game, result, reason, model } = filter;
        let mut agents = room.seats().iter().map(|seat| seat.seat.agent);
        let plain = game.is_none_or(|game| room.variant().game == game)
            && opponent
                .is_none_or(|opponent| Some(opponent) != agent && agents.any(|agent| agent == opponent))
            && result.is_none_or(|filter| ended_so(room, agent, filter))
            && reason
                .as_ref()
                .is_none_or(|reason| room.result().is_some_and(|it| it.reason.as_str() == reason));
        let Some(model) = model.as_ref().filter(|_| plain) else { return Ok(plain) };
        for seat in room.seats() {
            let (agent, entry) = (&seat.seat.agent, &seat.seat.homologation);
            let shown = || !shell.engine.peek(|hall| hall.desk().is_withheld(&Withheld::Agent(*agent)));
            if self.has_model(agent, entry, model)? && shown() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn has_model(&mut self, agent: &AgentId, id: &HomologationId, model: &str) -> Result<bool, Failure> {
        if let Some(known) = self.known.get(id) {
            return Ok(*known);
        }
        let entry = self.shell.engine.archive().homologation(agent, id)?;
        let has_model = entry.is_some_and(|entry| entry.filing.model_id == model);
        self.known.insert(*id, has_model);
        Ok(has_model)
    }
}

fn ended_so(room: &Room, agent: Option<AgentId>, filter: ResultFilter) -> bool {
    let Some(result) = room.result() else { return false };
    let won = agent.and_then(|agent| room.player_of(&agent)).map(|player| result.winners.contains(&player));
    match filter {
        ResultFilter::Win => won == Some(true),
        ResultFilter::Loss => won == Some(false) && !result.winners.is_empty(),
        ResultFilter::Draw => result.draw,
        ResultFilter::Aborted => result.winners.is_empty() && !result.draw,
    }
}

pub(super) async fn record(shell: &Shell, id: &str) -> Outcome {
    data(&GameData { game: GameRecord::of(&*find_room(shell, id).await?, &shell.house) })
}

pub(super) async fn replay(shell: &Arc<Shell>, id: &str) -> Outcome {
    let room = ended(find_room(shell, id).await?)?;
    let read = move |shell: &Shell| {
        let replay = game_replay(&shell.engine, &shell.log, &room, &shell.settings.base_url)?;
        let answer = data(&ReplayData { replay })?;
        // A browser keeps it under the game's name.
        let saved_as = format!("attachment; filename=\"{}.json\"", room.id());
        Ok(answer.with_header(header::CONTENT_DISPOSITION, &saved_as))
    };
    in_background(shell, read).await
}

pub(super) async fn pgn(shell: &Arc<Shell>, id: &str) -> Outcome {
    let room = ended(find_room(shell, id).await?)?;
    let read = move |shell: &Shell| match game_pgn(&shell.engine, &room, &shell.settings.base_url, None)? {
        Some(text) => Ok(Answer::bare("application/x-chess-pgn", text)),
        None => Err(Failure::saying(
            ApiCode::NotFound,
            "This game has no PGN. Its replay is at /api/games/ID/replay.",
        )),
    };
    in_background(shell, read).await
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
