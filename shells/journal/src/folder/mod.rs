//! The data folder: the journal's files and the operations on them.
//!
//! | name | what it is |
//! |---|---|
//! | `lock` | the exclusive lock, with the holder's process number |
//! | `journal/` | the fjall store: records and rows |
//! | `head.mark` | the head mark |
//! | `snapshots/` | the newest two snapshots of state |
//!
//! Other files in the folder are never touched.

pub(crate) mod files;
pub(crate) mod lock;
pub(crate) mod mark_file;
pub(crate) mod snapshots;

/// Name of the folder of the store in the data folder.
pub(crate) const STORE_FOLDER: &str = "journal";
/// Name of the store while it is being created.
pub(crate) const NEW_STORE_FOLDER: &str = "journal.new";
/// Name of the file of the head mark in the data folder.
pub(crate) const MARK_FILE: &str = "head.mark";
/// Name of the folder of the snapshots in the data folder.
pub(crate) const SNAPSHOT_FOLDER: &str = "snapshots";
