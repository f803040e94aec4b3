//! A room in the forms in which snapshots and the archive keep it.

use crate::room::{Room, RoomState};
use crate::turn_log::TurnLog;
use crate::unplayable::Unplayable;
use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;
use hall_games::{Catalog, Game};
use serde::{Deserialize, Serialize};

/// A room as plain values: the position is in the text form of its game.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SavedRoom {
    state: RoomState,
    position: String,
}

/// A room as plain values without its turns and its position, which are nearly all of it: what a list shows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RoomOutline {
    state: RoomState,
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
        let game = rules(&saved.state, catalog)?;
        let unread = |_| UnreadableRoom::Position(saved.state.variant.game.as_str().into());
        let position = game.restore(&saved.position).map_err(unread)?;
        Ok(Self { state: saved.state, position, rules: Some(game) })
    }

    /// The ended room that [`Room::save`] saved. If the catalog does not have its rules any more, or they cannot read the
    /// position, it has no rules, and nobody can move in its position.
    #[must_use]
    pub fn restore_ended(saved: SavedRoom, catalog: &Catalog) -> Self {
        let SavedRoom { state, position } = saved;
        let known = rules(&state, catalog).ok().and_then(|game| Some((game, game.restore(&position).ok()?)));
        match known {
            Some((game, position)) => Self { state, position, rules: Some(game) },
            None => Self { state, position: Box::new(Unplayable::with_text(position)), rules: None },
        }
    }

    /// What a list shows of the room.
    #[must_use]
    pub fn outline(&self) -> RoomOutline {
        RoomOutline { state: RoomState { turns: TurnLog::default(), ..self.state.clone() } }
    }

    /// An ended room of which only the outline is known: without turns, and with a position in which nobody can move. It has
    /// no rules if the catalog does not have them any more.
    #[must_use]
    pub fn from_outline(outline: RoomOutline, catalog: &Catalog) -> Self {
        let rules = rules(&outline.state, catalog).ok();
        Self { state: outline.state, position: Box::new(Unplayable::default()), rules }
    }
}

/// The rules by which the room is played.
fn rules(state: &RoomState, catalog: &Catalog) -> Result<&'static dyn Game, UnreadableRoom> {
    let (name, version) = (state.variant.game.as_str(), state.ruleset_version.as_str());
    let unknown = || UnreadableRoom::RulesUnknown { game: name.into(), version: version.into() };
    catalog.find_version(name, version).ok_or_else(unknown)
}
