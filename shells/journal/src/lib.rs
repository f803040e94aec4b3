//! The durable journal of facts: the journal trait, a journal in memory and one on fjall.
//!
//! The crate knows only bytes. A **record** is one entry of the journal, numbered and chained by hashes; a **row** is
//! derived data under a key, changed together with the records it follows from; a **snapshot** is the state after a
//! record. Their meaning is up to the caller.
//!
//! Invariants, each checked by the contract suite in `tests/`:
//! - an append that returned `Ok` survives any crash, whole; one that did not return is there completely or not at
//!   all;
//! - records are gapless and chained, and the journal never silently gets shorter: a head mark outside the store
//!   records how far it must reach, and a store that falls short is completed from the mark or refused;
//! - bytes that differ from what was written are an error on reading, never a result;
//! - after a failed append the writer is unusable for good.
//!
//! The crate has no clocks, no retries, no group commit (the caller makes batches) and no knowledge of games.
//!
//! | module | what it owns |
//! |---|---|
//! | `table` | derived tables, named by the caller |
//! | `batch` | records, rows, the head |
//! | `journal` | the traits and the vocabulary of reading |
//! | `chain` | the hash chain and the checks of stored values |
//! | `mark` | the head mark: crash cases, slots |
//! | `store` | the traits of what lies below; opening with its plan after a crash, appending, reading, snapshots |
//! | `backend` | memory; fjall as a store, with the scan of its log and its backups |
//! | `background` | the priority of work that nobody waits for |
//! | `folder` | the data folder: lock, files of the mark and of snapshots |
//! | `scrub`, `verify` | reading everything again |
//! | `contents` | everything that a journal holds, for copies |
//! | `backend_parts` | the parts of which a backend outside of this crate is built |

mod backend;
pub mod backend_parts;
mod background;
mod batch;
mod chain;
mod contents;
mod error;
mod folder;
mod journal;
mod mark;
mod scrub;
mod store;
mod table;
mod verify;

pub use backend::fjall::backup::{BackupError, write_folder};
pub use backend::fjall::{Backups, FjallJournal, Options};
pub use backend::memory::{MemoryJournal, MemoryStorage};
pub use background::lower_priority;
pub use batch::{Batch, Head, MAX_BATCH_BYTES, MAX_KEY_BYTES, Row};
pub use contents::Copied;
pub use error::{Damage, DamagePlace, JournalError, OpenError};
pub use folder::lock::{DataLock, LOCK_FILE};
pub use journal::{Journal, JournalReader, KeyRange, KeyValue, Record, Snapshot};
pub use scrub::{ScrubCursor, ScrubStep, scrub, scrub_all};
pub use table::Table;
pub use verify::{VerifyReport, verify};
