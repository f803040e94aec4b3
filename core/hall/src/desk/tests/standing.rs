//! Ratings, voided entries and leaderboards.

use super::*;

#[test]
fn both_sides_are_rated_from_the_values_before_the_game() {
    let mut world = World::new();
    let (ada, bob) = (world.player("ada", 1), world.player("bob", 2));
    for _ in 0..5 {
        let game = world.game(ada, bob);
        let before = [ada, bob].map(|agent| rating(&world, agent).unwrap_or(Rating::NEW));
        world.end(game, Some(ada), 1);
        assert_eq!(rating(&world, ada), Some(before[0].after_game(&[(before[1], 2)], 2, 1)));
        assert_eq!(rating(&world, bob), Some(before[1].after_game(&[(before[0], 0)], 0, 1)));
    }
    let record = rating(&world, ada).unwrap();
    assert_eq!((record.wins, record.draws, record.losses, record.strikes), (5, 0, 0, 5));
}

#[test]
fn a_draw_counts_half_for_both() {
    let mut world = World::new();
    let (ada, bob) = (world.player("ada", 1), world.player("bob", 2));
    let game = world.game(ada, bob);
    world.end(game, None, 0);
    for agent in [ada, bob] {
        let rating = rating(&world, agent).unwrap();
        assert_eq!((rating.draws, rating.games_played, rating.rating), (1, 1, 150_000));
    }
}

#[test]
fn an_aborted_game_counts_for_nobody() {
    let mut world = World::new();
    let (ada, bob) = (world.player("ada", 1), world.player("bob", 2));
    let game = world.game(ada, bob);
    let result = GameResult::aborted();
    let seats = seats(&world, game);
    assert_eq!(rate(&world, game, seats, &result), None);
    world.end_unrated(game, result);
    assert_eq!(world.desk.live_games(&ada).count(), 0);
    assert_eq!(rows(&world, &LeaderboardFilter::default()), []);
}

#[test]
fn a_voided_entry_is_not_rated_but_its_rating_counts_for_the_opponent() {
    let mut world = World::new();
    let (ada, bob) = (world.player("ada", 1), world.player("bob", 2));
    let first = world.game(ada, bob);
    world.end(first, Some(bob), 0);
    let before = [ada, bob].map(|agent| rating(&world, agent).unwrap());
    let second = world.game(ada, bob);
    let old = world.desk.standing(&ada, &season("s1"), Division::Open).unwrap().id;
    world.file(ada, Filing { model_id: "model-2".to_string(), ..filing() }).unwrap();
    assert_eq!(rating(&world, ada), None, "standing begins anew");
    assert!(world.desk.homologation(&old).unwrap().voided_at.is_some(), "kept for the live game");
    assert_eq!(rows(&world, &LeaderboardFilter::default()), [(1, bob)], "a voided entry is not ranked");
    world.end(second, Some(bob), 0);
    assert_eq!(rating(&world, ada), None, "the game does not count for the new entry");
    assert_eq!(rating(&world, bob), Some(before[1].after_game(&[(before[0], 2)], 2, 0)));
    assert_eq!(world.desk.homologation(&old), None, "no game holds it any more");
}

#[test]
fn a_game_whose_entries_were_both_voided_counts_for_nobody() {
    let mut world = World::new();
    let (ada, bob) = (world.player("ada", 1), world.player("bob", 2));
    let game = world.game(ada, bob);
    for agent in [ada, bob] {
        world.file(agent, Filing { model_id: "model-2".to_string(), ..filing() }).unwrap();
    }
    let result = GameResult::drawn(Reason::AGREEMENT);
    assert_eq!(rate(&world, game, seats(&world, game), &result), None);
}

#[test]
fn games_for_more_than_two_are_not_rated() {
    let mut world = World::new();
    let (ada, bob) = (world.player("ada", 1), world.player("bob", 2));
    let game = world.game(ada, bob);
    let mut seats = seats(&world, game);
    seats.push(EndedSeat { player: Player::new(2), ..seats[0] });
    let result = GameResult::won_by(Player::new(0), Reason::RESIGNATION);
    assert_eq!(rate(&world, game, seats, &result), None);
}

#[test]
fn the_leaderboard_lists_everybody_with_a_rated_game_in_rank_order() {
    let mut world = World::new();
    let agents = league(&mut world, 6);
    let idle = world.player("idle", 99);
    let rows: Vec<LeaderboardRow<'_>> = world.desk.leaderboard(&LeaderboardFilter::default(), None).collect();
    assert_eq!(rows.len(), agents.len());
    assert!(rows.iter().all(|row| row.agent.id != idle));
    for (place, row) in (1..).zip(&rows) {
        assert_eq!(row.rank, place);
        assert!(row.operator.name.is_some());
        assert_eq!(row.season, &season("s1"));
    }
    let key =
        |row: &LeaderboardRow<'_>| (row.rating.is_provisional(), -row.rating.rating, row.entry.created_at);
    assert!(rows.is_sorted_by_key(key));
    assert!(
        rows.iter().any(|row| row.rating.is_provisional())
            && rows.iter().any(|row| !row.rating.is_provisional())
    );
}

