//! Lobbies, pairing, seats and the sweep.

use super::*;
use hall_games::Game;
use hall_wire::message;

#[test]
fn the_second_agent_is_paired_at_once_and_neither_waits_any_longer() {
    let mut world = World::new();
    let (ada, bob) = (world.player("ada", 1), world.player("bob", 2));
    assert_eq!(world.join(ada), Ok(None));
    assert_eq!(world.desk.lobbies().collect::<Vec<_>>(), [(lobby(), 1)]);
    let since = world.facts.len();
    let game = world.join(bob).unwrap().unwrap();
    assert_eq!(world.kinds_since(since), ["joined", "room"]);
    assert_eq!(world.desk.waiting_count(), 0);
    for agent in [ada, bob] {
        assert_eq!(world.desk.live_games(&agent).collect::<Vec<_>>(), [game]);
        let joins = world.desk.joins_left(&agent, world.at, &world.settings);
        assert_eq!(joins, Some(49), "a join that pairs at once is spent as well");
    }
}

#[test]
fn a_game_pins_the_standing_entries_and_the_games_own_clocks() {
    let mut world = World::new();
    let (ada, bob) = (world.player("ada", 1), world.player("bob", 2));
    let game = world.game(ada, bob);
    let terms = world.terms(game).clone();
    for seat in &terms.seats {
        let entry = world.desk.standing(&seat.agent, &season("s1"), Division::Open).unwrap();
        assert_eq!(seat.homologation, entry.id);
        assert_eq!(Some(seat.key), world.desk.agent(&seat.agent).map(|agent| agent.key));
    }
    let chess = hall_games::CHESS.describe();
    assert_eq!((terms.timing.move_time, terms.timing.side_time), (chess.move_time, Some(chess.side_time)));
    assert_eq!((terms.season, terms.division), (season("s1"), Division::Open));
}

#[test]
fn a_join_is_refused_in_the_documented_order_and_spends_nothing() {
    let mut world = World::new();
    world.settings.joins_per_day = 1;
    world.settings.concurrent_games = 1;
    let (ada, bob) = (world.player("ada", 1), world.player("bob", 2));
    let eve = world.register("eve", 3);
    let ask = |game: &str, variant: &str, division| {
        Command::Desk(DeskCommand::JoinLobby(JoinLobby {
            game: game.to_string(),
            variant: variant.to_string(),
            division,
        }))
    };
    let game = world.game(ada, bob);
    let midnight = Span::from_millis(u64::try_from(DAY / 2).unwrap());
    for (who, what, rejection) in [
        (eve, ask("shogi", "odd", Division::Open), Rejection::GameUnknown),
        (eve, ask("a name that is too long for a game", "odd", Division::Open), Rejection::GameUnknown),
        (eve, ask("chess", "odd", Division::Open), Rejection::VariantUnknown),
        (eve, ask("chess", "", Division::Open), Rejection::VariantUnknown),
        (eve, ask("chess", "standard", Division::Open), Rejection::NotHomologated),
        (ada, ask("chess", "standard", Division::Pure), Rejection::NotHomologated),
        (ada, ask("chess", "standard", Division::Open), Rejection::QuotaConcurrent),
    ] {
        assert_eq!(world.wish(Caller::Agent(who), what), Err(rejection));
    }
    world.end(game, Some(ada), 0);
    assert_eq!(world.join(ada), Err(Rejection::QuotaJoins { retry_after: midnight }));
    world.govern(Command::Governance(GovernanceCommand::SuspendAgent {
        handle: handle("eve"),
        reason: "r".to_string(),
    }));
    let answer = world.wish(Caller::Agent(eve), ask("shogi", "odd", Division::Open));
    assert_eq!(answer, Err(Rejection::AgentSuspended));
    let unknown = Caller::Agent(AgentId::from_bytes([9; 16]));
    assert_eq!(
        world.wish(unknown, Command::Desk(DeskCommand::JoinLobby(asked()))),
        Err(Rejection::AgentNotFound)
    );
}

#[test]
fn an_agent_that_already_waits_is_refused_before_its_quotas_are_checked() {
    let mut world = World::new();
    world.settings.joins_per_day = 1;
    let ada = world.player("ada", 1);
    world.join(ada).unwrap();
    assert_eq!(world.join(ada), Err(Rejection::AlreadyInLobby));
    assert_eq!(world.desk.joins_left(&ada, world.at, &world.settings), Some(0));
}

#[test]
fn the_join_quota_restarts_at_utc_midnight() {
    let mut world = World::new();
    world.settings.joins_per_day = 2;
    let ada = world.player("ada", 1);
    world.at = Timestamp::from_millis(NOON + DAY / 2 - 1);
    for _ in 0..2 {
        world.join(ada).unwrap();
        world.leave(ada).unwrap();
    }
    assert_eq!(world.join(ada), Err(Rejection::QuotaJoins { retry_after: Span::from_millis(1) }));
    world.pass(Span::from_millis(1));
    assert_eq!(world.join(ada), Ok(None));
    assert_eq!(world.desk.joins_left(&ada, world.at, &world.settings), Some(1));
}

