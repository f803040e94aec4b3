//! The profile of an agent, and how rated games changed its ratings.

use super::listing::{self, Page};
use super::{archived_outline, data, in_background_with, statistics};
use crate::endpoint::{Access, Details, Endpoint, Handling, Route, action, parameters};
use crate::errors::ApiCode;
use crate::payload::{AgentData, Authored, HomologationRecord, RatingChange, RatingChangesData};
use crate::requests::{GAME_RULE, PageRequest};
use crate::response::{Failure, Outcome};
use crate::shell::Shell;
use hall_core::Word;
use hall_driver::{EndKey, EndRange};
use hall_wire::{AgentId, Handle};
use std::sync::Arc;

pub(super) static PROFILE: Endpoint = Endpoint {
    route: Route::get("profile", "/api/agents/{handle}", Access::Public, "The profile of an agent."),
    details: |_| Details::answering::<AgentData>("agents").errors(&[ApiCode::AgentNotFound]),
    handling: Handling::Request(|sent| {
        let handle = sent.param();
        Ok(action(|call| async move { profile(&call.shell, &handle).await }))
    }),
    tools: &[],
};

pub(super) static RATINGS: Endpoint = Endpoint {
    route: Route::get(
        "ratings",
        "/api/agents/{handle}/ratings",
        Access::Public,
        "How rated games changed the ratings of an agent.",
    ),
    details: |_| {
        let game = parameters::text_query("game", "Only this game.");
        Details::answering::<RatingChangesData>("agents")
            .about(
                "One row for each rated game under any entry, voided ones too, the latest end first. A page may be short if many \
                 games did not match; next_cursor says where to continue.",
            )
            .query([game].into_iter().chain(parameters::page()).collect())
            .errors(&[ApiCode::AgentNotFound])
    },
    handling: Handling::Request(|sent| {
        let handle = sent.param();
        let mut query = sent.query();
        let game = query.parsed("game", GAME_RULE, Word::parse);
        let page = PageRequest { limit: query.limit(), cursor: query.cursor(EndKey::parse) };
        query.finish()?;
        Ok(action(move |call| async move { ratings(&call.shell, &handle, game, page).await }))
    }),
    tools: &[],
};

/// The most homologation entries that a profile shows, newest ones, besides those that stand.
const ENTRIES_SHOWN: usize = 200;

async fn profile(shell: &Arc<Shell>, handle: &str) -> Outcome {
    data(&find(shell, handle).await?)
}

/// The profile of the agent of this handle.
pub(super) async fn find(shell: &Arc<Shell>, handle: &str) -> Result<AgentData, Failure> {
    let not_found = || Failure::from(ApiCode::AgentNotFound);
    let handle = Handle::parse(handle).ok_or_else(not_found)?;
    let known = shell.engine.read(|hall| {
        let desk = hall.desk();
        let agent = desk.agent_by_handle(&handle)?.id;
        Some((agent, desk.standing_entries(&agent).map(|entry| entry.id).collect::<Vec<_>>()))
    });
    let (agent, standing) = known.await?.ok_or_else(not_found)?;
    let read = move |shell: &Shell| {
        let archive = shell.engine.archive();
        let mut filed = archive.homologations(&agent, ENTRIES_SHOWN)?;
        for id in standing {
            // An entry whose ratings are shown is shown, however many were filed since.
            if !filed.iter().any(|entry| entry.id == id) {
                filed.extend(archive.homologation(&agent, &id)?);
            }
        }
        Ok(filed)
    };
    let mut filed = in_background_with(shell, &shell.short_reads, read).await?;
    filed.sort_by_key(|entry| (entry.created_at, entry.id));
    let records = filed.iter().map(|entry| {
        let (filing, voided_at) = (&entry.filing, entry.voided_at);
        HomologationRecord::of(entry.id, &entry.season, filing, entry.hash, entry.created_at, voided_at)
    });
    let records: Vec<_> = records.collect();
    let profile = shell.engine.read(move |hall| {
        let desk = hall.desk();
        desk.agent_by_handle(&handle).map(|agent| AgentData::of(desk, agent, records))
    });
    profile.await?.ok_or_else(not_found)
}

/// `game`: only this one; one that is not in the catalog has no ratings.
async fn ratings(shell: &Arc<Shell>, handle: &str, game: Option<Word>, page: PageRequest<EndKey>) -> Outcome {
    let (agent, handle) = statistics::agent(shell, handle).await?;
    let Page { items: ratings, next_cursor } = changes(shell, agent, game, page).await?;
    data(&RatingChangesData { agent_id: agent, handle: Authored(handle), ratings, next_cursor })
}

/// How rated games changed the ratings of an agent, the latest end first.
pub(super) async fn changes(
    shell: &Arc<Shell>,
    agent: AgentId,
    game: Option<Word>,
    page: PageRequest<EndKey>,
) -> Result<Page<RatingChange>, Failure> {
    // With a filter it is a search, which may look at many games for one row.
    let permits = if game.is_some() { &shell.searches } else { &shell.long_reads };
    in_background_with(shell, permits, move |shell| {
        let archive = shell.engine.archive();
        listing::walk_ends(shell, Some(agent), EndRange::default(), page, |end| {
            let rated = archive.rated_game(&end.game)?;
            let Some(rated) = rated.filter(|rated| game.is_none_or(|game| rated.variant.game == game)) else {
                return Ok(None);
            };
            let room = archived_outline(shell, &end.game)?;
            Ok(RatingChange::of(end, &room, &rated, &agent))
        })
    })
    .await
}
