//! Nothing is published before its cause is on disk, and everything published is there after a restart.

use crate::hall::{TestHall, moving};
use hall_core::Caller;
use hall_journal::{Journal as _, MemoryJournal};
use std::task::Poll;

#[tokio::test]
async fn answers_and_reads_wait_for_the_disk() {
    let hall = TestHall::new();
    let (game, seats) = hall.game().await;
    hall.disk.hold();
    let mut answer = Box::pin(hall.ask(Caller::Agent(seats[0]), moving(game, 0, "e2e4")));
    assert!(futures_poll(&mut answer).await.is_pending());
    hall.disk.until_waiting();
    let engine = hall.engine();
    let mut seen = Box::pin(engine.read(|hall| hall.rooms().find(&game).unwrap().turn_index()));
    assert!(futures_poll(&mut seen).await.is_pending(), "the read saw the move, which is not durable yet");
    assert_eq!(engine.archive().room_facts(&game, 2, 10).unwrap(), []);
    hall.disk.release();
    assert!(answer.await.unwrap().is_ok());
    assert_eq!(seen.await, Ok(1));
    assert_eq!(engine.archive().room_facts(&game, 2, 10).unwrap().len(), 1);
}

#[tokio::test]
async fn events_are_published_once_they_are_durable() {
    let hall = TestHall::new();
    let (game, seats) = hall.game().await;
    let mut feed = hall.engine().subscribe(game);
    let mut turns = hall.engine().watch_turns(seats[1]);
    hall.disk.hold();
    let mut answer = Box::pin(hall.ask(Caller::Agent(seats[0]), moving(game, 0, "e2e4")));
    assert!(futures_poll(&mut answer).await.is_pending());
    hall.disk.until_waiting();
    {
        let mut event = Box::pin(feed.next());
        assert!(futures_poll(&mut event).await.is_pending());
        let mut turn = Box::pin(turns.changed());
        assert!(futures_poll(&mut turn).await.is_pending());
    }
    hall.disk.release();
    answer.await.unwrap().unwrap();
    let hall_driver::Feed::Event(told) = feed.next().await else { panic!("no event") };
    assert_eq!((told.fact.game, told.fact.number), (game, 2));
    turns.changed().await;
}

#[tokio::test]
async fn a_failed_append_ends_the_hall_and_answers_nobody_with_success() {
    let hall = TestHall::new();
    let (game, seats) = hall.game().await;
    hall.disk.fail();
    let answer = hall.ask(Caller::Agent(seats[0]), moving(game, 0, "e2e4")).await;
    assert!(answer.is_err());
    assert!(
        hall.engine().read(|hall| hall.digest()).await.is_err(),
        "what was applied but not written is not shown"
    );
    assert!(hall.running.stop().is_err());
    assert_eq!(hall.failures.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_restart_restores_the_state_with_and_without_snapshots() {
    for snapshot_every in [0, 1, 7] {
        let hall = TestHall::new();
        let hall = hall.restart(snapshot_every);
        let (game, seats) = hall.game().await;
        hall.play(game, &seats, "f2f3 e7e5 g2g4").await;
        let before = hall.engine().read(hall_core::Hall::digest).await.unwrap();
        let until = Some(hall.engine().status().durable_seq);
        let hall = hall.restart(snapshot_every);
        let recovered = hall.running.recovered;
        assert_eq!(recovered.1.is_some(), snapshot_every > 0, "{recovered:?}");
        let reader = hall.engine().archive().reader();
        let folded = hall_driver::recover(&**reader, hall_games::CATALOG, false, until).unwrap();
        assert_eq!(folded.hall.digest(), before);
        folded.hall.check();
        hall.play(game, &seats, "d8h4").await;
        hall.running.stop().unwrap();
    }
}

#[tokio::test]
async fn a_snapshot_of_another_build_is_ignored_and_the_facts_rebuild_the_same_state() {
    let hall = TestHall::new().restart(1);
    let (game, seats) = hall.game().await;
    hall.play(game, &seats, "f2f3 e7e5 g2g4").await;
    hall.running.stop().unwrap();
    let reader = MemoryJournal::open(&hall.storage).reader();
    let mut snapshot = reader.newest_snapshot().unwrap().expect("one was written at the stop");
    let before = hall_driver::recover(&*reader, hall_games::CATALOG, true, None).unwrap();
    assert_eq!(before.from_snapshot, Some(snapshot.seq));
    snapshot.tag.push('1');
    snapshot.bytes.truncate(7);
    reader.put_snapshot(&snapshot).unwrap();
    let after = hall_driver::recover(&*reader, hall_games::CATALOG, true, None).unwrap();
    assert_eq!((after.from_snapshot, after.seq), (None, before.seq));
    assert_eq!(after.hall.digest(), before.hall.digest());
    let hall = TestHall::on(hall.storage, hall.clock, 1);
    hall.play(game, &seats, "d8h4").await;
    hall.running.stop().unwrap();
}

#[tokio::test]
async fn an_ended_game_moves_to_the_archive_and_stays_whole() {
    let hall = TestHall::new();
    let (game, seats) = hall.game().await;
    hall.play(game, &seats, "f2f3 e7e5 g2g4 d8h4").await;
    // The next command is decided after the archiving that the end has caused.
    hall.register("eve", 9).await;
    assert!(hall.engine().read(|hall| hall.rooms().find(&game).is_none()).await.unwrap());
    let archive = hall.engine().archive();
    let room = archive.ended_room(&game).unwrap().unwrap();
    assert_eq!(room.turns().len(), 4);
    assert_eq!(room.result().unwrap().reason.as_str(), "checkmate");
    let facts = archive.room_facts(&game, 1, 100).unwrap();
    assert_eq!(facts.len(), room.fact_count() as usize);
    assert_eq!(archive.ended_games(None, 10).unwrap(), [game]);
    for agent in &seats {
        assert_eq!(archive.games_of(agent, None, 10).unwrap(), [game]);
        assert_eq!(archive.games_of(agent, Some(game), 10).unwrap(), []);
    }
    let filed = archive.homologations(&seats[0], 10).unwrap();
    assert_eq!((filed.len(), filed[0].voided_at), (1, None));
    assert_eq!(archive.docket(None, 10).unwrap().len(), 1);
    let hall = hall.restart(0);
    assert!(hall.engine().archive().ended_room(&game).unwrap().is_some());
    assert_eq!(hall.engine().read(|hall| hall.rooms().ended_count()).await, Ok(1));
}

#[tokio::test]
async fn a_hall_with_other_keys_does_not_start_on_the_journal() {
    let hall = TestHall::new();
    let (storage, clock) = (hall.storage.clone(), std::sync::Arc::clone(&hall.clock));
    hall.running.stop().unwrap();
    let error = hall_driver::start(
        hall_driver::StartOptions {
            catalog: hall_games::CATALOG,
            settings: crate::hall::settings(),
            keys: hall_core::HallKeys { log: "other".into(), ring: "other".into() },
            journal: Box::new(MemoryJournal::open(&storage)),
            clock,
            entropy: Box::new(NoEntropy),
            reserve_bytes: 0,
            snapshot_every: 0,
            signing: true,
        },
        Box::new(|_| {}),
    );
    assert!(matches!(error, Err(hall_driver::StartError::OtherKeys)));
}

struct NoEntropy;

impl hall_core::Entropy for NoEntropy {
    fn fill(&mut self, bytes: &mut [u8]) {
        bytes.fill(0);
    }
}

/// Polls a future once.
pub(crate) async fn futures_poll<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    std::future::poll_fn(|context| Poll::Ready(std::pin::Pin::new(&mut *future).poll(context))).await
}
