//! The part of a replay that proves that the log contains the game.

use crate::log_signer::LogSigner;
use crate::payload::{Authored, ReplayLeaf, ReplayLog, ReplayRegistration};
use hall_core::rooms::Room;
use hall_driver::{Ended, Engine, LogError, LogReader};
use hall_wire::{AgentId, Player};

/// The proof for an ended game: fixed to the first checkpoint that covers its last leaf, and `None` before there is
/// one (decision 6.4).
///
/// # Errors
/// The log cannot be read, or the key of that checkpoint is not here.
pub fn replay_log(log: &LogReader, signer: &LogSigner, room: &Room) -> Result<Option<ReplayLog>, LogError> {
    let places = log.leaves_of(&room.id(), u64::MAX)?;
    let Some(last) = places.last().filter(|last| last.seq == room.last_seq()) else { return Ok(None) };
    let Some(signed) = log.first_covering(last.leaf_index + 1)? else { return Ok(None) };
    let size = signed.head.size;
    let note =
        signer.note(&signed).ok_or(LogError::Form("a checkpoint was signed by a key that is not here"))?;
    let leaf = |seq, leaf_index| {
        let path = log.inclusion(leaf_index, size)?;
        Ok(ReplayLeaf { seq, leaf_index, path })
    };
    let leaves =
        places.iter().map(|place| leaf(place.seq, place.leaf_index)).collect::<Result<_, LogError>>()?;
    let registration = |(player, agent): (Player, &AgentId)| {
        let absent = || LogError::Form("a registration has no leaf");
        let leaf_index = log.registration_of(agent)?.ok_or_else(absent)?;
        let leaf = Authored(log.leaf(leaf_index)?.ok_or_else(absent)?);
        let path = log.inclusion(leaf_index, size)?;
        Ok(ReplayRegistration { player, leaf, leaf_index, path })
    };
    let agents = room.seats().iter().map(|seat| &seat.seat.agent);
    let registrations = room.players().zip(agents).map(registration).collect::<Result<_, LogError>>()?;
    Ok(Some(ReplayLog { note: note.to_string(), leaves, registrations }))
}

/// Leaves out the newest of `ends`, which are in order, that have no proof yet. A hall that signs nothing keeps all.
///
/// # Errors
/// The log cannot be read.
pub fn keep_proven(engine: &Engine, ends: &mut Vec<Ended>) -> Result<(), LogError> {
    if !engine.is_signing() {
        return Ok(());
    }
    let size = engine.log().newest().map_or(0, |newest| newest.head.size);
    let mut unreadable = None;
    let proven = ends.partition_point(|end| {
        let leaves = engine.log().leaves_of(&end.game, u64::MAX);
        let last = leaves.map(|leaves| leaves.last().map(|leaf| leaf.leaf_index));
        last.map_or_else(
            |error| {
                unreadable = Some(error);
                false
            },
            |last| last.is_none_or(|last| last < size),
        )
    });
    ends.truncate(proven);
    unreadable.map_or(Ok(()), Err)
}
