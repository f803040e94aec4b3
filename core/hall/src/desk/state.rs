//! The state of the desk.

use super::activity::Activities;
use super::doorbells::Doorbells;
use crate::desk::command::Withheld;
use crate::desk::entries::Entries;
use crate::desk::lobbies::Lobbies;
use crate::desk::registry::AgentRegistry;
use crate::desk::seasons::Seasons;
use crate::desk::seated::Seated;
use crate::desk::shared::Shared;
use alloc::collections::{BTreeMap, BTreeSet};
use hall_wire::{GameId, Timestamp};
use serde::{Deserialize, Serialize};

/// The state of the desk. The default is a hall in which nothing has happened. It serializes with formats that
/// take any key in a map, as postcard does and JSON does not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Desk {
    pub(super) registry: AgentRegistry,
    pub(super) activities: Activities,
    pub(super) seasons: Seasons,
    pub(super) entries: Entries,
    pub(super) lobbies: Lobbies,
    /// Games in memory: the live ones, and ended ones until they are archived.
    pub(super) games: BTreeMap<GameId, Shared<Seated>>,
    pub(super) docket_len: u64,
    /// The identifier of the last feedback post; the next one sorts after it.
    pub(super) last_feedback: [u8; 16],
    /// When all lobbies were last found without pairable agents.
    pub(super) last_sweep: Timestamp,
    /// Texts that are withheld.
    pub(super) withheld: BTreeSet<Withheld>,
    pub(super) doorbells: Doorbells,
}
