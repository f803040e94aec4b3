//! The names of the files on the disk, and how they are put in place.
//!
//! | name | what it is |
//! |---|---|
//! | `log` | eight bytes, then one frame for each batch, in the form of a slot of the head mark |
//! | `head.mark` | the head mark, as in a hall's folder |
//! | `snapshot.N` | the state after record N |
//! | `*.new` | a file before it is whole; overwritten by the next attempt |

use super::session::Session;
use std::io;

pub(super) const LOG: &str = "log";
pub(super) const LOG_NEW: &str = "log.new";
pub(super) const MARK: &str = "head.mark";
pub(super) const MARK_NEW: &str = "head.mark.new";
const SNAPSHOT: &str = "snapshot.";
/// Before it is known what the file is to be called.
const WHOLE_NEW: &str = "whole.new";

/// What the log begins with.
pub(super) const LOG_MAGIC: &[u8; 8] = b"HALLSIM1";

pub(super) fn snapshot_name(seq: u64) -> String {
    format!("{SNAPSHOT}{seq:020}")
}

/// The numbers of the snapshots, newest first.
pub(super) fn snapshots(session: &Session) -> Vec<u64> {
    let names = session.names();
    let found = names.iter().filter_map(|name| name.strip_prefix(SNAPSHOT)?.parse().ok());
    let mut numbers: Vec<u64> = found.collect();
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    numbers
}

/// A file that appears whole or not at all.
pub(super) fn write_whole(session: &Session, name: &str, bytes: &[u8]) -> io::Result<()> {
    if session.length(WHOLE_NEW).is_some() {
        session.remove(WHOLE_NEW)?;
    }
    session.write(WHOLE_NEW, 0, bytes)?;
    session.sync(WHOLE_NEW)?;
    session.rename(WHOLE_NEW, name)
}
