//! Readers of the direct world.

use hall_sim::direct::World;
use hall_sim::plan::WorldPlan;

#[test]
fn a_world_with_only_readers_comes_to_its_end() {
    let plan = WorldPlan { readers: 6, ..WorldPlan::calm(1, 0) };
    assert_eq!(World::new(plan).run().games_begun, 0);
}
