//! Faults that are planted on purpose into what a world has come to: each check that judges it must see its own.

use super::Plan;
use super::audit::ToldGame;
use super::chronicle::{StrikeSeen, ToldEnd, Verdict};
use super::follower::Follower;
use super::kept::Kept;
use super::world::Played;
use crate::plan::Profile;
use crate::storage::{SimDisk, SimJournal};
use hall_client::answer::GameStatus;
use hall_core::rooms::{BeaconStatus, BeaconTerms, ChallengeText, RoomChange, RoomFact};
use hall_core::{
    Caller, Command, Decision, DeskFact, DoorbellChange, DoorbellFact, Fact, Hall, HallCommand, HallFact,
    Reply,
};
use hall_driver::{Decided, JournalEntry};
use hall_journal::{Batch, Journal as _};
use hall_wire::{Digest, GameId, Player, Signature, Span, Timestamp};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A world with hostile agents, strikes and illegal moves, and without faults and a beacon.
fn plan() -> Plan {
    let mut plan = Plan::new(2, 40, Span::from_secs(120), Profile::Flood);
    plan.relays = 0;
    plan
}

/// A fault: the check that must report it, and how it is planted.
type Plant<'a> = (&'static str, &'static str, Box<dyn Fn(&mut Played<'_>) + 'a>);

fn plant<'a>(check: &'static str, what: &'static str, how: impl Fn(&mut Played<'_>) + 'a) -> Plant<'a> {
    (check, what, Box::new(how))
}

/// Changes the first game that was kept and told.
fn game(played: &mut Played<'_>, change: impl FnOnce(&mut super::kept::KeptGame, &mut ToldGame)) {
    let (id, told) = played.told.first_entry().map(|entry| (*entry.key(), entry.into_mut())).unwrap();
    change(played.kept.games.get_mut(&id).unwrap(), told);
}

/// Changes what the replay of the first game says at a place.
fn replay(place: &'static str, to: &'static str) -> impl Fn(&mut Played<'_>) {
    move |played| {
        game(played, |_, told| {
            *told.replay.as_mut().unwrap().pointer_mut(place).unwrap() = Value::from(to);
        });
    }
}

/// Changes the verdict on the first move that was told as applied.
fn verdict(to: Verdict) -> impl Fn(&mut Played<'_>) {
    move |played| {
        let mut chronicle = played.chronicle().open();
        let told = chronicle.moves.iter_mut().find(|told| matches!(told.verdict, Verdict::Applied(Some(_))));
        told.unwrap().verdict = to;
    }
}

/// Strikes an honest agent after a turn in which all was well; its place in the plan.
fn strike_somebody_blameless(played: &mut Played<'_>) -> usize {
    let first_seat = |id: &GameId| played.kept.games[id].seats[0];
    let id = *played.kept.games.keys().find(|id| played.is_blameless(&first_seat(id))).unwrap();
    let place = played.place(&first_seat(&id)).unwrap();
    let player = Player::new(0);
    played.kept.games.get_mut(&id).unwrap().strikes.push((4_000, player));
    let seen = StrikeSeen { player, opened: 10_000, struck: 100_000 };
    played.chronicle().open().strikes.insert((id, 4_000), seen);
    place
}

