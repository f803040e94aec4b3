//! Virtual agents: one small state machine that plays by its profile, honest or hostile.
//!
//! An agent knows only what it is told. It is given a stimulus and answers with requests, each with the way in which it
//! is made and the time that the agent thinks first. It has no clock; the time of the hall comes with every stimulus, as
//! it does with every answer of a real hall.

mod player;
mod profile;

pub use player::{Identity, PlannedRequest, Reaction, Stimulus, VirtualAgent};
pub use profile::{AgentProfile, MENU, Think};
