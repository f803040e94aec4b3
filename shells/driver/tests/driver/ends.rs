//! Ended games in the order of their end, and their ratings: written with the end, or at the next start.

use crate::hall::{TestHall, moving};
use hall_core::desk::Rating;
use hall_core::rooms::Room;
use hall_core::{
    AdapterKind, Caller, Command, DeskCommand, Division, Fact, Filing, GameVerdict, JoinLobby, Reply,
    RoomCommand, ToolAccess,
};
use hall_driver::tables;
use hall_driver::{Archive, EndOrder, EndRange, Ended, JournalEntry, RatedGame, RecentEnds};
use hall_journal::{Batch, Journal as _, KeyRange, MemoryJournal, MemoryStorage, Row, Table};
use hall_wire::{AgentId, Digest, GameId, Span};

const TABLES: [Table; 3] = [tables::ENDED_GAMES, tables::AGENT_ENDS, tables::RATED_GAMES];

type Rows = Vec<(Table, Vec<u8>, Vec<u8>)>;

fn rows_in(storage: &MemoryStorage) -> Rows {
    let reader = MemoryJournal::open(storage).reader();
    let rows = |table| reader.rows(table, KeyRange::all(), false, usize::MAX).unwrap();
    TABLES
        .iter()
        .flat_map(|table| rows(*table).into_iter().map(|(key, value)| (*table, key, value)))
        .collect()
}

/// Removes the rows of every record from `record` on, as if an older release had written those records.
fn forget_from(storage: &MemoryStorage, record: u64) {
    let mut journal = MemoryJournal::open(storage);
    let gone =
        |key: &[u8]| u64::from_be_bytes(key[key.len() - 12..key.len() - 4].try_into().unwrap()) >= record;
    let rows = rows_in(storage);
    let games: Vec<Vec<u8>> = rows
        .iter()
        .filter(|(table, key, _)| *table == tables::ENDED_GAMES && gone(key))
        .map(|(.., value)| value.clone())
        .collect();
    let lost =
        rows.into_iter().filter(
            |(table, key, _)| {
                if *table == tables::RATED_GAMES { games.contains(key) } else { gone(key) }
            },
        );
    let rows = lost.map(|(table, key, _)| Row { table, key, value: None }).collect();
    journal.append(&Batch { records: Vec::new(), rows }).unwrap();
}

/// The records of the journal in which a game ended.
fn ending_records(storage: &MemoryStorage) -> Vec<u64> {
    let records = MemoryJournal::open(storage).reader().records(1, usize::MAX).unwrap();
    let ends = |fact: &Fact| {
        fact.in_room().is_some_and(|fact| matches!(fact.change, hall_core::rooms::RoomChange::Ended { .. }))
    };
    let entries = records.iter().map(|record| (record.seq, JournalEntry::decode(&record.bytes).unwrap()));
    entries.filter(|(_, entry)| entry.facts.iter().any(ends)).map(|(seq, _)| seq).collect()
}

async fn paired(hall: &TestHall, agents: [AgentId; 2]) -> (GameId, [AgentId; 2]) {
    assert_eq!(hall.join(agents[0]).await, None);
    let game = hall.join(agents[1]).await.unwrap();
    let seats = hall.engine().peek(|hall| {
        let room = hall.rooms().find(&game).unwrap();
        [room.seats()[0].seat.agent, room.seats()[1].seat.agent]
    });
    (game, seats)
}

async fn resign(hall: &TestHall, game: GameId, seats: [AgentId; 2]) {
    let turn_index = hall.engine().peek(|hall| hall.rooms().find(&game).unwrap().turn_index());
    let Command::Room(RoomCommand::Submit(mut resignation)) = moving(game, turn_index, "e2e4") else {
        unreachable!()
    };
    (resignation.choice, resignation.resign) = (None, true);
    let who = Caller::Agent(seats[turn_index as usize % 2]);
    hall.granted(who, Command::Room(RoomCommand::Submit(resignation))).await;
}

