//! The checking library for strangers: what a hall publishes, checked without the hall.
//!
//! | module | what it checks |
//! |---|---|
//! | [`replay`] | a whole ended game: signatures, rules, clocks, randomness, result, and its place in the log |
//! | [`tree`] | inclusion and consistency paths of the hall's log |
//! | [`note`] | signed notes, checkpoints and the cosignatures of witnesses |
//! | [`tile`] | the layout in which the log is served raw |
//!
//! The crate is written from the published documents and knows nothing of how the hall works inside: of the
//! hall's crates it links `hall-wire` alone, for bytes that both sides must agree on (identifiers, JSON, signed
//! strings). Legality of chess moves comes from shakmaty, drand rounds from drand-verify. It reads no clock, opens
//! no file and no connection: what it says depends on the bytes and on whom the caller trusts.

pub mod note;
pub mod replay;
pub mod tile;
pub mod tree;