#[test]
fn the_pages_together_are_the_whole_leaderboard() {
    let mut world = World::new();
    league(&mut world, 7);
    let filter = LeaderboardFilter::default();
    let whole = rows(&world, &filter);
    for size in 1..9 {
        let mut pages = Vec::new();
        let mut cursor = None;
        loop {
            let page: Vec<LeaderboardRow<'_>> = world.desk.leaderboard(&filter, cursor).take(size).collect();
            let Some(last) = page.last() else { break };
            let bytes = postcard::to_allocvec(&last.cursor()).unwrap();
            cursor = Some(postcard::from_bytes(&bytes).unwrap());
            pages.extend(page.iter().map(|row| (row.rank, row.agent.id)));
            assert!(pages.len() <= whole.len(), "every page goes on behind the one before");
        }
        assert_eq!(pages, whole, "pages of {size}");
    }
}

#[test]
fn filters_choose_leaderboards_and_the_open_season_is_the_default() {
    let mut world = World::new();
    let agents = league(&mut world, 3);
    let word = |text| Word::parse(text);
    let all = LeaderboardFilter::default();
    let cases = [
        (LeaderboardFilter { game: word("chess"), ..all.clone() }, 3),
        (LeaderboardFilter { game: word("go"), ..all.clone() }, 0),
        (LeaderboardFilter { variant: word("standard"), ..all.clone() }, 3),
        (LeaderboardFilter { variant: word("odd"), ..all.clone() }, 0),
        (LeaderboardFilter { division: Some(Division::Open), ..all.clone() }, 3),
        (LeaderboardFilter { division: Some(Division::Pure), ..all.clone() }, 0),
        (LeaderboardFilter { season: Some(season("s1")), ..all.clone() }, 3),
        (LeaderboardFilter { season: Some(season("s9")), ..all.clone() }, 0),
    ];
    for (filter, expected) in &cases {
        assert_eq!(rows(&world, filter).len(), *expected, "{filter:?}");
    }
    world.govern(Command::Governance(GovernanceCommand::CloseSeason { season: season("s1") }));
    world.govern(Command::Governance(GovernanceCommand::OpenSeason { season: season("s2") }));
    assert_eq!(rows(&world, &all), []);
    let past = LeaderboardFilter { season: Some(season("s1")), ..all };
    assert_eq!(rows(&world, &past).len(), agents.len(), "past seasons stay");
}

#[test]
fn each_leaderboard_has_its_own_ranks() {
    let mut world = World::new();
    let agents = league(&mut world, 2);
    let pure = Filing { division: Division::Pure, tool_access: ToolAccess::Pure, ..filing() };
    let mut joined = None;
    for agent in &agents {
        world.file(*agent, pure.clone()).unwrap();
        let lobby = JoinLobby { division: Division::Pure, ..asked() };
        let Ok(Reply::Joined { game, .. }) =
            world.wish(Caller::Agent(*agent), Command::Desk(DeskCommand::JoinLobby(lobby)))
        else {
            panic!("joined");
        };
        joined = game;
    }
    world.end(joined.unwrap(), Some(agents[0]), 0);
    let ranks: Vec<u64> = rows(&world, &LeaderboardFilter::default()).iter().map(|(rank, _)| *rank).collect();
    assert_eq!(ranks, [1, 2, 1, 2]);
    let first: Vec<_> = world.desk.leaderboard(&LeaderboardFilter::default(), None).take(2).collect();
    let rest = world.desk.leaderboard(&LeaderboardFilter::default(), Some(first[1].cursor()));
    assert_eq!(rest.map(|row| row.rank).collect::<Vec<_>>(), [1, 2], "paging crosses boards");
}

/// Agents that have played many games against each other, and the last two only a few.
fn league(world: &mut World, size: u8) -> Vec<AgentId> {
    world.settings.joins_per_day = 0;
    let agents: Vec<AgentId> = (0..size)
        .map(|number| {
            world.pass(Span::from_millis(1));
            world.player(&format!("agent{number}"), number)
        })
        .collect();
    for round in 0..12 {
        for (number, pair) in (0..).zip(agents.windows(2)) {
            if round > 1 && number + 2 >= usize::from(size) {
                continue;
            }
            let game = world.game(pair[0], pair[1]);
            let winner = [Some(pair[0]), None, Some(pair[1]), Some(pair[0])][(round + number) % 4];
            world.end(game, winner, 0);
        }
    }
    agents
}

fn rating(world: &World, agent: AgentId) -> Option<Rating> {
    let season = world.desk.current_season()?;
    world.desk.standing(&agent, season, Division::Open)?.rating(chess()).copied()
}

fn rows(world: &World, filter: &LeaderboardFilter) -> Vec<(u64, AgentId)> {
    world.desk.leaderboard(filter, None).map(|row| (row.rank, row.agent.id)).collect()
}

fn seats(world: &World, game: GameId) -> Vec<EndedSeat> {
    let seat = |(seat, place): (&hall_rooms::Seat, u8)| EndedSeat {
        player: Player::new(place),
        agent: seat.agent,
        homologation: seat.homologation,
        strikes: 0,
    };
    world.terms(game).seats.iter().zip(0..).map(seat).collect()
}

fn rate(world: &World, game: GameId, seats: Vec<EndedSeat>, result: &GameResult) -> Option<Fact> {
    world.desk.rate(world.at, &EndedGame { game, variant: chess(), seats, result: result.clone() })
}
