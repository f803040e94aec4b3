//! What the ended games of agents come to: how an agent plays, two agents head to head, and the first of a leaderboard
//! against each other.

use super::{archived_outline, data, in_background};
use crate::endpoint::{Access, Details, Endpoint, Handling, Route, action, parameters};
use crate::errors::ApiCode;
use crate::payload::{
    Authored, ComparedAgent, CrossTableData, CrossTableRow, PlayStatistics, StatisticsData, VersusData,
};
use crate::requests::{DIVISION_RULE, GAME_RULE, Query};
use crate::response::Failure;
use crate::shell::Shell;
use hall_core::desk::LeaderboardFilter;
use hall_core::{Division, GameVariant, SeasonId, Word};
use hall_driver::{Pairing, SeatPlay};
use hall_wire::{AgentId, Handle, HomologationId};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) static STATISTICS: Endpoint = Endpoint {
    route: Route::get(
        "statistics",
        "/api/agents/{handle}/statistics",
        Access::Public,
        "How an agent plays: legal at the first try, forced turns, turn times.",
    ),
    details: |_| {
        Details::answering::<StatisticsData>("agents")
            .about("Counted are its newest 50 ended games, under all entries. Everything follows from the public log.")
            .errors(&[ApiCode::AgentNotFound])
    },
    handling: Handling::Request(|sent| {
        let handle = sent.param();
        Ok(action(|call| async move {
            let agent = agent(&call.shell, &handle).await?;
            in_background(&call.shell, move |shell| data(&statistics(shell, agent)?)).await
        }))
    }),
    tools: &[],
};

pub(super) static VERSUS: Endpoint = Endpoint {
    route: Route::get(
        "versus",
        "/api/agents/{handle}/vs/{opponent}",
        Access::Public,
        "Two agents, head to head.",
    ),
    details: |_| {
        Details::answering::<VersusData>("agents")
            .about(
                "Rated games under any entries, won, drawn and lost by the first agent. The games themselves are listed by \
                 /api/games with agent and opponent.",
            )
            .errors(&[ApiCode::AgentNotFound])
    },
    handling: Handling::Request(|sent| {
        let [handle, opponent] = sent.both_params();
        Ok(action(|call| async move {
            let both = (agent(&call.shell, &handle).await?, agent(&call.shell, &opponent).await?);
            in_background(&call.shell, move |shell| data(&versus(shell, both.0, both.1)?)).await
        }))
    }),
    tools: &[],
};

pub(super) static CROSS_TABLE: Endpoint = Endpoint {
    route: Route::get(
        "cross_table",
        "/api/leaderboards/cross",
        Access::Public,
        "The first twenty of a leaderboard against each other.",
    ),
    details: |_| {
        let text = || json!({ "type": "string" });
        let division = json!({ "type": "string", "enum": ["pure", "open"] });
        Details::answering::<CrossTableData>("agents")
            .about("Rated games under the entries that are ranked. Without season the open one is shown.")
            .query(vec![
                parameters::required("game", "The game.", text()),
                parameters::required("variant", "The variant.", text()),
                parameters::required("division", "The division.", division),
                parameters::query("season", "The season.", text()),
            ])
    },
    handling: Handling::Request(|sent| {
        let leaderboard = read_leaderboard(sent.query())?;
        Ok(action(|call| async move {
            let found = cross_table(&call.shell, leaderboard).await?;
            in_background(&call.shell, move |shell| data(&scored(shell, found)?)).await
        }))
    }),
    tools: &[],
};

/// Games of an agent that its statistics count at most.
const COUNTED: usize = 50;

/// Agents of a cross table at most.
const CROSSED: usize = 20;

/// The agent of a handle.
pub(super) async fn agent(shell: &Shell, handle: &str) -> Result<(AgentId, Handle), Failure> {
    let not_found = || Failure::from(ApiCode::AgentNotFound);
    let handle = Handle::parse(handle).ok_or_else(not_found)?;
    let id = shell.engine.read(|hall| hall.desk().agent_by_handle(&handle).map(|agent| agent.id)).await?;
    Ok((id.ok_or_else(not_found)?, handle))
}

