//! The contract of every backend: one suite, run here for the memory journal and for fjall.

#[path = "support/claims.rs"]
mod claims;
mod support;

use claims::{Backend, contract};
use hall_journal::{Journal, MemoryJournal, MemoryStorage};
use support::open;

struct Memory(MemoryStorage);

impl Backend for Memory {
    fn open(&self) -> Box<dyn Journal> {
        Box::new(MemoryJournal::open(&self.0))
    }
}

struct Fjall(tempfile::TempDir);

impl Backend for Fjall {
    fn open(&self) -> Box<dyn Journal> {
        Box::new(open(self.0.path()))
    }
}

contract!(memory, crate::Memory(crate::MemoryStorage::new()));
contract!(fjall, crate::Fjall(tempfile::tempdir().unwrap()));
