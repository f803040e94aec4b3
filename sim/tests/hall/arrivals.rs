//! Every order in which a move close to its deadline can pass through the hall, beside another request, the steps of
//! the writer, passing time and a crash: an agent whose move arrived in time is never struck.

use crate::life::Life;
use crate::requests::{BEGIN, MOVE_TIME, request};
use crate::scene::{Scene, orders_of, scene};
use crate::subject::{feedback, holds, recover};
use hall_core::{Caller, Choice, Command, Rejection, Reply, RoomCommand, RoomRejection, RoomReply};
use hall_sim::storage::SimDisk;
use hall_wire::{Player, Span, Timestamp};

/// What happens next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    /// The move has arrived and is stamped.
    Arrive,
    /// It reaches the writer.
    Put,
    /// Another request arrives and reaches the writer.
    Other,
    /// Two milliseconds pass.
    Tick,
    /// The writer does what it can.
    Step,
    /// The process dies and starts again.
    Crash,
}

/// The events, tried in every order. The move reaches the writer after it has arrived.
const EVENTS: [Event; 6] = [Event::Arrive, Event::Put, Event::Other, Event::Tick, Event::Step, Event::Step];

#[test]
fn an_agent_whose_move_arrived_in_time_is_never_struck_in_any_order_of_events() {
    let scene = scene();
    let put_after_arriving = |event, left: &[Event]| event != Event::Put || !left.contains(&Event::Arrive);
    let orders = orders_of(&EVENTS, put_after_arriving);
    assert_eq!(orders.len(), 180);
    let mut outcomes = [0; 3];
    for order in orders {
        for after in [-1, 0, 1] {
            run(&scene, &order, after, &mut outcomes);
            // A millisecond before the deadline is not another case than at it, once the process has died.
            for place in (0..=order.len()).take(if after < 0 { 0 } else { usize::MAX }) {
                let mut order = order.clone();
                order.insert(place, Event::Crash);
                run(&scene, &order, after, &mut outcomes);
            }
        }
    }
    println!("{outcomes:?}");
    assert!(outcomes.iter().all(|count| *count > 100), "{outcomes:?}");
}

/// Plays one order with the move `after` milliseconds after its deadline. Counts moves taken at once, moves taken by
/// a second try after a crash, and strikes.
fn run(scene: &Scene, order: &[Event], after: i64, outcomes: &mut [u64; 3]) {
    let told = |what: &str| format!("{what} in {order:?} at {after}");
    let disk = SimDisk::new(1);
    disk.restore(&scene.image);
    let mut known = scene.known.clone();
    let mut life = Life::start(&disk, &mut known, 0).unwrap_or_else(|_| panic!("{}", told("no start")));
    let deadline = deadline(&life, scene);
    assert!(life.now() < deadline && deadline <= BEGIN + Span::from_secs(60), "{}", told("no deadline"));
    // In two steps, so that it does not count as a pause.
    life.pass(Span::from_millis(MOVE_TIME.as_millis() / 2));
    life.step().unwrap();
    let left = deadline.since(life.now()).as_millis();
    life.pass(Span::from_millis(left.checked_add_signed(after).unwrap()));
    let (mut arrival, mut in_time, mut crashed) = (None, None, false);
    for event in order {
        match event {
            Event::Arrive => {
                let arrived = life.arrive();
                in_time.get_or_insert(arrived.stamp() <= deadline);
                arrival = Some(arrived);
            }
            Event::Put => {
                // A request in flight when the hall died is lost.
                if let Some(arrival) = arrival.take() {
                    life.put(arrival, Caller::Agent(scene.agents[0]), moving(scene));
                }
            }
            Event::Other => life.ask(Caller::Agent(scene.agents[1]), feedback()),
            Event::Tick => life.pass(Span::from_millis(2)),
            Event::Step => life.step().unwrap(),
            Event::Crash => {
                crashed = true;
                arrival = None;
                drop(life);
                disk.kill();
                life = Life::start(&disk, &mut known, 0).unwrap_or_else(|_| panic!("{}", told("no restart")));
            }
        }
    }
    life.step().unwrap();
    let strikes = life.peek(|hall| hall.rooms().find(&scene.game).unwrap().seats()[0].strikes);
    let taken =
        life.answers.iter().any(|answer| matches!(answer, Ok(Reply::Room(RoomReply::MoveTaken { .. }))));
    let in_time = in_time.unwrap();
    if in_time {
        assert_eq!(strikes, 0, "{}", told("a strike"));
        assert!(taken || crashed, "{}", told("a move in time was not taken"));
    } else {
        assert!(crashed || !taken && strikes == 1, "{}", told("a late move was taken, or cost nothing"));
    }
    outcomes[0] += u64::from(taken);
    outcomes[2] += u64::from(strikes > 0);
    if crashed && strikes == 0 {
        // An agent without an answer sends its move again: either the first one counted, or this one does.
        life.answers.clear();
        life.ask(Caller::Agent(scene.agents[0]), moving(scene));
        life.step().unwrap();
        match &life.answers[..] {
            [Ok(Reply::Room(RoomReply::MoveTaken { .. }))] => outcomes[1] += 1,
            [Err(Rejection::Room(RoomRejection::WrongTurn(report)))] => {
                assert!(report.your_last.is_some_and(|last| last.turn_index == 0 && last.forced.is_none()));
            }
            other => panic!("{}: {other:?}", told("a second try")),
        }
    }
    drop(life);
    disk.kill();
    let found = recover(&disk).unwrap();
    holds(&known, &found).unwrap_or_else(|what| panic!("{}", told(&what)));
}

fn deadline(life: &Life<'_>, scene: &Scene) -> Timestamp {
    life.peek(|hall| hall.rooms().find(&scene.game).unwrap().deadline_of(Player::new(0)).unwrap())
}

fn moving(scene: &Scene) -> Command {
    Command::Room(RoomCommand::Submit(request(scene.game, 0, Some(Choice::Index(0)))))
}
