//! What was seen of a world while it ran: by the hall's observer, and by the clients of the hall.
//!
//! It only remembers. What it may mean is judged at the end, against what the hall has kept.

use super::bells::{GotRing, Rung, Turns};
use super::clock::network_millis;
use super::follower::Follower;
use super::hostile::{IllegalCount, Unapplied};
use crate::oracles::CHECKS;
use crate::reference::Divergence;
use crate::report::{Report, Violation};
use crate::trace::TraceHasher;
use hall_core::rooms::{RoomChange, RoomFact};
use hall_core::{Command, DoorbellChange, Fact, HallCommand};
use hall_driver::{Decided, Observer};
use hall_wire::{AgentId, Digest, GameId, Player, Span, Timestamp};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a client was told about a body that it had signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It resolved the turn, at the first attempt or at one whose answer was lost; with the hash of the state after
    /// it, where that was told.
    Applied(Option<Digest>),
    /// It did not resolve the turn.
    NotApplied,
    /// The move was no legal one.
    Illegal,
}

/// A client was told what became of a move.
#[derive(Clone, Debug)]
pub(super) struct ToldMove {
    /// The agent, by its place in the plan.
    pub(super) agent: usize,
    /// The game.
    pub(super) game: GameId,
    /// The turn that was meant.
    pub(super) turn_index: u32,
    /// The hash of what was signed.
    pub(super) body: Digest,
    /// What became of it.
    pub(super) verdict: Verdict,
    /// When it was chosen and when that was told, in milliseconds since the world began.
    pub(super) asked: u64,
    /// See `asked`.
    pub(super) told: u64,
}

/// A client was told how a game ended.
#[derive(Clone, Debug)]
pub(super) struct ToldEnd {
    /// The game.
    pub(super) game: GameId,
    /// The result as JSON has it: winners, whether drawn, reason.
    pub(super) result: (Vec<Player>, bool, String),
}

/// A strike, with the network's time over which the turn stood open.
#[derive(Clone, Copy, Debug)]
pub(super) struct StrikeSeen {
    /// Who was struck.
    pub(super) player: Player,
    /// Since when the turn was open, in milliseconds since the world began.
    pub(super) opened: u64,
    /// When the strike was given.
    pub(super) struck: u64,
}

/// Everything that was seen.
#[derive(Debug, Default)]
pub(super) struct Chronicle {
    /// Over every decision and every byte that a client read.
    pub(super) trace: TraceHasher,
    /// Counts, marks and violations so far.
    pub(super) report: Report,
    /// What clients were told of their moves.
    pub(super) moves: Vec<ToldMove>,
    /// Bodies of hostile agents that must never resolve a turn.
    pub(super) unapplied: Vec<Unapplied>,
    /// Illegal moves that hostile agents have sent, by game and turn.
    pub(super) illegal: BTreeMap<(GameId, u32), IllegalCount>,
    /// What clients were told of ended games.
    pub(super) ends: Vec<ToldEnd>,
    /// Event streams as they were read: numbers and texts.
    pub(super) streams: BTreeMap<(usize, GameId), Vec<(u64, String)>>,
    /// Strikes that were decided, by game and turn; those that were lost in a crash are decided again.
    pub(super) strikes: BTreeMap<(GameId, u32), StrikeSeen>,
    /// Rings as endpoints got them.
    pub(super) rings: Vec<GotRing>,
    /// Since when agents know that they are rung where.
    pub(super) told_verified: BTreeMap<(AgentId, String), u64>,
    /// The same for those whose endpoints are good.
    pub(super) good: BTreeMap<AgentId, u64>,
    /// When turns stood open, and which start of the hall's process runs now.
    pub(super) turns: Turns,
    /// Reads of the journal that failed.
    pub(super) failed_reads: u64,
    /// When the world began, by the clock of the hall as it was then.
    pub(super) begins: Timestamp,
    /// The number of the process of the hall that runs.
    pub(super) start: u64,
    /// The state in which the hall stopped in good order, if that was the last thing that it did.
    pub(super) stopped_in: Option<Digest>,
    /// The reference hall.
    pub(super) follower: Follower,
    /// When the current turn of each game began.
    opened: BTreeMap<GameId, u64>,
    /// Since when a penalty waits for the beacon, by game: nobody can move any more.
    held: BTreeMap<GameId, u64>,
    /// Answers that tell of a fault of the hall.
    faults_told: u64,
    text: String,
}

