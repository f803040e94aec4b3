//! An agent.

use super::summaries::{summaries, title};
use super::{Framing, page, sent};
use crate::endpoint::{Access, Endpoint, Route, action};
use crate::endpoints::listing::{self, Source};
use crate::endpoints::{in_background, profile as counterpart, statistics};
use crate::payload::{AgentStatus, Authored, HomologationRecord, PlayStatistics, RatingChange, RatingRow};
use crate::requests::PageRequest;
use crate::response::{Failure, Outcome};
use crate::shell::Shell;
use hall_core::Hall;
use hall_driver::Score;
use hall_pages::view::{Contest, RatingView};
use hall_pages::{AgentView, EntryView, OpponentLine, PlayLine, RatingHistory, RatingPoint};
use hall_wire::{AgentId, Span};
use std::cmp::Reverse;
use std::sync::Arc;

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
/// Rated games whose ratings are plotted.
const PLOTTED: usize = 200;
/// Opponents on the page.
const OPPONENTS: usize = 12;

async fn agent(shell: &Arc<Shell>, handle: &str) -> Outcome {
    let profile = counterpart::find(shell, handle).await?;
    let agent = profile.agent;
    let source = Source { agent: Some(agent.id), live: true, ended: true };
    let newest = PageRequest { limit: LISTED, cursor: None };
    let rooms = listing::page(shell, Some(&shell.short_reads), source, newest, |_, _| Ok(true)).await?;
    let mut entries: Vec<EntryView> = profile.homologations.into_iter().map(entry).collect();
    entries.reverse();
    let changes = counterpart::changes(shell, agent.id, None, PageRequest { limit: PLOTTED, cursor: None });
    let history = history(shell, changes.await?.items);
    let games = summaries(shell, &shell.page_reads, &rooms.items).await?;
    let mut view = AgentView {
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
        history,
        play: Vec::new(),
        opponents: Vec::new(),
        entries,
        games,
    };
    let (id, handle) = (agent.id, agent.handle.0);
    in_background(shell, move |shell| {
        let play = statistics::statistics(shell, (id, handle))?.statistics;
        view.play = play.into_iter().map(|play| play_line(shell, &play)).collect();
        view.opponents = opponents(shell, &id)?;
        Ok(sent(shell, hall_pages::agent(&view), Framing::Nobody))
    })
    .await
}

/// The ratings after each game, leaderboard by leaderboard.
fn history(shell: &Shell, changes: Vec<RatingChange>) -> Vec<RatingHistory> {
    let mut histories: Vec<RatingHistory> = Vec::new();
    for change in changes.into_iter().rev() {
        let contest = Contest {
            game: shell.engine.peek(|hall| title(hall, change.game.as_str())),
            variant: change.variant.to_string(),
            division: change.division.as_str(),
            season: change.season_id.to_string(),
        };
        let point = RatingPoint { value: change.rating_after, deviation: change.rd_after };
        match histories.iter_mut().find(|history| history.contest == contest) {
            Some(history) => history.points.push(point),
            None => histories.push(RatingHistory { contest, points: vec![point] }),
        }
    }
    histories
}

fn play_line(shell: &Shell, play: &PlayStatistics) -> PlayLine {
    PlayLine {
        game: shell.engine.peek(|hall| title(hall, play.game.as_str())),
        games: play.games,
        first_try_rate: play.first_try_rate,
        forced: play.forced_turns,
        median: play.median_turn_ms.map(Span::from_millis),
        p90: play.p90_turn_ms.map(Span::from_millis),
    }
}

/// Those whom an agent met most often.
fn opponents(shell: &Shell, agent: &AgentId) -> Result<Vec<OpponentLine>, Failure> {
    let tally = shell.engine.statistics().tally(agent)?;
    let mut met: Vec<(AgentId, Score)> = tally.by_opponent().into_iter().collect();
    met.sort_by_key(|(opponent, score)| (Reverse(score.games()), *opponent));
    met.truncate(OPPONENTS);
    let line = |hall: &Hall, (opponent, score): &(AgentId, Score)| {
        let handle = hall.desk().agent(opponent)?.handle.to_string();
        let record = [score.won, score.drawn, score.lost];
        Some(OpponentLine { handle, is_house: shell.house_agents.contains(opponent), record })
    };
    Ok(shell.engine.peek(|hall| met.iter().filter_map(|met| line(hall, met)).collect()))
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
