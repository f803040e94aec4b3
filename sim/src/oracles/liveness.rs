//! V1 to V6: without faults everything completes, and bounds always hold.

use super::ledger::Ledger;
use super::observation::{Observation, Picture};
use super::{Family, Violations};
use crate::direct::Observed;
use crate::protocol::{AnswerBrief, SendMode};
use hall_core::rooms::RoomChange;
use hall_core::{Fact, limits};
use hall_wire::{AgentId, Handle, Span, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

/// Commands that may wait for the writer.
const QUEUED: usize = 8_192;
/// How late the hall may act by itself: a second, and what a request on its way may hold it back.
const LATE: Span = Span::from_secs(3);
/// Tries within which an honest request succeeds.
const TRIES: u8 = 3;

/// The state of this family.
#[derive(Clone, Default)]
pub(super) struct Liveness {
    /// When the hall last began: whatever became due while it was away is late.
    begun: Option<Timestamp>,
    unharmed: BTreeSet<AgentId>,
    now: Timestamp,
    /// The hall has done a step since the faults ended.
    settled: bool,
    asked: BTreeSet<(Handle, u64)>,
    failures: BTreeMap<Handle, u8>,
}

impl Family for Liveness {
    fn observation(&mut self, observation: &Observation, ledger: &Ledger, violations: &mut Violations) {
        match observation {
            Observation::Began(terms) => self.unharmed.clone_from(&terms.unharmed),
            Observation::Opened(opened) => self.begun = Some(opened.at),
            Observation::Asked { handle, number, mode: SendMode::Honest, .. } if self.settled => {
                self.asked.insert((handle.clone(), *number));
            }
            Observation::Heard { handle, number, answer } => self.heard(handle, *number, answer, violations),
            Observation::Stepped(picture) => self.stepped(picture, false, ledger, violations),
            Observation::Ended(ending) if ending.rested => match &ending.picture {
                None => violations.report("V6", ending.at, "the hall is not up without faults"),
                Some(picture) => {
                    let text = || format!("{} games are still live at the end", picture.live);
                    violations.require(picture.live == 0, "V1", ending.at, text);
                    self.stepped(picture, true, ledger, violations);
                }
            },
            _ => {}
        }
    }

    fn fact(&mut self, fact: &Fact, observed: &Observed, ledger: &Ledger, violations: &mut Violations) {
        let Fact::Room(fact) = fact else { return };
        let RoomChange::StrikeGiven { player, cause, .. } = &fact.change else { return };
        let agent = ledger.games.get(&fact.game).and_then(|game| game.agent(*player));
        let harmed = agent.is_some_and(|agent| self.unharmed.contains(&agent));
        let text = || format!("{agent:?} is struck by {} in game {}", cause.as_str(), fact.game);
        violations.require(!harmed, "V5", observed.at, text);
    }
}

impl Liveness {
    fn heard(&mut self, handle: &Handle, number: u64, answer: &AnswerBrief, violations: &mut Violations) {
        if !self.asked.remove(&(handle.clone(), number)) {
            return;
        }
        let failed = match answer {
            AnswerBrief::Lost => true,
            AnswerBrief::Refused { code, .. } => {
                matches!(
                    *code,
                    "LOW_DISK" | "OVERLOADED" | "STOPPING" | "UNAVAILABLE" | "AUTH_SIGNATURE_INVALID"
                ) || code.starts_with("CHALLENGE_")
            }
            _ => false,
        };
        let failures = self.failures.entry(handle.clone()).or_default();
        *failures = if failed { *failures + 1 } else { 0 };
        let text = || format!("{handle} has asked {TRIES} times and is told {answer:?}");
        violations.require(*failures < TRIES, "V2", self.now, text);
    }

    fn stepped(&mut self, picture: &Picture, last: bool, ledger: &Ledger, violations: &mut Violations) {
        self.now = picture.at;
        let at = picture.at;
        let bounded = picture.spent_bytes <= limits::SPENT_CHALLENGE_BYTES && picture.queued <= QUEUED;
        let text =
            || format!("{} bytes of challenges, {} commands wait", picture.spent_bytes, picture.queued);
        violations.require(bounded, "V4", at, text);
        let Some(calm) = ledger.calm_since else { return };
        self.settled = true;
        if !last && at <= self.begun.map_or(calm, |begun| begun.max(calm)) + LATE {
            return;
        }
        let late = ledger.first_due().filter(|(due, _)| *due + LATE < at);
        let text = || format!("the game and its time that waits: {late:?}");
        violations.require(late.is_none() || !picture.writable, "V1", at, text);
        let swept = ledger.next_sweep().is_none_or(|due| due + LATE >= at);
        let left =
            if swept { None } else { ledger.lobbies.keys().find_map(|lobby| ledger.next_group(lobby)) };
        let text = || format!("{left:?} wait, and no sweep comes");
        violations.require(left.is_none(), "V3", at, text);
    }
}
