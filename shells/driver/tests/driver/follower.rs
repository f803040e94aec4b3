//! A process that follows applies the same facts, shows them to the same readers, and can become the writer.

use crate::hall::{TestHall, moving};
use hall_core::fixtures::filing;
use hall_core::{Caller, Command, DeskCommand, Division, Filing, Hall, Reply, RoomReply};
use hall_driver::{
    CommitFeed, Commits, Committed, DrainOver, Driven, Engine, Feed, FollowError, Follower, Lead, LeadOptions,
};
use hall_driver::{EndOrder, EndRange};
use hall_driver::{ManualClock, Next, PendingAnswer, Unavailable};
use hall_journal::{Batch, Head, Journal, JournalError, JournalReader, MemoryJournal};
use hall_wire::{AgentId, GameId, Span};
use std::future::Future as _;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Waker};

async fn batch(feed: &mut CommitFeed) -> Arc<Committed> {
    match feed.next().await {
        Commits::Batch(batch) => batch,
        other => panic!("{other:?}"),
    }
}

/// Applies what the leader has made durable so far.
async fn follow(follower: &mut Follower, feed: &mut CommitFeed, leader: &Engine) {
    let durable = leader.status().durable_seq;
    while follower.head().seq < durable {
        follower.apply(&*batch(feed).await).unwrap();
    }
}

fn digest(engine: &Engine) -> hall_wire::Digest {
    engine.peek(Hall::digest)
}

/// Steps until nothing is left to do at this time.
fn settle(driven: &mut Driven) {
    while !matches!(driven.step().unwrap(), Next::Wait(_)) {}
}

/// A hall with a game, whose writer is driven by hand, and a process that follows it.
async fn pair() -> (Driven, CommitFeed, Follower, Arc<ManualClock>, (GameId, [AgentId; 2])) {
    let hall = TestHall::new();
    let game = hall.game().await;
    let storage = hall.storage.clone();
    let (mut leader, clock, _) = hall.by_hand();
    settle(&mut leader);
    let feed = leader.engine().watch_commits();
    let follower = TestHall::follower_of(&storage, &clock);
    (leader, feed, follower, clock, game)
}

#[tokio::test]
async fn a_follower_has_the_digest_of_its_leader_at_every_record() {
    let (mut leader, mut feed, mut follower, _, (game, seats)) = pair().await;
    assert_eq!(digest(&follower.engine()), digest(leader.engine()));
    // An agent that has asked once is told from memory.
    assert_eq!(follower.engine().recent_ends(&seats[0]).unwrap().latest, None);
    for (turn, text) in (0..).zip("f2f3 e7e5 g2g4 d8h4".split(' ')) {
        play(&mut leader, (game, seats[usize::from(turn % 2 == 1)]), turn, text);
        let engine = leader.engine().clone();
        follow(&mut follower, &mut feed, &engine).await;
        assert_eq!(digest(&follower.engine()), digest(&engine));
    }
    let ends = |engine: &Engine| engine.recent_ends(&seats[0]).unwrap();
    assert_eq!(ends(&follower.engine()).recent[0].ended.game, game);
    assert_eq!(ends(&follower.engine()), ends(leader.engine()), "the leader reads its journal");
    // The game leaves memory.
    settle(&mut leader);
    let engine = leader.engine().clone();
    follow(&mut follower, &mut feed, &engine).await;
    assert!(engine.peek(|hall| hall.rooms().find(&game).is_none()));
    assert_eq!(digest(&follower.engine()), digest(&engine));
    leader.end().unwrap();
}

#[tokio::test]
async fn events_turns_and_checkpoints_come_at_a_follower_when_it_applies_them() {
    let (mut leader, mut feed, mut follower, clock, (game, seats)) = pair().await;
    let engine = follower.engine();
    let (mut events, mut turns) = (engine.subscribe(game), engine.watch_turns(seats[1]));
    play(&mut leader, (game, seats[0]), 0, "e2e4");
    let mut cx = Context::from_waker(Waker::noop());
    assert!(pin!(turns.changed()).poll(&mut cx).is_pending(), "not before it is applied here");
    assert_eq!(turn_of(&engine, game), 0);
    let leading = leader.engine().clone();
    follow(&mut follower, &mut feed, &leading).await;
    assert_eq!(turn_of(&engine, game), 1);
    assert!(pin!(turns.changed()).poll(&mut cx).is_ready());
    assert!(matches!(events.next().await, Feed::Event(told) if told.fact.game == game));
    // The leaves of the move are signed within a second.
    clock.advance(Span::from_millis(900));
    settle(&mut leader);
    assert_ne!(engine.log().newest(), leading.log().newest());
    follow(&mut follower, &mut feed, &leading).await;
    assert_eq!(engine.log().newest(), leading.log().newest());
    leader.end().unwrap();
}

