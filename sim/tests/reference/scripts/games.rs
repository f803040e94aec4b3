//! Scripts about moves, offers, penalties and the ends of games.

use super::*;
use hall_core::GapCause;

pub(crate) fn endings() -> World {
    let (mut world, ada, bob) = two(HallSettings { joins_per_day: 0, ..settings() }, 1);
    let dance = "g1f3 g8f6 f3g1 f6g8 ";
    let stalemate =
        "e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 h2h4 a6h6 a5c7 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 b8c8 f7g6 c8e6";
    // En passant makes a different position only where a legal capture exists.
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

/// A missed deadline where only one move is legal.
pub(crate) fn only_move() -> World {
    let (mut world, ada, bob) = two(settings(), 13);
    let game = world.game(ada, bob);
    world.play(game, "e2e4 f7f6 d1h5");
    world.wait(60_001);
    world.sweep();
    let room = world.hall.rooms().find(&game).unwrap();
    assert_eq!(room.turns().last().unwrap().notation.unwrap().as_str(), "g7g6");
    world
}

/// Whole games of random moves, which end in every kind of draw.
pub(crate) fn quiet_games() -> World {
    let (mut world, ada, bob) = two(HallSettings { joins_per_day: 0, ..settings() }, 5);
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

/// Every outcome of a draw offer, and flags that are not an offer.
pub(crate) fn offers() -> World {
    let (mut world, ada, bob) = two(HallSettings { joins_per_day: 0, ..settings() }, 12);
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
                let nobody = Command::Room(RoomCommand::Adjudicate { game, verdict, reason: reason.clone() });
                assert_eq!(
                    world.ask(Caller::Operator, nobody),
                    Err(Rejection::Room(RoomRejection::PlayerUnknown))
                );
                let verdict = GameVerdict::Draw;
                world
                    .ask(Caller::Operator, Command::Room(RoomCommand::Adjudicate { game, verdict, reason }))
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

pub(crate) fn illegal_moves() -> World {
    let (mut world, ada, bob) = two(settings(), 2);
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

pub(crate) fn held_penalties() -> World {
    let (mut world, ada, bob) = two(HallSettings { beacon: Some(chain()), ..settings() }, 3);
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
                let (until, cause) = (world.now, GapCause::Restart);
                world.decide(
                    until,
                    Caller::Hall,
                    Command::Room(RoomCommand::ExtendForGap { from, until, cause, after: None }),
                );
                world.wait(10_000);
            }
            3 => {
                let reason = "a reason".to_owned();
                world
                    .ask(
                        Caller::Operator,
                        Command::Room(RoomCommand::Adjudicate { game, verdict: GameVerdict::Abort, reason }),
                    )
                    .unwrap();
            }
            4 => {
                receive(&mut world, game);
                let from = world.now;
                let (until, cause) = (world.now, GapCause::Restart);
                world.decide(
                    until,
                    Caller::Hall,
                    Command::Room(RoomCommand::ExtendForGap { from, until, cause, after: None }),
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

pub(crate) fn missed_deadlines() -> World {
    let (mut last, mut seen) = (None, BTreeSet::new());
    for side in [None, Some(59_999), Some(60_000), Some(60_001), Some(100_000), Some(2_400_000)] {
        for late in [0, 1, 3] {
            let mut settings = settings();
            let timing = Timing { move_time: Span::from_secs(60), side_time: side.map(Span::from_millis) };
            settings.timing.insert(word("chess"), timing);
            let (mut world, ada, bob) = two(settings, 4);
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
