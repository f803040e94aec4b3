//! Doorbells: how one comes to ring, what its failures come to, and what is not worth a fact (decision 9).

use crate::world::{CATALOG, as_data, chess, hall_with, settings};
use hall_core::desk::{Bell, DoorbellState};
use hall_core::fixtures::{P0, P1, Table, World, illegal};
use hall_core::rooms::ChallengeText;
use hall_core::{
    AddressCheck, Answer, Caller, Command, DoorbellChange, DoorbellCommand, DueRing, Effect, Fact,
    GovernanceCommand, Hall, Rejection, Reply, RingFailure, RingOutcome, RingReport, SuspensionCause,
};
use hall_wire::message::Challenge;
use hall_wire::{AgentId, GameId, RingId, Signature, Span};

const URL: &str = "https://agent.example/ring";
const MINUTE: u64 = 60_000;

#[test]
fn a_registered_address_waits_a_quarter_of_an_hour_to_be_verified() {
    let (mut world, ada) = one_agent();
    assert_eq!(state(&world, ada), DoorbellState::None);
    assert_eq!(begin(&mut world, ada), Err(Rejection::DoorbellNotRegistered));
    let challenge = register(&mut world, ada, URL);
    world.advance(15 * MINUTE - 1);
    assert_eq!(state(&world, ada), DoorbellState::Pending);
    assert_eq!(begin(&mut world, ada), Ok(Reply::DoorbellVerifying { url: URL.into(), challenge }));
    world.advance(1);
    assert_eq!(state(&world, ada), DoorbellState::None);
    assert_eq!(begin(&mut world, ada), Err(Rejection::DoorbellNotRegistered));
    // What was asked for in time counts when the answer comes.
    let at = world.now;
    assert_eq!(confirm(&mut world, ada, challenge), Ok(Reply::DoorbellVerified { at }));
    assert_eq!(state(&world, ada), DoorbellState::Verified);
}

#[test]
fn an_address_that_may_not_be_rung_is_refused_after_the_suspension_and_changes_nothing() {
    let (mut world, ada) = one_agent();
    let refused = Command::Doorbell(DoorbellCommand::Register {
        url: "https://127.0.0.1/".into(),
        address: AddressCheck::Refused,
    });
    let before = world.hall.digest();
    assert_eq!(world.ask(Caller::Agent(ada), refused.clone()), Err(Rejection::DoorbellUrlRefused));
    assert_eq!(world.hall.digest(), before);
    let handle = world.hall.desk().agent(&ada).unwrap().handle.clone();
    world.granted(
        Caller::Operator,
        Command::Governance(GovernanceCommand::SuspendAgent { handle, reason: "a test".into() }),
    );
    for wish in [
        refused,
        Command::Doorbell(DoorbellCommand::BeginVerification),
        Command::Doorbell(DoorbellCommand::Disable),
    ] {
        assert_eq!(world.ask(Caller::Agent(ada), wish), Err(Rejection::AgentSuspended));
    }
}

#[test]
fn an_agent_is_refused_the_commands_reserved_for_the_hall() {
    let (mut world, ada) = one_agent();
    let challenge = register(&mut world, ada, URL);
    let signature = Signature::from_bytes([7; 64]);
    let confirm =
        Command::Doorbell(DoorbellCommand::Confirm { agent: ada, challenge: challenge.into(), signature });
    assert_eq!(world.ask(Caller::Agent(ada), confirm), Err(Rejection::NotYourAgent));
}

#[test]
fn five_verifications_an_hour_count_whatever_their_outcome_and_disabling_resets_none() {
    let (mut world, ada) = one_agent();
    for round in 0..5 {
        let challenge = register(&mut world, ada, URL);
        begin(&mut world, ada).unwrap();
        if round == 2 {
            confirm(&mut world, ada, challenge).unwrap();
        }
        if round == 3 {
            world.granted(Caller::Agent(ada), Command::Doorbell(DoorbellCommand::Disable));
        }
        world.advance(MINUTE);
    }
    register(&mut world, ada, URL);
    let retry_after = Span::from_millis(55 * MINUTE);
    assert_eq!(begin(&mut world, ada), Err(Rejection::DoorbellVerifications { retry_after }));
    world.advance(55 * MINUTE - 1);
    register(&mut world, ada, URL);
    let retry_after = Span::from_millis(1);
    assert_eq!(begin(&mut world, ada), Err(Rejection::DoorbellVerifications { retry_after }));
    world.advance(1);
    assert!(begin(&mut world, ada).is_ok());
}

