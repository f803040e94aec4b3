//! Exit codes, the same for every command.

/// What the process ends with.
pub type Status = u8;

/// Done.
pub const OK: Status = 0;
/// Refused: the hall does not start or was not let end in order, a check failed, a command was not carried out.
pub const REFUSED: Status = 1;
/// Wrong usage or settings, or nothing to work on.
pub const FAILED: Status = 2;
/// The journal failed under a running hall: only the next start finds out what is on disk.
pub const JOURNAL_FAILED: Status = 3;
