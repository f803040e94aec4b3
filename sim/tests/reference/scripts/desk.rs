//! Scripts about agents, lobbies, ratings, the log and words.

use super::*;
use hall_core::GapCause;
use hall_core::fixtures;

/// Checkpoints of right and wrong sizes, key rotations, and withheld words, each valid and invalid.
pub(crate) fn log_and_words() -> World {
    let (mut world, ada, bob) = two(settings(), 29);
    let game = world.game(ada, bob);
    let cut = |size| Command::Hall(HallCommand::TakeCheckpoint { size, root: Digest::of(b"root") });
    let size = world.hall.leaf_count();
    for (what, taken) in [(size + 1, false), (size - 1, false), (size, true), (size, false)] {
        assert_eq!(world.ask(Caller::Hall, cut(what)).is_ok(), taken, "{what}");
    }
    assert!(world.ask(Caller::Agent(ada), cut(size)).is_err());
    let key = |purpose, number: u8, replaces: Option<&str>| {
        Command::Hall(HallCommand::ReplaceKey {
            purpose,
            public_key: format!("hall.example/{number}+00000000+AA=="),
            replaces: replaces.map(str::to_owned),
            signature: Signature::from_bytes([number; 64]),
            occasion: if number == 2 { KeyOccasion::Restore } else { KeyOccasion::Rotation },
            reason: "a reason".to_owned(),
        })
    };
    let second = Some("hall.example/2+00000000+AA==");
    for (who, purpose, number, replaces, taken) in [
        (Caller::Operator, KeyPurpose::Log, 2, None, true),
        (Caller::Operator, KeyPurpose::Log, 2, None, false),
        (Caller::Operator, KeyPurpose::Log, 6, second, true),
        (Caller::Operator, KeyPurpose::Log, 7, second, false),
        (Caller::Operator, KeyPurpose::Ring, 3, None, true),
        (Caller::Hall, KeyPurpose::Ring, 4, None, false),
        (Caller::Agent(bob), KeyPurpose::Log, 5, None, false),
    ] {
        assert_eq!(world.ask(who, key(purpose, number, replaces)).is_ok(), taken, "{purpose:?} {number}");
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

pub(crate) fn refused_admissions() -> World {
    let (mut world, ada, _) = two(settings(), 6);
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
        (Caller::Agent(ada), Command::Room(RoomCommand::Submit(fixtures::submission(game, 0, None)))),
        (stranger, Command::Room(RoomCommand::Submit(fixtures::submission(game, 0, None)))),
        (Caller::Operator, Command::Room(RoomCommand::Submit(fixtures::submission(game, 0, None)))),
        (
            Caller::Operator,
            Command::Room(RoomCommand::Adjudicate { game, verdict: GameVerdict::Draw, reason: reason() }),
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

pub(crate) fn quotas() -> World {
    let (mut world, ada, _) = two(HallSettings { joins_per_day: 3, feedback_per_day: 2, ..settings() }, 7);
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

pub(crate) fn pairing() -> World {
    let mut world = World::new(HallSettings { joins_per_day: 0, concurrent_games: 1, ..settings() }, 8);
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
        let settings = HallSettings { concurrent_games: cap, ..world.hall.settings().unwrap().clone() };
        world
            .ask(Caller::Hall, Command::Hall(HallCommand::Start { settings, keys: fixtures::keys() }))
            .unwrap();
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

pub(crate) fn many_games() -> World {
    let settings =
        HallSettings { joins_per_day: 0, concurrent_games: 0, beacon: Some(chain()), ..settings() };
    let (mut world, ada, bob) = two(settings, 9);
    for round in 0..520 {
        let game = world.game(ada, bob);
        if round % 3 == 0 {
            let reason = "a reason".to_owned();
            world
                .ask(
                    Caller::Operator,
                    Command::Room(RoomCommand::Adjudicate { game, verdict: GameVerdict::Abort, reason }),
                )
                .unwrap();
        }
    }
    let (from, terms) = (world.now, *world.hall.rooms().iter().next().unwrap().beacon_terms().unwrap());
    world.wait(1_000);
    let (until, mut after, mut rounds) = (world.now, None, 0);
    loop {
        let what = Command::Room(RoomCommand::ExtendForGap { from, until, cause: GapCause::Pause, after });
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
    assert!(rounds > 1, "one command treats only so many games");
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

/// Many rated games of every result between a few agents, so that ratings spread far.
pub(crate) fn league() -> World {
    let mut world = World::new(HallSettings { joins_per_day: 0, ..settings() }, 10);
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
            .ask(
                Caller::Operator,
                Command::Room(RoomCommand::Adjudicate { game, verdict, reason: "r".into() }),
            )
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

/// Requests stamped before their turn began, in time although the deadline has passed by now, and too late although
/// the deadline has not been applied.
pub(crate) fn early_stamps() -> World {
    let (mut world, ada, bob) = two(settings(), 11);
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
        // A request still in flight may be in time, so the deadline is not applied yet.
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
