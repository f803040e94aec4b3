//! Worlds that are chosen on a command line.

use hall_sim::plan::Profile;
use hall_sim::run::{Choices, Kind};
use std::cell::Cell;

#[test]
fn a_world_that_may_not_go_on_is_cut_off_at_that_step_without_a_finding() {
    let mut choices = Choices { agents: Some(3), ..Choices::drawn(1, Profile::Swarm) };
    for world in [Kind::Direct, Kind::Turmoil] {
        choices.world = world;
        let whole = choices.run();
        assert!(whole.is_clean() && whole.cut_off.is_none(), "{whole:?}");
        let after = |steps: u64| {
            let asked = Cell::new(0);
            let report = choices.run_while(&|| asked.replace(asked.get() + 1) < steps);
            assert!(report.is_clean() && report.cut_off > Some(report.virtual_millis), "{report:?}");
            assert!(asked.get() > steps && report.requests < whole.requests, "{report:?}");
            report.virtual_millis
        };
        assert_eq!(after(0), 0);
        assert!(after(100) < after(2_000), "{}", world.word());
    }
}

#[test]
fn a_world_is_the_same_without_the_reference_hall() {
    let with = Choices { agents: Some(3), ..Choices::drawn(2, Profile::Swarm) };
    let without = Choices { named_only: true, ..with };
    assert_eq!(without.to_string(), "--seed 2 --profile swarm --agents 3 --named-only");
    assert_eq!((without.plan().compare_every, without.turmoil_plan().reference), (0, false));
    let of = |world| {
        let hash = |choices: Choices| Choices { world, ..choices }.run().trace_hash;
        (hash(with), hash(without))
    };
    for (with, without) in [of(Kind::Direct), of(Kind::Turmoil)] {
        assert_eq!(with, without);
    }
    let of_nodes = |profile| {
        let with = Choices { world: Kind::Cluster, ..Choices::drawn(2, profile) };
        assert!(!Choices { named_only: true, ..with }.cluster_plan().reference);
        [with, Choices { named_only: true, ..with }].map(|choices| choices.run().trace_hash)
    };
    let [swarm, mixed] = [Profile::Swarm, Profile::Mixed].map(of_nodes);
    assert!(swarm[0] == swarm[1] && mixed[0] == mixed[1] && swarm != mixed);
}
