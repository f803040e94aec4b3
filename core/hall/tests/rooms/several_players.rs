//! The game with hidden bids: three seats, all to move at the same time, a legal pass, and a die.

use crate::beacon::with_beacon;
use crate::world::{hall_with, settings};
use hall_core::fixtures::{Seeded, World, illegal, submission, wrong_turn};
use hall_core::rooms::{ForcedCause, Phase, Resolution, RoomChange};
use hall_core::{Answer, Caller, Choice, Command, Effect, Fact, HallSettings, Lobby, RoomCommand};
use hall_wire::roll::RollHash;
use hall_wire::{AgentId, GameId, Notation, Player};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::sync::Arc;

struct Round {
    world: World,
    game: GameId,
}

impl Round {
    fn new() -> Self {
        Self::with(settings())
    }

    fn with(settings: HallSettings) -> Self {
        let mut world = hall_with(settings, 5);
        let game_name = {
            use hall_games::Game as _;
            hall_games::sealed_bids::SEALED_BIDS.describe().id
        };
        let agents: Vec<AgentId> = [("ada", 1), ("bob", 2), ("cid", 3)]
            .map(|(name, operator)| world.register(name, operator))
            .into();
        let mut game = None;
        for agent in agents {
            assert_eq!(game, None);
            game = world.join(agent, game_name);
        }
        Self { world, game: game.expect("three agents make a game") }
    }

    fn bid(&mut self, seat: u8, text: &str) -> Answer {
        let (who, bid) = self.bidding(seat, text);
        self.world.ask(who, bid)
    }

    fn bidding(&self, seat: u8, text: &str) -> (Caller, Command) {
        let room = self.world.room(self.game);
        let agent = room.seat(Player::new(seat)).unwrap().seat.agent;
        let request = submission(self.game, room.turn_index(), Notation::parse(text).map(Choice::Notation));
        (Caller::Agent(agent), Command::Room(RoomCommand::Submit(request)))
    }

    fn to_move(&self) -> Vec<u8> {
        self.world.room(self.game).to_move().iter().map(Player::seat).collect()
    }
}

#[test]
fn every_accepted_action_is_a_separate_turn_and_leaves_the_other_deadlines() {
    let mut round = Round::new();
    assert_eq!(round.to_move(), [0, 1, 2]);
    let deadline = round.world.room(round.game).deadline_of(Player::new(2)).unwrap();
    round.world.advance(5_000);
    round.bid(1, "2").unwrap();
    assert_eq!(round.to_move(), [0, 2]);
    assert_eq!(round.world.room(round.game).turn_index(), 1);
    round.world.advance(5_000);
    round.bid(0, "1").unwrap();
    let room = round.world.room(round.game);
    assert_eq!(room.deadline_of(Player::new(2)), Some(deadline));
    assert_eq!(room.deadline_of(Player::new(0)), None);
}

#[test]
fn a_player_yet_to_bid_is_notified_and_rung_for_the_turn_that_another_bid_began() {
    let mut round = Round::new();
    round.world.effects.clear();
    round.bid(0, "1").unwrap();
    let room = round.world.room(round.game);
    let [first, second, third] = [0, 1, 2].map(|seat| room.seat(Player::new(seat)).unwrap().seat.agent);
    let deadline = room.deadline_of(Player::new(1)).unwrap();
    let ring = |agent| Effect::RingDoorbell { agent, game: room.id(), turn_index: 1, deadline };
    let told = |agent| Effect::TurnsChanged { agent };
    assert_eq!(round.world.effects, [told(first), told(second), ring(second), told(third), ring(third)]);
}

#[test]
fn a_missed_deadline_passes_where_passing_is_legal() {
    let mut round = Round::new();
    round.bid(0, "1").unwrap();
    round.world.advance(30_001);
    round.world.sweep();
    let room = round.world.room(round.game);
    let forced: Vec<_> = room.turns().iter().filter(|turn| turn.forced.is_some()).collect();
    assert_eq!(forced.len(), 2, "the two that did not bid");
    for turn in forced {
        assert_eq!(turn.forced, Some(ForcedCause::Deadline));
        assert_eq!(turn.notation.unwrap().as_str(), "pass");
    }
    assert_eq!(room.seats()[0].strikes, 0);
}

#[test]
fn a_pass_waits_for_the_beacon_only_where_it_leads_to_a_roll_of_the_die() {
    for (bids, waits) in [(["2", "2"], true), (["1", "2"], false)] {
        let mut round = Round::with(with_beacon());
        for (seat, bid) in (0..).zip(bids) {
            round.bid(seat, bid).unwrap();
        }
        let forced = |round: &mut Round| {
            round.world.sweep();
            let room = round.world.room(round.game);
            (room.phase(), room.turns().last().unwrap().forced)
        };
        round.world.advance(30_001);
        let at_once =
            if waits { (Phase::AwaitingBeacon, None) } else { (Phase::Playing, Some(ForcedCause::Deadline)) };
        assert_eq!(forced(&mut round), at_once, "{bids:?}");
        round.world.advance(10_000);
        assert_eq!(forced(&mut round), (Phase::Playing, Some(ForcedCause::Deadline)), "{bids:?}");
    }
}