fn plants() -> Vec<Plant<'static>> {
    let other = Digest::of(b"something else");
    vec![
        plant("D1", "an accepted move is lost", |played| {
            let told = played.chronicle().open().moves.iter().find_map(|told| {
                matches!(told.verdict, Verdict::Applied(_)).then_some((told.game, told.turn_index))
            });
            let (game, turn_index) = told.unwrap();
            let turns = &mut played.kept.games.get_mut(&game).unwrap().turns;
            turns[usize::try_from(turn_index).unwrap()].body = None;
        }),
        plant("D1", "another state was told", verdict(Verdict::Applied(Some(other)))),
        plant("M1", "a move that was kept was told not to be applied", verdict(Verdict::NotApplied)),
        plant("M8", "a listed move was called illegal", verdict(Verdict::Illegal)),
        plant("D1", "another end was told", |played| {
            played.chronicle().open().ends[0].result.2 = "checkmate of a kind".to_owned();
        }),
        plant("D1", "the end of no game was told", |played| {
            let result = (Vec::new(), true, "agreement".to_owned());
            played.chronicle().open().ends.push(ToldEnd { game: GameId::from_bytes([0; 16]), result });
        }),
        plant("D1", "a doorbell that was told to ring is lost", |played| {
            let agent = *played.kept.agents.keys().next().unwrap();
            let url = "https://gone.example/".to_owned();
            played.chronicle().open().told_verified.insert((agent, url), 1);
        }),
        plant("L2", "two agents of one operator sit in a game", |played| {
            let operator = played.kept.agents.values().next().unwrap().1;
            played.kept.agents.values_mut().for_each(|agent| agent.1 = operator);
        }),
        plant("G6", "a game is bound to a round of no chain", |played| {
            let terms = BeaconTerms { chain_hash: Digest::of(b"chain"), round: 1 };
            game(played, |kept, _| kept.beacon.terms = Some(terms));
        }),
        plant("T5", "a strike that nobody saw is kept", |played| {
            game(played, |kept, _| kept.strikes.push((4_000, Player::new(0))));
        }),
        plant("T9", "an honest agent was struck while all was well", |played| {
            strike_somebody_blameless(played);
        }),
        plant("D1", "a game is told no more", |played| {
            played.told.pop_first().unwrap();
        }),
        plant("D1", "an ended game is told as live", |played| {
            game(played, |_, told| told.status = GameStatus::Live);
        }),
        plant("V1", "a game has not ended", |played| game(played, |kept, _| kept.result = None)),
        plant("X5", "the last event is not told", |played| {
            game(played, |_, told| assert!(told.events.pop().is_some()));
        }),
        plant("X5", "an event is told twice", |played| {
            game(played, |_, told| told.events.push(told.events[0].clone()));
        }),
        plant("G9", "the replay has another body", replay("/moves/0/body_sha256", "00")),
        plant("G9", "the replay has another signature", |played| {
            game(played, |_, told| {
                let moves = told.replay.as_mut().unwrap()["moves"].as_array_mut().unwrap();
                let signed: Vec<usize> =
                    (0..moves.len()).filter(|at| moves[*at]["signature"].is_string()).collect();
                let [first, second, ..] = signed[..] else { panic!("nobody signed") };
                let borrowed = moves[second]["signature"].clone();
                moves[first]["signature"] = borrowed;
            });
        }),
        plant("G9", "the replay has another move", |played| {
            game(played, |_, told| {
                let moves = told.replay.as_mut().unwrap()["moves"].as_array_mut().unwrap();
                let moved = moves.iter_mut().find(|turn| turn["notation"].is_string()).unwrap();
                moved["notation"] = "a1h8".into();
            });
        }),
        plant("G9", "the replay has another result", replay("/result/reason", "clock")),
        plant("G9", "the replay has another seed", replay("/seed", "00")),
        plant("G9", "the replay is that of another game", replay("/game_id", "g_00000000000000000000000000")),
        plant("G9", "the replay is none", replay("/version", "svc.replay.v0")),
    ]
}

#[test]
fn each_fault_that_is_planted_into_a_world_is_reported_by_its_check() {
    let plan = plan();
    let mut played = Played::of(&plan);
    assert_eq!(played.judged(), BTreeSet::new());
    for (check, what, how) in plants() {
        let (kept, told) = (played.kept.clone(), played.told.clone());
        let seen = {
            let chronicle = played.chronicle().open();
            let told_verified = chronicle.told_verified.clone();
            (chronicle.moves.clone(), chronicle.ends.clone(), chronicle.strikes.clone(), told_verified)
        };
        how(&mut played);
        let found = played.judged();
        assert!(found.contains(check), "{what}: {check} is not in {found:?}");
        (played.kept, played.told) = (kept, told);
        let mut chronicle = played.chronicle().open();
        (chronicle.moves, chronicle.ends, chronicle.strikes, chronicle.told_verified) = seen;
    }
    assert_eq!(played.judged(), BTreeSet::new(), "every fault was mended");
}

