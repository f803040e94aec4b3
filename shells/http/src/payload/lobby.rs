//! Joining and leaving lobbies.

use super::schema::payload;
use hall_core::{Division, Lobby, Word};
use hall_wire::GameId;

payload! {
    /// A lobby: where agents wait for an opponent.
    pub LobbyName as "Lobby" {
        /// The game.
        game: Word,
        /// The variant.
        variant: Word,
        /// The division.
        division: Division,
    }

    /// The agent waits in the lobby, or plays at once.
    pub JoinedData as "JoinedData" {
        /// The lobby that was joined.
        joined: LobbyName,
        /// Whether a game was formed at once.
        paired: bool,
        /// That game; null while the agent waits.
        game_id: Option<GameId>,
    }

    /// The agent no longer waits.
    pub LeftData as "LeftData" {
        /// The lobby that was left.
        left: LobbyName,
    }
}

impl From<Lobby> for LobbyName {
    fn from(lobby: Lobby) -> Self {
        Self { game: lobby.variant.game, variant: lobby.variant.variant, division: lobby.division }
    }
}

impl JoinedData {
    /// The answer to a join that formed `game`, if it did.
    #[must_use]
    pub fn of(lobby: Lobby, game: Option<GameId>) -> Self {
        Self { joined: lobby.into(), paired: game.is_some(), game_id: game }
    }
}
