//! Entries of the public docket: their subject as data, and the texts that a shell provides for them.

use crate::desk::command::Withheld;
use crate::keys::{KeyOccasion, KeyPurpose};
use alloc::string::String;
use hall_rooms::{GameVerdict, GapCause, SeasonId, Word};
use hall_wire::{AgentId, GameId, OperatorId, Player, Timestamp, words};
use serde::{Deserialize, Serialize};

words!(
    /// What a docket entry is about.
    DocketKind {
        /// A rule was changed.
        RuleChange = "rule_change",
        /// An engine was wrong.
        EngineBug = "engine_bug",
        /// A game was decided or aborted by the operator.
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

/// What the hall itself enters in the docket. A `reason` was given by the operator.
#[expect(missing_docs, reason = "the fields say no more than their names and types")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocketMatter<'a> {
    /// The operator decided or aborted a game.
    VerdictGiven { game: GameId, verdict: GameVerdict, reason: &'a str },
    /// The operator took a player out of a game.
    SeatVacated { game: GameId, player: Player, reason: &'a str },
    /// A game was aborted, because this release lacks its rules or its rules refuse one of its moves.
    RulesMissing { game: GameId, version: &'a str },
    /// New games are played by these versions of their rules from now on.
    RulesChanged { versions: &'a [Word] },
    /// A game's round of the randomness beacon did not come in time.
    BeaconMissed { game: GameId, round: u64 },
    /// No time counted from `from` until `until`.
    Outage { from: Timestamp, until: Timestamp, cause: GapCause },
    /// The hall began with this season.
    FirstSeasonOpened { season: &'a SeasonId },
    /// The operator opened a season.
    SeasonOpened { season: &'a SeasonId },
    /// The operator closed a season.
    SeasonClosed { season: &'a SeasonId },
    /// A key of the hall was replaced.
    KeyReplaced { purpose: KeyPurpose, public_key: &'a str, occasion: KeyOccasion, reason: &'a str },
    /// A text is no longer shown.
    TextWithheld { what: Withheld, reason: &'a str },
    /// An agent may no longer play.
    AgentSuspended { agent: AgentId, reason: &'a str },
    /// An agent may play again.
    AgentRestored { agent: AgentId, reason: &'a str },
    /// None of an operator's agents may play.
    OperatorSuspended { operator: OperatorId, reason: &'a str },
    /// An operator's agents may play again.
    OperatorRestored { operator: OperatorId, reason: &'a str },
}

impl DocketMatter<'_> {
    /// The kind under which it is entered.
    #[must_use]
    pub fn kind(&self) -> DocketKind {
        match self {
            Self::VerdictGiven { .. } | Self::SeatVacated { .. } => DocketKind::Adjudication,
            Self::RulesMissing { .. } => DocketKind::EngineBug,
            Self::RulesChanged { .. } => DocketKind::RuleChange,
            Self::BeaconMissed { .. } => DocketKind::Beacon,
            Self::Outage { .. } => DocketKind::Outage,
            Self::FirstSeasonOpened { .. } | Self::SeasonOpened { .. } | Self::SeasonClosed { .. } => {
                DocketKind::Season
            }
            Self::KeyReplaced { .. } => DocketKind::KeyRotation,
            Self::TextWithheld { .. } => DocketKind::Redaction,
            Self::AgentSuspended { .. }
            | Self::AgentRestored { .. }
            | Self::OperatorSuspended { .. }
            | Self::OperatorRestored { .. } => DocketKind::Suspension,
        }
    }
}

/// The texts of a docket entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocketText {
    /// In one line.
    pub subject: String,
    /// The reason, in plain words.
    pub reason: String,
    /// What follows from it.
    pub disposition: Option<String>,
}

/// Writes the texts for a matter. It is called once, when the entry is decided. The texts are then part of the fact,
/// so that a later release with other texts changes no entry and no leaf.
///
/// A pure function: the same matter has the same texts for as long as a process runs.
pub type DocketWording = fn(&DocketMatter<'_>) -> DocketText;

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
