//! D1 to D9: everything disclosed is durable, and nothing else is disclosed.

use super::authentication::asking_handle;
use super::ledger::Ledger;
use super::observation::{Death, Observation, Opened, Recorded};
use super::{Family, Violations};
use crate::direct::{Observed, answer_brief};
use crate::protocol::AnswerBrief;
use hall_core::{Command, Effect, Fact, HallCommand, Reply, RoomCommand, RoomReply};
use hall_driver::JournalEntry;
use hall_wire::{GameId, Handle, Timestamp};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use xxhash_rust::xxh3::xxh3_64;

/// Bytes of most decisions.
const USUAL_BYTES: usize = 2_048;

/// What was durable, and what was answered.
#[derive(Clone, Default)]
pub(super) struct Durability {
    /// A print of every durable record.
    prints: BTreeMap<u64, u64>,
    chains: BTreeMap<u64, [u8; 32]>,
    /// The last record that was ever known to be durable.
    reached: u64,
    /// Answers that are decided and have not left: by handle, in order.
    due: BTreeMap<Handle, VecDeque<(u64, AnswerBrief)>>,
    /// The handles that wait for a held answer.
    held: BTreeMap<(GameId, u32), Vec<Handle>>,
    failed: bool,
    death: Option<Death>,
}

impl Family for Durability {
    fn observation(&mut self, observation: &Observation, _: &Ledger, violations: &mut Violations) {
        match observation {
            Observation::Answered { at, handle, answer, durable } => {
                self.answered(*at, handle, answer, *durable, violations);
            }
            Observation::Failed { .. } => self.failed = true,
            Observation::FailureIgnored { at } => {
                violations.report("D8", *at, "an append succeeded though the disk failed in it".to_owned());
            }
            Observation::Died(death) => {
                self.reached = self.reached.max(death.durable);
                self.due.clear();
                self.held.clear();
                self.death = Some(death.clone());
            }
            Observation::Opened(opened) => self.opened(opened, violations),
            Observation::Started { .. } => {
                self.failed = false;
                self.due.clear();
                self.held.clear();
            }
            _ => {}
        }
    }

    fn after(&mut self, observed: &Observed, ledger: &Ledger, _: &mut Violations) {
        if !observed.decision.facts.is_empty() {
            let print = print_of(observed.at, observed.stamp, &observed.decision.facts);
            self.prints.insert(observed.seq, print);
        }
        for effect in &observed.decision.effects {
            let Effect::DeferredAnswer { game, turn_index, answer } = effect else { continue };
            for handle in self.held.remove(&(*game, *turn_index)).unwrap_or_default() {
                let answer = answer_brief((**answer).clone());
                self.due.entry(handle).or_default().push_back((observed.seq, answer));
            }
        }
        let Some(handle) = asking_handle(observed, ledger) else { return };
        match &observed.decision.answer {
            Ok(Reply::Room(RoomReply::Deferred { game, turn_index })) => {
                self.held.entry((*game, *turn_index)).or_default().push(handle);
            }
            answer => {
                self.due.entry(handle).or_default().push_back((observed.seq, answer_brief(answer.clone())));
            }
        }
    }
}

impl Durability {
    fn answered(
        &mut self,
        at: Timestamp,
        handle: &Handle,
        answer: &AnswerBrief,
        durable: u64,
        violations: &mut Violations,
    ) {
        if matches!(answer, AnswerBrief::Refused { code: "LOW_DISK" | "OVERLOADED" | "STOPPING", .. }) {
            return;
        }
        self.reached = self.reached.max(durable);
        if self.failed {
            return violations.report(
                "D8",
                at,
                format!("{handle} is told {answer:?} after the journal has failed"),
            );
        }
        let due = self.due.entry(handle.clone()).or_default();
        let place = due.iter().position(|(_, known)| known == answer);
        let seq = place.and_then(|place| due.remove(place)).map(|(seq, _)| seq);
        let holds = seq.is_some_and(|seq| seq <= durable);
        let text = || format!("{handle} is told {answer:?}, of record {seq:?}, when {durable} is durable");
        violations.require(holds, "D3", at, text);
    }

