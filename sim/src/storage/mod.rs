//! A journal on a simulated disk, with every fault that a disk may have.
//!
//! [`SimDisk`] holds files in memory and outlives the hall that writes to them. Its bytes are real: a write stays in the
//! cache until it is synced, a power cut leaves any subset of the unsynced pieces, and faults strike single calls, by
//! plan or by chance. [`SimJournal`] is the production journal over a store on such a disk:
//!
//! - **Within the promise** (power cuts with lost tails and torn writes, refused calls whether or not they did their
//!   work, a full disk, refused and short reads, slowness), opening again gives everything that was acknowledged, and
//!   what was not is there as a whole or not at all.
//! - **Outside of it** (syncs that lie, flipped bits, misdirected or lost writes, cut, lost or older files), opening or
//!   reading refuses, unless nothing was lost. Where a disk forgets log and head mark alike, or an old backup comes back
//!   with its own mark, the disk by itself looks whole; then a witness outside of it tells (see
//!   [`SimDisk::set_witnessed`]), which stands for what the world was told.
//!
//! Files are renamed, removed and truncated immediately and durably, as on a journaling file system with synchronous
//! metadata. Time does not pass here: a slow disk says how many virtual milliseconds its calls took.
//!
//! | module | what it owns |
//! |---|---|
//! | `pages`, `file` | the bytes of a file: sparse; durable, pending, seen |
//! | `fault` | the menu of faults, plans, what survives a power cut |
//! | `disk`, `session` | the disk as the world sees it; its calls and where faults strike |
//! | `layout`, `index` | names of the files; places and checks of records and rows |
//! | `site`, `store`, `journal` | what is found on the disk; the store that the production journal works on; the two together |
//! | `enumerate` | every crash of a workload at every call in every form |
//! | `fuzz` | recovery from arbitrary bytes |
//! | `few_reads` | for tests: a journal that cannot be read after some time |

mod disk;
pub mod enumerate;
mod fault;
#[cfg(test)]
mod few_reads;
mod file;
pub mod fuzz;
mod index;
mod journal;
mod layout;
mod pages;
mod session;
mod site;
mod store;

pub use disk::{DiskImage, SimDisk};
pub use fault::{Decay, Fault, FaultPlan, Op, Pieces, Squeeze, StorageEvent, Survival, Unit};
#[cfg(test)]
pub(crate) use few_reads::FewReads;
pub use journal::SimJournal;

/// The file of the log.
pub const LOG_FILE: &str = layout::LOG;
/// The file of the head mark.
pub const MARK_FILE: &str = layout::MARK;
