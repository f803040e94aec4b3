//! Scripted worlds: each rule once, where a random world would seldom go.

use super::random::Chaos;
use super::world::*;
use hall_core::rooms::BeaconTerms;
use hall_core::*;
use hall_core::{DeskCommand, GovernanceCommand, HallCommand, RoomCommand, RoomRejection, RoomReply};
use hall_wire::{AgentId, Digest, FeedbackId, GameId, Handle, OperatorId, Player, Signature, Span};
use std::collections::BTreeSet;

const DAY: u64 = 86_400_000;

/// A world played by hand, under its name.
type Script = (&'static str, fn() -> World);

pub(super) const ALL: &[Script] = &[
    ("endings on the board", endings),
    ("the only legal move", only_move),
    ("random games to the end", quiet_games),
    ("offers of a draw", offers),
    ("illegal moves", illegal_moves),
    ("illegal moves that wait", held_penalties),
    ("missed deadlines", missed_deadlines),
    ("refused admissions", refused_admissions),
    ("quotas at midnight", quotas),
    ("pairing", pairing),
    ("hundreds of games in a gap", many_games),
    ("a season of ratings", league),
    ("requests that overtake each other", early_stamps),
    ("checkpoints, keys and words", log_and_words),
];

#[test]
fn every_scripted_world_is_followed_and_together_they_meet_everything() {
    let mut seen = BTreeSet::new();
    for (name, script) in ALL {
        let world = script();
        assert!(world.steps > 8, "{name} has {} steps", world.steps);
        seen.extend(world.seen);
    }
    let mut chaos = Chaos::new(31);
    (0..3_000).for_each(|_| chaos.step());
    seen.extend(chaos.world.seen);
    for kind in
        REJECTIONS.split_whitespace().chain(FACTS.split_whitespace()).chain(REASONS.split_whitespace())
    {
        assert!(seen.contains(kind), "nothing has led to {kind}");
    }
}

const REJECTIONS: &str = "AgentSuspended AgentNotFound OperatorNotFound NotYourAgent HandleTaken KeyAlreadyRegistered
    SeasonNotFound SeasonAlreadyOpen SeasonNameUsed DivisionMismatch GameUnknown VariantUnknown NotHomologated
    AlreadyInLobby NotInLobby QuotaConcurrent QuotaJoins FeedbackQuota GameNotFound NotSeated BodySignatureInvalid
    GameNotLive WrongTurn IllegalMove NoDrawOffer MoveMissing PlayerUnknown NothingToChange";
const FACTS: &str = "SettingsSet KeyPublished AgentRegistered HomologationFiled SeasonOpened SeasonClosed LobbyJoined
    LobbyLeft LobbiesSwept GameRated GameArchived CheckpointTaken TextWithheld Stopped FeedbackPosted DocketEntered AgentRestored
    OperatorSuspended OperatorRestored Started MovePlayed IllegalAttempted StrikeGiven DrawOffered DrawDeclined
    DeadlineExtended PenaltyDeferred BeaconSettled Ended Deferred DeferredAnswer";
const REASONS: &str =
    "checkmate stalemate fifty_moves threefold_repetition insufficient_material agreement resignation
    clock strikes adjudicated aborted";

fn two(rules: HallSettings, seed: u64) -> (World, AgentId, AgentId) {
    let mut world = World::new(rules, seed);
    let (ada, bob) = (world.player("ada", 1), world.player("bob", 2));
    (world, ada, bob)
}

fn endings() -> World {
    let (mut world, ada, bob) = two(HallSettings { joins_per_day: 0, ..rules() }, 1);
    let dance = "g1f3 g8f6 f3g1 f6g8 ";
    let stalemate =
        "e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 h2h4 a6h6 a5c7 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 b8c8 f7g6 c8e6";
    // En passant makes another position only where a legal capture exists.
    let capturable = format!("a2a4 h7h5 a4a5 b7b5 {dance}{dance}");
    let nobody_beside = format!("e2e4 {}", "g8f6 g1f3 f6g8 f3g1 ".repeat(2));
    let castling = "e2e4 d7d5 e4d5 d8d5 g1f3 c8g4 f1e2 b8c6 e1g1 e8c8 f1e1 d5h5";
    let promotion = "a2a4 b7b5 a4b5 a7a6 b5a6 b8c6 a6a7 a8b8 a7b8q c6b8";
    // The pawn that could take e.p. is pinned, so nothing distinguishes the position from its later occurrences.
    let pinned = format!("e2e4 e7e5 f2f4 e5f4 e4e5 d8e7 a2a3 d7d5 {}", "g1f3 b8c6 f3g1 c6b8 ".repeat(2));
    for (moves, ends) in [
        ("f2f3 e7e5 g2g4 d8h4", true),
        (dance.repeat(2).as_str(), true),
        (stalemate, true),
        (capturable.as_str(), false),
        (nobody_beside.as_str(), true),
        (pinned.as_str(), true),
        ("a2a4 h7h5 a4a5 b7b5 a5b6", false),
        (castling, false),
        (promotion, false),
    ] {
        let game = world.game(ada, bob);
        world.play(game, moves);
        assert_eq!(world.hall.rooms().find(&game).unwrap().result().is_some(), ends, "{moves}");
        if !ends {
            let request = world.request(game, "a1a1");
            let player = world.hall.rooms().find(&game).unwrap().to_move().iter().next().unwrap();
            world.send(world.agent(game, player.seat()), MoveSubmission { resign: true, ..request }).unwrap();
        }
        world.ask(Caller::Hall, Command::Hall(HallCommand::ArchiveGame { game })).unwrap();
    }
    world
}

/// What concerns the log: checkpoints of the right size and of others, keys that follow one another, and words that are
/// withheld, each as it should be and as it should not.
fn log_and_words() -> World {
    let (mut world, ada, bob) = two(rules(), 29);
    let game = world.game(ada, bob);
    let cut = |size| Command::Hall(HallCommand::TakeCheckpoint { size, root: Digest::of(b"root") });
    let size = world.hall.leaf_count();
    for (what, taken) in [(size + 1, false), (size - 1, false), (size, true), (size, false)] {
        assert_eq!(world.ask(Caller::Hall, cut(what)).is_ok(), taken, "{what}");
    }
    assert!(world.ask(Caller::Agent(ada), cut(size)).is_err());
    let key = |purpose, number: u8| {
        Command::Hall(HallCommand::ReplaceKey {
            purpose,
            public_key: format!("hall.example/{number}+00000000+AA=="),
            signature: Signature::from_bytes([number; 64]),
            occasion: if number == 2 { KeyOccasion::Restore } else { KeyOccasion::Rotation },
            reason: "a reason".to_owned(),
        })
    };
    for (who, purpose, number, taken) in [
        (Caller::Operator, KeyPurpose::Log, 2, true),
        (Caller::Operator, KeyPurpose::Log, 2, false),
        (Caller::Operator, KeyPurpose::Ring, 3, true),
        (Caller::Hall, KeyPurpose::Ring, 4, false),
        (Caller::Agent(bob), KeyPurpose::Log, 5, false),
    ] {
        assert_eq!(world.ask(who, key(purpose, number)).is_ok(), taken, "{purpose:?} {number}");
    }
    let stranger = AgentId::from_bytes([9; 16]);
    for (what, taken) in [
        (Withheld::Turn { game, turn_index: 0 }, true),
        (Withheld::Turn { game, turn_index: 0 }, false),
        (Withheld::Agent(ada), true),
        (Withheld::Agent(stranger), false),
        (Withheld::Feedback(FeedbackId::from_bytes([3; 16])), true),
    ] {
        let command =
            Command::Governance(GovernanceCommand::Withhold { what, reason: "a reason".to_owned() });
        assert_eq!(world.ask(Caller::Operator, command.clone()).is_ok(), taken, "{what:?}");
        assert!(world.ask(Caller::Agent(ada), command).is_err());
    }
    let size = world.hall.leaf_count();
    world.ask(Caller::Hall, cut(size)).unwrap();
    world
}

/// A move that is forced twice over: the deadline is missed where only one move is legal.
fn only_move() -> World {
    let (mut world, ada, bob) = two(rules(), 13);
    let game = world.game(ada, bob);
    world.play(game, "e2e4 f7f6 d1h5");
    world.wait(60_001);
    world.sweep();
    let room = world.hall.rooms().find(&game).unwrap();
    assert_eq!(room.turns().last().unwrap().notation.unwrap().as_str(), "g7g6");
    world
}

/// Whole games of random moves, which end in every kind of draw.
fn quiet_games() -> World {
    let (mut world, ada, bob) = two(HallSettings { joins_per_day: 0, ..rules() }, 5);
    let mut dice = Dice::new(77);
    for _ in 0..25 {
        let game = world.game(ada, bob);
        loop {
            let room = world.hall.rooms().find(&game).unwrap();
            let Some(player) = room.to_move().iter().next() else { break };
            let legal = room.legal_moves(player);
            let text = legal[dice.below(legal.len())].notation.to_string();
            world.play(game, &text);
        }
    }
    world
}

/// What may happen to an offer, and what is none.
fn offers() -> World {
    let (mut world, ada, bob) = two(HallSettings { joins_per_day: 0, ..rules() }, 12);
    let offering =
        |world: &World, game, text| MoveSubmission { draw_offer: true, ..world.request(game, text) };
    let mated = world.game(ada, bob);
    world.play(mated, "f2f3 e7e5 g2g4");
    let request = offering(&world, mated, "d8h4");
    world.send(world.agent(mated, 1), request).unwrap();
    for way in 0..9 {
        let game = world.game(ada, bob);
        let request = MoveSubmission { draw_accept: true, ..world.request(game, "e2e4") };
        assert!(matches!(
            world.send(world.agent(game, 0), request),
            Err(Rejection::Room(RoomRejection::NoDrawOffer(_)))
        ));
        let request = MoveSubmission { choice: None, ..offering(&world, game, "e2e4") };
        assert_eq!(
            world.send(world.agent(game, 0), request),
            Err(Rejection::Room(RoomRejection::MoveMissing))
        );
        let request = offering(&world, game, "e2e5");
        assert!(matches!(
            world.send(world.agent(game, 0), request),
            Err(Rejection::Room(RoomRejection::IllegalMove(_)))
        ));
        world.play(game, "f2f3 e7e5");
        let request = offering(&world, game, "g2g4");
        world.send(world.agent(game, 0), request).unwrap();
        let answer = match way {
            0 => MoveSubmission { choice: None, draw_accept: true, ..world.request(game, "d8h4") },
            1 | 2 => offering(&world, game, if way == 1 { "a1a1" } else { "d8h4" }),
            3 => MoveSubmission { resign: true, ..world.request(game, "d8h4") },
            4 => world.request(game, "d8h4"),
            _ => world.request(game, "d7d5"),
        };
        match way {
            5 => {
                world.wait(60_001);
                world.sweep();
            }
            6 => illegal(&mut world, game, 1),
            7 => {
                let reason = "a reason".to_owned();
                let verdict = GameVerdict::Winner(Player::new(2));
                let nobody = Command::Room(RoomCommand::Settle { game, verdict, reason: reason.clone() });
                assert_eq!(
                    world.ask(Caller::Operator, nobody),
                    Err(Rejection::Room(RoomRejection::PlayerUnknown))
                );
                let verdict = GameVerdict::Draw;
                world
                    .ask(Caller::Operator, Command::Room(RoomCommand::Settle { game, verdict, reason }))
                    .unwrap();
            }
            _ => drop(world.send(world.agent(game, 1), answer)),
        }
    }
    world
}

fn illegal(world: &mut World, game: GameId, player: u8) {
    // The first two are legal in another spelling, each for one side at the beginning.
    for text in ["Nf3", "Nf6", "a1a1"] {
        world.wait(700);
        let request = world.request(game, text);
        assert!(world.send(world.agent(game, player), request).is_err());
    }
}

fn first_move(world: &mut World, game: GameId) {
    let room = world.hall.rooms().find(&game).unwrap();
    let player = room.to_move().iter().next().unwrap();
    let text = room.legal_moves(player)[0].notation.to_string();
    world.play(game, &text);
}

fn illegal_moves() -> World {
    let (mut world, ada, bob) = two(rules(), 2);
    let game = world.game(ada, bob);
    for strike in 1..=3 {
        illegal(&mut world, game, 0);
        if strike < 3 {
            first_move(&mut world, game);
        }
    }
    world
}

fn receive(world: &mut World, game: GameId) {
    let terms = world.hall.rooms().find(&game).unwrap().beacon_terms().copied();
    let Some(BeaconTerms { chain_hash, round }) = terms else { panic!("the game has a beacon") };
    let (randomness, signature) = (Digest::of(b"randomness"), "ab".repeat(48));
    let what =
        Command::Room(RoomCommand::ReceiveBeacon { chain_hash, round, randomness, signature, after: None });
    world.decide(world.now, Caller::Hall, what);
}

fn held_penalties() -> World {
    let (mut world, ada, bob) = two(HallSettings { beacon: Some(chain()), ..rules() }, 3);
    for way in 0..6 {
        let game = world.game(ada, bob);
        for _ in 0..2 {
            let request = world.request(game, "a1a1");
            assert!(world.send(world.agent(game, 0), request).is_err());
        }
        let request = world.request(game, "a1a1");
        assert!(matches!(
            world.send(world.agent(game, 0), request),
            Ok(Reply::Room(RoomReply::Deferred { .. }))
        ));
        let request = world.request(game, "e2e4");
        assert!(matches!(
            world.send(world.agent(game, 0), request),
            Err(Rejection::Room(RoomRejection::WrongTurn(_)))
        ));
        world.wait(4_000);
        match way {
            0 => receive(&mut world, game),
            1 => world.wait(6_000),
            2 => {
                let from = world.now;
                world.wait(9_000);
                let (until, reason) = (world.now, "restart".to_owned());
                world.decide(
                    until,
                    Caller::Hall,
                    Command::Room(RoomCommand::ExtendForGap { from, until, reason, after: None }),
                );
                world.wait(10_000);
            }
            3 => {
                let reason = "a reason".to_owned();
                world
                    .ask(
                        Caller::Operator,
                        Command::Room(RoomCommand::Settle { game, verdict: GameVerdict::Abort, reason }),
                    )
                    .unwrap();
            }
            4 => {
                receive(&mut world, game);
                let from = world.now;
                let (until, reason) = (world.now, "restart".to_owned());
                world.decide(
                    until,
                    Caller::Hall,
                    Command::Room(RoomCommand::ExtendForGap { from, until, reason, after: None }),
                );
            }
            _ => world.wait(5_999),
        }
        world.sweep();
        world.wait(1);
        world.sweep();
        if way != 3 {
            receive(&mut world, game);
            let request = MoveSubmission { resign: true, ..world.request(game, "a1a1") };
            world.send(world.agent(game, 1), request).unwrap();
        }
    }
    world
}

fn missed_deadlines() -> World {
    let (mut last, mut seen) = (None, BTreeSet::new());
    for side in [None, Some(59_999), Some(60_000), Some(60_001), Some(100_000), Some(2_400_000)] {
        for late in [0, 1, 3] {
            let mut rules = rules();
            let timing = Timing { move_time: Span::from_secs(60), side_time: side.map(Span::from_millis) };
            rules.timing.insert(word("chess"), timing);
            let (mut world, ada, bob) = two(rules, 4);
            let game = world.game(ada, bob);
            for _ in 0..8 {
                world.wait(60_000 + late);
                let request = world.request(game, "e2e4");
                for player in [0, 1] {
                    let _ = world.send(world.agent(game, player), request.clone());
                }
            }
            seen.append(&mut world.seen);
            last = Some(world);
        }
    }
    let mut world: World = last.unwrap();
    world.seen = seen;
    world
}

fn refused_admissions() -> World {
    let (mut world, ada, _) = two(rules(), 6);
    let reason = || "a reason".to_owned();
    let stranger = Caller::Agent(AgentId::from_bytes([9; 16]));
    let game = GameId::from_bytes([9; 16]);
    let handle = |name: &str| Handle::parse(name).unwrap();
    let operator = OperatorId::from_bytes([1; 16]);
    let again = |name: &str, key: &str, operator: u8| {
        let Command::Desk(DeskCommand::RegisterAgent(new)) = registration(name, operator) else {
            panic!("a registration")
        };
        let Command::Desk(DeskCommand::RegisterAgent(other)) = registration(key, operator) else {
            panic!("a registration")
        };
        Command::Desk(DeskCommand::RegisterAgent(NewAgent { key: other.key, ..new }))
    };
    let refused: &[(Caller, Command)] = &[
        (Caller::Hall, again("ada", "ada", 1)),
        (Caller::Hall, again("ada", "carl", 1)),
        (Caller::Hall, again("carl", "ada", 1)),
        (Caller::Agent(ada), again("carl", "carl", 1)),
        (stranger, Command::Desk(DeskCommand::JoinLobby(lobby(Division::Open)))),
        (stranger, Command::Desk(DeskCommand::FileHomologation { agent: ada, filing: filing() })),
        (
            Caller::Agent(ada),
            Command::Desk(DeskCommand::FileHomologation {
                agent: AgentId::from_bytes([9; 16]),
                filing: filing(),
            }),
        ),
        (Caller::Agent(ada), Command::Room(RoomCommand::Submit(submission(game, 0, None)))),
        (stranger, Command::Room(RoomCommand::Submit(submission(game, 0, None)))),
        (Caller::Operator, Command::Room(RoomCommand::Submit(submission(game, 0, None)))),
        (
            Caller::Operator,
            Command::Room(RoomCommand::Settle { game, verdict: GameVerdict::Draw, reason: reason() }),
        ),
        (Caller::Hall, Command::Hall(HallCommand::ArchiveGame { game })),
        (
            Caller::Operator,
            Command::Governance(GovernanceCommand::SuspendAgent {
                handle: handle("nobody"),
                reason: reason(),
            }),
        ),
        (
            Caller::Operator,
            Command::Governance(GovernanceCommand::RestoreAgent { handle: handle("ada"), reason: reason() }),
        ),
        (
            Caller::Operator,
            Command::Governance(GovernanceCommand::RestoreOperator { operator, reason: reason() }),
        ),
        (
            Caller::Operator,
            Command::Governance(GovernanceCommand::OpenSeason { season: SeasonId::parse("s1").unwrap() }),
        ),
        (
            Caller::Operator,
            Command::Governance(GovernanceCommand::CloseSeason { season: SeasonId::parse("s2").unwrap() }),
        ),
    ];
    for (who, what) in refused {
        assert!(world.ask(*who, what.clone()).is_err(), "{what:?}");
    }
    world
        .ask(
            Caller::Operator,
            Command::Governance(GovernanceCommand::SuspendOperator { operator, reason: reason() }),
        )
        .unwrap();
    assert_eq!(world.enroll("dora", 1), Err(Rejection::AgentSuspended));
    assert_eq!(world.join(ada), Err(Rejection::AgentSuspended));
    world
        .ask(
            Caller::Operator,
            Command::Governance(GovernanceCommand::CloseSeason { season: SeasonId::parse("s1").unwrap() }),
        )
        .unwrap();
    let name_used = world.ask(
        Caller::Operator,
        Command::Governance(GovernanceCommand::OpenSeason { season: SeasonId::parse("s1").unwrap() }),
    );
    assert_eq!(name_used, Err(Rejection::SeasonNameUsed));
    world
}

fn quotas() -> World {
    let (mut world, ada, _) = two(HallSettings { joins_per_day: 3, feedback_per_day: 2, ..rules() }, 7);
    let post = Command::Desk(DeskCommand::PostFeedback(NewFeedback {
        kind: FeedbackKind::Bug,
        subject: "s".into(),
        body: "b".into(),
        context: None,
    }));
    world.wait(DAY / 2 - 5);
    for _ in 0..20 {
        world.wait(1);
        let _ = world.join(ada);
        let _ = world.ask(Caller::Agent(ada), Command::Desk(DeskCommand::LeaveLobby(lobby(Division::Open))));
        let _ = world.ask(Caller::Agent(ada), post.clone());
    }
    world
}

fn pairing() -> World {
    let mut world = World::new(HallSettings { joins_per_day: 0, concurrent_games: 1, ..rules() }, 8);
    let names = ["ada", "bob", "carl", "dora", "emil", "fay", "gus", "hal"];
    let agents: Vec<AgentId> = names
        .iter()
        .zip([1, 1, 1, 2, 2, 3, 4, 4])
        .map(|(name, operator)| world.player(name, operator))
        .collect();
    let pure = Filing { division: Division::Pure, ..filing() };
    for agent in &agents {
        let filed = Command::Desk(DeskCommand::FileHomologation { agent: *agent, filing: pure.clone() });
        world.ask(Caller::Agent(*agent), filed).unwrap();
        let _ =
            world.ask(Caller::Agent(*agent), Command::Desk(DeskCommand::JoinLobby(lobby(Division::Pure))));
        let _ = world.join(*agent);
    }
    for cap in [1, 2, 3, 0] {
        let rules = HallSettings { concurrent_games: cap, ..world.hall.settings().unwrap().clone() };
        world.ask(Caller::Hall, Command::Hall(HallCommand::Start { settings: rules, keys: keys() })).unwrap();
        for agent in agents.iter().rev() {
            let _ = world
                .ask(Caller::Agent(*agent), Command::Desk(DeskCommand::JoinLobby(lobby(Division::Pure))));
            let _ = world.join(*agent);
        }
        world.wait(300_000);
        world.sweep();
    }
    world
}

fn many_games() -> World {
    let rules = HallSettings { joins_per_day: 0, concurrent_games: 0, beacon: Some(chain()), ..rules() };
    let (mut world, ada, bob) = two(rules, 9);
    for round in 0..520 {
        let game = world.game(ada, bob);
        if round % 3 == 0 {
            let reason = "a reason".to_owned();
            world
                .ask(
                    Caller::Operator,
                    Command::Room(RoomCommand::Settle { game, verdict: GameVerdict::Abort, reason }),
                )
                .unwrap();
        }
    }
    let (from, terms) = (world.now, *world.hall.rooms().iter().next().unwrap().beacon_terms().unwrap());
    world.wait(1_000);
    let (until, mut after, mut rounds) = (world.now, None, 0);
    loop {
        let what = Command::Room(RoomCommand::ExtendForGap { from, until, reason: "pause".into(), after });
        let Ok(Reply::Room(RoomReply::Continued { after: next })) =
            world.decide(until, Caller::Hall, what).answer
        else {
            panic!("a gap is noted");
        };
        (after, rounds) = (next, rounds + 1);
        if next.is_none() {
            break;
        }
    }
    assert!(rounds > 1, "one command sees to so many games only");
    let BeaconTerms { chain_hash, round } = terms;
    loop {
        let (randomness, signature) = (Digest::of(b"randomness"), "ab".repeat(48));
        let what =
            Command::Room(RoomCommand::ReceiveBeacon { chain_hash, round, randomness, signature, after });
        let Ok(Reply::Room(RoomReply::Continued { after: next })) =
            world.decide(until, Caller::Hall, what).answer
        else {
            panic!("a round is received");
        };
        after = next;
        if next.is_none() {
            break;
        }
    }
    world.wait(61_001);
    world.sweep();
    world
}

/// Many rated games of every result between few, so that ratings go far.
fn league() -> World {
    let mut world = World::new(HallSettings { joins_per_day: 0, ..rules() }, 10);
    let agents: Vec<AgentId> = (0..5).map(|number| world.player(&format!("agent{number}"), number)).collect();
    let mut dice = Dice::new(3);
    for round in 0..400 {
        let one = dice.below(5);
        let two = (one + 1 + dice.below(4)) % 5;
        let game = world.game(agents[one], agents[two]);
        let verdict = match dice.below(4) {
            0 => GameVerdict::Draw,
            1 => GameVerdict::Winner(Player::new(0)),
            _ => GameVerdict::Winner(if world.agent(game, 0) == agents[one.min(two)] {
                Player::new(0)
            } else {
                Player::new(1)
            }),
        };
        world
            .ask(Caller::Operator, Command::Room(RoomCommand::Settle { game, verdict, reason: "r".into() }))
            .unwrap();
        if round % 97 == 0 {
            let filing = Filing { model_id: format!("model {round}"), ..filing() };
            let agent = agents[one];
            world
                .ask(Caller::Agent(agent), Command::Desk(DeskCommand::FileHomologation { agent, filing }))
                .unwrap();
        }
    }
    world
}

/// Requests stamped before their turn began, in time though the deadline is past by now, and too late though
/// nobody has applied time.
fn early_stamps() -> World {
    let (mut world, ada, bob) = two(rules(), 11);
    let game = world.game(ada, bob);
    world.lag = Span::from_millis(1_500);
    for moves in ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4"] {
        world.wait(1_000);
        world.play(game, moves);
    }
    for (text, after_deadline) in [("g8f6", 0), ("d2d3", 1)] {
        let room = world.hall.rooms().find(&game).unwrap();
        let (deadline, player) = (room.deadline().unwrap(), room.to_move().iter().next().unwrap());
        let request = world.request(game, text);
        let stamp = deadline + Span::from_millis(after_deadline);
        world.now = deadline + Span::from_millis(900);
        // A request that is still on its way may have been in time, so the turn is not taken from it yet.
        let early = world.decide(deadline, Caller::Hall, Command::Hall(HallCommand::Sweep));
        assert!(early.facts.iter().all(|fact| fact.in_room().is_none()));
        let who = Caller::Agent(world.agent(game, player.seat()));
        let decision = world.decide(stamp, who, Command::Room(RoomCommand::Submit(request)));
        assert_eq!(decision.answer.is_ok(), after_deadline == 0);
    }
    let unsigned = MoveSubmission { signed: None, ..world.request(game, "d2d3") };
    let who = Caller::Agent(world.agent(game, 0));
    let decision = world.decide(world.now, who, Command::Room(RoomCommand::Submit(unsigned)));
    assert_eq!(decision.answer, Err(Rejection::Room(RoomRejection::BodySignatureInvalid)));
    world
}
