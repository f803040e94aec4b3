//! The checking library for strangers: what a hall publishes, checked without the hall.
//!
//! | module | what it checks |
//! |---|---|
//! | [`replay`] | a whole ended game: signatures, rules, clocks, randomness, result, and its place in the log |
//! | [`tree`] | inclusion and consistency paths of the hall's log |
//! | [`note`] | signed notes, checkpoints and the cosignatures of witnesses |
//! | [`tile`] | the layout in which the log is served raw |
//!
//! The crate is written from the published documents and knows nothing of the hall's state machine: of the hall's crates
//! it links `hall-wire`, for bytes that both sides must agree on (identifiers, JSON, signed strings), and `hall-games`,
//! for the rules, which are public and compared with other people's programs. What a hall makes of the rules (turns,
//! clocks, strikes, draw offers, results) is written here a second time. Drand rounds are checked by drand-verify. The
//! crate reads no clock, opens no file and no connection: what it says depends on the bytes and on whom the caller
//! trusts.

pub mod note;
pub mod replay;
pub mod tile;
pub mod tree;