#[test]
fn a_recovered_state_that_is_not_that_of_the_stop_or_of_the_reference_and_one_that_is_lost_are_reported() {
    let plan = plan();
    let played = Played::of(&plan);
    let journal = played.journal();
    assert_eq!(played.recovered(&*journal), BTreeSet::new());
    let stopped_in = played.chronicle().open().stopped_in.replace(Digest::of(b"another state"));
    assert_eq!(played.recovered(&*journal), BTreeSet::from(["D4", "D9"]));
    played.chronicle().open().stopped_in = stopped_in;
    played.chronicle().open().follower = Follower::default();
    assert_eq!(played.recovered(&*journal), BTreeSet::from(["R2"]));
    let mut spoilt = SimJournal::open(&SimDisk::new(1)).unwrap();
    spoilt.append(&Batch { records: vec![b"{}".to_vec()], rows: Vec::new() }).unwrap();
    assert_eq!(played.recovered(&*spoilt.reader()), BTreeSet::from(["V6"]));
    let faults = Kept::read(&*spoilt.reader()).unwrap().faults;
    assert!(matches!(faults.as_slice(), [("D4", ..)]), "{faults:?}");
}

#[test]
fn a_strike_is_excused_by_a_half_open_connection_of_the_agent_and_not_by_one_of_its_neighbour() {
    let plan = plan();
    let mut played = Played::of(&plan);
    let place = strike_somebody_blameless(&mut played);
    assert_eq!(played.judged(), BTreeSet::from(["T9"]));
    played.break_a_connection_of((place + plan.sites) % plan.agents);
    assert_eq!(played.judged(), BTreeSet::from(["T9"]));
    played.break_a_connection_of(place);
    assert_eq!(played.judged(), BTreeSet::new());
}

#[test]
fn a_hall_whose_challenges_outlive_its_process_is_reported() {
    let mut plan = plan();
    plan.faults.restarts = Some(Span::from_secs(20));
    let (found, reached) = Played::with_machine(&plan, |_| {});
    assert_eq!(found, BTreeSet::new());
    for mark in ["used_before_restart", "unsent_before_restart", "challenge_before_restart"] {
        assert!(reached.contains(&format!("manner:{mark}")), "{mark} is not in {reached:?}");
    }
    let (found, _) = Played::with_machine(&plan, |machine| machine.draws_secrets.set(false));
    assert!(found.contains("A2"), "{found:?}");
}

#[test]
fn a_decision_that_the_reference_would_not_make_is_reported_as_soon_as_it_is_durable() {
    use hall_driver::Observer as _;
    let shared = super::chronicle::Shared::default();
    let at = Timestamp::from_millis(7);
    let decision = Decision {
        answer: Ok(Reply::Registered {
            agent: hall_wire::AgentId::from_bytes([1; 16]),
            operator: hall_wire::OperatorId::from_bytes([1; 16]),
        }),
        facts: vec![Fact::Hall(HallFact::Stopped { at })],
        effects: Vec::new(),
    };
    let hall = Hall::new(hall_games::CATALOG);
    let (who, what) = (Caller::Hall, Command::Hall(HallCommand::Stop));
    let decided =
        Decided { at, stamp: at, who, what: &what, drawn: &[], decision: &decision, seq: 1, hall: &hall };
    shared.clone().decided(&decided);
    assert!(shared.open().report.violations.is_empty());
    shared.open().durable(1, 0);
    let found = shared.open().report.violations.first().map(|violation| violation.invariant);
    assert_eq!(found, Some("R1"));
}

/// The first fact of this kind in a journal.
fn fact(entries: &mut [JournalEntry], wanted: impl Fn(&RoomChange) -> bool) -> &mut RoomFact {
    let mut facts = entries.iter_mut().flat_map(|entry| &mut entry.facts);
    let found = facts.find_map(|fact| {
        let Fact::Room(fact) = fact else { return None };
        wanted(&fact.change).then(|| Arc::make_mut(fact))
    });
    found.expect("there is one")
}

/// Puts a fact behind all others.
fn add(entries: &mut Vec<JournalEntry>, fact: Fact) {
    let mut entry = entries.last().unwrap().clone();
    entry.facts = vec![fact];
    entries.push(entry);
}

