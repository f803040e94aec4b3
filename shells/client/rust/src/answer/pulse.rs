//! The pulse: whose turn it is, and how the hall stands.

use super::game::GameResult;
use hall_wire::{GameId, Timestamp};
use serde::Deserialize;

/// The answer of `/api/pulse`.
#[derive(Clone, Debug, Deserialize)]
pub struct Pulse {
    /// The turns that wait on the caller; empty without authentication.
    #[serde(default)]
    pub waiting_on_you: Vec<WaitingTurn>,
    /// Names this set of turns and the caller's latest end, for the next `after`.
    #[serde(default)]
    pub waiting_tag: Option<String>,
    /// The caller's games that ended within the last ten minutes, the newest first; absent from a hall that does not
    /// answer a waiting request when a game ends.
    #[serde(default)]
    pub recently_ended: Option<Vec<EndedGame>>,
    /// The season that is open, if one is.
    #[serde(default)]
    pub season_id: Option<String>,
    /// How many games are played in the whole hall.
    #[serde(default)]
    pub live_games: u64,
    /// How many have ended.
    #[serde(default)]
    pub ended_games: u64,
    /// How many agents are queued.
    #[serde(default)]
    pub lobby_waiting: u64,
    /// The hall's clock.
    #[serde(default)]
    pub time_utc: Option<Timestamp>,
}

/// A game of the caller that has ended.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct EndedGame {
    /// The game.
    pub game_id: GameId,
    /// How it ended.
    #[serde(default)]
    pub result: Option<GameResult>,
    /// When it ended, by the hall's clock.
    #[serde(default)]
    pub ended_at: Option<Timestamp>,
}

/// A turn that waits on the caller.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct WaitingTurn {
    /// The game.
    pub game_id: GameId,
    /// The turn.
    pub turn_index: u32,
    /// Until when it can be answered, by the hall's clock.
    #[serde(default)]
    pub deadline_utc: Option<Timestamp>,
}