#[tokio::test]
async fn a_follower_that_signs_nothing_publishes_no_checkpoint_of_its_leader_before_it_is_told_to() {
    let hall = TestHall::new();
    let (game, seats) = hall.game().await;
    let storage = hall.storage.clone();
    let (mut leader, clock, _) = hall.by_hand();
    settle(&mut leader);
    let mut feed = leader.engine().watch_commits();
    let mut follower = TestHall::follower_that(false, &storage, &clock);
    let (engine, leading) = (follower.engine(), leader.engine().clone());
    let before = engine.log().newest();
    play(&mut leader, (game, seats[0]), 0, "e2e4");
    clock.advance(Span::from_millis(900));
    settle(&mut leader);
    follow(&mut follower, &mut feed, &leading).await;
    assert_ne!(leading.log().newest(), before);
    assert_eq!(engine.log().newest(), before, "it may contradict what was published here");
    engine.begin_signing();
    assert_eq!(engine.log().newest(), leading.log().newest());
    leader.end().unwrap();
}

fn turn_of(engine: &Engine, game: GameId) -> u32 {
    engine.peek(|hall| hall.rooms().find(&game).unwrap().turn_index())
}

#[tokio::test]
async fn what_was_missed_is_read_from_the_journal_and_nothing_is_applied_twice() {
    let (mut leader, mut feed, mut follower, _, (game, seats)) = pair().await;
    play(&mut leader, (game, seats[0]), 0, "e2e4");
    let first = batch(&mut feed).await;
    play(&mut leader, (game, seats[1]), 1, "e7e5");
    let second = batch(&mut feed).await;
    assert!(matches!(follower.apply(&second), Err(FollowError::Gap { .. })), "the first is missing");
    follower.catch_up(second.head.seq).unwrap();
    let state = digest(&follower.engine());
    follower.apply(&first).unwrap();
    follower.apply(&second).unwrap();
    assert_eq!((follower.head(), digest(&follower.engine())), (second.head, state));
    leader.end().unwrap();
}

#[tokio::test]
async fn an_end_that_the_journal_holds_is_shown_when_it_is_applied_here() {
    let (mut leader, mut feed, mut follower, _, (game, seats)) = pair().await;
    let engine = follower.engine();
    let shown = || {
        let archive = engine.archive();
        let room = archive.ended_room(&game).unwrap();
        let ends = archive.ends(EndRange::default(), EndOrder::NewestFirst, 9).unwrap();
        let of_seat = archive.latest_ends(&seats[0], 9).unwrap();
        assert_eq!(ends, of_seat);
        (room.is_some(), ends.len(), engine.latest_end(&seats[1]).unwrap().is_some())
    };
    for (turn, text) in (0..).zip("f2f3 e7e5 g2g4 d8h4".split(' ')) {
        play(&mut leader, (game, seats[usize::from(turn % 2 == 1)]), turn, text);
    }
    settle(&mut leader);
    assert!(leader.engine().archive().ended_room(&game).unwrap().is_some());
    assert_eq!(shown(), (false, 0, false), "this process is at the first turn still");
    let leading = leader.engine().clone();
    follow(&mut follower, &mut feed, &leading).await;
    assert_eq!(shown(), (true, 1, true));
    leader.end().unwrap();
}

#[tokio::test]
async fn what_an_agent_has_filed_is_shown_when_it_is_applied_here() {
    let (mut leader, mut feed, mut follower, clock, (_, seats)) = pair().await;
    let (engine, agent) = (follower.engine(), seats[0]);
    let filed = || {
        let entries = engine.archive().homologations(&agent, 9).unwrap();
        entries.iter().map(|entry| entry.voided_at.is_some()).collect::<Vec<_>>()
    };
    clock.advance(Span::from_secs(1));
    let filing = Filing { division: Division::Open, model_id: "another".to_owned(), ..filing() };
    let what = Command::Desk(DeskCommand::FileHomologation { agent, filing });
    let leading = leader.engine().clone();
    let pending = leading.enqueue(leading.arrive(), Caller::Agent(agent), what).unwrap();
    settled(&mut leader, pending).unwrap().unwrap();
    assert_eq!(filed(), [false], "this process has the first entry still");
    follow(&mut follower, &mut feed, &leading).await;
    assert_eq!(filed(), [true, false]);
    leader.end().unwrap();
}

