//! Three players at once in direct worlds, with all their faults, under every oracle.

use super::{CATALOG, CATALOG_2};
use hall_games::sealed_bids::{SEALED_BIDS, SEALED_BIDS_2};
use hall_sim::direct::World;
use hall_sim::plan::{Profile, WorldPlan};
use std::collections::BTreeSet;

/// What a game of several movers has that chess has not.
const MARKS: [&str; 2] = ["held:deadline", "movers:several"];

#[test]
fn direct_worlds_play_a_game_of_three_movers_at_once_under_every_oracle() {
    let mut left = BTreeSet::from(MARKS);
    let mut ended = 0;
    let profiles =
        [Profile::Calm, Profile::Swarm, Profile::Swarm, Profile::Storm, Profile::Bells, Profile::Storm];
    for (seed, profile) in (1..).zip(profiles) {
        let mut plan = WorldPlan::draw(seed, profile);
        plan.set_game(&SEALED_BIDS);
        let report = World::offering(plan, CATALOG).run();
        assert!(report.is_clean(), "{} {seed}: {:?} {:?}", profile.word(), report.violations, report.unrest);
        ended += report.games_ended;
        left.retain(|mark| !report.marks.contains(*mark));
    }
    assert!(ended > 100, "{ended} games ended");
    assert_eq!(left, BTreeSet::new(), "never reached");
}

#[test]
fn direct_worlds_play_shared_turns_with_acts_of_nature_under_every_oracle() {
    let mut ended = 0;
    let profiles = [Profile::Calm, Profile::Swarm, Profile::Storm, Profile::Bells, Profile::Storm];
    for (seed, profile) in (1..).zip(profiles) {
        let mut plan = WorldPlan::draw(seed, profile);
        plan.set_game(&SEALED_BIDS_2);
        let report = World::offering(plan, CATALOG_2).run();
        assert!(report.is_clean(), "{} {seed}: {:?} {:?}", profile.word(), report.violations, report.unrest);
        ended += report.games_ended;
    }
    assert!(ended > 100, "{ended} games ended");
}