#[test]
fn an_answer_to_an_older_challenge_verifies_nothing() {
    let (mut world, ada) = one_agent();
    let old = register(&mut world, ada, URL);
    begin(&mut world, ada).unwrap();
    let new = register(&mut world, ada, "https://agent.example/other");
    assert_eq!(confirm(&mut world, ada, old), Err(Rejection::DoorbellNotRegistered));
    assert!(confirm(&mut world, ada, new).is_ok());
    assert_eq!(bell(&world, ada).url, "https://agent.example/other".into());
    assert_eq!(confirm(&mut world, ada, new), Err(Rejection::DoorbellNotRegistered), "it waits no more");
}

#[test]
fn a_verified_address_keeps_ringing_until_the_new_one_is_verified() {
    let (mut table, white) = table_with_doorbell();
    let new = register(&mut table.world, white, "https://agent.example/new");
    assert_eq!(state(&table.world, white), DoorbellState::Pending);
    assert_eq!(due(&table, white).unwrap().url, URL.into());
    confirm(&mut table.world, white, new).unwrap();
    assert_eq!(due(&table, white).unwrap().url, "https://agent.example/new".into());
}

#[test]
fn disabling_succeeds_without_a_doorbell_and_ends_ringing_and_pending_verification() {
    let mut table = chess();
    let white = table.agent(P0);
    let facts = table.world.facts.len();
    assert_eq!(
        table.world.granted(Caller::Agent(white), Command::Doorbell(DoorbellCommand::Disable)),
        Reply::Done
    );
    assert_eq!(table.world.facts.len(), facts, "nothing is no fact");
    ready(&mut table.world, white, URL);
    register(&mut table.world, white, URL);
    table.world.granted(Caller::Agent(white), Command::Doorbell(DoorbellCommand::Disable));
    assert_eq!((state(&table.world, white), due(&table, white)), (DoorbellState::None, None));
}

#[test]
fn only_open_turns_of_agents_with_a_doorbell_are_rung_for() {
    let mut table = chess();
    let (white, black) = (table.agent(P0), table.agent(P1));
    assert_eq!(due(&table, white), None, "nobody has a doorbell");
    ready(&mut table.world, white, URL);
    ready(&mut table.world, black, URL);
    let ring = due(&table, white).unwrap();
    let id = RingId::of_turn(&white, &table.game, 0);
    assert_eq!((ring.id, ring.turn_index, ring.attempts), (id, 0, 0));
    assert_eq!(Some(ring.deadline), table.room().deadline());
    assert_eq!(all_due(&table), [(white, 0)]);
    assert_eq!(table.world.hall.due_ring(&black, &table.game, 0), None);
    assert_eq!(table.world.hall.due_ring(&white, &table.game, 1), None);
    table.play("e2e4");
    assert_eq!(all_due(&table), [(black, 1)]);
    assert_eq!(table.world.hall.due_ring(&white, &table.game, 0), None);
    let resigns = hall_core::MoveSubmission { resign: true, choice: None, ..table.request("a7a6") };
    table.submit(P1, resigns).unwrap();
    assert_eq!(all_due(&table), []);
}

#[test]
fn a_ring_that_is_answered_at_once_leaves_no_fact() {
    let (mut table, white) = table_with_doorbell();
    let (facts, digest) = (table.world.facts.len(), table.world.hall.digest());
    assert_eq!(report(&mut table, white, 1, RingOutcome::Answered), Ok(Reply::Done));
    assert_eq!((table.world.facts.len(), table.world.hall.digest()), (facts, digest));
}

