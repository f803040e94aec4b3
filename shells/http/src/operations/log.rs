//! The log: its newest checkpoint, proofs against it, and its raw files (decision 8.2).

use super::{data, find_room};
use crate::answer::{Answer, Failure, Outcome};
use crate::errors::ApiCode;
use crate::payload::{
    Checkpoint, CheckpointData, ConsistencyData, EventLeaf, GameProof, GameProofData, LeafProof,
    LeafProofData,
};
use crate::requests::{LogFile, single_problem};
use crate::shell::Shell;
use hall_driver::{SignedCheckpoint, TILE_WIDTH};
use std::sync::Arc;

/// What never changes once it is there.
const FOR_EVER: &str = "public, max-age=31536000, immutable";

pub(super) fn checkpoint(shell: &Shell) -> Outcome {
    let (signed, note) = newest(shell)?;
    data(&CheckpointData { checkpoint: Checkpoint::of(&signed, &note) })
}

pub(super) fn consistency(shell: &Shell, from: u64, to: u64) -> Outcome {
    let (signed, _) = newest(shell)?;
    let size = signed.head.size;
    if from > to || to > size {
        let (field, rule) = if from > to {
            ("from", "must not be greater than to".to_owned())
        } else {
            ("to", format!("must not be greater than the newest checkpoint's tree_size, {size}"))
        };
        return Err(single_problem(ApiCode::InvalidQuery, field, &rule));
    }
    let path = shell.engine.log().consistency(from, to)?;
    data(&ConsistencyData { from, to, path })
}

pub(super) fn leaf_proof(shell: &Shell, leaf: u64) -> Outcome {
    let (signed, note) = newest(shell)?;
    let (log, size) = (shell.engine.log(), signed.head.size);
    let Some(leaf_hash) = log.leaf_hash(leaf, size)? else {
        let rule = format!("must be less than the newest checkpoint's tree_size, {size}");
        return Err(single_problem(ApiCode::InvalidQuery, "leaf", &rule));
    };
    let path = log.inclusion(leaf, size)?;
    data(&LeafProofData { proof: LeafProof { note: note.to_string(), leaf_index: leaf, leaf_hash, path } })
}

pub(super) async fn game_proof(shell: &Shell, id: &str) -> Outcome {
    let room = find_room(shell, id).await?;
    let (signed, note) = newest(shell)?;
    let (log, size) = (shell.engine.log(), signed.head.size);
    let leaves = log.leaves_of(&room.id(), size)?.into_iter().map(|place| {
        let leaf_hash = log.leaf_hash(place.leaf_index, size)?.ok_or_else(missing)?;
        let path = log.inclusion(place.leaf_index, size)?;
        Ok(EventLeaf { seq: place.seq, leaf_index: place.leaf_index, leaf_hash, path })
    });
    let leaves = leaves.collect::<Result<_, Failure>>()?;
    data(&GameProofData { proof: GameProof { note: note.to_string(), leaves } })
}

pub(super) fn file(shell: &Shell, path: &str) -> Outcome {
    let nothing = || {
        Failure::saying(
            ApiCode::NotFound,
            "The log has no such file. It has /log/checkpoint and, up to the size that it says, the tiles and \
             entries of C2SP tlog-tiles.",
        )
    };
    let file = LogFile::parse(path).ok_or_else(nothing)?;
    let (signed, note) = newest(shell)?;
    let (log, size) = (shell.engine.log(), signed.head.size);
    let wanted = |width: Option<u64>| usize::try_from(width.unwrap_or(TILE_WIDTH)).unwrap_or(usize::MAX);
    let bytes = match file {
        LogFile::Checkpoint => {
            return Ok(Answer::bare("text/plain; charset=utf-8", note.to_string()).cached("no-store"));
        }
        LogFile::Tile { level, index, width } => {
            let tile = log.tile(level, index, size)?;
            let hashes = tile.get(..wanted(width)).ok_or_else(nothing)?;
            hashes.iter().flat_map(|hash| hash.as_bytes()).copied().collect::<Vec<u8>>()
        }
        LogFile::Entries { index, width } => {
            let leaves = log.entries(index, size)?;
            bundle(leaves.get(..wanted(width)).ok_or_else(nothing)?).ok_or_else(missing)?
        }
    };
    Ok(Answer::bare("application/octet-stream", bytes).cached(FOR_EVER))
}

/// Leaves as an entry bundle: each behind its length in two bytes.
fn bundle(leaves: &[String]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(leaves.iter().map(|leaf| leaf.len() + 2).sum());
    for leaf in leaves {
        bytes.extend_from_slice(&u16::try_from(leaf.len()).ok()?.to_be_bytes());
        bytes.extend_from_slice(leaf.as_bytes());
    }
    Some(bytes)
}

/// The newest checkpoint with its note.
fn newest(shell: &Shell) -> Result<(Arc<SignedCheckpoint>, Arc<str>), Failure> {
    let signed = shell.engine.log().newest().ok_or_else(|| Failure::from(ApiCode::NoCheckpoint))?;
    let note = note_of(shell, &signed)?;
    Ok((signed, note))
}

fn note_of(shell: &Shell, signed: &SignedCheckpoint) -> Result<Arc<str>, Failure> {
    shell.log.note(signed).ok_or_else(|| {
        tracing::error!(key = signed.key, "a checkpoint was signed by a key that is not in the data folder");
        ApiCode::Internal.into()
    })
}

fn missing() -> Failure {
    tracing::error!("the log has no row for a leaf that it covers");
    ApiCode::Internal.into()
}
