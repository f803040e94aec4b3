//! Replays to check: recorded ones of a hall, built ones, and a log part for both.

#![allow(dead_code, reason = "each test uses its own part")]

pub(crate) mod builder;
pub(crate) mod log;
pub(crate) mod played;

use hall_verify::replay::TrustedChain;
use serde_json::Value;
use std::path::Path;

/// The drand chain of the recorded games that have one.
const CHAIN: &str = "44fc8d49935cfeca9441362aef27efc84cdc82a3cf559c6b3fdc785efc49ec33:\
    8689c8a75665728e34ad5c3fd7ddf2d42787fd8bbb2a3297871c8037f535eb68154eb124ae6ea30a45e25a495bf629e4\
    08c4fc9f983dfccbe28aa111b5cbdf61215efb4f6d2ba51b65380dfb4e7a99487ae2c5794bfe84e7de097ccf98fd3b1e:\
    1700000000:3";

pub(crate) fn chain() -> TrustedChain {
    TrustedChain::parse(CHAIN).unwrap()
}

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
