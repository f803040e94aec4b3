//! How a game learns the randomness of its beacon round, or goes on without it.

use crate::draft::Draft;
use crate::fact::{BeaconStatus, BeaconTerms, RoomChange, RoomFact};
use crate::room::Room;
use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;
use hall_wire::{Digest, Timestamp};

/// The round that the game is bound to and does not know yet.
pub(crate) fn awaited(room: &Room) -> Option<BeaconTerms> {
    let waits = room.result().is_none() && room.beacon_status() == BeaconStatus::Waiting;
    room.beacon_terms().filter(|_| waits).copied()
}

/// The round is known. A penalty that waited for it becomes due immediately.
pub(crate) fn verified(
    room: &Room,
    at: Timestamp,
    randomness: Digest,
    signature: &str,
) -> Vec<Arc<RoomFact>> {
    let mut draft = Draft::of(room, at);
    draft.change(RoomChange::BeaconSettled {
        status: BeaconStatus::Verified,
        randomness: Some(randomness),
        signature: Some(signature.to_string()),
    });
    draft.into_facts()
}

/// A roll cannot wait any longer: the game continues without the beacon and records that it does.
pub(crate) fn missed(draft: &mut Draft) {
    draft.change(RoomChange::BeaconSettled {
        status: BeaconStatus::Missed,
        randomness: None,
        signature: None,
    });
}
