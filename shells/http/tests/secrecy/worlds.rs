//! The properties.

use crate::actions::{Action, LOW, SECRET_SEAT, action, action_beside_a_card, action_with_hands};
use crate::pair::{Pair, Secret};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError};

proptest! {
    // Each case sends some thousands of requests. A failure shrinks to the actions that matter.
    #![proptest_config(Config { cases: 4, failure_persistence: None, ..Config::default() })]

    #[test]
    fn no_answer_reveals_the_seed_of_a_live_game(beacon: bool, actions in actions()) {
        let revealed = play(Secret::Seeds, beacon, &actions)?;
        prop_assert_ne!(&revealed[0], &revealed[1]);
    }

    #[test]
    fn a_sealed_bid_is_revealed_only_to_its_player(shift in 1..LOW.len(), actions in actions()) {
        // The bid is always made first, so that others read while its round is open.
        let bid = Action::Bid { seat: SECRET_SEAT, low: 0, says: false };
        let actions: Vec<Action> = std::iter::once(bid).chain(actions).collect();
        let revealed = play(Secret::Bid(shift), false, &actions)?;
        prop_assert_ne!(&revealed[0], &revealed[1]);
    }

    #[test]
    fn a_hidden_card_is_told_only_to_its_player_until_a_showdown(
        actions in prop::collection::vec(action_with_hands(), 1..12)
    ) {
        let revealed = play(Secret::Hand(&["leduc_poker"]), false, &actions)?;
        prop_assert_ne!(&revealed[0], &revealed[1]);
    }

    #[test]
    fn hidden_dice_are_told_only_to_their_player_until_a_challenge(
        actions in prop::collection::vec(action_with_hands(), 1..12)
    ) {
        let revealed = play(Secret::Hand(&["liars_dice"]), false, &actions)?;
        prop_assert_ne!(&revealed[0], &revealed[1]);
    }

    #[test]
    fn a_sealed_card_is_told_only_to_its_player_until_the_turn_resolves(
        actions in prop::collection::vec(action_beside_a_card(), 1..6)
    ) {
        let actions: Vec<Action> = std::iter::once(Action::Seal).chain(actions).collect();
        let revealed = play(Secret::Card, false, &actions)?;
        prop_assert_ne!(&revealed[0], &revealed[1]);
    }

    #[test]
    fn no_answer_reveals_a_beacon_round_that_no_game_is_bound_to(actions in actions()) {
        let actions: Vec<Action> = std::iter::once(Action::StrayRound).chain(actions).collect();
        let revealed = play(Secret::StrayRound, true, &actions)?;
        prop_assert_eq!(&revealed[0], &revealed[1]);
    }
}

#[test]
fn a_sealed_bid_stays_secret_when_the_time_for_the_others_runs_out() {
    let bid = |seat| Action::Bid { seat, low: 0, says: false };
    let actions =
        [bid(SECRET_SEAT), bid(2), Action::Pass(19_000), Action::Pass(19_000), Action::Pass(19_000)];
    let revealed = play(Secret::Bid(1), false, &actions).unwrap();
    assert_ne!(revealed[0], revealed[1]);
}

fn actions() -> impl Strategy<Value = Vec<Action>> {
    prop::collection::vec(action(), 1..14)
}

fn play(secret: Secret, beacon: bool, actions: &[Action]) -> Result<[String; 2], TestCaseError> {
    let pair = Pair::new(secret, beacon);
    for action in actions {
        if !pair.go_on(action) {
            break;
        }
    }
    Ok(pair.reveal())
}