/// The chronicle, as all hosts of a world share it. One thread runs them all.
#[derive(Clone, Debug, Default)]
pub(super) struct Shared(Arc<Mutex<Chronicle>>);

impl Shared {
    /// Opens the chronicle.
    pub(super) fn open(&self) -> MutexGuard<'_, Chronicle> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An observer that writes into it.
    pub(super) fn observer(&self) -> Box<dyn Observer> {
        Box::new(self.clone())
    }

    /// Notes something that must never be so.
    pub(super) fn violation(&self, invariant: &'static str, text: impl Into<String>) {
        let at = network_millis();
        self.open().violation(invariant, at, text);
    }

    /// Marks an interesting state as reached.
    pub(super) fn mark(&self, kind: &str, name: &str) {
        self.open().report.mark(kind, name);
    }
}

/// Whether the table of all checks says what this name means.
fn is_named(invariant: &str) -> bool {
    CHECKS.iter().any(|check| check.name == invariant)
}

impl Observer for Shared {
    fn decided(&mut self, decided: &Decided<'_>) {
        self.open().decided(decided);
    }
}

impl Chronicle {
    /// An answer tells of a fault of the hall. Whether a read that failed explains it: each explains one.
    pub(super) fn explains_fault(&mut self) -> bool {
        self.faults_told += 1;
        self.report.mark("answered", "INTERNAL");
        self.faults_told <= self.failed_reads
    }

    /// Notes something that must never be so; `at` in milliseconds since the world began.
    pub(super) fn violation(&mut self, invariant: &'static str, at: u64, text: impl Into<String>) {
        assert!(is_named(invariant), "{invariant} is in no table");
        let at = self.begins + Span::from_millis(at);
        self.report.violations.push(Violation::new(invariant, at, text));
    }

    /// Notes something that has not come to rest.
    pub(super) fn unrest(&mut self, invariant: &'static str, at: u64, text: impl Into<String>) {
        assert!(is_named(invariant), "{invariant} is in no table");
        let at = self.begins + Span::from_millis(at);
        self.report.unrest.push(Violation::new(invariant, at, text));
    }

    /// Everything up to this record is durable.
    pub(super) fn durable(&mut self, seq: u64, now: u64) {
        let followed = self.follower.durable(seq);
        self.differs(followed, now);
    }

    /// Notes a decision that the reference hall would not have made.
    fn differs(&mut self, followed: Result<(), Divergence>, now: u64) {
        if let Err(difference) = followed {
            self.violation("R1", now, difference.to_string());
        }
    }

    fn decided(&mut self, decided: &Decided<'_>) {
        self.stopped_in =
            matches!(decided.what, Command::Hall(HallCommand::Stop)).then(|| decided.hall.digest());
        self.text.clear();
        let Decided { at, stamp, who, what, drawn, decision, seq, .. } = decided;
        // Writing into a string cannot fail.
        let _ = write!(self.text, "{what:?} {at} {stamp} {seq} {who:?} {drawn:?} {decision:?}");
        self.trace.take(&self.text.as_str());
        let name = self.text.split(|letter: char| !letter.is_ascii_alphanumeric()).next();
        self.report.mark("command", name.unwrap_or_default());
        let followed = self.follower.decided(decided);
        self.differs(followed, network_millis());
        for fact in &decision.facts {
            if let Fact::Room(fact) = fact {
                self.happened(fact);
            } else if let Fact::Doorbell(fact) = fact {
                self.at_the_door(&fact.change);
            }
        }
    }

