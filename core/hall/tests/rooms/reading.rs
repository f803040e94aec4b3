//! What only shells ask a hall for: the lists, words and states that are served, against the specification.

use crate::world::{hall_with, settings};
use hall_core::desk::{Bell, Doorbell, DoorbellState, PendingBell};
use hall_core::fixtures::{World, key_of, registration};
use hall_core::rooms::{ChallengeText, Phase, Room, Rooms};
use hall_core::{
    BeaconChain, Caller, Command, DeskCommand, Division, GameVariant, GameVerdict, GovernanceCommand,
    HallSettings, Lobby, NewAgent, RoomCommand, SeasonId, TurnBrief, Withheld, Word,
};
use hall_wire::{AgentId, Digest, GameId, Notation, OperatorId, Player, Span, Timestamp};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::collections::BTreeSet;

#[test]
fn the_name_of_an_operator_is_withheld_from_all_its_agents_and_never_comes_back() {
    let mut world = hall_with(settings(), 1);
    let register = |world: &mut World, name: &str, operator| {
        let new =
            NewAgent { operator_name: Some(format!("named by {name}")), ..registration(name, operator) };
        world.granted(Caller::Hall, Command::Desk(DeskCommand::RegisterAgent(new)));
    };
    ["ada", "bob"].into_iter().for_each(|name| register(&mut world, name, 1));
    register(&mut world, "eve", 2);
    let names = |world: &World| {
        [1, 2].map(|operator| {
            world.hall.desk().operator(&OperatorId::from_bytes([operator; 16])).unwrap().name.clone()
        })
    };
    assert_eq!(names(&world), [Some("named by ada".into()), Some("named by eve".into())]);
    let (what, reason) = (Withheld::Agent(AgentId::of_key(&key_of("bob"))), "a reason".to_owned());
    world.granted(Caller::Operator, Command::Governance(GovernanceCommand::Withhold { what, reason }));
    assert_eq!(names(&world), [None, Some("named by eve".into())]);
    register(&mut world, "cat", 1);
    assert_eq!(names(&world), [None, Some("named by eve".into())], "only the first agent names an operator");
}

/// The phases of a view (decision 5.9) and the states of a doorbell (decision 9.1).
#[test]
fn phases_and_doorbell_states_have_their_documented_names() {
    let phases = [Phase::Playing, Phase::AwaitingBeacon, Phase::Ended].map(Phase::as_str);
    assert_eq!(phases, ["playing", "awaiting_beacon", "ended"]);
    use DoorbellState::{None, Pending, Suspended, Verified};
    let states = [None, Pending, Verified, Suspended].map(DoorbellState::as_str);
    assert_eq!(states, ["none", "pending", "verified", "suspended"]);
}

proptest! {
    #[test]
    fn a_season_has_a_name_of_1_to_32_characters_that_is_not_current(
        name in prop_oneof![
            9 => "[a-z0-9A-Zé_ -]{0,4}",
            9 => "[a-z0-9_-]{30,34}",
            1 => Just("current".to_owned()),
        ],
    ) {
        let lower = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
        let is_name = name.starts_with(lower)
            && name.chars().all(|letter| lower(letter) || letter == '_' || letter == '-')
            && name.chars().count() <= 32
            && name != "current";
        let found = SeasonId::parse(&name).map(|season| season.to_string());
        prop_assert_eq!(found, is_name.then_some(name));
    }
}

/// Doorbells whose state is not the one of the specification: an address waits until its challenge is too old; then it is
/// as if it had never been registered.
fn wrong_states(state_at: impl Fn(&Doorbell, Timestamp) -> DoorbellState) -> Vec<(Doorbell, Timestamp)> {
    let (start, expires) = (Timestamp::from_millis(0), Timestamp::from_millis(1_795_000_300_000));
    let (url, challenge) = (Box::<str>::from("https://a.example"), ChallengeText("0".repeat(64)));
    let mut wrong = Vec::new();
    for has_pending in [false, true] {
        for suspended in [None, Some(false), Some(true)] {
            let (url, challenge) = (url.clone(), challenge.clone());
            let bell = suspended.map(|suspended| Bell {
                url: url.clone(),
                challenge: challenge.clone(),
                verified_at: start,
                suspended,
                failures_in_row: 0,
                last: None,
            });
            let pending = has_pending.then_some(PendingBell { url, challenge, expires });
            let doorbell = Doorbell { pending, bell, ..Doorbell::default() };
            let without = match suspended {
                None => DoorbellState::None,
                Some(false) => DoorbellState::Verified,
                Some(true) => DoorbellState::Suspended,
            };
            let before = if has_pending { DoorbellState::Pending } else { without };
            let early = Span::from_millis(1);
            for (at, expected) in [(expires - early, before), (expires, without), (expires + early, without)]
            {
                if state_at(&doorbell, at) != expected {
                    wrong.push((doorbell.clone(), at));
                }
            }
        }
    }
    wrong
}

