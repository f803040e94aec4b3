//! Named interesting states: those that many worlds together must reach, and how the less obvious ones are noticed.

use crate::direct::Observed;
use crate::report::WorldReport;
use hall_core::rooms::{BeaconStatus, ForcedCause, RoomChange, RoomFact};
use hall_core::{
    Caller, Command, DeskFact, Fact, GovernanceFact, HallFact, KeyPurpose, LeaveCause, Rejection, Reply,
    RoomCommand, RoomRejection, RoomReply, Withheld,
};
use hall_games::GameResult;
use hall_wire::{Digest, GameId, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

/// Every mark that a swarm of worlds reaches sooner or later.
pub const EXPECTED: &[&str] = &[
    "answer:index_move",
    "beacon:late",
    "beacon:missed",
    "beacon:verified",
    "challenge:at_its_end",
    "challenge:one_after_its_end",
    "challenge:one_before_its_end",
    "checkpoint:of_later_key",
    "deadline:at",
    "deadline:one_after",
    "deadline:one_before",
    "doorbell:asked",
    "doorbell:moved",
    "doorbell:nothing_to_ring_for",
    "doorbell:refused_at_verification",
    "doorbell:report_not_taken",
    "doorbell:ringer_lagged",
    "doorbell:turn_was_over",
    "doorbell:unverified",
    "early:later_turn",
    "early:next_turn",
    "early:then_in_its_turn",
    "ended:as_the_last_leaves",
    "ended:in_a_shared_turn",
    "ended:with_vacant_seats",
    "fact:agent_registered",
    "fact:agent_restored",
    "fact:agent_suspended",
    "fact:beacon_settled",
    "fact:checkpoint_cut",
    "fact:deadline_extended",
    "fact:docket_entered",
    "fact:doorbell_attempt_failed",
    "fact:doorbell_disabled",
    "fact:doorbell_registered",
    "fact:doorbell_rung",
    "fact:doorbell_suspended",
    "fact:doorbell_turn_missed",
    "fact:doorbell_verification_begun",
    "fact:doorbell_verified",
    "fact:draw_declined",
    "fact:draw_offered",
    "fact:ended",
    "fact:feedback_posted",
    "fact:game_archived",
    "fact:game_rated",
    "fact:hall_deferred",
    "fact:hall_stopped",
    "fact:homologation_filed",
    "fact:illegal_attempted",
    "fact:key_published",
    "fact:lobbies_swept",
    "fact:lobby_joined",
    "fact:lobby_left",
    "fact:move_played",
    "fact:move_sealed",
    "fact:nature_acted",
    "fact:operator_restored",
    "fact:operator_suspended",
    "fact:penalty_held",
    "fact:rules_set",
    "fact:season_closed",
    "fact:season_opened",
    "fact:seat_vacated",
    "fact:shown",
    "fact:started",
    "fact:strike_given",
    "fact:text_withheld",
    "fault:answer_lost",
    "fault:beacon_burst",
    "fault:beacon_other_chain",
    "fault:beacon_round_missing",
    "fault:beacon_second_signature",
    "fault:beacon_stray_round",
    "fault:clock_freeze",
    "fault:clock_step",
    "fault:full_disk",
    "fault:key_rotation",
    "fault:kill",
    "fault:new_settings",
    "fault:operator_act",
    "fault:other_build",
    "fault:partition",
    "fault:pause",
    "fault:power_cut",
    "fault:redaction",
    "fault:request_lost",
    "fault:request_repeated",
    "fault:restart",
    "fault:storage.failed_done",
    "fault:storage.failed_undone",
    "fault:storage.no_space",
    "fault:storage.power_cut",
    "fault:storage.power_cut_after",
    "fault:storage.power_cut_before",
    "fault:storage.process_killed",
    "fault:storage.read_failed",
    "fault:storage.short_read",
    "fault:storage.slow",
    "fault:vacated_seat",
    "forced:deadline",
    "forced:illegal_moves",
    "forced:vacated",
    "gap:in_several_commands",
    "hall:crash_inside_recovery",
    "hall:crash_inside_recovery_twice",
    "hall:down_in_a_gap",
    "hall:journal_failed",
    "hall:low_disk_over",
    "hall:request_lingers",
    "hall:request_while_down",
    "hall:slow_commit",
    "hall:start_aimed",
    "held:deadline",
    "held:illegal_moves",
    "inside:after_a_failed_append",
    "inside:after_an_append",
    "inside:ahead_of_the_disk",
    "key:log_rotated",
    "key:ring_rotated",
    "lobby:left",
    "lobby:refiled",
    "lobby:suspended",
    "manner:for_another",
    "manner:forged_body",
    "manner:forged_header",
    "manner:invented_challenge",
    "manner:other_handle",
    "manner:other_key",
    "manner:other_path",
    "manner:others_challenge",
    "manner:race",
    "manner:replay",
    "nature:after_a_wait",
    "nature:hidden",
    "nature:public",
    "nature:waits_again",
    "nature:with_draws",
    "nature:without_draws",
    "pairing:at_midnight",
    "pairing:two_at_once",
    "places:one_first",
    "refused:AGENT_SUSPENDED",
    "refused:ALREADY_IN_LOBBY",
    "refused:AUTH_SIGNATURE_INVALID",
    "refused:AUTH_UNKNOWN_AGENT",
    "refused:CHALLENGE_EXPIRED",
    "refused:CHALLENGE_SPENT",
    "refused:CHALLENGE_UNKNOWN",
    "refused:DIVISION_MISMATCH",
    "refused:DRAW_OFFER_IMPOSSIBLE",
    "refused:FEEDBACK_QUOTA",
    "refused:GAME_NOT_FOUND",
    "refused:GAME_NOT_LIVE",
    "refused:GAME_UNKNOWN",
    "refused:HANDLE_TAKEN",
    "refused:ILLEGAL_MOVE",
    "refused:INVALID_BODY",
    "refused:KEY_ALREADY_REGISTERED",
    "refused:LOW_DISK",
    "refused:NOT_HOMOLOGATED",
    "refused:NOT_IN_LOBBY",
    "refused:NOT_SEATED",
    "refused:NOT_YOUR_AGENT",
    "refused:NO_DRAW_OFFER",
    "refused:QUOTA_CONCURRENT",
    "refused:QUOTA_JOINS",
    "refused:SEASON_NOT_FOUND",
    "refused:VARIANT_UNKNOWN",
    "refused:WRONG_TURN",
    "rejected:AGENT_NOT_FOUND",
    "rejected:AGENT_SUSPENDED",
    "rejected:ALREADY_IN_LOBBY",
    "rejected:AUTH_SIGNATURE_INVALID",
    "rejected:DIVISION_MISMATCH",
    "rejected:DOORBELL_NOT_REGISTERED",
    "rejected:DOORBELL_URL_REFUSED",
    "rejected:DRAW_OFFER_IMPOSSIBLE",
    "rejected:FEEDBACK_QUOTA",
    "rejected:GAME_NOT_FOUND",
    "rejected:GAME_NOT_LIVE",
    "rejected:GAME_UNKNOWN",
    "rejected:HANDLE_TAKEN",
    "rejected:ILLEGAL_MOVE",
    "rejected:INVALID_BODY",
    "rejected:KEY_ALREADY_REGISTERED",
    "rejected:NOTHING_TO_CHANGE",
    "rejected:NOT_HOMOLOGATED",
    "rejected:NOT_IN_LOBBY",
    "rejected:NOT_SEATED",
    "rejected:NO_DRAW_OFFER",
    "rejected:OPERATOR_NOT_FOUND",
    "rejected:PLAYER_UNKNOWN",
    "rejected:QUOTA_CONCURRENT",
    "rejected:QUOTA_JOINS",
    "rejected:RATE_LIMITED",
    "rejected:SEASON_ALREADY_OPEN",
    "rejected:SEASON_NAME_USED",
    "rejected:SEASON_NOT_FOUND",
    "rejected:SEAT_NEEDED",
    "rejected:VARIANT_UNKNOWN",
    "rejected:WRONG_TURN",
    "result:aborted",
    "result:adjudicated",
    "result:agreement",
    "result:checkmate",
    "result:clock",
    "result:connection",
    "result:explosion",
    "result:fifty_moves",
    "result:four_in_line",
    "result:insufficient_material",
    "result:last_with_dice",
    "result:more_points",
    "result:no_pieces",
    "result:resignation",
    "result:score",
    "result:stalemate",
    "result:strikes",
    "result:threefold_repetition",
    "ring:answered",
    "ring:bad_status",
    "ring:gone",
    "ring:refused",
    "ring:timeout",
    "ring:unreachable",
    "sealed_by:deadline",
    "sealed_by:illegal_moves",
    "sealed_by:vacated",
    "stream:fell_behind",
    "stream:never_read",
    "stream:past_in_pieces",
    "stream:resumed_after_restart",
    "stream:to_the_end",
    "strike_by:deadline",
    "strike_by:illegal_moves",
    "third_strike_by:deadline",
    "third_strike_by:illegal_moves",
    "vacant:before_the_clocks_of_others",
    "vacant:in_its_own_turn",
    "vacant:while_others_have_sealed",
    "vacated_by:adjudicated",
    "vacated_by:clock",
    "vacated_by:resignation",
    "vacated_by:strikes",
    "withheld:agent",
    "withheld:feedback",
    "withheld:turn",
];

/// What must be remembered to notice some of them.
#[derive(Debug, Default)]
pub struct Marker {
    /// The turn of each game whose deadline was missed last, with that deadline.
    missed: BTreeMap<GameId, (u32, Timestamp)>,
    /// Games in which a penalty waits for the beacon.
    held: BTreeSet<GameId>,
    /// Moves that were refused because their turn had not come: the digests of their bodies.
    early: BTreeSet<Digest>,
    /// Whether the first log key is no longer in force.
    log_rotated: bool,
    /// The last turn of each game in which somebody sealed a move.
    sealed: BTreeMap<GameId, u32>,
    /// Games in which the hall waits for the beacon before it can act.
    hall_waits: BTreeSet<GameId>,
    /// Vacant seats by game.
    vacant: BTreeMap<GameId, u32>,
}

impl Marker {
    /// Notices what a decision reaches.
    pub fn notice(&mut self, observed: &Observed, report: &mut WorldReport) {
        if let (Err(Rejection::Room(RoomRejection::WrongTurn(_))), Command::Room(RoomCommand::Submit(asked))) =
            (&observed.decision.answer, &observed.what)
            && self.missed.get(&asked.game).is_some_and(|(turn, deadline)| {
                asked.turn_index == *turn && observed.stamp.as_millis() == deadline.as_millis() + 1
            })
        {
            report.mark("deadline", "one_after");
        }
        self.at_its_time(observed, report);
        if let (
            Command::Room(RoomCommand::ExtendForGap { .. }),
            Ok(Reply::Room(RoomReply::Continued { after })),
        ) = (&observed.what, &observed.decision.answer)
            && after.is_some()
        {
            report.mark("gap", "in_several_commands");
        }
        let begun = observed.decision.facts.iter().filter_map(Fact::in_room);
        if begun.filter(|fact| matches!(fact.change, RoomChange::Started(_))).count() > 1 {
            report.mark("pairing", "two_at_once");
        }
        for fact in &observed.decision.facts {
            match fact {
                Fact::Room(fact) => self.in_room(fact, observed, report),
                Fact::Desk(DeskFact::LobbyLeft { cause, .. }) => report.mark(
                    "lobby",
                    match cause {
                        LeaveCause::Left => "left",
                        LeaveCause::Refiled => "refiled",
                        LeaveCause::Suspended => "suspended",
                    },
                ),
                Fact::Hall(HallFact::KeyPublished { purpose, signature: Some(_), .. }) => match purpose {
                    KeyPurpose::Log => {
                        self.log_rotated = true;
                        report.mark("key", "log_rotated");
                    }
                    KeyPurpose::Ring => report.mark("key", "ring_rotated"),
                },
                Fact::Hall(HallFact::CheckpointTaken { .. }) if self.log_rotated => {
                    report.mark("checkpoint", "of_later_key")
                }
                Fact::Governance(GovernanceFact::TextWithheld { what, .. }) => report.mark(
                    "withheld",
                    match what {
                        Withheld::Turn { .. } => "turn",
                        Withheld::Feedback(_) => "feedback",
                        Withheld::Agent(_) => "agent",
                    },
                ),
                Fact::Hall(_)
                | Fact::Desk(DeskFact::AgentRegistered { .. })
                | Fact::Desk(DeskFact::HomologationFiled { .. })
                | Fact::Governance(GovernanceFact::SeasonOpened { .. })
                | Fact::Governance(GovernanceFact::SeasonClosed { .. })
                | Fact::Desk(DeskFact::LobbyJoined { .. })
                | Fact::Desk(DeskFact::LobbiesSwept { .. })
                | Fact::Desk(DeskFact::GameRated { .. })
                | Fact::Desk(DeskFact::FeedbackPosted { .. })
                | Fact::Doorbell(_)
                | Fact::Governance(GovernanceFact::DocketEntered { .. })
                | Fact::Governance(GovernanceFact::AgentSuspended { .. })
                | Fact::Governance(GovernanceFact::AgentRestored { .. })
                | Fact::Governance(GovernanceFact::OperatorSuspended { .. })
                | Fact::Governance(GovernanceFact::OperatorRestored { .. }) => {}
            }
        }
    }

    /// A move for a later turn, and the same move when its turn has come.
    fn at_its_time(&mut self, observed: &Observed, report: &mut WorldReport) {
        let Command::Room(RoomCommand::Submit(asked)) = &observed.what else { return };
        let Some(body) = asked.signed.as_ref().map(|signed| signed.sha256) else { return };
        match &observed.decision.answer {
            Err(Rejection::Room(RoomRejection::WrongTurn(status)))
                if asked.turn_index > status.turn_index =>
            {
                let next = asked.turn_index == status.turn_index + 1;
                report.mark("early", if next { "next_turn" } else { "later_turn" });
                self.early.insert(body);
            }
            Ok(_) if self.early.remove(&body) => report.mark("early", "then_in_its_turn"),
            Ok(_) | Err(_) => {}
        }
    }

    fn in_room(&mut self, fact: &RoomFact, observed: &Observed, report: &mut WorldReport) {
        match &fact.change {
            RoomChange::Started(_) => {
                let of_day = fact.at.as_millis().rem_euclid(86_400_000);
                if !(1_000..86_399_000).contains(&of_day) {
                    report.mark("pairing", "at_midnight");
                }
            }
            RoomChange::MovePlayed(resolution) => {
                self.held.remove(&fact.game);
                if resolution.turns.len() > 1 {
                    report.mark("movers", "several");
                }
                if resolution.forced == Some(ForcedCause::Vacated) && resolution.body.is_some() {
                    report.mark("vacant", "in_its_own_turn");
                }
                let Some(deadline) = resolution.deadline else { return };
                match (resolution.forced, deadline.as_millis() - resolution.at.as_millis()) {
                    (None, 0) => report.mark("deadline", "at"),
                    (None, 1) => report.mark("deadline", "one_before"),
                    (Some(ForcedCause::Deadline), _) => {
                        self.missed.insert(fact.game, (resolution.turn_index, deadline));
                    }
                    (None | Some(ForcedCause::IllegalMoves | ForcedCause::Vacated), _) => {}
                }
                if let (Caller::Agent(_), Command::Room(RoomCommand::Submit(asked))) =
                    (observed.who, &observed.what)
                    && matches!(asked.choice, Some(hall_core::Choice::Index(_)))
                {
                    report.mark("answer", "index_move");
                }
            }
            RoomChange::PenaltyDeferred { cause, .. } => {
                self.held.insert(fact.game);
                report.mark("held", cause.as_str());
            }
            RoomChange::BeaconSettled { status, .. } => {
                report.mark("beacon", status.as_str());
                if *status == BeaconStatus::Verified && self.held.contains(&fact.game) {
                    report.mark("beacon", "late");
                }
            }
            RoomChange::Ended { result, resolution } => {
                self.held.remove(&fact.game);
                self.missed.remove(&fact.game);
                self.ended(fact.game, result, resolution.is_some(), report);
            }
            RoomChange::MoveSealed { turn_index, action, turns, .. } => {
                self.sealed.insert(fact.game, *turn_index);
                if let Some(forced) = action.forced {
                    report.mark("sealed_by", forced.as_str());
                }
                if !turns.is_empty() {
                    report.mark("vacant", "before_the_clocks_of_others");
                }
            }
            RoomChange::NatureActed { outcome, rolls, .. } => {
                report.mark("nature", if rolls.is_empty() { "without_draws" } else { "with_draws" });
                report.mark("nature", if outcome.is_some() { "public" } else { "hidden" });
                if self.hall_waits.remove(&fact.game) {
                    report.mark("nature", "after_a_wait");
                }
            }
            RoomChange::HallDeferred { .. } => {
                if !self.hall_waits.insert(fact.game) {
                    report.mark("nature", "waits_again");
                }
            }
            RoomChange::SeatVacated { turn_index, reason, .. } => {
                report.mark("vacated_by", reason.as_str());
                if self.sealed.get(&fact.game) == Some(turn_index) {
                    report.mark("vacant", "while_others_have_sealed");
                }
                *self.vacant.entry(fact.game).or_default() += 1;
            }
            RoomChange::IllegalAttempted { .. }
            | RoomChange::Shown { .. }
            | RoomChange::StrikeGiven { .. }
            | RoomChange::DrawOffered { .. }
            | RoomChange::DrawDeclined { .. }
            | RoomChange::DeadlineExtended { .. } => {}
        }
    }

    fn ended(&mut self, game: GameId, result: &GameResult, by_a_turn: bool, report: &mut WorldReport) {
        self.hall_waits.remove(&game);
        let (sealed, vacant) = (self.sealed.remove(&game), self.vacant.remove(&game));
        if sealed.is_some() && by_a_turn {
            report.mark("ended", "in_a_shared_turn");
        }
        if vacant.is_some() {
            report.mark("ended", if by_a_turn { "as_the_last_leaves" } else { "with_vacant_seats" });
        }
        if let Some(places) = result.places.as_ref().filter(|_| !result.draw) {
            let first = places.iter().filter(|place| **place == 1).count();
            report.mark("places", if first > 1 { "shared_first" } else { "one_first" });
        }
    }
}
