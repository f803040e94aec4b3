//! The properties.

use crate::deeds::{Deed, LOW, deed};
use crate::pair::{Pair, Secret};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError};

proptest! {
    // Each case sends some thousands of requests. A failure shrinks to the deeds that matter.
    #![proptest_config(Config { cases: 4, failure_persistence: None, ..Config::default() })]

    #[test]
    fn no_answer_reveals_the_seed_of_a_live_game(beacon: bool, deeds in deeds()) {
        let revealed = play(Secret::Seeds, beacon, &deeds)?;
        prop_assert_ne!(&revealed[0], &revealed[1]);
    }

    #[test]
    fn a_sealed_bid_is_revealed_only_to_its_player(shift in 1..LOW.len(), deeds in deeds()) {
        // The bid is always made first, so that others read while its round is open.
        let bid = Deed::Bid { seat: crate::deeds::SECRET_SEAT, low: 0, says: false };
        let deeds: Vec<Deed> = std::iter::once(bid).chain(deeds).collect();
        let revealed = play(Secret::Bid(shift), false, &deeds)?;
        prop_assert_ne!(&revealed[0], &revealed[1]);
    }

    #[test]
    fn no_answer_reveals_a_beacon_round_that_no_game_is_bound_to(deeds in deeds()) {
        let deeds: Vec<Deed> = std::iter::once(Deed::StrayRound).chain(deeds).collect();
        let revealed = play(Secret::StrayRound, true, &deeds)?;
        prop_assert_eq!(&revealed[0], &revealed[1]);
    }
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    prop::collection::vec(deed(), 1..14)
}

fn play(secret: Secret, beacon: bool, deeds: &[Deed]) -> Result<[String; 2], TestCaseError> {
    let pair = Pair::new(secret, beacon);
    for deed in deeds {
        if !pair.go_on(deed) {
            break;
        }
    }
    Ok(pair.reveal())
}
