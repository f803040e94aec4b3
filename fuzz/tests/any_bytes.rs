//! The fuzz targets as property tests: over random bytes, and over the corpus, unchanged and damaged.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

use hall_fuzz::{TARGETS, run};
use proptest::prelude::*;
use std::path::{Path, PathBuf};

/// Cases for each target and test: all together take a few seconds.
const CASES: u32 = 150;

/// The seeds of a target.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    let mut files: Vec<PathBuf> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.into_iter().map(|file| std::fs::read(file).unwrap()).collect()
}

#[test]
fn every_target_has_seeds_and_passes_on_them() {
    for (name, target) in TARGETS {
        let seeds = corpus(name);
        assert!(!seeds.is_empty(), "{name} has no seeds");
        seeds.iter().for_each(|seed| target(seed));
    }
}

/// Each target has a fuzzer, and each fuzzer a target.
#[test]
fn the_fuzzers_match_the_targets() {
    let manifest = include_str!("../libfuzzer/Cargo.toml");
    let mut named: Vec<&str> = manifest.lines().filter_map(|line| line.strip_prefix("name = \"")).collect();
    named.retain(|name| *name != "hall-libfuzzer\"");
    let targets: Vec<String> = TARGETS.iter().map(|(name, _)| format!("{name}\"")).collect();
    assert_eq!(named, targets);
}

/// A seed with some bytes removed, changed or inserted.
fn damaged(name: &'static str) -> impl Strategy<Value = Vec<u8>> {
    let seeds = corpus(name);
    let change = (any::<prop::sample::Index>(), 0..4_usize, prop::collection::vec(any::<u8>(), 0..4));
    (0..seeds.len(), prop::collection::vec(change, 1..4)).prop_map(move |(seed, changes)| {
        let mut bytes = seeds[seed].clone();
        for (place, cut, put) in changes {
            let from = place.index(bytes.len() + 1);
            let until = (from + cut).min(bytes.len());
            bytes.splice(from..until, put);
        }
        bytes
    })
}

macro_rules! smoke {
    ($($test:ident: $name:literal, $nothing:ident;)+) => {
        $(
            proptest! {
                #![proptest_config(ProptestConfig::with_cases(CASES))]

                #[test]
                fn $test(bytes in damaged($name)) {
                    run($name, &bytes);
                }

                #[test]
                fn $nothing(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
                    run($name, &bytes);
                }
            }
        )+
    };
}

smoke! {
    damaged_requests_are_answered_and_change_nothing: "http", arbitrary_bytes_do_not_break_the_pipeline;
    damaged_documents_are_read_as_by_another_parser: "json", arbitrary_bytes_do_not_break_the_parser;
    damaged_moves_are_accepted_only_if_listed: "moves", arbitrary_bytes_do_not_break_a_game;
    a_damaged_journal_opens_consistently_or_not_at_all: "journal", arbitrary_bytes_do_not_break_the_journal;
    damaged_records_read_back_or_not_at_all: "record", arbitrary_bytes_do_not_break_a_record;
    damaged_snapshots_read_back_or_not_at_all: "snapshot", arbitrary_bytes_do_not_break_a_snapshot;
    damaged_lines_of_an_export_read_back_or_not_at_all: "export", arbitrary_bytes_do_not_break_an_export;
    a_damaged_replay_is_judged_or_refused: "replay", arbitrary_bytes_do_not_break_the_verifier;
    damaged_signatures_are_judged_as_by_the_strict_check: "signature", arbitrary_signatures_are_judged_as_by_the_strict_check;
}