#[tokio::test]
async fn another_history_is_refused() {
    let (mut leader, mut feed, mut follower, _, (game, seats)) = pair().await;
    play(&mut leader, (game, seats[0]), 0, "e2e4");
    let mut forged = (*batch(&mut feed).await).clone();
    // The record says the same, in other bytes.
    forged.records.last_mut().unwrap().push(b' ');
    let before = (follower.head(), digest(&follower.engine()));
    assert!(matches!(follower.apply(&forged), Err(FollowError::Diverged { .. })));
    assert_eq!((follower.head(), digest(&follower.engine())), before);
    leader.end().unwrap();
}

fn settled(driven: &mut Driven, mut answer: PendingAnswer) -> Result<hall_core::Answer, Unavailable> {
    loop {
        let _: Next = driven.step().unwrap();
        if let Some(answer) = answer.take() {
            return answer;
        }
    }
}

/// A move sent to a process that leads.
fn play(driven: &mut Driven, (game, agent): (GameId, AgentId), turn: u32, text: &str) -> u32 {
    let engine = driven.engine().clone();
    let answer = engine.enqueue(engine.arrive(), Caller::Agent(agent), moving(game, turn, text)).unwrap();
    match settled(driven, answer).unwrap().unwrap() {
        Reply::Room(RoomReply::MoveTaken { turn_index, .. }) => turn_index,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_follower_leads_when_the_leader_has_died_and_nobody_pays_for_the_time_between() {
    let hall = TestHall::new();
    let (game, seats) = hall.game().await;
    hall.play(game, &seats, "e2e4").await;
    let follower = hall.followed();
    hall.play(game, &seats, "e7e5").await;
    // The leader dies: nothing that it does from here on counts.
    let (storage, clock) = (hall.storage.clone(), Arc::clone(&hall.clock));
    clock.advance(Span::from_secs(7));
    let deadline_before = hall.engine().peek(|hall| hall.rooms().find(&game).unwrap().deadline().unwrap());
    let engine = follower.engine();
    assert_eq!(engine.lead(), Lead::Nowhere);
    let mut driven = follower.lead(TestHall::lead_options(&storage), None).unwrap();
    assert_eq!(engine.lead(), Lead::Here);
    assert_eq!(turn_of(&engine, game), 2, "it has read the journal to its end");
    let deadline = engine.peek(|hall| hall.rooms().find(&game).unwrap().deadline().unwrap());
    assert!(deadline >= deadline_before);
    assert_eq!(deadline, engine.now() + Span::from_secs(60));
    assert_eq!(play(&mut driven, (game, seats[0]), 2, "g1f3"), 2);
    // The old leader wakes up: its next append is refused, and it answers nobody.
    let old = hall.engine().clone();
    let late = old.enqueue(old.arrive(), Caller::Agent(seats[1]), moving(game, 3, "b8c6")).unwrap();
    assert!(hall.running.stop().is_err());
    let mut late = late;
    assert!(late.take().is_none() && late.is_given_up());
    assert_eq!(hall.failures.lock().unwrap().len(), 1);
    driven.end().unwrap();
}

#[tokio::test]
async fn a_leader_hands_over_and_follows() {
    let hall = TestHall::new();
    let (game, seats) = hall.game().await;
    hall.play(game, &seats, "e2e4").await;
    let storage = hall.storage.clone();
    let (mut first, clock, _) = hall.by_hand();
    let second = TestHall::follower_of(&storage, &clock);
    assert_eq!(play(&mut first, (game, seats[1]), 1, "e7e5"), 1);
    let old = first.engine().clone();
    let waiting = old.enqueue(old.arrive(), Caller::Agent(seats[0]), moving(game, 2, "g1f3")).unwrap();
    first.hand_over().unwrap();
    let mut first = first.follow().unwrap();
    let mut waiting = waiting;
    assert!(matches!(waiting.take(), Some(Ok(Ok(_)))), "what was accepted is decided before");
    let refused = old.enqueue(old.arrive(), Caller::Agent(seats[0]), moving(game, 4, "d2d4"));
    assert!(matches!(refused, Err(Unavailable::NoLeader)));
    let mut second = second.lead(TestHall::lead_options(&storage), None).unwrap();
    assert_eq!(play(&mut second, (game, seats[1]), 3, "b8c6"), 3);
    first.catch_up(second.engine().status().durable_seq).unwrap();
    assert_eq!(digest(&old), digest(second.engine()));
    second.end().unwrap();
}

/// A journal of which this process was the writer, up to this record; another one has taken it over since.
struct TakenOver {
    inner: MemoryJournal,
    head: Head,
}

impl Journal for TakenOver {
    fn head(&self) -> Head {
        self.head
    }

    fn append(&mut self, _: &Batch) -> Result<Head, JournalError> {
        Err(JournalError::Fenced)
    }

    fn reader(&self) -> Arc<dyn JournalReader> {
        self.inner.reader()
    }

    fn free_bytes(&self) -> Result<Option<u64>, JournalError> {
        Ok(None)
    }

    fn close(self: Box<Self>) -> Result<(), JournalError> {
        Ok(())
    }
}

#[tokio::test]
async fn who_stands_still_between_taking_the_journal_and_leading_finds_out_that_it_was_replaced() {
    let hall = TestHall::new();
    let (game, seats) = hall.game().await;
    let storage = hall.storage.clone();
    let (mut leader, clock, _) = hall.by_hand();
    settle(&mut leader);
    let follower = TestHall::follower_of(&storage, &clock);
    let journal = TakenOver { inner: MemoryJournal::open(&storage), head: follower.head() };
    play(&mut leader, (game, seats[0]), 0, "e2e4");
    let options = LeadOptions { journal: Box::new(journal), ..TestHall::lead_options(&storage) };
    let refused = follower.lead(options, None).map(drop).unwrap_err().to_string();
    assert_eq!(refused, "another writer has taken the journal over");
    leader.end().unwrap();
}

#[tokio::test]
async fn a_drain_ends_when_the_lead_is_handed_over() {
    let hall = TestHall::new();
    hall.game().await;
    let storage = hall.storage.clone();
    let (mut first, clock, _) = hall.by_hand();
    let engine = first.engine().clone();
    {
        let mut drain = pin!(engine.drain());
        assert!(drain.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        settle(&mut first);
        assert!(drain.poll(&mut Context::from_waker(Waker::noop())).is_ready());
    }
    first.hand_over().unwrap();
    let first = first.follow().unwrap();
    assert!(!engine.is_draining() && !engine.wants_drain(), "it follows a hall that does not drain");
    assert_eq!(engine.live_games_after(1).await, Err(DrainOver::LeadMoved));
    let second =
        TestHall::follower_of(&storage, &clock).lead(TestHall::lead_options(&storage), None).unwrap();
    second.end().unwrap();
    let mut first = first;
    first.catch_up(MemoryJournal::open(&storage).head().seq).unwrap();
    let mut first = first.lead(TestHall::lead_options(&storage), None).unwrap();
    settle(&mut first);
    assert!(!engine.is_draining(), "nobody has asked the new leader to drain");
    first.end().unwrap();
}

#[tokio::test]
async fn a_slow_commit_before_a_hand_over_is_not_charged_when_the_same_process_leads_again() {
    let hall = TestHall::new();
    let (game, seats) = hall.game().await;
    let storage = hall.storage.clone();
    let (mut first, clock, disk) = hall.by_hand();
    let engine = first.engine().clone();
    let _moved = engine.enqueue(engine.arrive(), Caller::Agent(seats[0]), moving(game, 0, "e2e4")).unwrap();
    disk.be_slow_once(&clock, Span::from_secs(3));
    first.hand_over().unwrap();
    let mut first = first.follow().unwrap().lead(TestHall::lead_options(&storage), None).unwrap();
    play(&mut first, (game, seats[1]), 1, "e7e5");
    let clocks = first.engine().peek(|hall| hall.rooms().find(&game).unwrap().clocks());
    assert_eq!(clocks.unwrap(), [Span::from_secs(2_400), Span::from_secs(2_400)]);
    first.end().unwrap();
}

#[tokio::test]
async fn a_player_whose_penalty_waits_for_the_beacon_at_a_hand_over_is_not_told_that_nothing_was_done() {
    let hall = TestHall::with_beacon();
    let (game, seats) = hall.game().await;
    let (mut first, _, _) = hall.by_hand();
    let engine = first.engine().clone();
    let mut illegal = || {
        let pending =
            engine.enqueue(engine.arrive(), Caller::Agent(seats[0]), moving(game, 0, "e2e5")).unwrap();
        first.step().unwrap();
        pending
    };
    for _ in 0..2 {
        illegal().take().unwrap().unwrap().unwrap_err();
    }
    let mut held = illegal();
    assert_eq!(held.take(), None, "it waits for the round");
    first.hand_over().unwrap();
    let first = first.follow().unwrap();
    assert_eq!(held.take(), Some(Err(Unavailable::Unknown)));
    drop(first);
}
