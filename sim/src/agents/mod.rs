//! Virtual agents: one small state machine that plays by its profile, honest or hostile.
//!
//! An agent knows only what it is told. It is given a cue and answers with requests: requests, how each is made, and how
//! long it thinks first. It has no clock; the time of the hall comes with every cue, as it does with every answer of a
//! real hall.

mod player;
mod profile;

pub use player::{Cue, Identity, PlannedRequest, Player, Reaction};
pub use profile::{AgentProfile, MENU, Think};
