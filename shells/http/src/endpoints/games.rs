//! The list of games, and searching it.

use super::listing::{self, Page, Source};
use super::{archived_outline, data, in_background_with};
use crate::endpoint::{Access, Details, Endpoint, Handling, Route, action, parameters};
use crate::payload::{GameRecord, GamesData};
use crate::requests::{GAME_RULE, PageRequest, Query, Status, TIME_RULE};
use crate::response::{Failure, Outcome};
use crate::shell::Shell;
use hall_core::rooms::Room;
use hall_core::{Division, SeasonId, Withheld, Word};
use hall_driver::{EndKey, EndRange, Ended};
use hall_wire::{AgentId, GameId, Handle, HomologationId, Timestamp};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) static GAMES: Endpoint = Endpoint {
    route: Route::get("games", "/api/games", Access::Public, "All games, newest first."),
    details: |_| {
        let text = || json!({ "type": "string" });
        let time = || json!({ "type": "string", "format": "date-time" });
        let results: Vec<&str> = ResultFilter::ALL.iter().map(|(word, _)| *word).collect();
        let filters = vec![
            parameters::status("Only live or only ended games."),
            parameters::text_query("game", "Only games of this game id."),
            parameters::query("agent", "Only games of the agent with this handle.", text()),
            parameters::query(
                "opponent",
                "With agent: only games against the agent with this handle.",
                text(),
            ),
            parameters::query(
                "result",
                "Only games that ended this way; win and loss are those of agent, and need it.",
                json!({ "type": "string", "enum": results }),
            ),
            parameters::query("reason", "Only games that ended for this reason, such as checkmate.", text()),
            parameters::query(
                "model",
                "Only games in which a seat plays under an entry with exactly this model_id.",
                text(),
            ),
            parameters::query("ended_since", "Only games that ended at this time or later.", time()),
            parameters::query("ended_until", "Only games that ended before this time.", time()),
        ];
        Details::answering::<GamesData>("spectators")
        .about(
            "The game that began last comes first; with ended_since or ended_until the one that ended last. A page may be short \
             or empty if many games did not match; next_cursor says where to continue.",
        )
        .query(filters.into_iter().chain(parameters::page()).collect())
    },
    handling: Handling::Request(|sent| {
        let asked = read(sent.query())?;
        Ok(action(|call| async move { list(&call.shell, asked).await }))
    }),
    tools: &[],
};

const HANDLE_RULE: &str = "must be a handle";

/// Which games are listed, and in which order.
#[derive(Clone, Debug)]
pub(super) struct GamesRequest {
    pub(super) status: Option<Status>,
    /// A handle; an unknown one has no games.
    pub(super) agent: Option<Handle>,
    /// A handle; only with `agent`.
    pub(super) opponent: Option<Handle>,
    pub(super) filter: GameFilter,
    pub(super) order: GamesOrder,
}

/// Further conditions on a listed game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct GameFilter {
    /// A game id; one that is not in the catalog has no games.
    pub(super) game: Option<Word>,
    pub(super) variant: Option<Word>,
    pub(super) division: Option<Division>,
    pub(super) season: Option<SeasonId>,
    pub(super) result: Option<ResultFilter>,
    /// The reason of its result.
    pub(super) reason: Option<String>,
    /// The model identifier of the entry that a seat plays under.
    pub(super) model: Option<String>,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResultFilter {
    /// The agent that is asked for won.
    Win,
    /// The agent that is asked for lost.
    Loss,
    /// Drawn.
    Draw,
    /// Aborted: neither won nor drawn.
    Aborted,
}

impl ResultFilter {
    /// Every one with the word for it.
    const ALL: [(&str, Self); 4] =
        [("win", Self::Win), ("loss", Self::Loss), ("draw", Self::Draw), ("aborted", Self::Aborted)];

    pub(super) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(word, _)| *word == text).map(|(_, filter)| filter)
    }
}

/// The order of a list of games, with the page in that order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GamesOrder {
    /// The game that began last comes first.
    ByStart(PageRequest<GameId>),
    /// The game that ended last comes first; only ended games, and only those in the range.
    ByEnd(EndRange, PageRequest<EndKey>),
}

fn read(mut query: Query) -> Result<GamesRequest, Failure> {
    let status = query.parsed("status", "must be live or ended", Status::parse);
    let agent = query.parsed("agent", HANDLE_RULE, Handle::parse);
    let opponent = query.parsed("opponent", HANDLE_RULE, Handle::parse);
    let filter = GameFilter {
        game: query.parsed("game", GAME_RULE, Word::parse),
        result: query.parsed("result", "must be win, loss, draw or aborted", ResultFilter::parse),
        reason: query.parsed("reason", "must be a reason of a result, such as checkmate", reason),
        model: query.parsed("model", "must be a model_id of 1 to 128 characters", model),
        ..GameFilter::default()
    };
    if opponent.is_some() && agent.is_none() {
        query.refuse("opponent", "needs agent");
    }
    if matches!(filter.result, Some(ResultFilter::Win | ResultFilter::Loss)) && agent.is_none() {
        query.refuse("result", "win and loss need agent");
    }
    let order = games_order(&mut query, status);
    query.finish()?;
    Ok(GamesRequest { status, agent, opponent, filter, order })
}

