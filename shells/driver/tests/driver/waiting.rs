//! Many waiting requests at the same time.

use crate::hall::{TestHall, moving};
use hall_core::{Caller, Rejection, RoomRejection};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn exactly_one_of_many_simultaneous_equal_moves_is_played() {
    let hall = TestHall::new();
    let (game, seats) = hall.game().await;
    let mut asked = Vec::new();
    for _ in 0..64 {
        let engine = hall.engine().clone();
        let agent = seats[0];
        asked.push(tokio::spawn(async move {
            engine.submit(engine.arrive(), Caller::Agent(agent), moving(game, 0, "e2e4")).await.unwrap()
        }));
    }
    let mut accepted = 0;
    for answer in asked {
        match answer.await.unwrap() {
            Ok(_) => accepted += 1,
            Err(Rejection::Room(RoomRejection::WrongTurn(report))) => {
                assert_eq!(report.your_last.unwrap().notation.unwrap().as_str(), "e2e4");
            }
            Err(other) => panic!("{other:?}"),
        }
    }
    assert_eq!(accepted, 1);
    assert_eq!(hall.engine().status().durable_seq, hall.engine().status().head_seq);
}

#[tokio::test]
async fn a_reader_that_falls_behind_is_informed_and_delays_nobody() {
    let hall = TestHall::new();
    let (game, seats) = hall.game().await;
    let mut feed = hall.engine().subscribe(game);
    // Knights tour without repeating a position three times: more events than a reader may be behind.
    let mut turn = 0;
    while turn < 100 {
        let legal = hall.engine().peek(|hall| {
            let room = hall.rooms().find(&game)?;
            let player = room.to_move().iter().next()?;
            let moves = room.legal_moves(player);
            moves.get(turn * 7 % moves.len()).map(|entry| entry.notation)
        });
        let Some(notation) = legal else { break };
        hall.play(game, &seats, notation.as_str()).await;
        turn += 1;
    }
    assert!(turn > 64, "the game went on for {turn} turns");
    assert!(matches!(feed.next().await, hall_driver::Feed::Lagged));
    assert!(matches!(feed.next().await, hall_driver::Feed::Event(_)));
}
