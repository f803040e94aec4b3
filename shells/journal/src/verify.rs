//! Checks a whole data folder while no hall runs on it, for `hall verify-journal`.

use crate::backend::fjall::{FjallJournal, Options};
use crate::batch::Head;
use crate::error::{Damage, JournalError, OpenError};
use crate::journal::Journal as _;
use crate::scrub::scrub_all;
use crate::table::Table;
use std::fmt;
use std::path::Path;

/// The result of a verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyReport {
    /// The journal's head. The head mark agrees with it (on a database: the row of its owner), or the journal would not
    /// have been opened.
    pub head: Head,
    /// Records read, all chained unless there are findings.
    pub records: u64,
    /// Rows read.
    pub rows: u64,
    /// Intact snapshots.
    pub snapshots: usize,
    /// Acknowledged batches that were completed from the head mark on the way.
    pub restored_batches: usize,
    /// The damage found.
    pub damage: Vec<Damage>,
}

impl VerifyReport {
    /// Whether nothing was found.
    #[must_use]
    pub const fn is_sound(&self) -> bool {
        self.damage.is_empty()
    }
}

impl fmt::Display for VerifyReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            out,
            "{} records, in one unbroken hash chain up to the head mark's record {}",
            self.records, self.head.seq
        )?;
        writeln!(out, "{} rows of derived tables, {} sound snapshots", self.rows, self.snapshots)?;
        if self.restored_batches > 0 {
            writeln!(
                out,
                "{} acknowledged batches were completed from the head mark",
                self.restored_batches
            )?;
        }
        for damage in &self.damage {
            writeln!(out, "DAMAGED {damage}")?;
        }
        match self.damage.len() {
            0 => write!(out, "Everything is as it was written."),
            count => write!(
                out,
                "{count} findings. Keep this journal as it is, and start from the newest backup that is sound."
            ),
        }
    }
}

/// Opens a data folder as a hall would, with all its refusals, and then reads and checks all of it, the rows of these
/// tables included. Changes nothing except what every start changes after a crash.
///
/// # Errors
/// [`OpenError::NoJournal`] if there is none, [`OpenError::InUse`] while a hall runs, and everything for which a hall
/// would refuse to start.
pub fn verify(path: &Path, tables: &[Table], options: &Options) -> Result<VerifyReport, OpenError> {
    let journal = FjallJournal::open_existing(path, options)?;
    check(&journal, tables)
        .map_err(|error| OpenError::Unreadable { path: path.to_path_buf(), what: error.to_string() })
}

fn check(journal: &FjallJournal, tables: &[Table]) -> Result<VerifyReport, JournalError> {
    let reader = journal.reader();
    let mut found = scrub_all(&*reader, journal.head(), tables)?;
    let (snapshots, damaged) = journal.check_snapshots()?;
    found.damage.extend(damaged);
    Ok(VerifyReport {
        head: journal.head(),
        records: found.records,
        rows: found.rows,
        snapshots,
        restored_batches: journal.restored_batches(),
        damage: found.damage,
    })
}