/// By end if the request restricts the time of the end, otherwise by start.
fn games_order(query: &mut Query, status: Option<Status>) -> GamesOrder {
    let since = query.parsed("ended_since", TIME_RULE, Timestamp::parse);
    let until = query.parsed("ended_until", TIME_RULE, Timestamp::parse);
    let limit = query.limit();
    if since.is_none() && until.is_none() {
        return GamesOrder::ByStart(PageRequest { limit, cursor: query.cursor(GameId::parse) });
    }
    if status == Some(Status::Live) {
        query.refuse("status", "must be ended or left out with ended_since and ended_until");
    }
    let page = PageRequest { limit, cursor: query.cursor(EndKey::parse) };
    GamesOrder::ByEnd(EndRange { since, until, ..EndRange::default() }, page)
}

fn reason(text: &str) -> Option<String> {
    let is_word = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
    ((1..=32).contains(&text.len()) && text.bytes().all(is_word)).then(|| text.to_owned())
}

fn model(text: &str) -> Option<String> {
    (1..=128).contains(&text.chars().count()).then(|| text.to_owned())
}

async fn list(shell: &Arc<Shell>, asked: GamesRequest) -> Outcome {
    let found = find(shell, asked).await?;
    let games = found.items.iter().map(|room| GameRecord::of(room, &shell.house_agents)).collect();
    data(&GamesData { games, next_cursor: found.next_cursor })
}

/// The games that are asked for.
pub(super) async fn find(shell: &Arc<Shell>, asked: GamesRequest) -> Result<Page<Arc<Room>>, Failure> {
    let GamesRequest { status, agent, opponent, filter, order } = asked;
    let known =
        filter.game.is_none_or(|game| shell.engine.peek(|hall| hall.catalog().find(game.as_str()).is_some()));
    let (Some(agent), Some(opponent), true) =
        (agent_id(shell, agent.as_ref()).await?, agent_id(shell, opponent.as_ref()).await?, known)
    else {
        return Ok(Page { items: Vec::new(), next_cursor: None });
    };
    let is_search = opponent.is_some() || filter != GameFilter::default();
    let mut search = Search { agent, opponent, filter, known: BTreeMap::new() };
    match order {
        GamesOrder::ByStart(page) => {
            let source =
                Source { agent, live: status != Some(Status::Ended), ended: status != Some(Status::Live) };
            let permits =
                if is_search { Some(&shell.searches) } else { source.ended.then_some(&shell.long_reads) };
            listing::page(shell, permits, source, page, move |shell, room| search.fits(shell, room)).await
        }
        GamesOrder::ByEnd(range, page) => {
            let permits = if is_search { &shell.searches } else { &shell.long_reads };
            in_background_with(shell, permits, move |shell| {
                let take = |end: &Ended| {
                    let room = archived_outline(shell, &end.game)?;
                    Ok(search.fits(shell, &room)?.then_some(room))
                };
                listing::walk_ends(shell, agent, range, page, take)
            })
            .await
        }
    }
}

/// The agent of a handle, if one is given; `None` if no agent has it.
async fn agent_id(shell: &Shell, handle: Option<&Handle>) -> Result<Option<Option<AgentId>>, Failure> {
    let Some(handle) = handle else { return Ok(Some(None)) };
    let agent = shell.engine.read(|hall| hall.desk().agent_by_handle(handle).map(|agent| agent.id)).await?;
    Ok(agent.map(Some))
}

/// The filter of one request.
struct Search {
    agent: Option<AgentId>,
    opponent: Option<AgentId>,
    filter: GameFilter,
    /// Whether an entry has the model; a cache for entries that were read before.
    known: BTreeMap<HomologationId, bool>,
}

impl Search {
    /// Whether a game passes the filter. Checks that read from disk come last.
    fn fits(&mut self, shell: &Shell, room: &Room) -> Result<bool, Failure> {
        let Self { agent, opponent, .. } = *self;
        let GameFilter { game, variant, division, season, result, reason, model } = &self.filter;
        let mut agents = room.seats().iter().map(|seat| seat.seat.agent);
        let plain = game.is_none_or(|game| room.variant().game == game)
            && variant.is_none_or(|variant| room.variant().variant == variant)
            && division.is_none_or(|division| room.division() == division)
            && season.as_ref().is_none_or(|season| room.season() == season)
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
            if has_model(shell, &mut self.known, agent, entry, model)? && shown() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn has_model(
    shell: &Shell,
    known: &mut BTreeMap<HomologationId, bool>,
    agent: &AgentId,
    id: &HomologationId,
    model: &str,
) -> Result<bool, Failure> {
    if let Some(known) = known.get(id) {
        return Ok(*known);
    }
    let entry = shell.engine.archive().homologation(agent, id)?;
    let has_model = entry.is_some_and(|entry| entry.filing.model_id == model);
    known.insert(*id, has_model);
    Ok(has_model)
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
