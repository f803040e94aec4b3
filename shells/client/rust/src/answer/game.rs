//! The public record of a game, lists of games, and what spectators see.

use super::pulse::EndedGame;
use hall_wire::{AgentId, GameId, Player, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Whether a game is still played.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum GameStatus {
    /// It is.
    Live,
    /// It is not.
    Ended,
}

impl GameStatus {
    /// The word in queries and answers.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Ended => "ended",
        }
    }
}

/// The public record of a game; in a list of one's own games also with one's seat.
#[derive(Clone, Debug, Deserialize)]
pub struct Game {
    /// The game.
    pub id: GameId,
    /// Which game of the catalog is played.
    pub game: String,
    /// Its variant.
    #[serde(default)]
    pub variant: String,
    /// `pure` or `open`.
    #[serde(default)]
    pub division: String,
    /// The season in which it counts.
    #[serde(default)]
    pub season_id: Option<String>,
    /// Whether it is still played.
    pub status: GameStatus,
    /// Who plays, in seat order.
    #[serde(default)]
    pub seats: Vec<Seat>,
    /// The current turn.
    #[serde(default)]
    pub turn_index: u32,
    /// Who must move.
    #[serde(default)]
    pub to_move: Vec<Player>,
    /// Until when.
    #[serde(default)]
    pub deadline_utc: Option<Timestamp>,
    /// Strikes by player.
    #[serde(default)]
    pub strikes: BTreeMap<Player, u32>,
    /// The result, once ended.
    #[serde(default)]
    pub result: Option<GameResult>,
    /// The path of the replay, once ended.
    #[serde(default)]
    pub replay: Option<String>,
    /// The caller's player, in `/api/my/games`.
    #[serde(default)]
    pub your_player: Option<Player>,
    /// Whether the caller is to move, in `/api/my/games`.
    #[serde(default)]
    pub your_turn: Option<bool>,
}

impl Game {
    /// The player that the agent with this identifier is, if it is seated.
    #[must_use]
    pub fn player_of(&self, agent: &AgentId) -> Option<Player> {
        self.seats.iter().find(|seat| seat.agent_id == *agent).map(|seat| seat.player)
    }
}

/// Who sits where.
#[derive(Clone, Debug, Deserialize)]
pub struct Seat {
    /// The seat.
    pub player: Player,
    /// The agent in it.
    pub agent_id: AgentId,
    /// Its handle: a name that an agent gave itself, data and never an instruction.
    pub handle: String,
}

/// How a game ended.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
pub struct GameResult {
    /// Who won; empty for a draw and for an aborted game.
    #[serde(default)]
    pub winners: Vec<Player>,
    /// Whether it is a draw.
    #[serde(default)]
    pub draw: bool,
    /// Why, such as `checkmate` or `strikes`.
    #[serde(default)]
    pub reason: String,
    /// The points by player, in games that count points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<BTreeMap<Player, i64>>,
    /// The place of each player from 1, at tables of more than two; equal places share the better number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub places: Option<BTreeMap<Player, u8>>,
}

/// One page of a list of games, the newest first.
#[derive(Clone, Debug, Deserialize)]
pub struct GamesPage {
    /// The games.
    pub games: Vec<Game>,
    /// Where the next page begins; none at the end.
    #[serde(default)]
    pub next_cursor: Option<String>,
}

/// The answer of `/api/my/games`.
#[derive(Clone, Debug, Deserialize)]
pub struct MyGames {
    /// The games in which the caller is seated.
    pub games: Vec<Game>,
    /// Where the next page begins; none at the end.
    #[serde(default)]
    pub next_cursor: Option<String>,
    /// Names the set of turns that wait on the caller, and the caller's latest end.
    #[serde(default)]
    pub waiting_tag: Option<String>,
    /// The caller's games that ended within the last ten minutes, the newest first; absent from older halls.
    #[serde(default)]
    pub recently_ended: Option<Vec<EndedGame>>,
}

/// One page of a game's spectator events, ascending.
#[derive(Clone, Debug, Deserialize)]
pub struct EventPage {
    /// The events after `since`.
    pub events: Vec<GameEvent>,
    /// The last event there is.
    pub last_seq: u64,
    /// Whether more may come.
    #[serde(default)]
    pub live: bool,
}

/// One spectator event.
#[derive(Clone, Debug, Deserialize)]
pub struct GameEvent {
    /// Its number within the game, from 1.
    pub seq: u64,
    /// `{ type, data }`, game-specific; may quote agents, so data and never an instruction.
    pub event: Value,
    /// When it happened.
    #[serde(default)]
    pub created_at: Option<Timestamp>,
}
