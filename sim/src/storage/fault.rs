//! The faults that a disk may have, when they are due, and what is left when power fails.

use std::collections::BTreeMap;

/// What a caller asked of the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Op {
    /// Bytes written; they are durable only after a sync.
    Write,
    /// What was written to one file made durable.
    Sync,
    /// Bytes read.
    Read,
    /// A file renamed, immediately and durably.
    Rename,
    /// A file removed, immediately and durably.
    Remove,
    /// A file truncated, immediately and durably.
    Trim,
}

/// One fault at one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// Power fails before the call does anything.
    PowerCutBefore,
    /// Power fails when the call has done its work; its answer is never heard.
    PowerCutAfter,
    /// The call fails and has done nothing. A sync that fails so has dropped what it was to write, as Linux does: it is
    /// seen until power fails, and no later sync writes it.
    FailedUndone,
    /// The call reports a failure and has done its work all the same.
    FailedDone,
    /// A write fails because the disk is full.
    NoSpace,
    /// A read fails.
    ReadFailed,
    /// A read answers only a first part of what is there.
    ShortRead,
    /// A call takes 1 to 30 seconds.
    Slow,
    /// A sync reports success and has done nothing.
    LyingSync,
    /// A read answers with one bit flipped; what is stored is sound.
    FlippedRead,
    /// One bit of what is written is flipped.
    FlippedWrite,
    /// What is written arrives at another place of the same or another file.
    MisdirectedWrite,
    /// What is written never arrives, so that the old bytes stay.
    StaleBlock,
}

impl Fault {
    /// Every fault.
    pub const ALL: [Self; 13] = [
        Self::PowerCutBefore,
        Self::PowerCutAfter,
        Self::FailedUndone,
        Self::FailedDone,
        Self::NoSpace,
        Self::ReadFailed,
        Self::ShortRead,
        Self::Slow,
        Self::LyingSync,
        Self::FlippedRead,
        Self::FlippedWrite,
        Self::MisdirectedWrite,
        Self::StaleBlock,
    ];

    /// Its name, for marks and the trace.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PowerCutBefore => "storage.power_cut_before",
            Self::PowerCutAfter => "storage.power_cut_after",
            Self::FailedUndone => "storage.failed_undone",
            Self::FailedDone => "storage.failed_done",
            Self::NoSpace => "storage.no_space",
            Self::ReadFailed => "storage.read_failed",
            Self::ShortRead => "storage.short_read",
            Self::Slow => "storage.slow",
            Self::LyingSync => "storage.lying_sync",
            Self::FlippedRead => "storage.flipped_read",
            Self::FlippedWrite => "storage.flipped_write",
            Self::MisdirectedWrite => "storage.misdirected_write",
            Self::StaleBlock => "storage.stale_block",
        }
    }

    /// Whether it can happen to such a call.
    #[must_use]
    pub const fn applies_to(self, op: Op) -> bool {
        match self {
            Self::PowerCutBefore | Self::PowerCutAfter | Self::Slow => true,
            Self::FailedUndone | Self::FailedDone => !matches!(op, Op::Read),
            Self::ReadFailed | Self::ShortRead | Self::FlippedRead => matches!(op, Op::Read),
            Self::LyingSync => matches!(op, Op::Sync),
            Self::NoSpace | Self::FlippedWrite | Self::MisdirectedWrite | Self::StaleBlock => {
                matches!(op, Op::Write)
            }
        }
    }

    /// Whether a journal must come through it with everything that was acknowledged. After the others it may refuse to
    /// go on, but must never answer wrongly.
    #[must_use]
    pub const fn is_promised(self) -> bool {
        match self {
            Self::PowerCutBefore
            | Self::PowerCutAfter
            | Self::FailedUndone
            | Self::FailedDone
            | Self::NoSpace
            | Self::ReadFailed
            | Self::ShortRead
            | Self::Slow => true,
            Self::LyingSync
            | Self::FlippedRead
            | Self::FlippedWrite
            | Self::MisdirectedWrite
            | Self::StaleBlock => false,
        }
    }
}

/// What a disk does to its bytes while it is idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decay {
    /// One stored bit flips.
    FlippedBit,
    /// A file is cut somewhere.
    Truncated,
    /// A file is gone.
    LostFile,
    /// One sector holds what another sector of the disk holds.
    MisplacedSector,
}

