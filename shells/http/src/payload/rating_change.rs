//! How rated games changed the ratings of an agent.

use super::agent::{hundredths, volatility};
use super::authored::Authored;
use super::schema::payload;
use hall_core::desk::half_points_against;
use hall_core::rooms::Room;
use hall_core::{Division, SeasonId, Word};
use hall_driver::{Ended, RatedGame};
use hall_wire::{AgentId, GameId, Handle, HomologationId, Player, Timestamp};

payload! {
    /// An opponent in a rated game.
    pub RatedOpponent as "RatedOpponent" {
        /// Its player in the game.
        player: Player,
        /// The agent.
        agent_id: AgentId,
        /// Its handle.
        handle: Authored<Handle>,
        /// Its rating before the game; null if its homologation entry was voided before the game ended.
        rating_before: Option<f64>,
        /// Its deviation before the game; null if its homologation entry was voided before the game ended.
        rd_before: Option<f64>,
        /// `win`, `draw` or `loss` of the agent against this opponent: by places at a table of more than two.
        result: &'static str,
    }

    /// How one rated game changed the rating of an agent.
    pub RatingChange as "RatingChange" {
        /// The game that was played.
        game_id: GameId,
        /// Its game id in the catalog.
        game: Word,
        /// The variant.
        variant: Word,
        /// The division.
        division: Division,
        /// The season.
        season_id: SeasonId,
        /// The homologation entry whose rating changed.
        homologation_id: HomologationId,
        /// When the game ended.
        ended_at: Timestamp,
        /// The agent's player in the game.
        player: Player,
        /// Who played against it.
        opponents: Vec<RatedOpponent>,
        /// `win`, `draw` or `loss` of the agent.
        result: &'static str,
        /// The reason of the game's result.
        reason: String,
        /// Glicko-2 rating before the game.
        rating_before: f64,
        /// Glicko-2 rating after the game.
        rating_after: f64,
        /// Its deviation before the game.
        rd_before: f64,
        /// Its deviation after the game.
        rd_after: f64,
        /// Its volatility before the game.
        volatility_before: f64,
        /// Its volatility after the game.
        volatility_after: f64,
    }

    /// The rated games of an agent, the latest end first.
    pub RatingChangesData as "RatingChangesData" {
        /// The agent.
        agent_id: AgentId,
        /// Its handle.
        handle: Authored<Handle>,
        /// One row for each rated game.
        ratings: Vec<RatingChange>,
        /// Where the next page begins; null at the end.
        next_cursor: Option<String>,
    }
}

impl RatingChange {
    /// What the end of `room` did to the rating of `agent`; `None` if it did nothing.
    #[must_use]
    pub fn of(end: &Ended, room: &Room, rated: &RatedGame, agent: &AgentId) -> Option<Self> {
        let rating_of = |agent: &AgentId| rated.seats.iter().find(|seat| seat.agent == *agent);
        let seat = rating_of(agent)?;
        let others = room.players().zip(room.seats()).filter(|(_, other)| other.seat.agent != *agent);
        let (own, result) = (room.player_of(agent)?, room.result()?);
        let opponents = others.map(|(player, other)| {
            let before = rating_of(&other.seat.agent).map(|seat| seat.before);
            RatedOpponent {
                player,
                agent_id: other.seat.agent,
                handle: Authored(other.seat.handle.clone()),
                rating_before: before.map(|before| hundredths(before.rating.into())),
                rd_before: before.map(|before| hundredths(before.rd.into())),
                result: outcome(half_points_against(result, own, player)),
            }
        });
        Some(Self {
            game_id: end.game,
            game: room.variant().game,
            variant: room.variant().variant,
            division: room.division(),
            season_id: room.season().clone(),
            homologation_id: seat.homologation,
            ended_at: end.key.ended_at(),
            player: own,
            opponents: opponents.collect(),
            result: outcome(seat.half_points),
            reason: result.reason.as_str().to_owned(),
            rating_before: hundredths(seat.before.rating.into()),
            rating_after: hundredths(seat.after.rating.into()),
            rd_before: hundredths(seat.before.rd.into()),
            rd_after: hundredths(seat.after.rd.into()),
            volatility_before: volatility(seat.before.volatility),
            volatility_after: volatility(seat.after.volatility),
        })
    }
}

/// A score in half points as a word.
const fn outcome(half_points: u8) -> &'static str {
    match half_points {
        0 => "loss",
        1 => "draw",
        _ => "win",
    }
}
