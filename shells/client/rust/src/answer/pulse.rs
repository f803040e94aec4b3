//! The pulse: whose turn it is, and how the hall stands.

use hall_wire::{GameId, Timestamp};
use serde::Deserialize;

/// The answer of `/api/pulse`.
#[derive(Clone, Debug, Deserialize)]
pub struct Pulse {
    /// The turns that wait on the caller; empty without authentication.
    #[serde(default)]
    pub waiting_on_you: Vec<WaitingTurn>,
    /// Names this set of turns, for the next `after`.
    #[serde(default)]
    pub waiting_tag: Option<String>,
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
