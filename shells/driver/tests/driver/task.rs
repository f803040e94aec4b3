//! The writer as a task on the caller's runtime.

use crate::hall::{Disk, HeldJournal, settings};
use hall_core::{Caller, Command, DeskCommand, Division, Entropy, GovernanceCommand, JoinLobby, Rejection};
use hall_driver::{Driven, HallClock, ManualClock, Pause, StartOptions};
use hall_journal::{MemoryJournal, MemoryStorage};
use hall_wire::Timestamp;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;
use tokio::sync::oneshot;

struct Zeros;

impl Entropy for Zeros {
    fn fill(&mut self, bytes: &mut [u8]) {
        bytes.fill(0);
    }
}

fn driven(disk: &Arc<Disk>) -> Driven {
    let clock: Arc<dyn HallClock> = Arc::new(ManualClock::new(Timestamp::from_millis(1_795_000_000_000)));
    let inner = MemoryJournal::open(&MemoryStorage::new());
    let options = StartOptions {
        catalog: hall_games::CATALOG,
        settings: settings(),
        keys: hall_core::fixtures::keys(),
        journal: Box::new(HeldJournal { inner, disk: Arc::clone(disk) }),
        clock,
        entropy: Box::new(Zeros),
        reserve_bytes: 0,
        snapshot_every: 0,
        signing: true,
    };
    Driven::open(options, None).unwrap()
}

/// A command that is refused, because the hall itself may not join: the tests only need it to be decided.
fn refused() -> Command {
    Command::Desk(DeskCommand::JoinLobby(JoinLobby {
        game: "go".into(),
        variant: "standard".into(),
        division: Division::Open,
    }))
}

#[tokio::test(start_paused = true)]
async fn a_stopping_writer_continues_until_the_shells_have_finished() {
    let disk = Arc::new(Disk::default());
    let mut driven = driven(&disk);
    let engine = driven.engine().clone();
    let (stop, stopped) = oneshot::channel::<()>();
    let asking = {
        let engine = engine.clone();
        async move {
            stopped.await.unwrap();
            tokio::time::sleep(Duration::from_secs(3)).await;
            let late = engine.submit(engine.arrive(), Caller::Hall, refused()).await;
            assert!(matches!(late, Ok(Err(Rejection::NotYourAgent))), "{late:?}");
        }
    };
    stop.send(()).unwrap();
    driven.run(asking, async |_| {}).await.unwrap();
    let after = engine.submit(engine.arrive(), Caller::Hall, refused()).await;
    assert!(after.is_err(), "{after:?}");
    driven.end().unwrap();
}

#[tokio::test(start_paused = true)]
async fn no_waiting_caller_gets_an_answer_when_the_journal_fails() {
    let disk = Arc::new(Disk::default());
    let mut driven = driven(&disk);
    let engine = driven.engine().clone();
    disk.fail();
    let command = Command::Governance(GovernanceCommand::OpenSeason {
        season: hall_core::SeasonId::parse("s2").unwrap(),
    });
    let mut pending = engine.enqueue(engine.arrive(), Caller::Operator, command).unwrap();
    driven.run(std::future::pending(), async |_| {}).await.unwrap_err();
    assert!(pending.take().is_none());
}

#[tokio::test(start_paused = true)]
async fn readers_wait_until_what_they_saw_is_durable_and_answers_until_it_is_released() {
    let disk = Arc::new(Disk::default());
    let mut driven = driven(&disk);
    let engine = driven.engine().clone();
    let command = Command::Governance(GovernanceCommand::OpenSeason {
        season: hall_core::SeasonId::parse("s2").unwrap(),
    });
    let mut answer = engine.enqueue(engine.arrive(), Caller::Operator, command).unwrap();
    let mut reading = Some(Box::pin(engine.read(hall_core::Hall::clock)));
    let mut cx = Context::from_waker(Waker::noop());
    let mut moments = Vec::new();
    let stop = tokio::time::sleep(Duration::from_millis(1));
    let pause = async |pause| {
        let has_read = reading.take_if(|reading| reading.as_mut().poll(&mut cx).is_ready()).is_some();
        moments.push((pause, has_read, answer.take().is_some()));
    };
    driven.run(stop, pause).await.unwrap();
    let expected = [
        (Pause::BeforeAppend, false, false),
        (Pause::AfterAppend, false, false),
        (Pause::BeforeRelease, true, false),
    ];
    assert_eq!(moments, expected);
    assert!(answer.take().is_some());
}
