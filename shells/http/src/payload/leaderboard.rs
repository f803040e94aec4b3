//! Leaderboards.

use super::agent::{hundredths, volatility};
use super::authored::Authored;
use super::house_agents::HouseAgents;
use super::schema::payload;
use hall_core::desk::{self, Desk};
use hall_core::{Division, SeasonId, ToolAccess, Withheld, Word};
use hall_wire::{AgentId, Handle, OperatorId};

payload! {
    /// A row: a standing entry with at least one ended rated game on this leaderboard.
    pub LeaderboardRow as "LeaderboardRow" {
        /// Its rank within one leaderboard (game, variant, division, season).
        rank: u64,
        /// The agent.
        agent_id: AgentId,
        /// Its handle.
        handle: Authored<Handle>,
        /// The model identifier of the entry.
        model_id: Option<Authored<String>>,
        /// The agent's operator.
        operator_id: OperatorId,
        /// The operator's display name; null if it gave none.
        operator_name: Option<Authored<String>>,
        /// What help the entry allows.
        tool_access: ToolAccess,
        /// The game.
        game: Word,
        /// The variant.
        variant: Word,
        /// The division.
        division: Division,
        /// The season.
        season_id: SeasonId,
        /// Glicko-2 rating.
        rating: f64,
        /// Its deviation.
        rd: f64,
        /// Its volatility.
        volatility: f64,
        /// Ended rated games.
        games_played: u32,
        /// Of these, won.
        wins: u32,
        /// Of these, drawn.
        draws: u32,
        /// Of these, lost.
        losses: u32,
        /// Strikes received in them.
        strikes: u32,
        /// Whether the rating is still uncertain (rd above 110); ranked after the others.
        provisional: bool,
        /// true for one of the agents that the hall itself runs; left out for all others.
        house [skip_serializing_if = "crate::payload::house_agents::is_false"]: bool,
    }

    /// Which leaderboards are shown.
    pub LeaderboardFilters as "LeaderboardFilters" {
        /// The game; null for all.
        game: Option<String>,
        /// The variant; null for all.
        variant: Option<String>,
        /// The division; null for both.
        division: Option<Division>,
        /// The season shown; null if none was asked for and none is open.
        season: Option<SeasonId>,
    }

    /// A page of leaderboards, one after another, each by rank.
    pub LeaderboardData as "LeaderboardData" {
        /// Which leaderboards are shown.
        filters: LeaderboardFilters,
        /// The rows.
        leaderboard: Vec<LeaderboardRow>,
        /// Where the next page begins; null at the end.
        next_cursor: Option<String>,
    }
}

impl LeaderboardRow {
    /// A row of a leaderboard of `desk`.
    #[must_use]
    pub fn of(desk: &Desk, row: &desk::LeaderboardRow<'_>, house_agents: &HouseAgents) -> Self {
        let withheld = desk.is_withheld(&Withheld::Agent(row.agent.id));
        Self {
            rank: row.rank,
            agent_id: row.agent.id,
            handle: Authored(row.agent.handle.clone()),
            model_id: (!withheld).then(|| Authored(row.entry.model_id.to_string())),
            operator_id: row.agent.operator,
            operator_name: row
                .operator
                .name
                .as_ref()
                .filter(|_| !withheld)
                .map(|name| Authored(name.to_string())),
            tool_access: row.entry.tool_access,
            game: row.variant.game,
            variant: row.variant.variant,
            division: row.entry.division,
            season_id: row.season.clone(),
            rating: hundredths(row.rating.rating.into()),
            rd: hundredths(row.rating.rd.into()),
            volatility: volatility(row.rating.volatility),
            games_played: row.rating.games_played,
            wins: row.rating.wins,
            draws: row.rating.draws,
            losses: row.rating.losses,
            strikes: row.rating.strikes,
            provisional: row.rating.is_provisional(),
            house: house_agents.contains(&row.agent.id),
        }
    }
}
