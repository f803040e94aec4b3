//! G1 to G5: one log that only grows, and checkpoints that agree with it.

use super::ledger::Ledger;
use super::sight::{Picture, Sight};
use super::tree::Tree;
use super::{Family, Found};
use crate::direct::Observed;
use hall_core::Fact;
use hall_wire::{Digest, Span, Timestamp};
use std::collections::{BTreeMap, VecDeque};

/// Within which time a leaf is covered.
const COVERED: Span = Span::from_secs(1);

/// The log once more, and what was signed of it.
#[derive(Default)]
pub(super) struct Log {
    tree: Tree,
    /// Durable cuts by size.
    cuts: BTreeMap<u64, Digest>,
    /// Durable leaves that no cut covers: index and time.
    uncovered: VecDeque<(u64, Timestamp)>,
    /// Since when the hall has been up.
    up_since: Timestamp,
}

impl Family for Log {
    fn sight(&mut self, sight: &Sight, ledger: &Ledger, found: &mut Found) {
        match sight {
            Sight::Stepped(picture) => self.told(picture, ledger, found),
            Sight::Opened(opened) => self.up_since = opened.at,
            Sight::Started { at } => self.up_since = *at,
            Sight::Ended(ending) => {
                if let Some(picture) = &ending.picture {
                    self.told(picture, ledger, found);
                }
            }
            _ => {}
        }
    }

    fn fact(&mut self, fact: &Fact, observed: &Observed, _: &Ledger, found: &mut Found) {
        let at = observed.at;
        if let Fact::CheckpointCut { size, root, .. } = fact {
            let known = self.cuts.last_key_value().map_or(0, |(size, _)| *size);
            found.require(*size > known, "G4", at, || format!("{size} leaves are signed after {known}"));
            let expected = self.tree.root();
            let text =
                || format!("root {root} of {size} leaves, but {} leaves make {expected}", self.tree.size());
            found.require(*size == self.tree.size() && *root == expected, "G1", at, text);
            self.cuts.insert(*size, *root);
            self.uncovered.retain(|(index, _)| index >= size);
        }
        let written = fact.leaf().map_or("none", kind_of);
        let expected = kind_for(fact);
        let text = || format!("a leaf of kind {written}, but {expected} was to be: {fact:?}");
        found.require(written == expected, "G5", at, text);
        if let Some(leaf) = fact.leaf() {
            self.uncovered.push_back((self.tree.size(), at));
            self.tree.grow(leaf);
        }
    }
}

impl Log {
    fn told(&self, picture: &Picture, ledger: &Ledger, found: &mut Found) {
        let Picture { at, checkpoint, .. } = picture;
        if let Some((size, root)) = checkpoint {
            let known = self.cuts.get(size);
            let text = || format!("a checkpoint over {size} leaves can be had: {root}, durable is {known:?}");
            found.require(known == Some(root), "G3", *at, text);
        }
        if let (Some(calm), Some((index, since))) = (ledger.calm_since, self.uncovered.front()) {
            let waited = at.since((*since).max(calm).max(self.up_since));
            let text = || format!("leaf {index} waits for a checkpoint since {since}");
            found.require(waited <= COVERED, "G2", *at, text);
        }
    }
}

/// The kind that a leaf says.
fn kind_of(leaf: &str) -> &'static str {
    let kinds = ["docket", "event", "homologation", "key", "registration"];
    let says = |kind: &&str| leaf.contains(&format!("\"kind\":\"{kind}\""));
    // A docket entry has a kind of its own beside.
    kinds.into_iter().find(says).unwrap_or("unknown")
}

/// The kind of leaf that a fact must have.
fn kind_for(fact: &Fact) -> &'static str {
    match fact {
        Fact::KeyPublished { .. } => "key",
        Fact::AgentRegistered { .. } => "registration",
        Fact::HomologationFiled { .. } => "homologation",
        Fact::DocketEntered { .. } => "docket",
        Fact::Room(fact) if fact.event.is_some() => "event",
        _ => "none",
    }
}
