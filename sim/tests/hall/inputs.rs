//! Every order of a few inputs to one game, with a restart anywhere between them. After each input the reference hall
//! has decided the same and is in the same state.
//!
//! The hall gets the inputs as from its writer: everything due by the stamp of a request is done first.

use crate::requests::{MOVE_TIME, agent, filing, join, registration, request};
use crate::twin::Twin;
use hall_core::rooms::Room;
use hall_core::{
    Answer, Caller, Choice, Command, MoveSubmission, Rejection, Reply, RoomCommand, RoomRejection,
};
use hall_sim::reference::Extent;
use hall_wire::{AgentId, GameId, Player, Span, Timestamp};

/// The longest sequence.
const INPUTS: usize = 5;
/// The turns that are played.
const TURNS: u32 = 3;

/// What happens next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Input {
    /// The player to move moves, half a second later.
    Move,
    /// The player to move moves, so many milliseconds after the deadline.
    MoveAtDeadline(i64),
    /// The player to move makes an illegal move.
    Illegal,
    /// The last request is sent again unchanged.
    Again,
    /// The player to move moves and offers a draw, which accepts a standing offer.
    Offer,
    /// Half of the time for a move passes, and what is due is done.
    Sweep,
    /// The process dies, and starts from a snapshot after a second.
    Restart,
}

const MENU: [Input; 9] = [
    Input::Move,
    Input::MoveAtDeadline(-1),
    Input::MoveAtDeadline(0),
    Input::MoveAtDeadline(1),
    Input::Illegal,
    Input::Again,
    Input::Offer,
    Input::Sweep,
    Input::Restart,
];

#[derive(Clone)]
struct World {
    twin: Twin<Input>,
    game: GameId,
    /// The last move request.
    sent: Option<(AgentId, MoveSubmission)>,
    restarted: bool,
}

#[test]
fn the_hall_decides_as_the_reference_in_every_order_of_inputs() {
    let mut tally = [0; 4];
    explore(&World::new(), INPUTS, &mut tally);
    let [steps, ended, struck, restarted] = tally;
    println!("{steps} inputs, {ended} ended a game, {struck} struck, {restarted} were restarts");
    assert!(steps > 30_000 && ended > 300 && struck > 3_000 && restarted > 2_000, "{tally:?}");
}

fn explore(world: &World, left: usize, tally: &mut [u64; 4]) {
    if left == 0 {
        return;
    }
    let over = world.room().result().is_some() || world.room().turn_index() >= TURNS;
    for input in MENU {
        let quiet = matches!(input, Input::Again | Input::Sweep | Input::Restart);
        if over && !quiet
            || input == Input::Again && world.sent.is_none()
            || input == Input::Restart && world.restarted
        {
            continue;
        }
        if let Input::MoveAtDeadline(after) = input
            && world.at_deadline(after) < world.twin.now
        {
            continue;
        }
        let mut next = world.clone();
        next.twin.path.push(input);
        next.take(input);
        next.twin.verify(if left == 1 { Extent::Whole } else { Extent::LastStep });
        let strikes = |world: &World| world.room().seats().iter().map(|seat| seat.strikes).sum::<u8>();
        tally[0] += 1;
        tally[1] += u64::from(world.room().result().is_none() && next.room().result().is_some());
        tally[2] += u64::from(strikes(&next) > strikes(world));
        tally[3] += u64::from(input == Input::Restart);
        explore(&next, if over { 0 } else { left - 1 }, tally);
    }
}

impl World {
    /// A game has just begun.
    fn new() -> Self {
        let mut twin = Twin::new();
        let mut game = None;
        for name in ["ada", "bob"] {
            twin.ask(Caller::Hall, &registration(name)).unwrap();
            twin.ask(Caller::Agent(agent(name)), &filing(name)).unwrap();
            if let Ok(Reply::Joined { game: formed, .. }) = twin.ask(Caller::Agent(agent(name)), &join()) {
                game = formed;
            }
        }
        Self { twin, game: game.unwrap(), sent: None, restarted: false }
    }

    fn room(&self) -> &Room {
        self.twin.hall.rooms().find(&self.game).unwrap()
    }

    fn take(&mut self, input: Input) {
        match input {
            Input::Move | Input::Illegal | Input::Offer => {
                self.twin.now = self.twin.now + Span::from_millis(500);
                let in_time =
                    self.room().deadline_of(self.mover()).is_some_and(|deadline| self.twin.now <= deadline);
                let answer = self.submit(input);
                assert_eq!(
                    answer.is_ok(),
                    in_time && input != Input::Illegal,
                    "{:?}: {answer:?}",
                    self.twin.path
                );
            }
            Input::MoveAtDeadline(after) => self.move_at_deadline(after),
            Input::Again => {
                self.twin.now = self.twin.now + Span::from_millis(10);
                self.twin.sweep();
                let (agent, request) = self.sent.clone().unwrap();
                let before = self.twin.hall.digest();
                let answer = self
                    .twin
                    .decide(Caller::Agent(agent), &Command::Room(RoomCommand::Submit(request.clone())))
                    .answer;
                // A counted request never counts again; only an illegal move in an open turn may be repeated.
                if request.choice != Some(Choice::Unparsable) && request.turn_index < self.room().turn_index()
                {
                    assert!(
                        matches!(
                            answer,
                            Err(Rejection::Room(RoomRejection::WrongTurn(_))
                                | Rejection::Room(RoomRejection::GameNotLive(_)))
                        ),
                        "{answer:?}"
                    );
                    assert_eq!(before, self.twin.hall.digest(), "{:?}", self.twin.path);
                }
            }
            Input::Sweep => {
                self.twin.now = self.twin.now + Span::from_millis(MOVE_TIME.as_millis() / 2);
                self.twin.sweep();
            }
            Input::Restart => {
                self.restarted = true;
                self.twin.restart();
            }
        }
    }

    /// A move at the deadline is in time; one millisecond later it costs a strike.
    fn move_at_deadline(&mut self, after: i64) {
        let mover = self.mover();
        self.twin.now = self.at_deadline(after);
        let strikes = |world: &Self| world.room().seat(mover).unwrap().strikes;
        let before = strikes(self);
        let answer = self.submit(Input::Move);
        if after <= 0 {
            assert!(answer.is_ok() && strikes(self) == before, "{:?}: {answer:?}", self.twin.path);
        } else {
            assert!(answer.is_err() && strikes(self) == before + 1, "{:?}: {answer:?}", self.twin.path);
        }
    }

    /// So many milliseconds after the deadline of the player to move.
    fn at_deadline(&self, after: i64) -> Timestamp {
        let deadline = self.room().deadline_of(self.mover()).unwrap();
        Timestamp::from_millis(deadline.as_millis() + after)
    }

    fn mover(&self) -> Player {
        self.room().to_move().iter().next().unwrap()
    }

    /// A request of the player to move at that time, decided after everything that is due by then.
    fn submit(&mut self, input: Input) -> Answer {
        let mover = self.mover();
        let agent = self.room().seat(mover).unwrap().seat.agent;
        let choice = if input == Input::Illegal {
            Choice::Unparsable
        } else {
            Choice::Notation(self.room().legal_moves(mover)[0].notation)
        };
        let mut request = request(self.game, self.room().turn_index(), Some(choice));
        request.draw_offer = input == Input::Offer;
        self.sent = Some((agent, request.clone()));
        self.twin.sweep();
        self.twin.decide(Caller::Agent(agent), &Command::Room(RoomCommand::Submit(request))).answer
    }
}
