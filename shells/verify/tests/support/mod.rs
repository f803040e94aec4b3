//! Replays to check: recorded ones of a hall, built ones, and a log part for both.

#![allow(dead_code, reason = "each test uses its own part")]

pub(crate) mod builder;
pub(crate) mod log;
pub(crate) mod played;

use serde_json::Value;
use std::path::Path;

/// Answers of a hall without a log, each with its envelope.
pub(crate) fn recorded() -> Vec<(String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/replays");
    let mut files: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
        .into_iter()
        .map(|file| {
            let name = file.file_stem().unwrap().to_string_lossy().into_owned();
            (name, serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap())
        })
        .collect()
}

/// The recorded replays without their envelopes.
pub(crate) fn bare() -> Vec<(String, Value)> {
    recorded().into_iter().map(|(name, mut whole)| (name, whole["data"]["replay"].take())).collect()
}