#[test]
fn zero_means_no_quota_and_no_cap() {
    let mut world = World::new();
    world.settings.joins_per_day = 0;
    world.settings.concurrent_games = 0;
    let (ada, bob) = (world.player("ada", 1), world.player("bob", 2));
    for _ in 0..60 {
        world.game(ada, bob);
    }
    assert_eq!(world.desk.live_games(&ada).count(), 60);
    assert_eq!(world.desk.joins_left(&ada, world.at, &world.settings), None);
}

#[test]
fn an_agent_can_leave_only_a_lobby_that_it_is_in() {
    let mut world = World::new();
    let ada = world.player("ada", 1);
    assert_eq!(world.leave(ada), Err(Rejection::NotInLobby));
    world.join(ada).unwrap();
    assert_eq!(world.leave(ada), Ok(Reply::Left { lobby: lobby() }));
    assert_eq!(world.leave(ada), Err(Rejection::NotInLobby));
    let unknown = Command::Desk(DeskCommand::LeaveLobby(JoinLobby { game: "shogi".to_string(), ..asked() }));
    assert_eq!(world.wish(Caller::Agent(ada), unknown), Err(Rejection::GameUnknown));
}

#[test]
fn agents_of_one_operator_never_meet_and_an_outsider_plays_the_one_that_has_waited_longest() {
    let mut world = World::new();
    let ring: Vec<AgentId> = (0..5).map(|number| world.player(&format!("ring{number}"), 1)).collect();
    for agent in &ring {
        assert_eq!(world.join(*agent), Ok(None));
    }
    let eve = world.player("eve", 2);
    let game = world.join(eve).unwrap().unwrap();
    assert!(world.terms(game).seats.iter().any(|seat| seat.agent == ring[0]));
    assert_eq!(world.desk.waiting_count(), 4);
}

#[test]
fn lobbies_do_not_mix() {
    let mut world = World::new();
    let pure = Filing { division: Division::Pure, tool_access: ToolAccess::Pure, ..filing() };
    let (ada, bob) = (world.player("ada", 1), world.register("bob", 2));
    world.file(bob, pure).unwrap();
    assert_eq!(world.join(ada), Ok(None));
    let join = Command::Desk(DeskCommand::JoinLobby(JoinLobby { division: Division::Pure, ..asked() }));
    assert_eq!(
        world.wish(Caller::Agent(bob), join).map(|reply| matches!(reply, Reply::Joined { game: None, .. })),
        Ok(true)
    );
    assert_eq!(world.desk.waiting_count(), 2);
}

#[test]
fn an_agent_at_its_cap_is_passed_over_until_one_of_its_games_ends() {
    let mut world = World::new();
    world.settings.concurrent_games = 1;
    let (ada, bob, eve) = (world.player("ada", 1), world.player("bob", 2), world.player("eve", 3));
    let pure = Filing { division: Division::Pure, tool_access: ToolAccess::Pure, ..filing() };
    world.file(ada, pure.clone()).unwrap();
    world.file(bob, pure).unwrap();
    // Ada waits in both lobbies and is paired in one.
    assert_eq!(world.join(ada), Ok(None));
    let pure_lobby =
        || Command::Desk(DeskCommand::JoinLobby(JoinLobby { division: Division::Pure, ..asked() }));
    world.wish(Caller::Agent(ada), pure_lobby()).unwrap();
    let Ok(Reply::Joined { game: Some(game), .. }) = world.wish(Caller::Agent(bob), pure_lobby()) else {
        panic!("ada and bob are paired");
    };
    assert_eq!(world.join(eve), Ok(None), "ada has as many games as it may");
    world.pass(world.settings.sweep_every);
    assert_eq!(world.sweep(), 1, "nothing but that there was nothing");
    world.end(game, None, 0);
    world.pass(world.settings.sweep_every);
    assert_eq!(world.sweep(), 2, "a game, then nothing more");
    assert_eq!(world.desk.live_games(&eve).count(), 1);
    assert_eq!(world.desk.waiting_count(), 0);
}

#[test]
fn a_raised_cap_lets_a_sweep_pair_everybody_in_bounded_steps() {
    let mut world = World::new();
    let mut agents = Vec::new();
    for number in 0..8 {
        agents.push(world.player(&format!("agent{number}"), number));
    }
    world.settings.concurrent_games = 1;
    let games: Vec<GameId> = agents.chunks(2).map(|pair| world.game(pair[0], pair[1])).collect();
    let pure = Filing { division: Division::Pure, tool_access: ToolAccess::Pure, ..filing() };
    for agent in &agents {
        world.file(*agent, pure.clone()).unwrap();
    }
    for game in games {
        world.end(game, None, 0);
    }
    world.settings.concurrent_games = 0;
    for agent in &agents {
        world.join(*agent).unwrap();
    }
    world.pass(world.settings.sweep_every);
    world.sweep();
    assert_eq!(world.desk.waiting_count(), 0);
}

