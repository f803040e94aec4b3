//! Scripted worlds: each rule once, where a random world would seldom go.

use super::world::*;
use hall_core::*;
use hall_wire::{Player, Span};

#[test]
fn a_game_to_mate_is_followed() {
    let mut world = World::new(rules(), 1);
    let (ada, bob) = (world.player("ada", 1), world.player("bob", 2));
    let game = world.game(ada, bob);
    world.play(game, "f2f3 e7e5 g2g4 d8h4");
    assert!(world.seen.contains("checkmate"));
    world.ask(Caller::Hall, Command::ArchiveGame { game }).unwrap();
}

#[test]
fn the_three_steps_of_illegal_moves_are_followed() {
    for beacon in [None, Some(chain())] {
        let mut world = World::new(Rules { beacon, ..rules() }, 2);
        let (ada, bob) = (world.player("ada", 1), world.player("bob", 2));
        let game = world.game(ada, bob);
        for _ in 0..2 {
            for _ in 0..3 {
                world.wait(700);
                let request = world.request(game, "a1a1");
                let _ = world.send(world.agent(game, 0), request);
            }
            world.wait(10_001);
            world.sweep();
            let listed = world.hall.rooms().find(&game).unwrap().legal_moves(Player::new(1));
            world.play(game, listed[0].notation.as_str());
        }
        for _ in 0..3 {
            let request = world.request(game, "a1a1");
            let _ = world.send(world.agent(game, 0), request);
        }
        assert!(world.seen.contains("strikes"));
    }
}

#[test]
fn missed_deadlines_are_followed_with_and_without_side_clocks() {
    for side in [None, Some(60_000), Some(100_000), Some(2_400_000)] {
        let mut rules = rules();
        let timing = Timing { move_time: Span::from_secs(60), side_time: side.map(Span::from_millis) };
        rules.timing.insert(word("chess"), timing);
        let mut world = World::new(rules, 3);
        let (ada, bob) = (world.player("ada", 1), world.player("bob", 2));
        world.game(ada, bob);
        for _ in 0..6 {
            world.wait(60_003);
            world.sweep();
        }
        assert_eq!(world.hall.rooms().live_count(), 0);
    }
}
