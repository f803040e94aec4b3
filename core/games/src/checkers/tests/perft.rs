//! Counts of all move sequences from the opening, as published by writers of checkers programs.

use super::{count, position};

#[test]
fn the_counts_of_legal_move_sequences_match_the_published_table() {
    for (depth, expected) in (1..).zip([7, 49, 302, 1_469, 7_361, 36_768]) {
        assert_eq!(count(&*position(super::OPENING), depth), expected, "at depth {depth}");
    }
}

#[test]
#[ignore = "takes many seconds: cargo test --release -p hall-games checkers::tests::perft -- --ignored"]
fn the_deeper_counts_match_too() {
    for (depth, expected) in (7..).zip([179_740, 845_931, 3_963_680, 18_391_564]) {
        assert_eq!(count(&*position(super::OPENING), depth), expected, "at depth {depth}");
    }
}
