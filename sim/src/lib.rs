//! The simulator: one seed is one world, with virtual time, thousands of agents and every fault that a hall must
//! withstand; and oracles that know what must hold.

pub mod reference;
pub mod storage;
