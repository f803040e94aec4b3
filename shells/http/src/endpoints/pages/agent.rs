//! An agent.

use super::summaries::{summaries, title};
use super::{Framing, page, sent};
use crate::endpoint::{Access, Endpoint, Route, action};
use crate::endpoints::listing::{self, Source};
use crate::endpoints::profile as counterpart;
use crate::payload::{AgentStatus, Authored, HomologationRecord, RatingRow};
use crate::requests::PageRequest;
use crate::response::Outcome;
use crate::shell::Shell;
use hall_pages::view::{Contest, RatingView};
use hall_pages::{AgentView, EntryView};

pub(super) static AGENT: Endpoint = page(
    Route::get("agent_page", "/agents/{handle}", Access::Public, "An agent: ratings, homologations, games."),
    Some(&counterpart::PROFILE),
    |sent| {
        let handle = sent.param();
        Ok(action(|call| async move { agent(&call.shell, &handle).await }))
    },
);

/// Games on the page.
const LISTED: usize = 20;

async fn agent(shell: &Shell, handle: &str) -> Outcome {
    let profile = counterpart::find(shell, handle).await?;
    let agent = profile.agent;
    let source = Source { agent: Some(agent.id), live: true, ended: true };
    let rooms =
        listing::page(shell, source, PageRequest { limit: LISTED, cursor: None }, |_| Ok(true)).await?;
    let mut entries: Vec<EntryView> = profile.homologations.into_iter().map(entry).collect();
    entries.reverse();
    let view = AgentView {
        handle: agent.handle.0.to_string(),
        id: agent.id.to_string(),
        key: agent.pubkey_ed25519.to_string(),
        model: agent.model_id.map(|model| model.0),
        adapter: agent.adapter_kind.map(|kind| kind.0.as_str()),
        operator: agent.operator_name.map(|name| name.0),
        is_house: shell.house_agents.contains(&agent.id),
        is_suspended: agent.status == AgentStatus::Suspended,
        created_at: agent.created_at,
        record: [profile.record.wins, profile.record.draws, profile.record.losses],
        ratings: profile.ratings.iter().map(|row| rating(shell, row)).collect(),
        entries,
        games: summaries(shell, &rooms.items).await?,
    };
    Ok(sent(shell, hall_pages::agent(&view), Framing::Nobody))
}

fn entry(record: HomologationRecord) -> EntryView {
    let Authored(adapter) = record.fields.adapter_kind;
    EntryView {
        season: record.season_id.to_string(),
        division: record.division.as_str(),
        model: record.fields.model_id.map(|model| model.0),
        adapter: adapter.as_str(),
        access: record.fields.tool_access.as_str(),
        created_at: record.created_at,
        voided_at: record.voided_at,
    }
}

fn rating(shell: &Shell, row: &RatingRow) -> (Contest, RatingView, u32) {
    let contest = Contest {
        game: shell.engine.peek(|hall| title(hall, row.game.as_str())),
        variant: row.variant.to_string(),
        division: row.division.as_str(),
        season: row.season_id.to_string(),
    };
    let rating = RatingView { value: row.rating, deviation: row.rd, is_provisional: row.provisional };
    (contest, rating, row.games_played)
}
