//! The log: its newest checkpoint, proofs against it, and its raw files (decision 8.2).

use super::{archived_outline, data, in_background_with};
use crate::endpoint::{Access, Details, Endpoint, Handling, Route, action, parameters};
use crate::errors::ApiCode;
use crate::payload::{
    Checkpoint, CheckpointData, ConsistencyData, EventLeaf, GameProof, GameProofData, LeafProof,
    LeafProofData,
};
use crate::requests::{LogFile, digits, single_problem, unread};
use crate::response::{Failure, Outcome, Response};
use crate::shell::Shell;
use hall_driver::{SignedCheckpoint, TILE_WIDTH};
use hall_wire::GameId;
use serde_json::json;
use std::sync::Arc;

pub(super) static CHECKPOINT: Endpoint = Endpoint {
    route: Route::get(
        "checkpoint",
        "/api/checkpoint",
        Access::Public,
        "The latest signed checkpoint of the log.",
    ),
    details: |_| {
        Details::answering::<CheckpointData>("log")
            .about("A new checkpoint follows new leaves within a second.")
            .errors(&[ApiCode::NoCheckpoint])
    },
    handling: Handling::Request(|_| Ok(action(|call| async move { checkpoint(&call.shell) }))),
    tools: &[],
};

pub(super) static CONSISTENCY: Endpoint = Endpoint {
    route: Route::get(
        "consistency",
        "/api/checkpoint/consistency",
        Access::Public,
        "A consistency proof of the log.",
    ),
    details: |_| {
        let size = || json!({ "type": "integer", "minimum": 1 });
        Details::answering::<ConsistencyData>("log")
        .about("Proves that the tree of `to` leaves begins with the tree of `from` leaves; `to` is at most the newest \
                checkpoint's tree_size.")
        .query(vec![
            parameters::required("from", "Size of the smaller tree.", size()),
            parameters::required("to", "Size of the larger tree.", size()),
        ])
        .errors(&[ApiCode::NoCheckpoint])
    },
    handling: Handling::Request(|sent| {
        let rule = "must be the size of a tree: an integer from 1 to the tree_size of /api/checkpoint";
        let size = |text: &str| digits(text).filter(|size| *size > 0);
        let mut query = sent.query();
        let (from, to) = (query.required("from", rule, size), query.required("to", rule, size));
        query.finish()?;
        let (Some(from), Some(to)) = (from, to) else { return Err(unread()) };
        Ok(action(move |call| async move { consistency(&call.shell, from, to).await }))
    }),
    tools: &[],
};

pub(super) static LOG_PROOF: Endpoint = Endpoint {
    route: Route::get(
        "log_proof",
        "/api/log/proof",
        Access::Public,
        "An inclusion proof for one leaf of the log.",
    ),
    details: |_| {
        let index = json!({ "type": "integer", "minimum": 0 });
        Details::answering::<LeafProofData>("log")
            .about("Against the newest checkpoint.")
            .query(vec![parameters::required("leaf", "The leaf's index, from 0.", index)])
            .errors(&[ApiCode::NoCheckpoint])
    },
    handling: Handling::Request(|sent| {
        let mut query = sent.query();
        let leaf = query.required("leaf", "must be the index of a leaf, from 0", digits);
        query.finish()?;
        let leaf = leaf.ok_or_else(unread)?;
        Ok(action(move |call| async move {
            in_background_with(&call.shell, &call.shell.log_reads, move |shell| leaf_proof(shell, leaf)).await
        }))
    }),
    tools: &[],
};

pub(super) static GAME_PROOF: Endpoint = Endpoint {
    route: Route::get(
        "game_proof",
        "/api/games/{id}/proof",
        Access::Public,
        "Inclusion proofs for the events of a game.",
    ),
    details: |_| {
        Details::answering::<GameProofData>("log")
            .about("Against the newest checkpoint: the leaves that it covers.")
            .errors(&[ApiCode::GameNotFound, ApiCode::NoCheckpoint])
    },
    handling: Handling::Request(|sent| {
        let id = sent.param();
        Ok(action(|call| async move { game_proof(&call.shell, &id).await }))
    }),
    tools: &[],
};

pub(super) static LOG_FILES: Endpoint = Endpoint {
    route: Route::get("log_files", "/log/{*rest}", Access::Public, "The raw files of the log."),
    details: |_| {
        Details::bare("log", "application/octet-stream", json!({ "type": "string", "format": "binary" }))
        .about(
            "C2SP tlog-tiles: checkpoint (text/plain), tile/L/N and tile/entries/N, with .p/W after a tile that is not full.",
        )
        .also(200, Some(("text/plain", json!({ "type": "string" }))), "The checkpoint.")
        .errors(&[ApiCode::NotFound, ApiCode::NoCheckpoint])
    },
    handling: Handling::Request(|sent| {
        let path = sent.param();
        Ok(action(move |call| async move { file(&call.shell, &path).await }))
    }),
    tools: &[],
};

const OCTETS: &str = "application/octet-stream";

/// Caching for resources that never change once they exist.
const FOR_EVER: &str = "public, max-age=31536000, immutable";

fn checkpoint(shell: &Shell) -> Outcome {
    let (signed, note) = newest(shell)?;
    data(&CheckpointData { checkpoint: Checkpoint::of(&signed, &note) })
}