#[test]
fn an_address_waits_until_its_challenge_is_too_old() {
    assert_eq!(wrong_states(Doorbell::state_at), []);
    let longer = |doorbell: &Doorbell, at| doorbell.state_at(at - Span::from_millis(1));
    assert_ne!(wrong_states(longer), [], "a doorbell that waits a millisecond longer");
}

/// Briefs that tell too much or too little: a sealed move and the hash of its body are told to its player, and to all
/// at the end (decision 7).
fn wrong_briefs(
    brief: impl Fn(&Room, Option<Player>, &TurnBrief) -> TurnBrief,
) -> Vec<(TurnBrief, TurnBrief)> {
    let mut world = hall_with(settings(), 5);
    let agents = [("ada", 1), ("bob", 2), ("cid", 3)].map(|(name, operator)| world.register(name, operator));
    let game = agents.map(|agent| world.join(agent, "sealed_bids"))[2].expect("three agents make a game");
    let mut wrong = Vec::new();
    for is_over in [false, true] {
        let room = world.room(game);
        for (seat, bid, body) in [(0, "1", true), (1, "3", false), (2, "pass", true)] {
            let turn = TurnBrief {
                turn_index: u32::from(seat),
                player: Some(Player::new(seat)),
                notation: Notation::parse(bid),
                forced: None,
                body_sha256: body.then(|| Digest::of(b"a bid")),
            };
            for viewer in [None, Some(0), Some(1), Some(2), Some(3)] {
                let sealed = TurnBrief { notation: None, body_sha256: None, ..turn };
                let expected = if is_over || viewer == Some(seat) { turn } else { sealed };
                let found = brief(&room, viewer.map(Player::new), &turn);
                wrong.extend((found != expected).then_some((expected, found)));
            }
        }
        if !is_over {
            let (verdict, reason) = (GameVerdict::Draw, "a reason".to_owned());
            let end = Command::Room(RoomCommand::Adjudicate { game, verdict, reason });
            world.granted(Caller::Operator, end);
        }
    }
    wrong
}

#[test]
fn a_brief_shows_a_sealed_turn_to_its_player_and_to_all_at_the_end() {
    assert_eq!(wrong_briefs(Room::brief_for), []);
    assert_ne!(wrong_briefs(|_, _, turn| *turn), [], "too much");
    assert_ne!(wrong_briefs(|room, _, turn| room.brief_for(None, turn)), [], "too little");
    let hash = |room: &Room, viewer, turn: &TurnBrief| TurnBrief {
        body_sha256: turn.body_sha256,
        ..room.brief_for(viewer, turn)
    };
    assert_ne!(wrong_briefs(hash), [], "the hash, of which there are few");
}

/// A hall in which pairs sit down one after the other, some games are broken off, two of one operator wait, and the
/// words of some are withheld.
#[derive(Clone, Debug)]
struct Evening {
    /// How long before the start the beacon began, and the time between its rounds.
    genesis: u64,
    period: u64,
    /// The time before each game, and whether it is aborted immediately.
    games: [(u64, bool); 4],
    /// Who of the last two waits in the open and the pure division.
    waits: [[bool; 2]; 2],
    withheld: [bool; 6],
}

fn evenings() -> impl Strategy<Value = Evening> {
    let game = || (1_u64..=4_000, prop::bool::weighted(0.3));
    let games = [game(), game(), game(), game()];
    (0_u64..100_000, 1_u64..=6_000, games, any::<[[bool; 2]; 2]>(), any::<[bool; 6]>()).prop_map(
        |(genesis, period, games, waits, withheld)| Evening { genesis, period, games, waits, withheld },
    )
}

