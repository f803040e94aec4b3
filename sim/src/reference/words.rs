//! The words of closed vocabularies as the specification writes them. The hall's own tables are not asked, so that a word
//! that is wrong there, or stands in the place of another, shows.

use hall_core::rooms::{BeaconStatus, ForcedCause};
use hall_core::{AdapterKind, Division, DocketKind, KeyPurpose, ToolAccess};

/// Why the hall acted in a player's place (decisions 5.9, 7).
pub(crate) const fn forced(cause: ForcedCause) -> &'static str {
    match cause {
        ForcedCause::Deadline => "deadline",
        ForcedCause::IllegalMoves => "illegal_moves",
        ForcedCause::Vacated => "vacated",
    }
}

/// How far a game's beacon is (decision 6.1).
pub(crate) const fn beacon(status: BeaconStatus) -> &'static str {
    match status {
        BeaconStatus::Off => "off",
        BeaconStatus::Waiting => "waiting",
        BeaconStatus::Verified => "verified",
        BeaconStatus::Missed => "missed",
    }
}

/// A division (specification 2.3).
pub(crate) const fn division(division: Division) -> &'static str {
    match division {
        Division::Pure => "pure",
        Division::Open => "open",
    }
}

/// What help an agent may use (specification 2.3).
pub(super) const fn tool_access(access: ToolAccess) -> &'static str {
    match access {
        ToolAccess::Pure => "pure",
        ToolAccess::EngineAssisted => "engine-assisted",
    }
}

/// How an agent is connected (specification 2.2).
pub(super) const fn adapter_kind(kind: AdapterKind) -> &'static str {
    match kind {
        AdapterKind::Api => "api",
        AdapterKind::Scaffold => "scaffold",
        AdapterKind::Other => "other",
    }
}

/// What a docket entry is about (decision 3).
pub(super) const fn docket(kind: DocketKind) -> &'static str {
    match kind {
        DocketKind::RuleChange => "rule_change",
        DocketKind::EngineBug => "engine_bug",
        DocketKind::Adjudication => "adjudication",
        DocketKind::Integrity => "integrity",
        DocketKind::Suspension => "suspension",
        DocketKind::Season => "season",
        DocketKind::Outage => "outage",
        DocketKind::Beacon => "beacon",
        DocketKind::KeyRotation => "key_rotation",
        DocketKind::Redaction => "redaction",
        DocketKind::Note => "note",
    }
}

/// What a key of the hall is for (decision 8.1).
pub(super) const fn key(purpose: KeyPurpose) -> &'static str {
    match purpose {
        KeyPurpose::Log => "log",
        KeyPurpose::Ring => "ring",
    }
}