#[test]
fn a_sweep_is_due_after_its_time_and_not_a_millisecond_before() {
    let mut world = World::new();
    assert_eq!(world.sweep(), 1, "the first is due at once");
    assert_eq!(world.desk.next_sweep(&world.settings), world.at + Span::from_secs(300));
    world.pass(Span::from_millis(299_999));
    assert_eq!(world.sweep(), 0);
    world.pass(Span::from_millis(1));
    assert_eq!(world.sweep(), 1);
    world.settings.sweep_every = Span::ZERO;
    assert_eq!(world.sweep(), 0, "a sweep never follows itself at the same time");
}

#[test]
fn the_agent_with_fewer_first_seats_goes_first_and_a_hash_breaks_the_tie() {
    let mut world = World::new();
    world.settings.joins_per_day = 0;
    let names = ["ada", "bob", "eve"];
    let agents: Vec<AgentId> =
        (1..).zip(names).map(|(operator, name)| world.player(name, operator)).collect();
    let mut had = BTreeMap::new();
    for round in 0..30 {
        let (one, two) = (agents[round % 3], agents[(round + 1 + round / 3 % 2) % 3]);
        let game = world.game(one, two);
        let seats = &world.terms(game).seats;
        let rank = |place: usize| {
            let seat = &seats[place];
            (had.get(&seat.agent).copied().unwrap_or(0), message::seat_hash(&game, &seat.handle))
        };
        assert!(rank(0) < rank(1), "round {round}");
        let first = seats[0].agent;
        *had.entry(first).or_insert(0) += 1;
        world.end(game, Some(one), 0);
    }
}

#[test]
fn a_game_for_three_takes_three_operators() {
    let mut world = World::new();
    world.catalog = Catalog::new(&[&ThreeSeats]);
    let agents: Vec<AgentId> =
        [("ada", 1), ("adb", 1), ("bob", 2)].map(|(name, operator)| world.player(name, operator)).into();
    let eve = world.player("eve", 3);
    let join = |world: &mut World, agent| {
        let lobby = JoinLobby { game: "triple".to_string(), ..asked() };
        match world.wish(Caller::Agent(agent), Command::Desk(DeskCommand::JoinLobby(lobby))) {
            Ok(Reply::Joined { game, .. }) => game,
            other => panic!("{other:?}"),
        }
    };
    for agent in &agents {
        assert_eq!(join(&mut world, *agent), None);
    }
    let game = join(&mut world, eve).unwrap();
    let mut seated: Vec<AgentId> = world.terms(game).seats.iter().map(|seat| seat.agent).collect();
    let mut expected = [agents[0], agents[2], eve];
    seated.sort();
    expected.sort();
    assert_eq!(seated, expected);
}

#[test]
fn hundreds_of_one_operator_may_wait_and_an_outsider_is_paired_at_once() {
    let mut world = World::new();
    let mut desk = Desk::default();
    desk.apply(&Fact::Governance(GovernanceFact::SeasonOpened { at: world.at, season: season("s1") }));
    let mut looked = Vec::new();
    for number in 0..300_u16 {
        let agent = world.decide(
            Caller::Hall,
            &Command::Desk(DeskCommand::RegisterAgent(new_agent(&format!("a{number:04}"), 1))),
        );
        agent.facts.iter().for_each(|fact| desk.apply(fact));
        let Ok(Reply::Registered { agent, .. }) = agent.answer else { panic!("not registered") };
        looked.push(agent);
    }
    for agent in looked {
        let who = Caller::Agent(agent);
        for what in [
            Command::Desk(DeskCommand::FileHomologation { agent, filing: filing() }),
            Command::Desk(DeskCommand::JoinLobby(asked())),
        ] {
            let context = DeskContext {
                at: world.at,
                settings: &world.settings,
                catalog: &world.catalog,
                wording: as_data,
            };
            let decision = decide(&desk, &context, who, &what, &mut world.entropy);
            assert!(decision.answer.is_ok());
            decision.facts.iter().for_each(|fact| desk.apply(fact));
        }
    }
    desk.check();
    assert_eq!(desk.waiting_count(), 300);
    world.desk = desk;
    let eve = world.player("eve", 2);
    assert!(world.join(eve).unwrap().is_some());
}

/// Chess with a third chair, of which only the description matters here.
#[derive(Debug)]
struct ThreeSeats;

impl Game for ThreeSeats {
    fn describe(&self) -> hall_games::Description {
        hall_games::Description {
            id: "triple",
            players: hall_games::PlayerCount::exactly(3),
            ..hall_games::CHESS.describe()
        }
    }

    fn open(
        &self,
        variant: &str,
        _seats: u8,
    ) -> Result<alloc::boxed::Box<dyn hall_games::Position>, hall_games::SetupRefused> {
        hall_games::CHESS.open(variant, 2)
    }

    fn restore(
        &self,
        saved: &str,
    ) -> Result<alloc::boxed::Box<dyn hall_games::Position>, hall_games::UnreadablePosition> {
        hall_games::CHESS.restore(saved)
    }

    fn rules_card(&self) -> hall_wire::json::Value {
        hall_games::CHESS.rules_card()
    }

    fn how_to(&self) -> hall_wire::json::Value {
        hall_games::CHESS.how_to()
    }
}
