//! The backends: memory for tests and simulation, fjall for a hall.

pub(crate) mod fjall;
pub(crate) mod memory;
