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
    let history = History::of(&world.room(), Player::new(0), known.clone(), said).unwrap();
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
fn what_was_written_before_the_end_of_the_game_is_written_anew_after_it() {
    let (mut world, mut other) = (World::started(), World::started());
    for (one, two) in [("e2e4", "e2e4"), ("c7c5", "e7e5")] {
        world.play(one, None);
        other.play(two, None);
    }
    // As if the game had told another move while it was live.
    let known = continued(&other, &History::default()).0;
    assert_eq!(written(&continued(&world, &known).0)[1]["move"], "e7e5");
    world.submit(Player::new(0), None, true, None).unwrap();
    let whole = written(&continued(&world, &History::default()).0);
    let last = continued(&world, &known).0;
    assert_eq!((written(&last), &whole[1]["move"]), (whole.clone(), &Value::from("c7c5")));
    assert_eq!(written(&continued(&world, &last).0), whole);
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
    let cut = History::of(&before, Player::new(0), known.clone(), said).unwrap();
    assert_eq!((known.len(), written(&cut)), (2, written(&short)));
}

#[test]
fn the_last_turns_are_kept_and_those_before_left_out() {
    let mut world = World::started();
    for notation in ["e2e4", "e7e5", "g1f3"] {
        world.play(notation, None);
    }
    let whole = continued(&world, &History::default()).0;
    let mut last = whole.clone();
    last.keep_last_turns(2);
    assert_eq!(written(&last).as_array().unwrap()[..], written(&whole).as_array().unwrap()[1..]);
    last.keep_last_turns(9);
    assert_eq!(written(&last), written(&whole));
    last.keep_last_turns(0);
    assert_eq!(written(&last), Value::Array(Vec::new()));
}

#[test]
fn a_turn_that_several_players_share_is_kept_or_left_out_as_a_whole() {
    let mut world = World::started_in("goofspiel");
    for _ in 0..3 {
        for _ in 0..2 {
            world.submit_first_legal();
        }
    }
    let whole = continued(&world, &History::default()).0;
    let mut last = whole.clone();
    last.keep_last_turns(2);
    let turns: Vec<u64> = written(&last)
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["turn_index"].as_u64().unwrap())
        .collect();
    assert_eq!((whole.len(), turns), (6, vec![1, 1, 2, 2]));
}