async fn file_anew(hall: &TestHall, agent: AgentId) {
    let filing = Filing {
        season_id: "current".into(),
        division: Division::Open,
        model_id: "another model".into(),
        adapter_kind: AdapterKind::Api,
        endpoint_url: None,
        system_prompt_sha256: Digest::of(b"prompt"),
        config_sha256: Digest::of(b"config"),
        tool_access: ToolAccess::Pure,
    };
    hall.granted(Caller::Agent(agent), Command::Desk(DeskCommand::FileHomologation { agent, filing })).await;
}

/// Three agents, and games that end in a different order than they began: by resignation, unrated, under a new entry.
async fn played() -> (TestHall, Vec<GameId>, [AgentId; 3]) {
    let hall = TestHall::new();
    let agents =
        [hall.register("ada", 1).await, hall.register("bob", 2).await, hall.register("cyd", 3).await];
    let [ada, bob, cyd] = agents;
    let (first, first_seats) = paired(&hall, [ada, bob]).await;
    let (second, second_seats) = paired(&hall, [cyd, ada]).await;
    hall.clock.advance(Span::from_millis(5));
    resign(&hall, second, second_seats).await;
    hall.play(first, &first_seats, "e2e4").await;
    resign(&hall, first, first_seats).await;
    let (aborted, _) = paired(&hall, [bob, cyd]).await;
    let verdict = Command::Room(RoomCommand::Adjudicate {
        game: aborted,
        verdict: GameVerdict::Abort,
        reason: "a test".to_owned(),
    });
    hall.granted(Caller::Operator, verdict).await;
    file_anew(&hall, ada).await;
    let (last, last_seats) = paired(&hall, [ada, cyd]).await;
    hall.clock.advance(Span::from_millis(1_000));
    resign(&hall, last, last_seats).await;
    (hall, vec![second, first, aborted, last], agents)
}

fn games(ends: &[Ended]) -> Vec<GameId> {
    ends.iter().map(|end| end.game).collect()
}

fn seat_of(rated: &RatedGame, agent: AgentId) -> (Rating, Rating) {
    let seat = rated.seats.iter().find(|seat| seat.agent == agent).unwrap();
    (seat.before, seat.after)
}

#[tokio::test]
async fn ends_are_read_in_their_order_for_the_hall_and_for_each_agent() {
    let (hall, order, [ada, bob, cyd]) = played().await;
    let archive = hall.engine().archive();
    let all = archive.ends(EndRange::default(), EndOrder::OldestFirst, 10).unwrap();
    assert_eq!(games(&all), order);
    for end in &all {
        let room = archive.ended_room(&end.game).unwrap().unwrap();
        assert_eq!(Some(end.key.ended_at()), room.ended_at());
    }
    assert_eq!(games(&archive.latest_ends(&ada, 10).unwrap()), [order[3], order[1], order[0]]);
    assert_eq!(games(&archive.latest_ends(&bob, 1).unwrap()), [order[2]]);
    let range = EndRange { after: Some(all[0].key), ..EndRange::default() };
    let of_cyd = archive.ends_of(&cyd, range, EndOrder::OldestFirst, 10).unwrap();
    assert_eq!(games(&of_cyd), [order[2], order[3]]);
}

#[tokio::test]
async fn a_list_reads_the_outline_of_an_ended_game_or_of_an_older_hall_the_game() {
    let (hall, order, _) = played().await;
    // A new reader has no game in memory.
    let hall = hall.restart(0);
    let archive = hall.engine().archive();
    let outlines: Vec<_> = order.iter().map(|game| archive.ended_outline(game).unwrap().unwrap()).collect();
    for (game, outline) in order.iter().zip(&outlines) {
        assert!(outline.turns().is_empty());
        let room = archive.ended_room(game).unwrap().unwrap();
        let shown = |room: &Room| (room.id(), room.seats().to_vec(), room.result().cloned(), room.ended_at());
        assert_eq!(shown(outline), shown(&room));
    }

    let hall = hall.restart(0);
    let mut journal = MemoryJournal::open(&hall.storage);
    let keys = journal.reader().keys(tables::GAME_OUTLINES, KeyRange::all(), false, 10).unwrap();
    assert_eq!(keys.len(), order.len());
    let rows = keys.into_iter().map(|key| Row { table: tables::GAME_OUTLINES, key, value: None }).collect();
    journal.append(&Batch { records: Vec::new(), rows }).unwrap();
    let whole = hall.engine().archive().ended_outline(&order[1]).unwrap().unwrap();
    assert_eq!(whole.turns().len(), 2, "a move and the resignation");
}

