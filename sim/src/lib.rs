//! The simulator: one seed is one world, with virtual time, thousands of agents and every fault that a hall must
//! withstand; and oracles that know what must hold.

pub mod agents;
pub mod check;
pub mod crypto;
pub mod dice;
pub mod direct;
pub mod marks;
pub mod oracles;
pub mod panics;
pub mod plan;
pub mod protocol;
pub mod reference;
pub mod report;
pub mod run;
pub mod storage;
pub mod trace;
pub mod turmoil_world;
