//! Which parts of sealed moves may be disclosed while a game is live (invariant S1).
//!
//! A sealed move is known to the player who made it, and to everybody once the game has ended. Its signed body has so
//! few possible texts that the hash would give the move away, so the hash is sealed too.

use crate::room::Room;
use crate::status::TurnBrief;
use crate::turn_log::ResolvedTurn;
use hall_wire::{Notation, Player};

impl Room {
    /// A turn of this game as `viewer` may see it; a viewer of `None` is the public.
    #[must_use]
    pub fn turn_for(&self, viewer: Option<Player>, turn: &ResolvedTurn) -> ResolvedTurn {
        let (notation, open) = self.disclosed(viewer, turn.player, turn.notation);
        ResolvedTurn { notation, san: turn.san.filter(|_| open), ..*turn }
    }

    /// [`Room::turn_for`] for a turn in brief.
    #[must_use]
    pub fn brief_for(&self, viewer: Option<Player>, turn: &TurnBrief) -> TurnBrief {
        let (notation, open) = self.disclosed(viewer, turn.player, turn.notation);
        TurnBrief { notation, body_sha256: turn.body_sha256.filter(|_| open), ..*turn }
    }

    /// What `viewer` may know of a move, and whether that is all of it.
    pub(crate) fn disclosed(
        &self,
        viewer: Option<Player>,
        player: Option<Player>,
        notation: Option<Notation>,
    ) -> (Option<Notation>, bool) {
        match (player, notation) {
            (Some(player), Some(notation)) if self.result().is_none() && viewer != Some(player) => {
                let told = self.position().disclosed(player, &notation);
                (told, told == Some(notation))
            }
            _ => (notation, true),
        }
    }
}
