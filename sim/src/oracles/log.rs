//! G1 to G5 and G10: one log that only grows, and checkpoints that agree with it and bear its keys.

use super::ledger::Ledger;
use super::observation::{Observation, Picture};
use super::tree::Tree;
use super::{Family, Violations};
use crate::direct::Observed;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hall_core::{DeskFact, Fact, GovernanceFact, HallFact, KeyPurpose};
use hall_wire::{Digest, PublicKey, Signature, Span, Timestamp};
use std::collections::{BTreeMap, VecDeque};

/// The time within which a leaf must be covered.
const COVERED: Span = Span::from_secs(1);

/// A second copy of the log, and what was signed of it.
#[derive(Clone, Default)]
pub(super) struct Log {
    tree: Tree,
    /// Durable cuts by size.
    cuts: BTreeMap<u64, Cut>,
    /// The keys in force.
    log_key: Option<String>,
    ring_key: Option<String>,
    /// Durable leaves that no cut covers: index and time.
    uncovered: VecDeque<(u64, Timestamp)>,
    /// When the hall came up.
    up_since: Timestamp,
}

/// What is to be signed.
#[derive(Clone)]
struct Cut {
    at: Timestamp,
    root: Digest,
    /// The log key in force then.
    key: String,
}

impl Family for Log {
    fn observation(&mut self, observation: &Observation, _: &Ledger, _: &mut Violations) {
        match observation {
            Observation::Opened(opened) => self.up_since = opened.at,
            Observation::Started { at } => self.up_since = *at,
            _ => {}
        }
    }

    fn picture(&mut self, picture: &Picture, ledger: &Ledger, violations: &mut Violations) {
        self.told(picture, ledger, violations);
    }

    fn fact(&mut self, fact: &Fact, observed: &Observed, _: &Ledger, violations: &mut Violations) {
        let at = observed.at;
        if let Fact::Hall(HallFact::CheckpointTaken { size, root, .. }) = fact {
            let known = self.cuts.last_key_value().map_or(0, |(size, _)| *size);
            violations.require(*size > known, "G4", at, || format!("{size} leaves are signed after {known}"));
            let expected = self.tree.root();
            let text =
                || format!("root {root} of {size} leaves, but {} leaves make {expected}", self.tree.size());
            violations.require(*size == self.tree.size() && *root == expected, "G1", at, text);
            let key = self.log_key.clone().unwrap_or_default();
            self.cuts.insert(*size, Cut { at, root: *root, key });
            self.uncovered.retain(|(index, _)| index >= size);
        }
        if let Fact::Hall(HallFact::KeyPublished { purpose, public_key, signature, .. }) = fact {
            let (word, known) = match purpose {
                KeyPurpose::Log => ("log", &mut self.log_key),
                KeyPurpose::Ring => ("ring", &mut self.ring_key),
            };
            let before = known.replace(public_key.clone());
            let follows = follows(before.as_deref(), word, public_key, signature.as_deref());
            let text = || format!("{public_key} takes the place of {before:?}, signed {signature:?}");
            violations.require(follows, "G10", at, text);
        }
        let written = fact.leaf().map_or("none", kind_of);
        let expected = kind_for(fact);
        let text = || format!("a leaf of kind {written}, but {expected} was to be: {fact:?}");
        violations.require(written == expected, "G5", at, text);
        if let Some(leaf) = fact.leaf() {
            self.uncovered.push_back((self.tree.size(), at));
            self.tree.grow(leaf);
        }
    }
}

impl Log {
    fn told(&self, picture: &Picture, ledger: &Ledger, violations: &mut Violations) {
        let Picture { at, checkpoint, signed_by, .. } = picture;
        if let Some((size, root)) = checkpoint {
            let (known, key) = self.cuts.get(size).map(|cut| (&cut.root, &cut.key)).unzip();
            let text = || format!("a checkpoint over {size} leaves can be had: {root}, durable is {known:?}");
            violations.require(known == Some(root), "G3", *at, text);
            let right = key.is_none() || signed_by.is_none() || key == signed_by.as_ref();
            let text = || format!("{size} leaves are signed by {signed_by:?}, when {key:?} was in force");
            violations.require(right, "G10", *at, text);
        }
        let Some(calm) = ledger.calm_since else { return };
        let is_late = |since: Timestamp| at.since(since.max(calm).max(self.up_since)) > COVERED;
        if let Some((index, since)) = self.uncovered.front() {
            let text = || format!("leaf {index} waits for a checkpoint since {since}");
            violations.require(!is_late(*since), "G2", *at, text);
        }
        let late = self.cuts.iter().rev().find(|(_, cut)| is_late(cut.at));
        // A state that is shown alone comes with no checkpoint.
        if let (Some((published, _)), Some((size, cut))) = (checkpoint, late) {
            let text = || format!("{published} leaves are published, {size} were to be since {}", cut.at);
            violations.require(published >= size, "G2", *at, text);
        }
    }
}

/// Whether a key may replace the previous one: only the first is unsigned. After a text that is no key, such as the first
/// one of a world, every signature is accepted.
fn follows(before: Option<&str>, word: &str, public_key: &str, signature: Option<&str>) -> bool {
    let (Some(before), Some(signature)) = (before, signature) else {
        return before.is_none() && signature.is_none();
    };
    let message = format!("svc.key.v1:{word}:{public_key}");
    let Some(signature) = Signature::parse(signature) else { return false };
    key_in(before).is_none_or(|key| key.verifies(message.as_bytes(), &signature))
}

/// The Ed25519 key in a note verifier key or a `whpk_…`.
fn key_in(text: &str) -> Option<PublicKey> {
    let bytes = match text.strip_prefix("whpk_") {
        Some(text) => STANDARD.decode(text).ok()?,
        // The base64 itself may contain a `+`.
        None => STANDARD.decode(text.splitn(3, '+').nth(2)?).ok()?.strip_prefix(&[1])?.to_vec(),
    };
    PublicKey::from_bytes(bytes.try_into().ok()?)
}

/// The kind named in a leaf.
fn kind_of(leaf: &str) -> &'static str {
    let kinds = ["docket", "event", "homologation", "key", "registration"];
    let says = |kind: &&str| leaf.contains(&format!("\"kind\":\"{kind}\""));
    // A docket entry has its own kind as well.
    kinds.into_iter().find(says).unwrap_or("unknown")
}

/// The kind of leaf that a fact must have.
fn kind_for(fact: &Fact) -> &'static str {
    match fact {
        Fact::Hall(HallFact::KeyPublished { .. }) => "key",
        Fact::Desk(DeskFact::AgentRegistered { .. }) => "registration",
        Fact::Desk(DeskFact::HomologationFiled { .. }) => "homologation",
        Fact::Governance(GovernanceFact::DocketEntered { .. }) => "docket",
        Fact::Room(fact) if fact.event.is_some() => "event",
        _ => "none",
    }
}