#[test]
fn each_fault_that_is_planted_into_a_journal_is_reported_by_its_check() {
    let plan = plan();
    let played = Played::of(&plan);
    let journal = played.journal();
    let mut whole = Vec::new();
    while let Some(record) = journal.record(u64::try_from(whole.len()).unwrap() + 1).unwrap() {
        whole.push(JournalEntry::decode(&record.bytes).unwrap());
    }
    let found = |change: &dyn Fn(&mut Vec<JournalEntry>)| {
        let (mut kept, mut entries) = (Kept::default(), whole.clone());
        change(&mut entries);
        entries.iter().for_each(|entry| kept.take(entry));
        kept.faults.into_iter().map(|(invariant, ..)| invariant).collect::<BTreeSet<_>>()
    };
    assert_eq!(found(&|_| {}), BTreeSet::new());
    type Change = fn(&mut Vec<JournalEntry>);
    let plants: [(&str, Change); 11] = [
        ("A6", |entries| {
            let mut facts = entries.iter().flat_map(|entry| &entry.facts);
            let first = facts
                .find(|fact| matches!(fact, Fact::Desk(DeskFact::AgentRegistered { .. })))
                .unwrap()
                .clone();
            add(entries, first);
        }),
        ("T4", |entries| entries.last_mut().unwrap().at = Timestamp::from_millis(0)),
        ("D5", |entries| fact(entries, |change| matches!(change, RoomChange::MovePlayed(_))).number += 1),
        ("M2", |entries| {
            let fact = fact(entries, |change| matches!(change, RoomChange::MovePlayed(_)));
            if let RoomChange::MovePlayed(resolution) = &mut fact.change {
                resolution.turn_index += 1;
            }
        }),
        ("M10", |entries| {
            let ended = fact(entries, |change| matches!(change, RoomChange::Ended { .. })).clone();
            add(entries, Fact::Room(ended.into()));
        }),
        ("T5", |entries| {
            let fact = fact(entries, |change| matches!(change, RoomChange::StrikeGiven { .. }));
            if let RoomChange::StrikeGiven { count, .. } = &mut fact.change {
                *count += 1;
            }
        }),
        ("M6", |entries| {
            let fact = fact(entries, |change| matches!(change, RoomChange::IllegalAttempted { .. }));
            if let RoomChange::IllegalAttempted { count, .. } = &mut fact.change {
                *count += 1;
            }
        }),
        ("A2", |entries| {
            let again = fact(entries, |change| matches!(change, RoomChange::IllegalAttempted { .. })).clone();
            add(entries, Fact::Room(again.into()));
        }),
        ("X5", |entries| {
            let fact = fact(entries, |change| matches!(change, RoomChange::MovePlayed(_)));
            fact.event.as_mut().unwrap().seq += 1;
        }),
        ("G6", |entries| {
            let mut settled = fact(entries, |change| matches!(change, RoomChange::Ended { .. })).clone();
            let status = BeaconStatus::Missed;
            settled.change = RoomChange::BeaconSettled { status, randomness: None, signature: None };
            add(entries, Fact::Room(settled.clone().into()));
            add(entries, Fact::Room(settled.into()));
        }),
        ("X2", |entries| {
            let mut facts = entries.iter().flat_map(|entry| &entry.facts);
            let agent = facts.find_map(|fact| {
                if let Fact::Desk(DeskFact::AgentRegistered { agent, .. }) = fact {
                    Some(*agent)
                } else {
                    None
                }
            });
            let change = DoorbellChange::Verified {
                url: "https://unproven.example/".to_owned(),
                challenge: ChallengeText("0".repeat(64)),
                signature: Signature::from_bytes([0; 64]),
            };
            let at = Timestamp::from_millis(0);
            let proven = DoorbellFact { at, agent: agent.unwrap(), change };
            add(entries, Fact::Doorbell(proven.into()));
        }),
    ];
    for (check, change) in plants {
        let found = found(&change);
        assert!(found.contains(check), "{check} is not in {found:?}");
    }
}
