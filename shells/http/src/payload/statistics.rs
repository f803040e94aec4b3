//! What the ended games of agents come to.

use super::agent::hundredths;
use super::authored::Authored;
use super::schema::payload;
use hall_core::desk::LeaderboardRow;
use hall_core::{Division, GameVariant, SeasonId, Word};
use hall_driver::{Score, SeatPlay};
use hall_wire::{AgentId, Handle, Span, Timestamp};
use std::collections::BTreeMap;

payload! {
    /// How an agent played one game of the catalog, over the games that were counted.
    pub PlayStatistics as "PlayStatistics" {
        /// The game.
        game: Word,
        /// Ended games that were counted.
        games: u64,
        /// Turns in which the agent sent a move, legal or not.
        turns: u64,
        /// Of these, the turns in which the first move that it sent was legal.
        first_try: u64,
        /// first_try by turns, from 0 to 1; null without turns.
        first_try_rate: Option<f64>,
        /// Turns in which the hall moved in its place; a forfeit is none.
        forced_turns: u64,
        /// How long half of its own moves took at most, in milliseconds; null without one.
        median_turn_ms: Option<u64>,
        /// How long nine of ten of its own moves took at most, in milliseconds; null without one.
        p90_turn_ms: Option<u64>,
    }

    /// How an agent plays, game by game.
    pub StatisticsData as "StatisticsData" {
        /// The agent.
        agent_id: AgentId,
        /// Its handle.
        handle: Authored<Handle>,
        /// Its newest ended games that were counted, of every game of the catalog together.
        games_counted: u64,
        /// One for each game of the catalog that it has played.
        statistics: Vec<PlayStatistics>,
    }

    /// An agent of a comparison.
    pub ComparedAgent as "ComparedAgent" {
        /// The agent.
        agent_id: AgentId,
        /// Its handle.
        handle: Authored<Handle>,
    }

    /// How the first of two agents fared against the second at one board.
    pub BoardScore as "BoardScore" {
        /// The game.
        game: Word,
        /// The variant.
        variant: Word,
        /// Rated games that the first won.
        wins: u64,
        /// Rated games that were drawn.
        draws: u64,
        /// Rated games that the first lost.
        losses: u64,
    }

    /// Two agents, head to head. At a table of more than two, who scored more has won.
    pub VersusData as "VersusData" {
        /// The agent whose wins and losses are told.
        agent: ComparedAgent,
        /// The other one.
        opponent: ComparedAgent,
        /// Rated games that the first won.
        wins: u64,
        /// Rated games that were drawn.
        draws: u64,
        /// Rated games that the first lost.
        losses: u64,
        /// The same, board by board.
        boards: Vec<BoardScore>,
        /// When the oldest game that was counted ended, if older ones were left out; else null.
        since: Option<Timestamp>,
    }

    /// The score of one agent against another.
    pub CrossScore as "CrossScore" {
        /// Games won.
        wins: u64,
        /// Games drawn.
        draws: u64,
        /// Games lost.
        losses: u64,
    }

    /// One of the first of a leaderboard, and how it fared against each of them.
    pub CrossTableRow as "CrossTableRow" {
        /// Its rank.
        rank: u64,
        /// The agent.
        agent_id: AgentId,
        /// Its handle.
        handle: Authored<Handle>,
        /// Glicko-2 rating.
        rating: f64,
        /// Its deviation.
        rd: f64,
        /// Whether the rating is still uncertain (rd above 110).
        provisional: bool,
        /// Against each agent of the table, in its order; null against itself and against those whom it has not met under
        /// these entries.
        scores: Vec<Option<CrossScore>>,
        /// Older games may be missing in a score of this row: all were counted that ended at this time or later. Null if
        /// none is missing.
        since: Option<Timestamp>,
    }

    /// The first of a leaderboard against each other.
    pub CrossTableData as "CrossTableData" {
        /// The game.
        game: Word,
        /// The variant.
        variant: Word,
        /// The division.
        division: Division,
        /// The season; null if none was asked for and none is open.
        season_id: Option<SeasonId>,
        /// The agents, by rank.
        agents: Vec<CrossTableRow>,
    }
}