    fn opened(&mut self, opened: &Opened, violations: &mut Violations) {
        let Opened { at, seq, records, recovered, folded, in_doubt } = opened;
        let at = *at;
        let text = || format!("the journal ends at {seq}, {} was told to be durable", self.reached);
        violations.require(*seq >= self.reached, "D7", at, text);
        self.chained(opened, violations);
        let doubtful: BTreeMap<u64, u64> = in_doubt
            .iter()
            .filter(|observed| !observed.decision.facts.is_empty())
            .map(|it| (it.seq, print_of(it.at, it.stamp, &it.decision.facts)))
            .collect();
        let text = || format!("the records up to {seq} cannot be read: {:?}", records.as_ref().err());
        violations.require(records.is_ok(), "D1", at, text);
        for record in records.iter().flatten() {
            let Recorded { seq, bytes, .. } = record;
            let print = JournalEntry::decode(bytes).ok().map(|it| print_of(it.at, it.stamp, &it.facts));
            if let Some(known) = self.prints.get(seq) {
                let text = || format!("record {seq} is not the one that was decided");
                violations.require(print == Some(*known), "D1", at, text);
            } else {
                let text = || format!("record {seq} is none of those that were under way");
                violations.require(print.is_some() && print == doubtful.get(seq).copied(), "D2", at, text);
            }
        }
        // What a stop adds to a write that has failed already, a last checkpoint too, is a separate write.
        let parts = in_doubt.iter().take_while(|it| !matches!(it.what, Command::Hall(HallCommand::Stop)));
        let parts = parts.filter(|it| !matches!(it.what, Command::Room(RoomCommand::ExtendForGap { .. })));
        let parts = parts.filter(|it| !it.decision.facts.is_empty());
        let (there, absent): (Vec<u64>, Vec<u64>) = parts.map(|it| it.seq).partition(|part| part <= seq);
        let whole = there.is_empty() || absent.is_empty();
        let text = || format!("of one write the records {there:?} are there and {absent:?} are not");
        violations.require(whole, "D2", at, text);
        if let Some(Err(why)) = folded {
            violations.report("Z4", at, format!("at record {seq} the facts give no state: {why}"));
        }
        let recovered = match (recovered, folded) {
            (Err(why), _) => {
                let text = format!("at record {seq} no state is recovered: {why}");
                return violations.report("D9", at, text);
            }
            (Ok(recovered), Some(Ok(folded))) => {
                let text =
                    || format!("at record {seq} the snapshot gives {recovered}, all facts give {folded}");
                violations.require(recovered == folded, "D9", at, text);
                recovered
            }
            (Ok(recovered), Some(Err(_)) | None) => recovered,
        };
        let before = self.death.take().filter(|death| death.durable == *seq).and_then(|death| death.digest);
        if let Some(before) = before {
            let text = || format!("at record {seq} the state was {before}, {recovered} came back");
            violations.require(before == *recovered, "D4", at, text);
        }
    }

    fn chained(&mut self, opened: &Opened, violations: &mut Violations) {
        let mut last: Option<(u64, [u8; 32])> = None;
        let mut numbers = BTreeSet::new();
        for Recorded { seq, chain, bytes } in opened.records.iter().flatten() {
            let before = match last {
                Some(last) => Some(last),
                None if *seq == 1 => Some((0, [0; 32])),
                None => self.chains.get(&(seq - 1)).map(|chain| (seq - 1, *chain)),
            };
            let next = before
                .is_none_or(|(number, before)| *seq == number + 1 && *chain == link(&before, *seq, bytes));
            let text =
                || format!("record {seq} does not continue the chain after {:?}", before.map(|it| it.0));
            violations.require(next && numbers.insert(*seq), "D5", opened.at, text);
            last = Some((*seq, *chain));
            self.chains.insert(*seq, *chain);
        }
    }
}

/// The chain value of a record, by the specification of the format.
fn link(before: &[u8; 32], seq: u64, bytes: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(b"svc.journal.v1");
    hash.update(before);
    hash.update(seq.to_be_bytes());
    hash.update(bytes);
    hash.finalize().into()
}

/// What identifies a decision: its times and its facts to the last character.
fn print_of(at: Timestamp, stamp: Timestamp, facts: &[Fact]) -> u64 {
    let bytes = postcard::to_extend(&(at, stamp, facts), Vec::with_capacity(USUAL_BYTES)).unwrap_or_default();
    xxh3_64(&bytes)
}
