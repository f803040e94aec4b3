//! How games end, and what is left of them.

use crate::world::{as_data, change_kinds, chess};
use hall_core::fixtures::{P0, P1, Table};
use hall_core::{
    Caller, Command, DeskFact, DocketKind, DocketMatter, Fact, GameVerdict, GovernanceFact, HallCommand,
    MoveSubmission, Rejection, Reply, RoomCommand, RoomRejection, RoomReply,
};
use hall_games::{GameResult, Reason};

fn result(table: &Table) -> GameResult {
    table.room().result().unwrap().clone()
}

#[test]
fn mate_wins_and_reveals_the_seed() {
    let mut table = chess();
    assert_eq!((table.room().revealed_seed(), table.room().ended_at()), (None, None));
    table.world.advance(1_000);
    table.play("f2f3 e7e5 g2g4 d8h4");
    assert_eq!(table.room().ended_at(), Some(table.world.now));
    assert_eq!(result(&table), GameResult::won_by(P1, Reason::of_game("checkmate")));
    assert!(table.room().revealed_seed().is_some());
    assert!(change_kinds(&table).ends_with(&["move", "ended"]));
    assert!(table.room().to_move().is_empty() && table.room().deadline().is_none());
}

#[test]
fn automatic_draws_end_the_game_on_the_ply_on_which_they_arise() {
    let mut table = chess();
    table.play("g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1");
    assert!(table.room().result().is_none());
    table.play("f6g8");
    assert_eq!(result(&table).reason.as_str(), "threefold_repetition");
    assert!(result(&table).draw);
}

#[test]
fn resigning_needs_no_move_and_loses() {
    for choice in [None, Some(hall_core::Choice::Unparsable)] {
        let mut table = chess();
        table.play("e2e4");
        let request = MoveSubmission { resign: true, choice, ..table.request("e7e5") };
        let reply = table.submit(P1, request).unwrap();
        assert!(matches!(
            reply,
            Reply::Room(RoomReply::MoveTaken { turn_index: 1, notation: None, result: Some(_), .. })
        ));
        assert_eq!(result(&table).winners, [P0]);
        assert_eq!(result(&table).reason, Reason::RESIGNATION);
        assert_eq!(table.room().turn_index(), 2, "the end is a turn of its own");
    }
}

#[test]
fn after_the_end_moves_are_refused_with_the_result() {
    let mut table = chess();
    table.play("f2f3 e7e5 g2g4 d8h4");
    let before = table.world.hall.digest();
    match table.try_move(P0, "a2a3") {
        Err(Rejection::Room(RoomRejection::GameNotLive(report))) => {
            assert_eq!(report.result, Some(result(&table)));
            assert_eq!(report.last_move.unwrap().notation.unwrap().as_str(), "d8h4");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(table.world.hall.digest(), before);
}

#[test]
fn the_operator_may_adjudicate_or_abort_a_live_game_and_it_is_docketed() {
    for (verdict, winners, draw, rated) in [
        (GameVerdict::Winner(P1), vec![P1], false, true),
        (GameVerdict::Draw, vec![], true, true),
        (GameVerdict::Abort, vec![], false, false),
    ] {
        let mut table = chess();
        table.play("e2e4");
        let (game, began) = (table.game, table.world.now);
        table.world.advance(1_000);
        let command = Command::Room(RoomCommand::Adjudicate { game, verdict, reason: "a reason".into() });
        table.world.granted(Caller::Operator, command.clone());
        assert_eq!((result(&table).winners, result(&table).draw), (winners, draw), "{verdict:?}");
        let last = table.room().turns().last().unwrap();
        assert_eq!((last.player, last.notation, last.forced), (None, None, None));
        let facts = table.world.changes(game);
        let resolution = facts.iter().rev().find_map(|fact| fact.change.resolution()).unwrap();
        assert_eq!((resolution.started_at, resolution.at), (began, table.world.now));
        let is_rated =
            table.world.facts.iter().any(|fact| matches!(fact, Fact::Desk(DeskFact::GameRated { .. })));
        assert_eq!(is_rated, rated, "{verdict:?}");
        let docketed = table.world.facts.iter().find_map(|fact| match fact {
            Fact::Governance(GovernanceFact::DocketEntered { entry, .. })
                if entry.kind == DocketKind::Adjudication =>
            {
                Some(entry.clone())
            }
            _ => None,
        });
        let docketed = docketed.expect("a verdict is in the docket");
        let matter = DocketMatter::VerdictGiven { game, verdict, reason: "a reason" };
        assert_eq!(docketed.subject, as_data(&matter).subject);
        assert!(matches!(
            table.world.ask(Caller::Operator, command),
            Err(Rejection::Room(RoomRejection::GameNotLive(_)))
        ));
    }
}

#[test]
fn a_verdict_for_an_agent_that_is_not_seated_changes_nothing() {
    let mut table = chess();
    let verdict = GameVerdict::Winner(hall_wire::Player::new(2));
    let command =
        Command::Room(RoomCommand::Adjudicate { game: table.game, verdict, reason: "a reason".into() });
    assert_eq!(
        table.world.ask(Caller::Operator, command),
        Err(Rejection::Room(RoomRejection::PlayerUnknown))
    );
    assert!(table.room().result().is_none());
}

#[test]
fn every_ended_game_is_rated_in_the_same_decision() {
    let mut table = chess();
    table.play("f2f3 e7e5 g2g4 d8h4");
    let winner = table.room().seat(P1).unwrap().seat.homologation;
    let rated = table.world.facts.iter().find_map(|fact| match fact {
        Fact::Desk(DeskFact::GameRated { seats, .. }) => Some(seats.clone()),
        _ => None,
    });
    let rated = rated.unwrap();
    assert_eq!(rated.len(), 2);
    let half_points = |id| rated.iter().find(|seat| seat.homologation == id).unwrap().half_points;
    assert_eq!(half_points(winner), 2);
    assert!(matches!(table.world.facts.last(), Some(Fact::Desk(DeskFact::GameRated { .. }))));
}

#[test]
fn an_ended_game_leaves_memory_only_when_it_is_archived() {
    let mut table = chess();
    let game = table.game;
    assert_eq!(
        table.world.ask(Caller::Hall, Command::Hall(HallCommand::ArchiveGame { game })),
        Err(Rejection::Room(RoomRejection::GameNotFound))
    );
    table.play("f2f3 e7e5 g2g4 d8h4");
    let saved = table.room().save();
    table.world.granted(Caller::Hall, Command::Hall(HallCommand::ArchiveGame { game }));
    assert!(table.world.hall.rooms().find(&game).is_none());
    assert_eq!(table.world.hall.rooms().ended_count(), 1);
    let restored = hall_core::rooms::Room::restore(saved, &crate::world::CATALOG).unwrap();
    assert_eq!(restored.result().unwrap().winners, [P1]);
    assert_eq!(restored.turns().len(), 4);
}

#[test]
fn every_turn_of_a_game_is_one_entry_of_its_history() {
    let mut table = chess();
    table.play("e2e4 e7e5");
    table.world.advance(60_001);
    table.world.sweep();
    let request = MoveSubmission { resign: true, ..table.request("a7a6") };
    table.submit(P1, request).unwrap();
    let indices: Vec<u32> = table
        .world
        .changes(table.game)
        .iter()
        .filter_map(|fact| fact.change.resolution())
        .map(|resolution| resolution.turn_index)
        .collect();
    assert_eq!(indices, [0, 1, 2, 3]);
    assert_eq!(table.room().turns().len(), 4);
}