    fn at_the_door(&mut self, change: &DoorbellChange) {
        let (kind, name) = match change {
            DoorbellChange::AttemptFailed { reason, .. } => ("attempt failed", reason.as_str()),
            DoorbellChange::Registered { .. } => ("doorbell", "registered"),
            DoorbellChange::VerificationBegun => ("doorbell", "verification begun"),
            DoorbellChange::Verified { .. } => ("doorbell", "verified"),
            DoorbellChange::Disabled => ("doorbell", "disabled"),
            DoorbellChange::Rung { .. } => ("doorbell", "rung at another attempt"),
            DoorbellChange::TurnMissed { .. } => ("doorbell", "turn missed"),
            DoorbellChange::Suspended { .. } => ("doorbell", "suspended"),
        };
        self.report.mark(kind, name);
    }

    /// The hall has come back with these turns open: what was decided beyond them never happened.
    pub(super) fn came_back(&mut self, open: &[(GameId, u32)]) {
        for (game, turn_index) in open {
            let later: Vec<_> = self.turns.range((*game, turn_index + 1)..=(*game, u32::MAX)).collect();
            let later: Vec<_> = later.into_iter().map(|(key, _)| *key).collect();
            for key in later {
                self.turns.remove(&key);
            }
            if let Some(turn) = self.turns.get_mut(&(*game, *turn_index)) {
                turn.resolved = None;
            }
        }
    }

    fn turn_opens(&mut self, game: GameId, turn_index: u32, now: u64) {
        self.turns.insert((game, turn_index), Rung { opened: (now, self.start), resolved: None });
    }

    fn turn_ends(&mut self, game: GameId, turn_index: u32, now: u64) {
        if let Some(turn) = self.turns.get_mut(&(game, turn_index)) {
            turn.resolved = Some((now, self.start));
        }
    }

    fn happened(&mut self, fact: &RoomFact) {
        let now = network_millis();
        let game = fact.game;
        let kind = match &fact.change {
            RoomChange::Started(_) => {
                self.turn_opens(game, 0, now);
                self.opened.insert(game, now);
                "started"
            }
            RoomChange::MovePlayed(resolution) => {
                self.turn_ends(game, resolution.turn_index, now);
                self.turn_opens(game, resolution.turn_index + 1, now);
                self.held.remove(&game);
                self.opened.insert(game, now);
                "move"
            }
            RoomChange::StrikeGiven { turn_index, player, .. } => {
                let opened = self.opened.get(&game).copied().unwrap_or(0);
                let struck = self.held.get(&game).copied().unwrap_or(now);
                self.strikes.insert((game, *turn_index), StrikeSeen { player: *player, opened, struck });
                "strike"
            }
            RoomChange::DeadlineExtended { .. } => "deadline_extended",
            RoomChange::IllegalAttempted { .. } => "illegal_attempt",
            RoomChange::DrawOffered { .. } => "draw_offered",
            RoomChange::DrawDeclined { .. } => "draw_declined",
            RoomChange::PenaltyDeferred { .. } => {
                self.held.entry(game).or_insert(now);
                "penalty_held"
            }
            RoomChange::BeaconSettled { status, .. } => {
                self.report.mark("beacon", status.as_str());
                "beacon"
            }
            RoomChange::Ended { result, .. } => {
                let open = self.turns.range((game, 0)..=(game, u32::MAX)).next_back().map(|(key, _)| key.1);
                if let Some(turn_index) = open {
                    self.turn_ends(game, turn_index, now);
                }
                self.opened.remove(&game);
                self.held.remove(&game);
                self.report.mark("end", &format!("{:?}", result.reason));
                "ended"
            }
        };
        self.report.mark("fact", kind);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "is in no table")]
    fn nothing_is_reported_by_a_name_that_the_table_does_not_explain() {
        Chronicle::default().violation("reference", 0, "it differs");
    }

    #[test]
    #[should_panic(expected = "is in no table")]
    fn nor_is_what_has_not_come_to_rest() {
        Chronicle::default().unrest("rest", 0, "none");
    }
}