#[tokio::test]
async fn an_agent_that_has_asked_for_its_newest_ends_is_told_them_from_memory() {
    let hall = TestHall::new();
    let [ada, bob] = [hall.register("ada", 1).await, hall.register("bob", 2).await];
    assert_eq!(hall.engine().recent_ends(&ada).unwrap(), RecentEnds::default());
    let (game, seats) = paired(&hall, [ada, bob]).await;
    resign(&hall, game, seats).await;
    let archive = hall.engine().archive();
    let known = hall.engine().recent_ends(&ada).unwrap();
    let told: Vec<_> = known.recent.iter().map(|end| (Some(end.ended), &end.result)).collect();
    let room = archive.ended_room(&game).unwrap().unwrap();
    assert_eq!(told, [(archive.latest_ends(&ada, 1).unwrap().pop(), room.result().unwrap())]);
    forget_from(&hall.storage, 0);
    assert_eq!(archive.latest_ends(&ada, 1).unwrap(), []);
    assert_eq!(hall.engine().recent_ends(&ada).unwrap(), known);
    assert_eq!(hall.engine().latest_end(&ada).unwrap(), known.latest);
    assert_eq!(
        hall.engine().recent_ends(&bob).unwrap(),
        RecentEnds::default(),
        "who asks first is told from disk"
    );
}

#[tokio::test]
async fn a_rated_game_has_the_ratings_before_and_after_and_an_aborted_one_has_none() {
    let (hall, order, [ada, bob, cyd]) = played().await;
    let rated = |game: usize| hall.engine().archive().rated_game(&order[game]).unwrap();
    let (first, second, last) = (rated(0).unwrap(), rated(1).unwrap(), rated(3).unwrap());
    assert!(rated(2).is_none());
    assert_eq!(seat_of(&first, ada).0, Rating::NEW);
    assert_eq!(seat_of(&second, ada).0, seat_of(&first, ada).1);
    assert_eq!(seat_of(&second, bob).0, Rating::NEW);
    assert_eq!(seat_of(&last, ada).0, Rating::NEW, "a new entry starts with a new rating");
    assert_eq!(seat_of(&last, cyd).0, seat_of(&first, cyd).1);
    let now = hall.engine().peek(|hall| {
        let entry = &last.seats.iter().find(|seat| seat.agent == cyd).unwrap().homologation;
        hall.desk().rating_before(entry, last.variant)
    });
    assert_eq!(seat_of(&last, cyd).1, now);
}

#[tokio::test]
async fn missing_end_rows_are_written_at_the_next_start_from_wherever_they_stop() {
    let (mut hall, order, _) = played().await;
    hall.running.stop().unwrap();
    let written = rows_in(&hall.storage);
    assert_eq!(written.len(), 4 + 8 + 3);
    let mut from = ending_records(&hall.storage);
    assert_eq!(from.len(), order.len());
    from.push(0);
    for record in from {
        forget_from(&hall.storage, record);
        assert!(rows_in(&hall.storage).len() < written.len());
        hall = TestHall::on(hall.storage, hall.clock, 0);
        hall.running.stop().unwrap();
        assert!(rows_in(&hall.storage) == written, "from record {record} on");
    }
}

#[tokio::test]
async fn a_start_rewrites_no_existing_row() {
    let (hall, ..) = played().await;
    let storage = hall.storage.clone();
    let hall = hall.restart(0);
    let rows = rows_in(&storage);
    let archive: &Archive = hall.engine().archive();
    assert_eq!(archive.ends(EndRange::default(), EndOrder::OldestFirst, 10).unwrap().len(), 4);
    let hall = hall.restart(1);
    assert!(rows_in(&storage) == rows);
    let Reply::Joined { .. } = join_again(&hall).await else { panic!("the hall goes on") };
}

async fn join_again(hall: &TestHall) -> Reply {
    let agent = hall.register("dan", 4).await;
    let lobby = JoinLobby { game: "chess".into(), variant: "standard".into(), division: Division::Open };
    hall.granted(Caller::Agent(agent), Command::Desk(DeskCommand::JoinLobby(lobby))).await
}
