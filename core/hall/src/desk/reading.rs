//! Read access to the desk's state.

use crate::desk::command::Withheld;
use crate::desk::entries::Entry;
use crate::desk::lobby::Lobby;
use crate::desk::registry::{Agent, Operator};
use crate::desk::seasons::Season;
use crate::desk::state::Desk;
use crate::settings::HallSettings;
use hall_rooms::{Division, SeasonId};
use hall_wire::{AgentId, FeedbackId, GameId, Handle, HomologationId, OperatorId, Timestamp};

impl Desk {
    /// Whether a text is withheld.
    #[must_use]
    pub fn is_withheld(&self, what: &Withheld) -> bool {
        self.withheld.contains(what)
    }

    /// How many texts are withheld.
    #[must_use]
    pub fn withheld_count(&self) -> usize {
        self.withheld.len()
    }

    /// The withheld texts, in order.
    pub fn withheld(&self) -> impl Iterator<Item = &Withheld> {
        self.withheld.iter()
    }

    /// An agent by its identifier.
    #[must_use]
    pub fn agent(&self, agent: &AgentId) -> Option<&Agent> {
        self.registry.find(agent)
    }

    /// An agent by its handle.
    #[must_use]
    pub fn agent_by_handle(&self, handle: &Handle) -> Option<&Agent> {
        self.registry.find_handle(handle.as_str())
    }

    /// Every agent, by identifier.
    pub fn agents(&self) -> impl Iterator<Item = &Agent> {
        self.registry.iter()
    }

    /// How many agents are registered.
    #[must_use]
    pub fn agent_count(&self) -> usize {
        self.registry.len()
    }

    /// An operator.
    #[must_use]
    pub fn operator(&self, operator: &OperatorId) -> Option<&Operator> {
        self.registry.operator(operator)
    }

    /// Whether an agent may not write: it is suspended itself, or its operator is.
    #[must_use]
    pub fn is_suspended(&self, agent: &AgentId) -> bool {
        self.registry.is_agent_suspended(agent)
            || self
                .registry
                .find(agent)
                .is_some_and(|agent| self.registry.is_operator_suspended(&agent.operator))
    }

    /// A homologation entry: one that stands, or a voided one while games that began under it are in memory.
    #[must_use]
    pub fn homologation(&self, id: &HomologationId) -> Option<&Entry> {
        self.entries.find(id)
    }

    /// The standing entry of an agent in a season and division.
    #[must_use]
    pub fn standing(&self, agent: &AgentId, season: &SeasonId, division: Division) -> Option<&Entry> {
        self.entries.standing(*agent, self.seasons.find(season)?, division)
    }

    /// The standing entries of an agent, oldest season first.
    pub fn standing_entries<'a>(&'a self, agent: &AgentId) -> impl Iterator<Item = &'a Entry> + use<'a> {
        self.entries.standing_of(*agent)
    }

    /// The season that an entry was filed in.
    ///
    /// # Panics
    /// If the entry does not come from this desk.
    #[must_use]
    pub fn season_of(&self, entry: &Entry) -> &SeasonId {
        self.seasons.name(entry.season).expect("an entry is filed in a season that exists")
    }

    /// The season that is open.
    #[must_use]
    pub fn current_season(&self) -> Option<&SeasonId> {
        self.seasons.open().map(|(_, id)| id)
    }

    /// Every season, oldest first.
    pub fn seasons(&self) -> impl DoubleEndedIterator<Item = &Season> {
        self.seasons.iter()
    }

    /// The lobbies in which somebody waits, and how many do.
    pub fn lobbies(&self) -> impl Iterator<Item = (Lobby, usize)> {
        self.lobbies.counts()
    }

    /// The agents that wait in a lobby, operator by operator.
    pub fn waiting_in(&self, lobby: Lobby) -> impl Iterator<Item = &AgentId> {
        self.lobbies.queues(lobby).flat_map(|(_, queue)| queue.values())
    }

    /// How many agents wait in all lobbies together.
    #[must_use]
    pub fn waiting_count(&self) -> usize {
        self.lobbies.counts().map(|(_, waiting)| waiting).sum()
    }

    /// The lobbies in which an agent waits.
    pub fn lobbies_of<'a>(&'a self, agent: &AgentId) -> impl Iterator<Item = Lobby> + use<'a> {
        self.lobbies.of_agent(agent)
    }

    /// The live games of an agent, oldest first.
    pub fn live_games<'a>(&'a self, agent: &AgentId) -> impl Iterator<Item = GameId> + use<'a> {
        self.activities.live(agent).iter().copied()
    }

    /// How many entries the docket has.
    #[must_use]
    pub const fn docket_len(&self) -> u64 {
        self.docket_len
    }

    /// The identifier of the last feedback post; all others are smaller.
    #[must_use]
    pub const fn newest_feedback(&self) -> FeedbackId {
        FeedbackId::from_bytes(self.last_feedback)
    }

    /// The number of games that may begin for an agent besides its live ones; `None` without a cap.
    #[must_use]
    pub fn games_left(&self, agent: &AgentId, settings: &HallSettings) -> Option<u32> {
        let live = u32::try_from(self.activities.live(agent).len()).unwrap_or(u32::MAX);
        left(settings.concurrent_games, live)
    }

    /// The number of joins that an agent has left on the UTC day of `at`; `None` without a quota.
    #[must_use]
    pub fn joins_left(&self, agent: &AgentId, at: Timestamp, settings: &HallSettings) -> Option<u32> {
        left(settings.joins_per_day, self.activities.joins(agent, at))
    }

    /// The number of feedback posts that an agent has left on the UTC day of `at`; `None` without a quota.
    #[must_use]
    pub fn feedback_left(&self, agent: &AgentId, at: Timestamp, settings: &HallSettings) -> Option<u32> {
        left(settings.feedback_per_day, self.activities.posts(agent, at))
    }
}

/// What is left of a quota or a cap; `None` if it is 0, which means none (see [`HallSettings`]).
fn left(quota: u32, spent: u32) -> Option<u32> {
    (quota > 0).then(|| quota.saturating_sub(spent))
}
