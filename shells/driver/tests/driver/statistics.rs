//! How seats were played: in rows, and for games of older halls in facts.

use crate::hall::{TestHall, moving, resigning};
use hall_core::{Caller, Hall};
use hall_driver::{SeatPlay, tables};
use hall_journal::{Batch, Journal as _, MemoryJournal, Row};
use hall_wire::{GameId, Player, Span};

fn play_in(hall: &TestHall, game: &GameId) -> Vec<SeatPlay> {
    let outline = hall.engine().archive().ended_outline(game).unwrap().unwrap();
    hall.engine().statistics().play_of(&outline).unwrap().to_vec()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn how_seats_were_played_is_the_same_in_their_rows_and_in_the_facts_of_an_older_hall() {
    let hall = TestHall::new();
    let (game, seats) = hall.game().await;
    let illegal = async |seat: usize, turn_index| {
        let _ = hall.ask(Caller::Agent(seats[seat]), moving(game, turn_index, "a1a8")).await;
    };
    hall.clock.advance(Span::from_millis(2_000));
    hall.play(game, &seats, "e2e4").await;
    illegal(1, 1).await;
    hall.clock.advance(Span::from_millis(3_000));
    hall.play(game, &seats, "e7e5").await;
    for _ in 0..3 {
        illegal(0, 2).await;
    }
    illegal(1, 3).await;
    hall.granted(Caller::Agent(seats[1]), resigning(game, 3)).await;

    let played = [
        SeatPlay { tried: 2, first_try: 1, forced: 1, times: vec![Span::from_millis(2_000)] },
        SeatPlay { tried: 2, first_try: 0, forced: 0, times: vec![Span::from_millis(3_000)] },
    ];
    assert_eq!(play_in(&hall, &game), played);

    // A new process has nothing in memory, and reads the rows: it sees one more of them.
    let hall = hall.restart(0);
    let attempt = [game.as_bytes().as_slice(), &[0, 0, 0, 0, 0]].concat();
    let append = |key: Vec<u8>, value| {
        let row = Row { table: tables::SEAT_PLAYS, key, value };
        let batch = Batch { records: Vec::new(), rows: vec![row] };
        MemoryJournal::open(&hall.storage).append(&batch).unwrap();
    };
    append(attempt, Some(Vec::new()));
    assert_eq!(play_in(&hall, &game)[0], SeatPlay { first_try: 0, ..played[0].clone() });

    // A hall from before the table did not write the first of them. The facts tell what is true.
    append(game.as_bytes().to_vec(), None);
    assert_eq!(play_in(&hall.restart(0), &game), played);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_in_which_the_hall_moved_nothing_is_no_forced_turn() {
    let hall = TestHall::new();
    let (game, seats) = hall.game().await;
    // White forfeits with its third strike: the hall moves after the first two.
    for turn_index in [0, 2, 4] {
        for _ in 0..3 {
            let _ = hall.ask(Caller::Agent(seats[0]), moving(game, turn_index, "a1a8")).await;
        }
        if turn_index < 4 {
            let legal =
                move |hall: &Hall| hall.rooms().find(&game).map(|room| room.notations(Player::new(1)));
            let reply = hall.engine().read(legal).await.unwrap().unwrap()[0].to_string();
            hall.play(game, &seats, &reply).await;
        }
    }
    let forced = |hall: &TestHall| play_in(hall, &game).iter().map(|play| play.forced).collect::<Vec<_>>();
    assert_eq!(forced(&hall), [2, 0]);
    let hall = hall.restart(0);
    assert_eq!(forced(&hall), [2, 0], "in its row");

    // An older hall wrote nothing in the first row, and counted the last turn, too.
    let hall = hall.restart(0);
    let last = [game.as_bytes().as_slice(), &[0xff]].concat();
    let counted = br#"[{"own":[],"forced":3},{"own":[],"forced":0}]"#.to_vec();
    let rows = [(game.as_bytes().to_vec(), Some(Vec::new())), (last, Some(counted))];
    let rows = rows.map(|(key, value)| Row { table: tables::SEAT_PLAYS, key, value }).to_vec();
    MemoryJournal::open(&hall.storage).append(&Batch { records: Vec::new(), rows }).unwrap();
    assert_eq!(forced(&hall), [2, 0], "in the facts");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_does_not_take_the_time_in_which_nature_waited_for_the_beacon() {
    let hall = TestHall::with_beacon();
    let (game, seats) = hall.game_of("chess960").await;
    hall.clock.advance(Span::from_secs(40));
    hall.receive_beacon(game).await;
    hall.clock.advance(Span::from_millis(1_500));
    hall.play(game, &seats, "h2h4").await;
    hall.granted(Caller::Agent(seats[1]), resigning(game, 1)).await;

    let played = [vec![Span::from_millis(1_500)], Vec::new()];
    let times = |hall: &TestHall| play_in(hall, &game).into_iter().map(|play| play.times).collect::<Vec<_>>();
    assert_eq!(times(&hall), played);

    // A hall of before wrote nothing in the first row, and no row for the wait.
    let wait = [game.as_bytes().as_slice(), &[0, 0, 0, 0, 0xfe]].concat();
    let rows = [(game.as_bytes().to_vec(), Some(Vec::new())), (wait, None)];
    let rows = rows.map(|(key, value)| Row { table: tables::SEAT_PLAYS, key, value }).to_vec();
    let hall = hall.restart(0);
    MemoryJournal::open(&hall.storage).append(&Batch { records: Vec::new(), rows }).unwrap();
    assert_eq!(times(&hall), played);
}
