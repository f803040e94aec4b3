//! A room in the form in which snapshots and the archive keep it.

use crate::room::{Room, RoomState};
use alloc::string::String;
use core::fmt;
use hall_games::Catalog;
use serde::{Deserialize, Serialize};

/// A room as plain values: the position is in the text form of its game.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SavedRoom {
    state: RoomState,
    position: String,
}

/// Why a saved room cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnreadableRoom {
    /// The catalog does not have this version of its game.
    RulesUnknown {
        /// The game.
        game: String,
        /// The version of its rules.
        version: String,
    },
    /// Its game cannot read the position.
    Position(String),
}

impl fmt::Display for UnreadableRoom {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RulesUnknown { game, version } => {
                write!(out, "the catalog has no game {game} by the rules {version}")
            }
            Self::Position(game) => write!(out, "the game {game} cannot read the position"),
        }
    }
}

impl core::error::Error for UnreadableRoom {}

impl Room {
    /// The room as plain values.
    #[must_use]
    pub fn save(&self) -> SavedRoom {
        SavedRoom { state: self.state.clone(), position: self.position.save() }
    }

    /// The room that [`Room::save`] saved.
    ///
    /// # Errors
    /// Its game is not in the catalog or cannot read the position.
    pub fn restore(saved: SavedRoom, catalog: &Catalog) -> Result<Self, UnreadableRoom> {
        let name = saved.state.variant.game.as_str();
        let version = saved.state.ruleset_version.as_str();
        let game = catalog
            .find_version(name, version)
            .ok_or_else(|| UnreadableRoom::RulesUnknown { game: name.into(), version: version.into() })?;
        let position = game.restore(&saved.position).map_err(|_| UnreadableRoom::Position(name.into()))?;
        Ok(Self { state: saved.state, position, rules: Some(game) })
    }
}