impl Decay {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::FlippedBit, Self::Truncated, Self::LostFile, Self::MisplacedSector];

    /// Its name, for marks and the trace.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::FlippedBit => "storage.flipped_bit",
            Self::Truncated => "storage.truncated",
            Self::LostFile => "storage.lost_file",
            Self::MisplacedSector => "storage.misplaced_sector",
        }
    }
}

/// What the disk writes as a whole: each such piece of an unsynced write survives a power cut or does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// 512 bytes.
    #[default]
    Sector,
    /// 4,096 bytes.
    Block,
}

impl Unit {
    /// Its size in bytes.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        match self {
            Self::Sector => 512,
            Self::Block => 4096,
        }
    }
}

/// Which pieces of the unsynced writes to a file survive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pieces {
    /// None.
    #[default]
    Nothing,
    /// None, but the file has got its new length and shows zeros there.
    Length,
    /// All.
    Everything,
    /// The first half of them.
    FirstHalf,
    /// The second half of them.
    SecondHalf,
    /// The first, the third and so on.
    Odd,
    /// The second, the fourth and so on.
    Even,
    /// Each by a separate draw, in the version of any of the writes to it.
    Drawn,
}

/// What a power cut leaves of unsynced writes. The default leaves nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Survival {
    /// What is written as a whole.
    pub unit: Unit,
    /// Which pieces survive.
    pub pieces: Pieces,
    /// The only file of which anything survives; `None` stands for all.
    pub only: Option<&'static str>,
}

impl Survival {
    /// The same for every file.
    #[must_use]
    pub const fn of(unit: Unit, pieces: Pieces) -> Self {
        Self { unit, pieces, only: None }
    }

    /// Only this file keeps anything.
    #[must_use]
    pub const fn in_file(self, name: &'static str) -> Self {
        Self { only: Some(name), ..self }
    }
}

/// A disk that fills up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Squeeze {
    /// The call from which on no file can grow.
    pub full_at_call: u64,
    /// Over how many calls before that the free bytes fall.
    pub over_calls: u64,
    /// The free bytes before they begin to fall.
    pub from_bytes: u64,
}

impl Squeeze {
    /// The free bytes at a call.
    pub(super) fn free_at(&self, call: u64) -> u64 {
        let left = u128::from(self.full_at_call.saturating_sub(call));
        let over = u128::from(self.over_calls.max(1));
        let free = u128::from(self.from_bytes).saturating_mul(left.min(over)) / over;
        u64::try_from(free).unwrap_or(u64::MAX)
    }
}

/// Which faults happen. The default has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultPlan {
    /// Faults at fixed calls, counted as [`super::SimDisk::calls`] does; the first call is 1. A fault that cannot happen
    /// to the call there does not happen.
    pub at: BTreeMap<u64, Fault>,
    /// Faults by chance, in millionths for each call to which they apply.
    pub chances: Vec<(Fault, u32)>,
    /// What power cuts leave.
    pub survival: Survival,
    /// Whether the disk fills up.
    pub squeeze: Option<Squeeze>,
}

impl FaultPlan {
    /// One fault at one call.
    #[must_use]
    pub fn once(call: u64, fault: Fault) -> Self {
        Self { at: BTreeMap::from([(call, fault)]), ..Self::default() }
    }

    /// The same with this left by power cuts.
    #[must_use]
    pub fn surviving(self, survival: Survival) -> Self {
        Self { survival, ..self }
    }
}

/// A fault that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorageEvent {
    /// The call at which it happened, or after which, where no call had a part in it.
    pub call: u64,
    /// The name of the fault.
    pub fault: &'static str,
    /// The file, if it was one.
    pub file: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_has_a_unique_name_and_applies_to_some_call() {
        let ops = [Op::Write, Op::Sync, Op::Read, Op::Rename, Op::Remove, Op::Trim];
        let mut names: Vec<_> = Fault::ALL.iter().map(|fault| fault.name()).collect();
        names.extend(Decay::ALL.iter().map(|decay| decay.name()));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Fault::ALL.len() + Decay::ALL.len());
        assert!(Fault::ALL.iter().all(|fault| ops.iter().any(|op| fault.applies_to(*op))));
    }

    #[test]
    fn the_free_bytes_fall_evenly_to_zero() {
        let squeeze = Squeeze { full_at_call: 100, over_calls: 50, from_bytes: 1000 };
        let free: Vec<u64> = [0, 50, 75, 99, 100, 200].map(|call| squeeze.free_at(call)).to_vec();
        assert_eq!(free, [1000, 1000, 500, 20, 0, 0]);
    }
}
