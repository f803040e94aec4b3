//! The crate against models of a few lines, which are written from the specification and the standards that it names
//! and not from the code. Each comparison takes the function under test as a parameter, so that a test can show that
//! it notices one that errs.
#![allow(
    clippy::as_conversions,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test that meets something unexpected should fail right there"
)]

mod documents;
mod keys;
mod messages;
mod notes;
mod number;
mod proofs;
mod rolls;
mod texts;
mod times;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRng, TestRunner};
use std::fmt::Debug;

/// Whether a comparison finds no difference in so many cases, which are the same in every run.
fn holds<S: Strategy>(
    cases: u32,
    inputs: S,
    compare: impl Fn(S::Value) -> Result<(), TestCaseError>,
) -> bool {
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 0, ..Config::default() };
    let rng = TestRng::deterministic_rng(config.rng_algorithm);
    let mut runner = TestRunner::new_with_rng(config, rng);
    runner.run(&inputs, compare).is_ok()
}

/// Fails unless both are the same, with what was asked.
fn same<T: PartialEq + Debug>(asked: impl Debug, expected: T, found: T) -> Result<(), TestCaseError> {
    prop_assert_eq!(found, expected, "asked: {:?}", asked);
    Ok(())
}
