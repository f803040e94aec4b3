//! Faulty halls, which the comparison must notice, and a check that games reach every path.

use super::*;
use hall_core::rooms::RoomChange;
use hall_core::rooms::{BeaconStatus, ForcedCause, Phase, RoomFact};
use hall_core::{Effect, Fact, Rejection, RoomCommand, RoomRejection};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The differences found in a hall that errs in some of its games.
fn differences(decide: impl Fn(&Hall, Asked<'_>, &mut Dice) -> Decision) -> Vec<String> {
    (0..20).filter_map(|seed| compare(FIRST, seed, &decide).err()).collect()
}

#[test]
fn missing_rings_leaks_and_a_deadline_one_millisecond_late_are_noticed() {
    let unrung = differences(|hall, asked, dice| {
        let mut decision = usual(hall, asked, dice);
        let rings = |effect: &Effect| matches!(effect, Effect::RingDoorbell { .. });
        if decision.effects.iter().filter(|effect| rings(effect)).count() == FIRST.seats {
            let last = decision.effects.iter().rposition(rings);
            last.map(|place| decision.effects.remove(place));
        }
        decision
    });
    assert!(unrung.iter().any(|part| part.starts_with("the effects")), "{unrung:?}");
    let told = differences(|hall, asked, dice| {
        let mut decision = usual(hall, asked, dice);
        if let Err(Rejection::Room(RoomRejection::IllegalMove(report))) = &mut decision.answer
            && let Some(last) = &mut report.last_move
        {
            last.body_sha256 = Some(Digest::of(b"what was bid"));
        }
        decision
    });
    assert!(told.iter().any(|part| part.starts_with("the answer")), "{told:?}");
    let early = differences(|hall, asked, dice| {
        let stamp = asked.stamp - Span::from_millis(1);
        usual(hall, Asked { stamp, ..asked }, dice)
    });
    assert!(!early.is_empty());
}

/// Details of a bid that a hall might show to spectators, and that must stay secret.
#[test]
fn a_hall_that_shows_a_sealed_bid_to_spectators_is_noticed() {
    let leak = |member: &str, value: &str| {
        let (sealed, told) = (format!("\"{member}\":null"), format!("\"{member}\":{value}"));
        differences(move |hall, asked, dice| {
            let mut decision = usual(hall, asked, dice);
            for fact in decision.facts.iter_mut() {
                if let Fact::Room(fact) = fact
                    && let Some(event) = &mut Arc::make_mut(fact).event
                {
                    event.leaf = event.leaf.replace(&sealed, &told);
                }
            }
            decision
        })
    };
    for (member, value) in [("body_sha256", "\"00\""), ("notation", "\"pass\""), ("san", "\"1\"")] {
        assert!(leak(member, value).iter().any(|part| part.contains("leaf")), "{member}");
    }
}

#[test]
fn a_third_strike_that_waits_for_the_beacon_is_noticed() {
    let waits = differences(|hall, asked, dice| {
        let mut decision = usual(hall, asked, dice);
        let third = decision.facts.iter().enumerate().find_map(|(place, fact)| {
            let fact = fact.in_room()?;
            let RoomChange::StrikeGiven { turn_index, player, cause, count: 3 } = fact.change else {
                return None;
            };
            let waits = hall.rooms().find(&fact.game)?.beacon_status() == BeaconStatus::Waiting;
            let change = RoomChange::PenaltyDeferred { turn_index, player, cause, charged_until: asked.at };
            waits.then(|| (place, RoomFact { change, event: None, ..RoomFact::clone(fact) }))
        });
        if let Some((place, held)) = third {
            decision.facts.truncate(place);
            decision.facts.push(Fact::Room(Arc::new(held)));
        }
        decision
    });
    assert!(waits.iter().any(|part| part.starts_with("fact")), "{waits:?}");
}

/// The paths that a game takes only where it waits for a beacon.
#[test]
fn games_reach_every_path_that_waits_for_the_beacon() {
    let seen = RefCell::new(BTreeSet::new());
    let known = differences(|hall, asked, dice| {
        let decision = usual(hall, asked, dice);
        seen.borrow_mut().extend(roads(hall, asked, &decision));
        decision
    });
    assert_eq!(known, Vec::<String>::new());
    let expected = [
        "a bid that needs the beacon",
        "a missed deadline waits",
        "a third illegal bid waits",
        "a third strike while the beacon is awaited",
        "a wait begins again",
        "missed",
        "others are to bid after a wait",
        "the answer to a third illegal bid",
        "verified",
        "verified in a wait",
    ];
    assert_eq!(seen.into_inner(), BTreeSet::from(expected));
}

#[expect(clippy::wildcard_enum_match_arm, reason = "only some changes are roads of their own")]
fn roads(hall: &Hall, asked: Asked<'_>, decision: &Decision) -> Vec<&'static str> {
    let mut seen = Vec::new();
    if let (
        Err(Rejection::Room(RoomRejection::WrongTurn(report))),
        Command::Room(RoomCommand::Submit(move_asked)),
        Caller::Agent(agent),
    ) = (&decision.answer, asked.what, asked.who)
    {
        let room = hall.rooms().find(&report.game).expect("the game is there");
        let deadline = room.player_of(&agent).and_then(|player| room.deadline_of(player));
        let in_time = deadline.is_some_and(|deadline| asked.stamp <= deadline);
        seen.extend(
            (in_time && move_asked.turn_index == report.turn_index).then_some("a bid that needs the beacon"),
        );
    }
    if decision.effects.iter().any(|effect| matches!(effect, Effect::DeferredAnswer { .. })) {
        seen.push("the answer to a third illegal bid");
    }
    for fact in decision.facts.iter().filter_map(Fact::in_room) {
        let Some(room) = hall.rooms().find(&fact.game) else { continue };
        let (waits, held) =
            (room.beacon_status() == BeaconStatus::Waiting, room.phase() == Phase::AwaitingBeacon);
        seen.extend(match &fact.change {
            RoomChange::PenaltyDeferred { .. } if held => Some("a wait begins again"),
            RoomChange::PenaltyDeferred { cause: ForcedCause::Deadline, .. } => {
                Some("a missed deadline waits")
            }
            RoomChange::PenaltyDeferred { cause: ForcedCause::IllegalMoves, .. } => {
                Some("a third illegal bid waits")
            }
            RoomChange::StrikeGiven { count: 3, .. } if waits => {
                Some("a third strike while the beacon is awaited")
            }
            RoomChange::BeaconSettled { status: BeaconStatus::Missed, .. } => Some("missed"),
            RoomChange::BeaconSettled { .. } if held => Some("verified in a wait"),
            RoomChange::BeaconSettled { .. } => Some("verified"),
            RoomChange::MovePlayed(resolution) if held && resolution.turns.len() < FIRST.seats => {
                Some("others are to bid after a wait")
            }
            _ => None,
        });
    }
    seen
}