#[test]
fn attempts_are_counted_across_a_restart_and_the_fifth_is_the_last() {
    let (mut table, white) = table_with_doorbell();
    for attempt in 1..=4 {
        failed(&mut table, white, attempt);
        assert_eq!(due(&table, white).unwrap().attempts, attempt);
    }
    let saved = table.world.hall.save();
    let restored = Hall::restore(CATALOG, as_data, &saved).unwrap();
    assert_eq!(restored.due_ring(&white, &table.game, 0).unwrap().attempts, 4);
    assert_eq!(bell(&table.world, white).failures_in_row, 0, "the turn is not over yet");
    failed(&mut table, white, 5);
    assert_eq!(due(&table, white), None);
    assert_eq!(bell(&table.world, white).failures_in_row, 1);
    assert_eq!(
        report(&mut table, white, 5, RingOutcome::Answered),
        Err(Rejection::NothingToChange),
        "no sixth attempt"
    );
    table.play("e2e4");
    assert_eq!(bell(&table.world, white).failures_in_row, 1, "a turn is counted once");
}

#[test]
fn an_attempt_is_reported_once_and_none_follows_a_success() {
    let (mut table, white) = table_with_doorbell();
    let unreachable = RingOutcome::Failed(RingFailure::Unreachable);
    failed(&mut table, white, 1);
    assert_eq!(report(&mut table, white, 1, unreachable), Err(Rejection::NothingToChange));
    report(&mut table, white, 2, RingOutcome::Answered).unwrap();
    for outcome in [unreachable, RingOutcome::Answered] {
        assert_eq!(report(&mut table, white, 3, outcome), Err(Rejection::NothingToChange));
    }
}

#[test]
fn attempts_are_counted_for_each_game_separately() {
    let (mut table, white) = table_with_doorbell();
    let games = [("carl", 3), ("dora", 4)].map(|(name, operator)| {
        let guest = table.world.register(name, operator);
        assert_eq!(table.world.join(white, "chess"), None);
        table.game = table.world.join(guest, "chess").unwrap();
        // The guest had no first seat yet.
        table.play("e2e4");
        table.game
    });
    table.game = games[0];
    failed(&mut table, white, 1);
    report(&mut table, white, 2, RingOutcome::Answered).unwrap();
    assert_eq!(due(&table, white), None);
    table.game = games[1];
    assert_eq!(due(&table, white).unwrap().attempts, 0);
    failed(&mut table, white, 1);
    assert_eq!(due(&table, white).unwrap().attempts, 1);
}

#[test]
fn a_failure_in_one_game_is_remembered_while_turns_of_another_end() {
    let (mut table, white) = table_with_doorbell();
    failed(&mut table, white, 1);
    let guest = table.world.register("carl", 3);
    assert_eq!(table.world.join(white, "chess"), None);
    let (first, second) = (table.game, table.world.join(guest, "chess").unwrap());
    table.game = second;
    table.play("e2e4 e7e5");
    table.game = first;
    assert_eq!(due(&table, white).unwrap().attempts, 1);
}

#[test]
fn a_request_that_does_not_begin_a_turn_rings_nobody() {
    let (mut table, _) = table_with_doorbell();
    let before = table.world.effects.len();
    illegal(table.try_move(P0, "e2e5"));
    assert_eq!(table.world.effects.len(), before);
}

#[test]
fn a_success_ends_the_ringing_for_its_turn_and_the_failures_before_it() {
    let (mut table, white) = table_with_doorbell();
    miss_turns(&mut table, P0, 9);
    assert_eq!(bell(&table.world, white).failures_in_row, 9);
    failed(&mut table, white, 1);
    report(&mut table, white, 2, RingOutcome::Answered).unwrap();
    assert_eq!((bell(&table.world, white).failures_in_row, due(&table, white)), (0, None));
    play_to(&mut table, P1);
    assert_eq!(bell(&table.world, white).failures_in_row, 0);
    play_to(&mut table, P0);
    assert!(due(&table, white).is_some(), "the next turn is rung for");
}

#[test]
fn a_success_at_the_first_attempt_is_a_fact_after_a_failure_in_another_turn() {
    let (mut table, white) = table_with_doorbell();
    let guest = table.world.register("carl", 3);
    assert_eq!(table.world.join(white, "chess"), None);
    let (first, second) = (table.game, table.world.join(guest, "chess").unwrap());
    failed(&mut table, white, 1);
    table.game = second;
    table.play("e2e4");
    report(&mut table, white, 1, RingOutcome::Answered).unwrap();
    let last = bell(&table.world, white).last.unwrap();
    assert_eq!((last.game, last.failure), (second, None));
    assert_eq!(due(&table, white), None);
    table.game = first;
    assert_eq!(due(&table, white).unwrap().attempts, 1, "the other turn is still rung for");
}