/// How an agent plays. Reads rows of ended games: long.
pub(super) fn statistics(
    shell: &Shell,
    (agent, handle): (AgentId, Handle),
) -> Result<StatisticsData, Failure> {
    let archive = shell.engine.archive();
    let mut plays: BTreeMap<Word, Vec<SeatPlay>> = BTreeMap::new();
    let mut games_counted: u64 = 0;
    for end in archive.latest_ends(&agent, COUNTED)? {
        let room = archived_outline(shell, &end.game)?;
        let play = shell.engine.statistics().play_of(&room)?;
        let own = room.player_of(&agent).and_then(|player| play.get(player.index()).cloned());
        plays.entry(room.variant().game).or_default().extend(own);
        games_counted = games_counted.saturating_add(1);
    }
    let statistics = plays.into_iter().map(|(game, plays)| PlayStatistics::of(game, &plays)).collect();
    Ok(StatisticsData { agent_id: agent, handle: Authored(handle), games_counted, statistics })
}

/// Two agents head to head. Reads rows of ended games: long.
pub(super) fn versus(
    shell: &Shell,
    (agent, handle): (AgentId, Handle),
    (opponent, other): (AgentId, Handle),
) -> Result<VersusData, Failure> {
    let statistics = shell.engine.statistics();
    let counted = statistics.tally(&agent)?.against_with(&agent, &opponent, &*statistics.tally(&opponent)?);
    let compared = |agent_id, handle| ComparedAgent { agent_id, handle: Authored(handle) };
    let (first, second) = (compared(agent, handle), compared(opponent, other));
    Ok(VersusData::of(first, second, &counted.scores, counted.since))
}

/// The leaderboard whose first agents are compared.
#[derive(Clone, Debug)]
pub(super) struct Leaderboard {
    pub(super) variant: GameVariant,
    pub(super) division: Division,
    /// `None` is the open season.
    pub(super) season: Option<SeasonId>,
}

fn read_leaderboard(mut query: Query) -> Result<Leaderboard, Failure> {
    let game = query.required("game", GAME_RULE, Word::parse);
    let variant = query.required("variant", "must be a variant key", Word::parse);
    let division = query.required("division", DIVISION_RULE, Division::parse);
    let season = query.parsed("season", "must be a season id", SeasonId::parse);
    query.finish()?;
    let (Some(game), Some(variant), Some(division)) = (game, variant, division) else {
        return Err(ApiCode::InvalidQuery.into());
    };
    Ok(Leaderboard { variant: GameVariant { game, variant }, division, season })
}

/// A cross table without its scores, with the entry of each row.
pub(super) async fn cross_table(
    shell: &Arc<Shell>,
    leaderboard: Leaderboard,
) -> Result<(CrossTableData, Vec<HomologationId>), Failure> {
    let Leaderboard { variant: GameVariant { game, variant }, division, season } = leaderboard;
    let found = shell.engine.read(move |hall| {
        let desk = hall.desk();
        let season = season.or_else(|| desk.current_season().cloned());
        let filter = LeaderboardFilter {
            game: Some(game),
            variant: Some(variant),
            division: Some(division),
            season: season.clone(),
        };
        let first = desk.leaderboard(&filter, None).take(CROSSED);
        let (agents, entries) = first.map(|row| (CrossTableRow::of(&row), row.entry.id)).unzip();
        (CrossTableData { game, variant, division, season_id: season, agents }, entries)
    });
    Ok(found.await?)
}

/// The table with its scores. Reads rows of ended games: long.
pub(super) fn scored(
    shell: &Shell,
    (mut table, entries): (CrossTableData, Vec<HomologationId>),
) -> Result<CrossTableData, Failure> {
    let board = GameVariant { game: table.game, variant: table.variant };
    let opponents: Vec<(AgentId, HomologationId)> =
        table.agents.iter().map(|row| row.agent_id).zip(entries.iter().copied()).collect();
    let tallies = opponents.iter().map(|(agent, _)| shell.engine.statistics().tally(agent));
    let tallies = tallies.collect::<Result<Vec<_>, _>>()?;
    for ((row, entry), tally) in table.agents.iter_mut().zip(entries).zip(&tallies) {
        for ((opponent, opponents_entry), theirs) in opponents.iter().copied().zip(&tallies) {
            let pairing = Pairing { opponent, board, entry, opponents_entry };
            let counted = tally.score_with(row.agent_id, theirs, &pairing);
            row.scores.push(counted.scores.map(Into::into));
            if opponent != row.agent_id {
                row.since = row.since.max(counted.since);
            }
        }
    }
    Ok(table)
}
