//! Histories that go on from what was written before.

use super::super::*;
use super::world::World;
use hall_wire::Player;
use hall_wire::json::Value;
use std::convert::Infallible;

/// The history of the first player, from one that is known, and how often it was asked what was said.
fn continued(world: &World, known: &History) -> (History, usize) {
    let mut asked = 0;
    let said = |number| {
        asked += 1;
        Ok::<_, Infallible>(world.said(number))
    };
    let history = History::of(&world.room(), Player::new(0), known, said).unwrap();
    (history, asked)
}

fn written(history: &History) -> Value {
    serde_json::to_value(history).unwrap()
}

#[test]
fn a_history_grows_by_what_is_new_and_asks_only_for_what_was_said_there() {
    let mut world = World::started();
    world.play("e2e4", Some("mark of e4"));
    let (first, asked) = continued(&world, &History::default());
    assert_eq!((first.len(), asked), (1, 1));
    let (same, asked) = continued(&world, &first);
    assert_eq!((written(&same), asked), (written(&first), 0));
    world.play("e7e5", None);
    world.play("g1f3", Some("mark of Nf3"));
    let (third, asked) = continued(&world, &first);
    assert_eq!((third.len(), asked), (3, 1));
    assert_eq!(written(&third), written(&continued(&world, &History::default()).0));
    assert_eq!(written(&third)[2]["commentary"], "mark of Nf3");
}

#[test]
fn turns_that_look_different_now_are_written_anew_with_all_behind_them() {
    let (mut world, mut other) = (World::started(), World::started());
    for (one, two) in [("e2e4", "e2e4"), ("c7c5", "e7e5"), ("g1f3", "g1f3")] {
        world.play(one, None);
        other.play(two, None);
    }
    let known = continued(&other, &History::default()).0;
    assert_eq!(written(&continued(&world, &known).0), written(&continued(&world, &History::default()).0));
}

#[test]
fn a_history_that_is_longer_than_the_game_is_cut() {
    let mut world = World::started();
    world.play("e2e4", None);
    let short = continued(&world, &History::default()).0;
    let before = world.room();
    world.play("e7e5", None);
    let known = continued(&world, &History::default()).0;
    let said = |number| Ok::<_, Infallible>(world.said(number));
    let cut = History::of(&before, Player::new(0), &known, said).unwrap();
    assert_eq!((known.len(), written(&cut)), (2, written(&short)));
}

#[test]
fn the_last_entries_are_kept_and_those_before_left_out() {
    let mut world = World::started();
    for notation in ["e2e4", "e7e5", "g1f3"] {
        world.play(notation, None);
    }
    let whole = continued(&world, &History::default()).0;
    let mut last = whole.clone();
    last.keep_last(2);
    assert_eq!(written(&last).as_array().unwrap()[..], written(&whole).as_array().unwrap()[1..]);
    last.keep_last(9);
    assert_eq!(written(&last), written(&whole));
}