#[test]
fn a_success_forgives_a_missed_turn_even_if_the_attempt_before_it_succeeded_too() {
    let (mut table, white) = table_with_doorbell();
    let guest = table.world.register("carl", 3);
    assert_eq!(table.world.join(white, "chess"), None);
    let (first, second) = (table.game, table.world.join(guest, "chess").unwrap());
    failed(&mut table, white, 1);
    table.game = second;
    table.play("e2e4");
    report(&mut table, white, 1, RingOutcome::Answered).unwrap();
    table.game = first;
    table.play("e2e4");
    let missed = bell(&table.world, white);
    assert_eq!((missed.failures_in_row, missed.last.unwrap().failure), (1, None));
    table.game = second;
    table.play("e7e5");
    table.play("g1f3");
    report(&mut table, white, 1, RingOutcome::Answered).unwrap();
    assert_eq!(bell(&table.world, white).failures_in_row, 0);
}

#[test]
fn ten_turns_in_a_row_with_a_failed_attempt_and_no_success_suspend() {
    let (mut table, white) = table_with_doorbell();
    miss_turns(&mut table, P0, 9);
    failed(&mut table, white, 1);
    assert_eq!(state(&table.world, white), DoorbellState::Verified);
    play_to(&mut table, P1);
    assert_eq!(state(&table.world, white), DoorbellState::Suspended);
    assert_eq!(suspensions(&table.world), [SuspensionCause::Failures]);
    play_to(&mut table, P0);
    assert_eq!(due(&table, white), None);
    ready(&mut table.world, white, URL);
    assert_eq!(
        (state(&table.world, white), bell(&table.world, white).failures_in_row),
        (DoorbellState::Verified, 0)
    );
    assert!(due(&table, white).is_some(), "a new verification lifts the suspension");
}

#[test]
fn a_turn_without_an_attempt_neither_counts_nor_forgives() {
    let (mut table, white) = table_with_doorbell();
    miss_turns(&mut table, P0, 3);
    play_to(&mut table, P1);
    play_to(&mut table, P0);
    assert_eq!(bell(&table.world, white).failures_in_row, 3);
}

#[test]
fn the_answer_gone_suspends_at_once_even_after_the_turn() {
    for late in [false, true] {
        let (mut table, white) = table_with_doorbell();
        let gone = attempt(&table, white, 1, RingOutcome::Failed(RingFailure::Gone));
        if late {
            table.play("e2e4");
        }
        table.world.granted(Caller::Hall, Command::Doorbell(DoorbellCommand::ReportRing(gone)));
        assert_eq!(state(&table.world, white), DoorbellState::Suspended);
        assert_eq!(suspensions(&table.world), [SuspensionCause::Gone]);
    }
}

#[test]
fn an_attempt_that_fails_after_its_turn_counts_that_turn_once() {
    let (mut table, white) = table_with_doorbell();
    let first = attempt(&table, white, 1, RingOutcome::Failed(RingFailure::Timeout));
    table.play("e2e4");
    table.world.granted(Caller::Hall, Command::Doorbell(DoorbellCommand::ReportRing(first)));
    assert_eq!(bell(&table.world, white).failures_in_row, 1);
    table.play("e7e5");
    failed(&mut table, white, 1);
    let second = attempt(&table, white, 2, RingOutcome::Failed(RingFailure::Timeout));
    table.play("d2d4");
    assert_eq!(bell(&table.world, white).failures_in_row, 2);
    table.world.granted(Caller::Hall, Command::Doorbell(DoorbellCommand::ReportRing(second)));
    assert_eq!(bell(&table.world, white).failures_in_row, 2, "its end has counted it already");
}

#[test]
fn a_missed_deadline_ends_the_ringing_for_its_turn_too() {
    let (mut table, white) = table_with_doorbell();
    failed(&mut table, white, 1);
    table.world.advance(MINUTE + 1);
    table.world.sweep();
    assert_eq!((table.room().turn_index(), bell(&table.world, white).failures_in_row), (1, 1));
}