#[test]
fn whole_games_with_ties_and_dice_come_to_an_end_and_are_not_rated() {
    let mut round = Round::new();
    for _ in 0..500 {
        let Some(&seat) = round.to_move().first() else { break };
        round.bid(seat, "3").unwrap();
    }
    let room = round.world.room(round.game);
    assert!(room.result().is_some(), "all-equal bids are decided by the die");
    let lobby: Vec<Lobby> = round.world.hall.desk().lobbies().map(|(lobby, _)| lobby).collect();
    assert!(lobby.is_empty() || round.world.hall.desk().waiting_count() == 0);
    let saved = serde_json::to_string(&room.save()).unwrap();
    let saved = serde_json::from_str(&saved).unwrap();
    let restored = hall_core::rooms::Room::restore(saved, &crate::world::CATALOG).unwrap();
    assert_eq!(restored.position().save(), room.position().save());
}

#[test]
fn a_sealed_move_is_visible_to_its_player_and_to_all_after_the_game() {
    let mut round = Round::new();
    round.bid(0, "2").unwrap();
    let (owner, other) = (Player::new(0), Player::new(1));
    let known = |round: &Round, viewer| {
        let room = round.world.room(round.game);
        let turn = room.turns().get(0).expect("a bid is a turn");
        let told = room.turn_for(viewer, &turn);
        assert_eq!(told.san.is_some(), told.notation.is_some() && turn.san.is_some());
        told.notation.map(|bid| bid.to_string())
    };
    assert_eq!(known(&round, None), None);
    assert_eq!(known(&round, Some(other)), None);
    assert_eq!(known(&round, Some(owner)).as_deref(), Some("2"));
    // A game may have a second way to write its moves, which tells as much.
    let room = round.world.room(round.game);
    let written =
        hall_core::rooms::ResolvedTurn { san: Notation::parse("B2"), ..room.turns().get(0).unwrap() };
    assert_eq!(room.turn_for(Some(other), &written).san, None);
    assert_eq!(room.turn_for(Some(owner), &written).san, written.san);

    // There are so few bids that the hash of the signed body would tell which one it was.
    let last = illegal(round.bid(1, "99")).last_move.expect("a turn is resolved");
    assert_eq!((last.player, last.notation, last.body_sha256), (Some(owner), None, None));
    let own = wrong_turn(round.bid(0, "1")).your_last.expect("it has moved");
    assert_eq!(own.notation.map(|bid| bid.to_string()).as_deref(), Some("2"));
    let brief = round.world.room(round.game).brief_for(Some(owner), &own);
    assert_eq!((brief.notation, brief.body_sha256), (own.notation, own.body_sha256));
    assert!(own.body_sha256.is_some(), "it was signed");

    while let Some(&seat) = round.to_move().first() {
        round.bid(seat, "3").unwrap();
    }
    assert_eq!(known(&round, None).as_deref(), Some("2"));
    assert_eq!(known(&round, Some(other)).as_deref(), Some("2"));
}

/// Rolls as they were recorded when a die was cast, some of them rejected and the first perhaps for the choice of the
/// move. With so few sides no hall takes a rejected one in any time that could be waited for.
#[derive(Clone, Debug)]
struct Recorded {
    chooses: bool,
    rolls: Vec<RollHash>,
    shown: u64,
}

const SIDES: u64 = 6;

fn recorded() -> impl Strategy<Value = Recorded> {
    let rejected = || prop::collection::vec(any::<u64>(), 0..3);
    (prop::option::of(0_u64..4), rejected(), 0..SIDES, rejected()).prop_map(
        |(chosen, before, shown, after)| {
            let before = before.into_iter().map(|x| (x, None)).chain(chosen.map(|value| (0, Some(value))));
            let die = after.into_iter().map(|x| (x, None)).chain([(1, Some(shown))]);
            let roll = |(counter, (x, value))| RollHash { counter, n: SIDES, x, value };
            Recorded {
                chooses: chosen.is_some(),
                rolls: (0..).zip(before.chain(die)).map(roll).collect(),
                shown,
            }
        },
    )
}

/// Three bid the same, so that a die is cast; what a hall then reads of recorded rolls, each bent before, is what the
/// die shows (decisions 6.2 and 6.4).
fn read_back(
    Recorded { chooses, rolls, shown }: Recorded,
    bend: impl Fn(&mut Resolution),
) -> Result<(), TestCaseError> {
    let mut round = Round::new();
    round.bid(0, "3").unwrap();
    round.bid(1, "3").unwrap();
    let (who, bid) = round.bidding(2, "3");
    let (now, hall) = (round.world.now, &mut round.world.hall);
    for mut fact in hall.decide(now, now, who, &bid, &mut Seeded::new(9)).facts {
        if let Fact::Room(fact) = &mut fact
            && let RoomChange::MovePlayed(resolution) = &mut Arc::make_mut(fact).change
        {
            assert_eq!(resolution.rolls.len(), 1, "a die is cast");
            (resolution.chosen_at_random, resolution.rolls) = (chooses, rolls.clone());
            bend(resolution);
        }
        hall.apply(&fact);
    }
    let public = round.world.room(round.game).position().public();
    prop_assert_eq!(public["dice"][0].as_u64(), Some(shown));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn a_die_shows_the_recorded_roll_that_was_neither_rejected_nor_chose_the_move(rolls in recorded()) {
        read_back(rolls, |_| ())?;
    }
}

#[test]
fn a_hall_that_reads_a_rejected_draw_or_the_one_that_chose_the_move_is_noticed() {
    let passes = |bend: fn(&mut Resolution)| {
        TestRunner::deterministic().run(&recorded(), |rolls| read_back(rolls, bend)).is_ok()
    };
    // Rejected hashes are handed out as if they had been taken.
    assert!(!passes(|it| it
        .rolls
        .iter_mut()
        .for_each(|roll| roll.value = roll.value.or(Some(roll.x % SIDES)))));
    assert!(!passes(|it| it.chosen_at_random = false));
}
