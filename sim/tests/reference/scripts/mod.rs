//! Scripted worlds: each covers a rule that random worlds seldom reach.

mod desk;
mod games;

use super::random::Chaos;
use super::world::*;
use hall_core::rooms::BeaconTerms;
use hall_core::*;
use hall_core::{DeskCommand, GovernanceCommand, HallCommand, RoomCommand, RoomRejection, RoomReply};
use hall_wire::{AgentId, Digest, FeedbackId, GameId, Handle, OperatorId, Player, Signature, Span};
use std::collections::BTreeSet;

use desk::{early_stamps, league, log_and_words, many_games, pairing, quotas, refused_admissions};
use games::{endings, held_penalties, illegal_moves, missed_deadlines, offers, only_move, quiet_games};

const DAY: u64 = 86_400_000;

/// A world played by hand, under its name.
type Script = (&'static str, fn() -> World);

pub(crate) const ALL: &[Script] = &[
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
fn the_reference_follows_every_scripted_world_and_together_they_cover_everything() {
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

fn two(settings: HallSettings, seed: u64) -> (World, AgentId, AgentId) {
    let mut world = World::new(settings, seed);
    let (ada, bob) = (world.player("ada", 1), world.player("bob", 2));
    (world, ada, bob)
}