#[test]
fn the_report_of_another_doorbell_changes_nothing() {
    let (mut table, white) = table_with_doorbell();
    let old = attempt(&table, white, 1, RingOutcome::Failed(RingFailure::Gone));
    ready(&mut table.world, white, "https://agent.example/new");
    let before = table.world.hall.digest();
    let answer = table.world.ask(Caller::Hall, Command::Doorbell(DoorbellCommand::ReportRing(old)));
    assert_eq!((answer, table.world.hall.digest()), (Err(Rejection::NothingToChange), before));
}

#[test]
fn a_turn_whose_rings_failed_is_not_rung_for_at_another_address() {
    let (mut table, white) = table_with_doorbell();
    failed(&mut table, white, 1);
    ready(&mut table.world, white, "https://agent.example/new");
    assert_eq!(due(&table, white), None);
    play_to(&mut table, P1);
    assert_eq!(bell(&table.world, white).failures_in_row, 0, "the new address has failed nobody");
}

/// An endpoint that answers rings, in a long turn: one address after the other would have its own five attempts.
#[test]
fn a_turn_that_was_rung_for_is_not_rung_for_at_another_address_of_the_same_agent() {
    let leave: [fn(&mut Table, AgentId); 3] = [
        |_, _| {},
        |table, white| {
            drop(table.world.ask(Caller::Agent(white), Command::Doorbell(DoorbellCommand::Disable)).unwrap())
        },
        |table, white| {
            report(table, white, 1, RingOutcome::Failed(RingFailure::Gone)).unwrap();
        },
    ];
    for leave in leave {
        let (mut table, white) = table_with_doorbell();
        report(&mut table, white, 1, RingOutcome::Answered).unwrap();
        leave(&mut table, white);
        table.world.effects.clear();
        ready(&mut table.world, white, "https://agent.example/new");
        assert_eq!(table.world.effects, []);
        play_to(&mut table, P1);
        play_to(&mut table, P0);
        assert_eq!(due(&table, white).unwrap().url, "https://agent.example/new".into());
    }
}

#[test]
fn a_turn_that_began_while_no_address_rang_is_rung_for_at_the_next_one() {
    let (mut table, white) = table_with_doorbell();
    play_to(&mut table, P1);
    table.world.ask(Caller::Agent(white), Command::Doorbell(DoorbellCommand::Disable)).unwrap();
    table.world.now = table.world.now + Span::from_millis(1);
    play_to(&mut table, P0);
    table.world.effects.clear();
    ready(&mut table.world, white, "https://agent.example/new");
    assert!(matches!(table.world.effects[..], [Effect::RingDoorbell { agent, .. }] if agent == white));
}

#[test]
fn a_later_attempt_that_is_answered_is_a_fact_even_if_the_first_could_not_be_counted() {
    let (mut table, white) = table_with_doorbell();
    report(&mut table, white, 2, RingOutcome::Answered).unwrap();
    assert_eq!(due(&table, white), None);
}

#[test]
fn facts_alone_rebuild_the_same_doorbells() {
    let (mut table, white) = table_with_doorbell();
    miss_turns(&mut table, P0, 4);
    failed(&mut table, white, 1);
    let mut folded = Hall::new(CATALOG, as_data);
    for fact in &table.world.facts {
        let written = serde_json::to_string(fact).unwrap();
        folded.apply(&serde_json::from_str(&written).unwrap());
        folded.check();
    }
    assert_eq!(folded.digest(), table.world.hall.digest());
    let restored = Hall::restore(CATALOG, as_data, &folded.save()).unwrap();
    assert_eq!(restored.digest(), folded.digest());
}

fn one_agent() -> (World, AgentId) {
    let mut world = hall_with(settings(), 1);
    let ada = world.register("ada", 1);
    (world, ada)
}

fn register(world: &mut World, agent: AgentId, url: &str) -> Challenge {
    let command =
        Command::Doorbell(DoorbellCommand::Register { url: url.into(), address: AddressCheck::Permitted });
    match world.granted(Caller::Agent(agent), command) {
        Reply::DoorbellRegistered { challenge, expires } => {
            assert_eq!(expires, world.now + Span::from_secs(900));
            challenge
        }
        other => panic!("{other:?}"),
    }
}

fn begin(world: &mut World, agent: AgentId) -> Answer {
    world.ask(Caller::Agent(agent), Command::Doorbell(DoorbellCommand::BeginVerification))
}

