//! Games in memory as the desk sees them: who sits in them.

use alloc::vec::Vec;
use hall_wire::{AgentId, HomologationId};
use serde::{Deserialize, Serialize};

/// A game in memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Seated {
    pub(super) ended: bool,
    pub(super) seats: Vec<(AgentId, HomologationId)>,
}
