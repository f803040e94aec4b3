//! What an agent intends to play, and as what.

use crate::client::{Homologation, Lobby, Registration};
use std::time::Duration;

/// What to play, and as what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// What to register with, unless the agent is registered.
    pub registration: Registration,
    /// What to file for the season.
    pub homologation: Homologation,
    /// Where to queue.
    pub lobby: Lobby,
    /// After how many ended games to stop; `None` for never.
    pub games: Option<u64>,
    /// How many games to be in at once. Turns are answered one after the other, the most urgent first.
    pub concurrent: usize,
    /// For how many seconds to ask the hall to hold a pulse, at most 25. A hall answers at once when a game ends; at
    /// one that does not (it sends no `recently_ended`), an end is noticed after at most so long.
    pub wait_seconds: u64,
    /// How much of the time to move is kept back for the way to the hall.
    pub margin: Duration,
}

impl Plan {
    /// One game after the other of `game` in `division` (`pure` or `open`), as `model_id`, with `tool_access`
    /// (`pure` or `engine-assisted`), without end.
    ///
    /// The hashes of prompt and configuration are those of empty texts: an agent that has them should say so.
    #[must_use]
    pub fn new(game: &str, division: &str, model_id: &str, tool_access: &str) -> Self {
        Self {
            registration: Registration {
                model_id: model_id.to_owned(),
                adapter_kind: Some("api".to_owned()),
                operator_name: None,
            },
            homologation: Homologation {
                tool_access: tool_access.to_owned(),
                ..Homologation::bare(division, model_id, "api")
            },
            lobby: Lobby::standard(game, division),
            games: None,
            concurrent: 1,
            wait_seconds: 25,
            margin: Duration::from_secs(3),
        }
    }

    /// The same, for so many games.
    #[must_use]
    pub fn games(self, games: u64) -> Self {
        Self { games: Some(games), ..self }
    }
}
