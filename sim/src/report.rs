//! The result of a world, for people and for machines.

use hall_wire::Timestamp;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of a mark that is looked for without allocating; longer ones are possible.
const BUFFER_BYTES: usize = 64;

/// Something that must never be so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// The invariant, by its short name, as `M1`.
    pub invariant: &'static str,
    /// Virtual time.
    #[serde(serialize_with = "as_text")]
    pub at: Timestamp,
    /// What was seen, and what was expected.
    pub text: String,
}

impl Violation {
    /// A violation.
    #[must_use]
    pub fn new(invariant: &'static str, at: Timestamp, text: impl Into<String>) -> Self {
        Self { invariant, at, text: text.into() }
    }
}

/// What happened in one world.
#[derive(Clone, Debug, Default, Serialize)]
pub struct WorldReport {
    /// The seed.
    pub seed: u64,
    /// The world: `direct` or `turmoil`.
    pub world: &'static str,
    /// The profile that the plan was drawn from.
    pub profile: String,
    /// Which signatures it ran with.
    pub crypto: &'static str,
    /// Agents.
    pub agents: usize,
    /// Games begun.
    pub games_begun: u64,
    /// Games ended.
    pub games_ended: u64,
    /// Turns resolved, by players or by the hall.
    pub turns: u64,
    /// Strikes given.
    pub strikes: u64,
    /// Requests that reached the hall.
    pub requests: u64,
    /// Records in the journal.
    pub records: u64,
    /// Starts of the hall.
    pub starts: u64,
    /// Faults by name.
    pub faults: BTreeMap<String, u64>,
    /// Named interesting states that were reached.
    pub marks: BTreeSet<String>,
    /// Virtual milliseconds.
    pub virtual_millis: u64,
    /// Hash over every decision and every answer, hexadecimal.
    pub trace_hash: String,
    /// Whether the hall refused to continue because of a fault beyond the guarantees of storage.
    pub halted: Option<String>,
    /// If the world was cut off because its time was over: the virtual milliseconds that its plan gives it. What
    /// only the end shows was not checked then.
    pub cut_off: Option<u64>,
    /// Violations of safety.
    pub violations: Vec<Violation>,
    /// Activity left at the end of a phase without faults.
    pub unrest: Vec<Violation>,
}

impl WorldReport {
    /// Whether nothing was wrong, as far as it ran.
    #[must_use]
    pub const fn is_clean(&self) -> bool {
        self.violations.is_empty() && self.unrest.is_empty()
    }

    /// Takes over what the oracles found: what must never happen, and what should have happened.
    pub fn take_over(&mut self, found: Vec<Violation>) {
        for violation in found {
            let unrest = matches!(violation.invariant, "V1" | "V2" | "V3" | "V6");
            if unrest { &mut self.unrest } else { &mut self.violations }.push(violation);
        }
    }

    /// Counts a fault and marks it.
    pub fn fault(&mut self, name: &str) {
        *self.faults.entry(name.to_owned()).or_default() += 1;
        self.mark("fault", name);
    }

    /// Marks an interesting state as reached.
    pub fn mark(&mut self, kind: &str, name: &str) {
        // Most are reached again and again: look before allocating.
        let mut buffer = [0; BUFFER_BYTES];
        let length = kind.len() + 1 + name.len();
        let bytes = kind.bytes().chain([b':']).chain(name.bytes());
        buffer.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
        let known = buffer.get(..length).and_then(|bytes| std::str::from_utf8(bytes).ok());
        if known.is_none_or(|known| !self.marks.contains(known)) {
            self.marks.insert(format!("{kind}:{name}"));
        }
    }
}

fn as_text<S: serde::Serializer>(time: &Timestamp, out: S) -> Result<S::Ok, S::Error> {
    out.collect_str(time)
}
