//! Every order of six inputs in the first three turns of a game of two agents, with a crash before any one of them:
//! the hall decides as the reference hall does, and loses nothing that it published.

use crate::life::{Known, Life};
use crate::requests::{MOVE_TIME, request};
use crate::scene::{Scene, orders_of, scene};
use crate::subject::{holds, recover};
use hall_core::rooms::RoomChange;
use hall_core::{Caller, Choice, Command, Fact, MoveSubmission, Reply, RoomCommand, RoomReply};
use hall_sim::storage::SimDisk;
use hall_wire::Span;
use std::collections::BTreeSet;

/// An input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Input {
    /// White moves in the first turn.
    First,
    /// White tries an illegal move in the first turn.
    Illegal,
    /// Black moves in the second turn, and offers a draw.
    SecondWithOffer,
    /// Black sends the same again.
    SecondAgain,
    /// White accepts a draw in the third turn.
    Accept,
    /// The time for a move passes.
    Late,
}

const INPUTS: [Input; 6] =
    [Input::First, Input::Illegal, Input::SecondWithOffer, Input::SecondAgain, Input::Accept, Input::Late];

#[test]
fn the_hall_stays_correct_in_every_order_of_six_inputs_with_a_crash_before_any_of_them() {
    let orders = orders_of(&INPUTS, |_, _| true);
    assert_eq!(orders.len(), 720);
    // Half of the orders for each of two threads.
    let (one, other) = orders.split_at(orders.len() / 2);
    let run_all = |orders: &[Vec<Input>]| {
        let scene = scene();
        let mut ends = BTreeSet::new();
        for order in orders {
            for crash in std::iter::once(None).chain((0..=order.len()).map(Some)) {
                ends.insert(run(&scene, order, crash));
            }
        }
        ends
    };
    let ends = std::thread::scope(|threads| {
        let other = threads.spawn(|| run_all(other));
        let mut ends = run_all(one);
        ends.extend(other.join().unwrap());
        ends
    });
    // Accepted moves, strikes of white and of black, and whether the game ended: these must be among the many outcomes.
    println!("{} ends: {ends:?}", ends.len());
    let end = |taken, white, black, ended| End { taken, strikes: [white, black], ended };
    for expected in [end(3, 0, 0, true), end(0, 1, 0, false), end(1, 0, 1, false), end(2, 1, 0, false)] {
        assert!(ends.contains(&expected), "{expected:?} in {ends:?}");
    }
}

/// The outcome of one run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct End {
    /// Accepted moves.
    taken: usize,
    /// Strikes of white and of black.
    strikes: [u8; 2],
    /// Whether the game has ended.
    ended: bool,
}

/// Plays one order, with a crash before the input at that place or after the last.
fn run(scene: &Scene, order: &[Input], crash: Option<usize>) -> End {
    let disk = SimDisk::new(1);
    disk.restore(&scene.image);
    let mut known = scene.known.clone();
    let mut life = Life::start(&disk, &mut known, 0).unwrap();
    let mut taken = 0;
    for place in 0..=order.len() {
        if crash == Some(place) {
            // The request is in flight when the hall dies: it was not decided.
            if let Some(input) = order.get(place) {
                give(&mut life, scene, *input);
            }
            drop(life);
            disk.kill();
            life = Life::start(&disk, &mut known, 0).unwrap();
        }
        if let Some(input) = order.get(place) {
            life.answers.clear();
            give(&mut life, scene, *input);
            life.step().unwrap();
            taken += life
                .answers
                .iter()
                .filter(|answer| matches!(answer, Ok(Reply::Room(RoomReply::MoveTaken { .. }))))
                .count();
        }
    }
    drop(life);
    disk.kill();
    let found = recover(&disk).unwrap();
    holds(&known, &found).unwrap_or_else(|what| panic!("{what} in {order:?} with a crash at {crash:?}"));
    end_of(&known, taken)
}

/// Everything that was decided.
fn end_of(known: &Known, taken: usize) -> End {
    let mut end = End { taken, strikes: [0, 0], ended: false };
    let facts = known.decided.iter().flat_map(|decided| &decided.decision.facts);
    for fact in facts.filter_map(Fact::in_room) {
        if let RoomChange::StrikeGiven { player, .. } = &fact.change {
            end.strikes[player.index()] += 1;
        }
        end.ended |= matches!(fact.change, RoomChange::Ended { .. });
    }
    end
}

fn give(life: &mut Life<'_>, scene: &Scene, input: Input) {
    let moved = |turn| request(scene.game, turn, Some(Choice::Index(0)));
    let (player, submission) = match input {
        Input::First => (0, moved(0)),
        Input::Illegal => (0, request(scene.game, 0, Some(Choice::Unparsable))),
        Input::SecondWithOffer | Input::SecondAgain => (1, MoveSubmission { draw_offer: true, ..moved(1) }),
        Input::Accept => (0, MoveSubmission { draw_accept: true, ..request(scene.game, 2, None) }),
        Input::Late => {
            // In two steps, so that it does not count as a pause of the hall.
            let half = Span::from_millis(MOVE_TIME.as_millis() / 2 + 1);
            life.pass(half);
            life.step().unwrap();
            return life.pass(half);
        }
    };
    life.ask(Caller::Agent(scene.agents[player]), Command::Room(RoomCommand::Submit(submission)));
}