fn confirm(world: &mut World, agent: AgentId, challenge: Challenge) -> Answer {
    let signature = Signature::from_bytes([7; 64]);
    world.ask(
        Caller::Hall,
        Command::Doorbell(DoorbellCommand::Confirm { agent, challenge: challenge.into(), signature }),
    )
}

/// A game whose first player, who is to move, has a doorbell that rings.
fn table_with_doorbell() -> (Table, AgentId) {
    let mut table = chess();
    let white = table.agent(P0);
    ready(&mut table.world, white, URL);
    (table, white)
}

/// Gives an agent a doorbell that rings. Its verification is not counted: a test may need many.
fn ready(world: &mut World, agent: AgentId, url: &str) {
    let challenge = register(world, agent, url);
    confirm(world, agent, challenge).unwrap();
}

fn state(world: &World, agent: AgentId) -> DoorbellState {
    let doorbell = world.hall.desk().doorbell(&agent);
    doorbell.map_or(DoorbellState::None, |doorbell| doorbell.state_at(world.now))
}

fn bell(world: &World, agent: AgentId) -> Bell {
    world.hall.desk().doorbell(&agent).unwrap().bell.clone().unwrap()
}

/// What is to be rung for the current turn of the table.
fn due(table: &Table, agent: AgentId) -> Option<DueRing> {
    table.world.hall.due_ring(&agent, &table.game, table.room().turn_index())
}

fn all_due(table: &Table) -> Vec<(AgentId, u32)> {
    table.world.hall.due_rings().map(|ring| (ring.agent, ring.turn_index)).collect()
}

/// The report of an attempt for the current turn of the table.
fn attempt(table: &Table, agent: AgentId, attempt: u8, outcome: RingOutcome) -> RingReport {
    let game: GameId = table.game;
    let challenge: ChallengeText = bell(&table.world, agent).challenge;
    RingReport { agent, challenge, game, turn_index: table.room().turn_index(), attempt, outcome }
}

fn report(table: &mut Table, agent: AgentId, number: u8, outcome: RingOutcome) -> Answer {
    let report = attempt(table, agent, number, outcome);
    table.world.ask(Caller::Hall, Command::Doorbell(DoorbellCommand::ReportRing(report)))
}

fn failed(table: &mut Table, agent: AgentId, number: u8) {
    report(table, agent, number, RingOutcome::Failed(RingFailure::Unreachable)).unwrap();
}

/// So many turns of a player go by, each with one failed attempt; it is its turn again after that.
fn miss_turns(table: &mut Table, player: hall_wire::Player, turns: u32) {
    let agent = table.agent(player);
    for _ in 0..turns {
        failed(table, agent, 1);
        play_to(table, if player == P0 { P1 } else { P0 });
        play_to(table, player);
    }
}

/// Plays the first legal move for the player to move until it is this player's turn.
fn play_to(table: &mut Table, player: hall_wire::Player) {
    while !table.room().to_move().contains(player) {
        let mover = table.room().to_move().iter().next().unwrap();
        let legal = table.room().legal_moves(mover);
        let chosen = &legal[table.room().turn_index() as usize % legal.len()];
        table.try_move(mover, chosen.notation.as_str()).unwrap();
    }
}

fn suspensions(world: &World) -> Vec<SuspensionCause> {
    let of = |fact: &Fact| match fact {
        Fact::Doorbell(fact) => match fact.change {
            DoorbellChange::Suspended { cause } => Some(cause),
            _ => None,
        },
        _ => None,
    };
    world.facts.iter().filter_map(of).collect()
}

#[test]
fn an_agent_that_proves_its_endpoint_is_rung_for_its_turns_that_already_wait() {
    let mut table = chess();
    for (player, is_to_move) in [(P0, true), (P1, false)] {
        let agent = table.agent(player);
        let challenge = register(&mut table.world, agent, URL);
        begin(&mut table.world, agent).unwrap();
        table.world.effects.clear();
        confirm(&mut table.world, agent, challenge).unwrap();
        let deadline = table.room().deadline_of(P0).unwrap();
        let ring = Effect::RingDoorbell { agent, game: table.game, turn_index: 0, deadline };
        let expected = if is_to_move { vec![ring] } else { Vec::new() };
        assert_eq!(table.world.effects, expected, "{player}");
    }
}