impl PlayStatistics {
    /// The statistics of a game from how its seats were played.
    #[must_use]
    pub fn of(game: Word, plays: &[SeatPlay]) -> Self {
        let sum = |count: fn(&SeatPlay) -> u32| plays.iter().map(|play| u64::from(count(play))).sum::<u64>();
        let (turns, first_try) = (sum(|play| play.tried), sum(|play| play.first_try));
        let mut times: Vec<Span> = plays.iter().flat_map(|play| play.times.iter().copied()).collect();
        times.sort_unstable();
        Self {
            game,
            games: u64::try_from(plays.len()).unwrap_or(u64::MAX),
            turns,
            first_try,
            first_try_rate: rate(first_try, turns),
            forced_turns: sum(|play| play.forced),
            median_turn_ms: quantile(&times, 50),
            p90_turn_ms: quantile(&times, 90),
        }
    }
}

/// Thousandths of a share, as a JSON number.
fn rate(part: u64, whole: u64) -> Option<f64> {
    let thousandths = part.saturating_mul(1_000).saturating_add(whole / 2).checked_div(whole)?;
    u32::try_from(thousandths).ok().map(|thousandths| f64::from(thousandths) / 1_000.0)
}

/// The smallest time that is at least as long as so many of a hundred, in milliseconds.
fn quantile(sorted: &[Span], percent: usize) -> Option<u64> {
    let place = sorted.len().saturating_mul(percent).div_ceil(100);
    sorted.get(place.saturating_sub(1)).map(|time| time.as_millis())
}

impl VersusData {
    /// The comparison, from the scores of the first agent at each board.
    #[must_use]
    pub fn of(
        agent: ComparedAgent,
        opponent: ComparedAgent,
        boards: &BTreeMap<GameVariant, Score>,
        since: Option<Timestamp>,
    ) -> Self {
        let Score { won, drawn, lost } = boards.values().fold(Score::default(), |sum, score| sum.plus(score));
        let board = |(board, score): (&GameVariant, &Score)| BoardScore {
            game: board.game,
            variant: board.variant,
            wins: score.won,
            draws: score.drawn,
            losses: score.lost,
        };
        let boards = boards.iter().map(board).collect();
        Self { agent, opponent, wins: won, draws: drawn, losses: lost, boards, since }
    }
}

impl From<Score> for CrossScore {
    fn from(Score { won, drawn, lost }: Score) -> Self {
        Self { wins: won, draws: drawn, losses: lost }
    }
}

impl CrossTableRow {
    /// The head of a row of the table.
    #[must_use]
    pub fn of(row: &LeaderboardRow<'_>) -> Self {
        Self {
            rank: row.rank,
            agent_id: row.agent.id,
            handle: Authored(row.agent.handle.clone()),
            rating: hundredths(row.rating.rating.into()),
            rd: hundredths(row.rating.rd.into()),
            provisional: row.rating.is_provisional(),
            scores: Vec::new(),
            since: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_have_three_decimals_and_quantiles_are_times_that_were_taken() {
        assert_eq!(rate(0, 0), None);
        assert_eq!(rate(2, 3), Some(0.667));
        assert_eq!(rate(7, 7), Some(1.0));
        let times: Vec<Span> = [10, 20, 30, 40].map(Span::from_millis).to_vec();
        assert_eq!(quantile(&[], 50), None);
        assert_eq!((quantile(&times, 50), quantile(&times, 90)), (Some(20), Some(40)));
        assert_eq!((quantile(&times[..1], 50), quantile(&times[..3], 50)), (Some(10), Some(20)));
    }

    #[test]
    fn the_statistics_of_a_game_are_those_of_all_its_seats() {
        let play = |tried, first_try, forced, times: &[u64]| SeatPlay {
            tried,
            first_try,
            forced,
            times: times.iter().map(|millis| Span::from_millis(*millis)).collect(),
        };
        let game = Word::parse("chess").unwrap();
        let found = PlayStatistics::of(game, &[play(3, 2, 1, &[50, 10, 30]), play(1, 1, 0, &[20])]);
        assert_eq!((found.games, found.turns, found.first_try, found.forced_turns), (2, 4, 3, 1));
        assert_eq!(
            (found.first_try_rate, found.median_turn_ms, found.p90_turn_ms),
            (Some(0.75), Some(20), Some(50))
        );
    }
}
