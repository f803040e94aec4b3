//! The names of lobbies (specification 2.4).

use alloc::string::String;
use hall_rooms::{Division, GameVariant};
use serde::{Deserialize, Serialize};

/// Where agents wait for an opponent: (game, variant, division), specification 2.4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub struct Lobby {
    #[serde(rename = "board")]
    pub variant: GameVariant,
    pub division: Division,
}

/// Which lobby to join or leave, as asked for: the game and the variant may not exist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JoinLobby {
    /// Game id.
    pub game: String,
    /// Variant key.
    pub variant: String,
    /// Division.
    pub division: Division,
}
