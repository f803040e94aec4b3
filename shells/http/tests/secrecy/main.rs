//! Secrecy (invariants S1 and S2): two halls that differ in nothing but a secret tell everybody the same bytes.
//!
//! The secrets: the seeds of live games, the sealed bids of one player, and a round of the beacon that no game is
//! bound to. What happens in both halls is one random sequence of deeds. After each of them everything that can be
//! asked is asked of both: every route of the list (one that does something and has no questions fails), by anybody and by
//! every agent, well and badly; the raw files of the log and what its checkpoints cover; event streams, from the
//! beginning and all along; metrics and health. All answers must be equal, byte for byte, headers included.
//!
//! What may differ, and why:
//! - what is told to the agent whose own bid is the secret: it may know it;
//! - `hall_commit_seconds` and `process_…` of the metrics, which tell of this machine and of the process that both
//!   halls run in, and not of a hall (and with them the length of that page), and the order of their lines, which is
//!   that of a hash table;
//! - all that comes after a game has ended: it is the reveal, and must differ, or nothing was compared.
//!
//! Nothing else. Two seeds would have two commitments, and with them two logs. So the second hall gets its seeds in
//! its journal, behind a commitment to the first one's: that stands in for a commitment that opens to both. And the
//! deeds are such that no random number is drawn: a draw is what a seed is there for, and tells of it.

#[cfg(test)]
mod agent;
#[cfg(test)]
mod deeds;
#[cfg(test)]
mod hall;
#[cfg(test)]
mod pair;
#[cfg(test)]
mod questions;
#[cfg(test)]
mod rules;
#[cfg(test)]
mod storage;
#[cfg(test)]
mod wire;
#[cfg(test)]
mod worlds;
