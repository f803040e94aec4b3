//! The contract suite of the production journals, run on the simulated disk.

use crate::claims::{Backend, contract};
use hall_journal::Journal;
use hall_sim::storage::{SimDisk, SimJournal};
use std::sync::Arc;

pub(crate) struct Simulated(pub(crate) Arc<SimDisk>);

impl Backend for Simulated {
    fn open(&self) -> Box<dyn Journal> {
        Box::new(SimJournal::open(&self.0).unwrap())
    }
}

contract!(simulated, crate::contract::Simulated(crate::contract::SimDisk::new(1)));