async fn consistency(shell: &Arc<Shell>, from: u64, to: u64) -> Outcome {
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
    let read = move |shell: &Shell| {
        let path = shell.engine.log().consistency(from, to)?;
        data(&ConsistencyData { from, to, path })
    };
    in_background_with(shell, &shell.log_reads, read).await
}

fn leaf_proof(shell: &Shell, leaf: u64) -> Outcome {
    let (signed, note) = newest(shell)?;
    let (log, size) = (shell.engine.log(), signed.head.size);
    let Some(leaf_hash) = log.leaf_hash(leaf, size)? else {
        let rule = format!("must be less than the newest checkpoint's tree_size, {size}");
        return Err(single_problem(ApiCode::InvalidQuery, "leaf", &rule));
    };
    let path = log.inclusion(leaf, size)?;
    data(&LeafProofData { proof: LeafProof { note: note.to_string(), leaf_index: leaf, leaf_hash, path } })
}

async fn game_proof(shell: &Arc<Shell>, id: &str) -> Outcome {
    let game = GameId::parse(id).ok_or_else(|| Failure::from(ApiCode::GameNotFound))?;
    let is_in_memory = shell.engine.read(|hall| hall.rooms().find(&game).is_some()).await?;
    in_background_with(shell, &shell.log_reads, move |shell| {
        if !is_in_memory {
            archived_outline(shell, &game)?;
        }
        proof_of(shell, &game)
    })
    .await
}

/// The proofs for a game that there is.
fn proof_of(shell: &Shell, game: &GameId) -> Outcome {
    let (signed, note) = newest(shell)?;
    let (log, size) = (shell.engine.log(), signed.head.size);
    let leaves = log.leaves_of(game, size)?.into_iter().map(|place| {
        let leaf_hash = log.leaf_hash(place.leaf_index, size)?.ok_or_else(missing)?;
        let path = log.inclusion(place.leaf_index, size)?;
        Ok(EventLeaf { seq: place.seq, leaf_index: place.leaf_index, leaf_hash, path })
    });
    let leaves = leaves.collect::<Result<_, Failure>>()?;
    data(&GameProofData { proof: GameProof { note: note.to_string(), leaves } })
}

async fn file(shell: &Arc<Shell>, path: &str) -> Outcome {
    let file = LogFile::parse(path).ok_or_else(no_file)?;
    let (signed, note) = newest(shell)?;
    let size = signed.head.size;
    match file {
        LogFile::Checkpoint => {
            Ok(Response::bare("text/plain; charset=utf-8", note.to_string()).cached("no-store"))
        }
        LogFile::Tile { level, index, width } => {
            let read = move |shell: &Shell| hashes(shell, level, index, width, size);
            in_background_with(shell, &shell.log_reads, read).await
        }
        LogFile::Entries { index, width } => {
            let width = width.unwrap_or(TILE_WIDTH);
            if index.saturating_mul(TILE_WIDTH).saturating_add(width) > size {
                return Err(no_file());
            }
            in_background_with(shell, &shell.log_reads, move |shell| entries(shell, index, width, size)).await
        }
    }
}

fn no_file() -> Failure {
    Failure::saying(
        ApiCode::NotFound,
        "The log has no such file. It has /log/checkpoint and, up to the size that it says, the tiles and entries of \
         C2SP tlog-tiles.",
    )
}

/// A tile of hashes.
fn hashes(shell: &Shell, level: u32, index: u64, width: Option<u64>, size: u64) -> Outcome {
    let tile = shell.engine.log().tile(level, index, size)?;
    let width = usize::try_from(width.unwrap_or(TILE_WIDTH)).unwrap_or(usize::MAX);
    let hashes = tile.get(..width).ok_or_else(no_file)?;
    let bytes: Vec<u8> = hashes.iter().flat_map(|hash| hash.as_bytes()).copied().collect();
    Ok(Response::bare(OCTETS, bytes).cached(FOR_EVER))
}

/// An entry bundle.
fn entries(shell: &Shell, index: u64, width: u64, size: u64) -> Outcome {
    let leaves = shell.engine.log().entries(index, width, size)?;
    let is_whole = u64::try_from(leaves.len()) == Ok(width);
    let bytes = bundle(&leaves).filter(|_| is_whole).ok_or_else(missing)?;
    Ok(Response::bare(OCTETS, bytes).cached(FOR_EVER))
}

/// Leaves as an entry bundle: each preceded by its length in two bytes.
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

/// The note of a checkpoint. A node that does not have its key yet, because another one replaced the key, has it within
/// seconds, or when the operator has copied it.
fn note_of(shell: &Shell, signed: &SignedCheckpoint) -> Result<Arc<str>, Failure> {
    shell.log.note(signed).ok_or_else(|| {
        tracing::error!(key = signed.key, "a checkpoint was signed by a key that is not in the data folder");
        let message = "The key of the log was replaced, and this machine does not have the new one yet. Try again when \
                       Retry-After seconds have passed.";
        Failure::saying(ApiCode::Unavailable, message).retry_after(1)
    })
}

fn missing() -> Failure {
    tracing::error!("the log has no row for a leaf that it covers");
    ApiCode::Internal.into()
}
