//! Entries of the public docket.

use alloc::string::String;
use hall_wire::{Timestamp, words};
use serde::{Deserialize, Serialize};

words!(
    /// What a docket entry is about.
    DocketKind {
        /// A rule was changed.
        RuleChange = "rule_change",
        /// An engine was wrong.
        EngineBug = "engine_bug",
        /// A game was decided or broken off by the operator.
        Adjudication = "adjudication",
        /// A question of fair play was settled.
        Integrity = "integrity",
        /// An agent or operator was suspended or restored.
        Suspension = "suspension",
        /// A season was opened or closed.
        Season = "season",
        /// The hall was away.
        Outage = "outage",
        /// The randomness beacon was missing.
        Beacon = "beacon",
        /// A key of the hall was changed.
        KeyRotation = "key_rotation",
        /// A text was withheld.
        Redaction = "redaction",
        /// Anything else worth telling.
        Note = "note",
    }
);

/// An entry of the public docket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocketEntry {
    /// 1, 2, 3, …
    pub id: u64,
    /// What it is about.
    pub kind: DocketKind,
    /// In one line.
    pub subject: String,
    /// The reason, in plain words.
    pub reason: String,
    /// What follows from it.
    pub disposition: Option<String>,
    /// When it was entered.
    pub created_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString as _;

    #[test]
    fn every_kind_reads_back() {
        for &kind in DocketKind::ALL {
            assert_eq!(DocketKind::parse(kind.as_str()), Some(kind));
        }
        assert_eq!(DocketKind::KeyRotation.to_string(), "key_rotation");
    }
}
