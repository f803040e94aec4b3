//! What the hall keeps in its log besides games: its keys, the points that it signs, and outages.

use crate::world::{as_data, hall_with, settings};
use hall_core::fixtures::Seeded;
use hall_core::{
    Caller, Command, DocketEntry, DocketKind, DocketMatter, Fact, GapCause, GovernanceFact, HallCommand,
    HallFact, KeyOccasion, KeyPurpose, Rejection, Reply, RoomCommand, limits,
};
use hall_wire::{Digest, Signature, Span, Timestamp};

const SIGNATURE: Signature = Signature::from_bytes([7; 64]);

fn replacement(purpose: KeyPurpose, public_key: &str, occasion: KeyOccasion) -> Command {
    let (public_key, reason) = (public_key.to_owned(), "the old one was lent".to_owned());
    let (replaces, signature) = (None, SIGNATURE);
    Command::Hall(HallCommand::ReplaceKey { purpose, public_key, replaces, signature, occasion, reason })
}

fn entries(facts: &[Fact]) -> Vec<&DocketEntry> {
    let mut entries = Vec::new();
    for fact in facts {
        if let Fact::Governance(GovernanceFact::DocketEntered { entry, .. }) = fact {
            entries.push(entry);
        }
    }
    entries
}

#[test]
fn a_replaced_key_is_published_with_the_signature_of_the_old_one_and_docketed() {
    for (purpose, occasion) in [
        (KeyPurpose::Log, KeyOccasion::Rotation),
        (KeyPurpose::Ring, KeyOccasion::Rotation),
        (KeyPurpose::Log, KeyOccasion::Restore),
    ] {
        let mut world = hall_with(settings(), 1);
        world.sweep();
        let (before, known) = (world.hall.keys().cloned().unwrap(), world.facts.len());
        let command = replacement(purpose, "other+01020304+AQ==", occasion);
        assert_eq!(world.granted(Caller::Operator, command.clone()), Reply::Done);
        let after = world.hall.keys().cloned().unwrap();
        let (changed, kept) = match purpose {
            KeyPurpose::Log => (&after.log, (&after.ring, &before.ring)),
            KeyPurpose::Ring => (&after.ring, (&after.log, &before.log)),
        };
        assert_eq!((changed.as_str(), kept.0), ("other+01020304+AQ==", kept.1));
        let [Fact::Hall(HallFact::KeyPublished { signature, leaf, .. }), told] = &world.facts[known..] else {
            panic!("{:?}", world.facts)
        };
        assert_eq!(signature.as_deref(), Some(SIGNATURE.to_string().as_str()));
        assert!(leaf.contains(&SIGNATURE.to_string()) && leaf.contains("other+01020304+AQ=="), "{leaf}");
        let entry = entries(std::slice::from_ref(told))[0].clone();
        let (public_key, reason) = ("other+01020304+AQ==", "the old one was lent");
        let matter = DocketMatter::KeyReplaced { purpose, public_key, occasion, reason };
        assert_eq!((entry.kind, entry.subject), (DocketKind::KeyRotation, as_data(&matter).subject));
        assert_eq!(world.ask(Caller::Operator, command), Err(Rejection::NothingToChange));
    }
}

#[test]
fn of_two_that_replace_the_same_key_at_once_the_first_does() {
    let mut world = hall_with(settings(), 1);
    world.sweep();
    let present = world.hall.keys().unwrap().clone();
    for (purpose, old) in [(KeyPurpose::Log, present.log), (KeyPurpose::Ring, present.ring)] {
        let by_node = |number: u8| {
            Command::Hall(HallCommand::ReplaceKey {
                purpose,
                public_key: format!("other/{number}+01020304+AQ=="),
                replaces: Some(old.clone()),
                signature: SIGNATURE,
                occasion: KeyOccasion::Rotation,
                reason: "a year has passed".to_owned(),
            })
        };
        assert_eq!(world.granted(Caller::Operator, by_node(1)), Reply::Done);
        assert_eq!(world.ask(Caller::Operator, by_node(2)), Err(Rejection::NothingToChange));
    }
}

#[test]
fn only_the_operator_replaces_a_key() {
    let mut world = hall_with(settings(), 1);
    let agent = world.register("ada", 1);
    for who in [Caller::Hall, Caller::Agent(agent)] {
        let command = replacement(KeyPurpose::Log, "other+01020304+AQ==", KeyOccasion::Rotation);
        assert_eq!(world.ask(who, command), Err(Rejection::NotYourAgent));
    }
}

#[test]
fn a_checkpoint_covers_every_leaf_and_more_than_the_last_one() {
    let mut world = hall_with(settings(), 1);
    assert_eq!(world.hall.log_head(), None);
    let cut = |size: u64| {
        Command::Hall(HallCommand::TakeCheckpoint { size, root: Digest::of(&size.to_be_bytes()) })
    };
    let leaves = world.hall.leaf_count();
    for size in [0, leaves - 1, leaves + 1] {
        assert_eq!(world.ask(Caller::Hall, cut(size)), Err(Rejection::NothingToChange), "{size}");
    }
    assert_eq!(world.granted(Caller::Hall, cut(leaves)), Reply::Done);
    let newest = world.hall.log_head().unwrap();
    assert_eq!((newest.at, newest.size, newest.root), (world.now, leaves, Digest::of(&leaves.to_be_bytes())));
    assert_eq!(world.ask(Caller::Hall, cut(leaves)), Err(Rejection::NothingToChange), "it says nothing new");
    world.register("ada", 1);
    let more = world.hall.leaf_count();
    assert_eq!(world.ask(Caller::Hall, cut(leaves)), Err(Rejection::NothingToChange), "it is behind");
    assert_eq!(world.granted(Caller::Hall, cut(more)), Reply::Done);
    assert_eq!(world.hall.log_head().map(|cut| cut.size), Some(more));
}

/// The docket entry about a gap.
fn told_of(from: Timestamp, away: Span, cause: GapCause) -> Vec<DocketEntry> {
    let world = hall_with(settings(), 1);
    let until = from.max(world.now) + away;
    let from = if from == Timestamp::default() { from } else { until - away };
    let command = Command::Room(RoomCommand::ExtendForGap { from, until, cause, after: None });
    let decision = world.hall.decide(until, until, Caller::Hall, &command, &mut Seeded::new(1));
    entries(&decision.facts).into_iter().cloned().collect()
}

#[test]
fn an_outage_of_ten_seconds_that_agents_cannot_cause_is_docketed() {
    let (begun, one) = (Timestamp::from_millis(1_795_000_000_000), Span::from_millis(1));
    let told = told_of(begun, limits::SHORTEST_DOCKETED_GAP, GapCause::Restart);
    assert_eq!(told.len(), 1);
    let outage = DocketMatter::Outage {
        from: begun,
        until: begun + limits::SHORTEST_DOCKETED_GAP,
        cause: GapCause::Restart,
    };
    assert_eq!((told[0].kind, &told[0].subject), (DocketKind::Outage, &as_data(&outage).subject));
    assert_eq!(
        told_of(begun, limits::SHORTEST_DOCKETED_GAP.saturating_sub(one), GapCause::Restart),
        [],
        "too short"
    );
    assert_eq!(
        told_of(begun, limits::SHORTEST_DOCKETED_GAP, GapCause::SlowCommit),
        [],
        "agents can bring it about"
    );
    assert_eq!(
        told_of(Timestamp::default(), limits::SHORTEST_DOCKETED_GAP, GapCause::Restart),
        [],
        "there was no hall before"
    );
}
