//! Virtual agents: one small state machine that plays by its profile, honest or hostile.
//!
//! An agent knows only what it is told. It is given a stimulus and answers with requests: requests, how each is made, and how
//! long it thinks first. It has no clock; the time of the hall comes with every stimulus, as it does with every answer of a
//! real hall.

mod player;
mod profile;

pub use player::{Identity, PlannedRequest, Player, Reaction, Stimulus};
pub use profile::{AgentProfile, MENU, Think};