/// The games from the youngest on (decision 1.7), by what is given for it; the rounds that are awaited (decision 6.1),
/// who waits, and what is withheld.
fn compare_lists(
    Evening { genesis, period, games, waits, withheld }: Evening,
    before: impl Fn(&Rooms, Option<&GameId>) -> Vec<GameId>,
) -> Result<(), TestCaseError> {
    let genesis = Timestamp::from_millis(1_795_000_000_000) - Span::from_millis(genesis);
    let chain =
        BeaconChain { chain_hash: Digest::of(b"a chain"), genesis, period: Span::from_millis(period) };
    let settings = HallSettings { beacon: Some(chain), joins_per_day: 0, concurrent_games: 0, ..settings() };
    let mut world = hall_with(settings, 5);
    let names = [("ada", 1), ("bob", 2), ("cid", 3), ("dan", 4), ("eve", 5), ("fay", 5)];
    let agents = names.map(|(name, operator)| world.register(name, operator));
    agents.iter().for_each(|agent| world.file(*agent, Division::Pure));
    let (mut listed, mut awaited) = (Vec::new(), BTreeSet::new());
    for ((pause, is_broken_off), [one, two]) in games.into_iter().zip([[0, 1], [2, 3], [1, 0], [3, 1]]) {
        world.advance(pause);
        assert_eq!(world.join(agents[one], "chess"), None);
        let game = world.join(agents[two], "chess").expect("two agents are paired");
        listed.insert(0, game);
        if is_broken_off {
            let (verdict, reason) = (GameVerdict::Abort, "a reason".to_owned());
            world.granted(Caller::Operator, Command::Room(RoomCommand::Adjudicate { game, verdict, reason }));
        } else {
            let due = (world.now + Span::from_secs(3)).since(genesis).as_millis();
            awaited.insert((0..).find(|before| before * period >= due).unwrap() + 1);
        }
    }
    let rooms = world.hall.rooms();
    prop_assert_eq!(before(rooms, None), &*listed);
    for (place, game) in listed.iter().enumerate() {
        prop_assert_eq!(before(rooms, Some(game)), &listed[place + 1..]);
    }
    let found: Vec<u64> = rooms.awaited_rounds().map(|terms| terms.round).collect();
    prop_assert_eq!(found, awaited.into_iter().collect::<Vec<_>>());
    let word = |text| Word::parse(text).unwrap();
    let variant = GameVariant { game: word("chess"), variant: word("standard") };
    let mut count = 0;
    for (division, waits) in [Division::Open, Division::Pure].into_iter().zip(waits) {
        let waiting: BTreeSet<AgentId> =
            agents[4..].iter().zip(waits).filter(|(_, waits)| *waits).map(|(agent, _)| *agent).collect();
        for agent in &waiting {
            assert_eq!(world.join_in(*agent, "chess", division), None, "both are of one operator");
        }
        count += waiting.len();
        let found: Vec<AgentId> =
            world.hall.desk().waiting_in(Lobby { variant, division }).copied().collect();
        prop_assert_eq!(found.len(), waiting.len());
        prop_assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), waiting);
        prop_assert_eq!(world.hall.desk().waiting_count(), count);
    }
    let mut expected = BTreeSet::new();
    for (agent, _) in agents.iter().zip(withheld).filter(|(_, withheld)| *withheld) {
        let (what, reason) = (Withheld::Agent(*agent), "a reason".to_owned());
        world.granted(Caller::Operator, Command::Governance(GovernanceCommand::Withhold { what, reason }));
        expected.insert(what);
    }
    prop_assert_eq!(world.hall.desk().withheld().copied().collect::<BTreeSet<_>>(), expected);
    Ok(())
}

fn ids(rooms: &Rooms, before: Option<&GameId>) -> Vec<GameId> {
    rooms.before(before).map(|room| room.id()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn games_rounds_waiting_agents_and_withheld_words_are_listed(evening in evenings()) {
        compare_lists(evening, ids)?;
    }
}

#[test]
fn a_list_that_starts_with_the_oldest_game_or_includes_the_cursor_is_noticed() {
    let passes = |before: fn(&Rooms, Option<&GameId>) -> Vec<GameId>| {
        TestRunner::deterministic().run(&evenings(), |evening| compare_lists(evening, before)).is_ok()
    };
    assert!(!passes(|rooms, _| rooms.iter().map(|room| room.id()).collect()));
    assert!(!passes(|rooms, _| ids(rooms, None)));
}
