//! The simulator: one seed is one world, with virtual time, thousands of agents and every fault that a hall must
//! withstand; and oracles that check what must hold.

pub mod agents;
pub mod bench;
pub mod check;
pub mod cluster_world;
pub mod crypto;
pub mod dice;
pub mod direct;
pub mod log;
pub mod marks;
pub mod oracles;
pub mod pages;
pub mod panics;
pub mod plan;
pub mod protocol;
pub mod reference;
pub mod replay;
pub mod report;
pub mod run;
pub mod shrink;
pub mod storage;
pub mod tag;
pub mod trace;
pub mod turmoil_world;
