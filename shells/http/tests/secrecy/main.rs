//! Secrecy (invariants S1 and S2): two halls that differ only in a secret send everybody the same bytes.
//!
//! The secrets are the seeds of live games, what one player has sealed (a bid that is never shown, or a card until the turn
//! resolves), the hidden card or dice of one player, and a round of the beacon that no game is bound to. Both halls run the same random sequence of actions. After each action, both get every possible request:
//! every route of the list (the test fails for a route with effects and no requests), unsigned and by every agent,
//! valid and invalid; the raw files of the log up to its checkpoints; event streams, read from the beginning and live;
//! metrics and health. All answers must be equal, byte for byte, headers included.
//!
//! Only these may differ:
//! - answers to the agent whose own bid, card or dice are the secret: it may know them;
//! - `hall_commit_seconds` and `process_…` of the metrics, which describe this machine and the process of both halls
//!   and not a hall (and with them the length of that page), and the order of their lines, which is that of a hash
//!   table;
//! - everything after a game has ended, or what was hidden is shown: that reveals the secret, and must differ, or nothing
//!   was compared.
//!
//! Two seeds would have two commitments, and with them two logs. So the second hall gets its own seeds in its journal
//! under the commitments of the first, as if each commitment opened to both, and its own cards and dice in what nature
//! did. And no action causes a random draw of which something is shown, because that reveals something of its seed.

#[cfg(test)]
mod actions;
#[cfg(test)]
mod agent;
#[cfg(test)]
mod hall;
#[cfg(test)]
mod pair;
#[cfg(test)]
mod questions;
#[cfg(test)]
mod settings;
#[cfg(test)]
mod storage;
#[cfg(test)]
mod wire;
#[cfg(test)]
mod worlds;
