//! Homologation entries: what agents have filed, and their ratings.
//!
//! An agent has at most one standing entry in a season and division. A voided one is kept only while games that began
//! under it are in memory, because its rating is what the opponent's is computed from.

use crate::desk::filing::{AdapterKind, Filing, ToolAccess};
use crate::desk::lobby::Lobby;
use crate::desk::seasons::SeasonNumber;
use crate::desk::shared::{Sharded, ShardedMap, Shared};
use crate::desk::standings::{Place, Rating, Tables};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::ToString;
use alloc::vec::Vec;
use hall_rooms::{Division, GameVariant, SeasonId};
use hall_wire::json::canonical;
use hall_wire::{AgentId, Digest, HomologationId, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// A homologation entry (specification 2.3) with its ratings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub struct Entry {
    pub id: HomologationId,
    /// The agent that filed it.
    pub agent: AgentId,
    /// The season; [`crate::desk::Desk::season_of`] names it.
    pub season: SeasonNumber,
    pub division: Division,
    /// Hash of the filed fields.
    pub hash: Digest,
    /// Model identifier. Written by the agent.
    pub model_id: Box<str>,
    /// How the agent is connected.
    pub adapter_kind: AdapterKind,
    /// sha256 of the endpoint's address, which itself is not kept.
    pub endpoint_url_sha256: Option<Digest>,
    /// sha256 of the system prompt.
    pub system_prompt_sha256: Digest,
    /// sha256 of the configuration.
    pub config_sha256: Digest,
    /// What help the agent uses.
    pub tool_access: ToolAccess,
    /// When it was filed.
    pub created_at: Timestamp,
    /// When a later one voided it; `None` while it stands.
    pub voided_at: Option<Timestamp>,
    /// Games in memory that began under it.
    pub(super) games: u32,
    /// Ratings by variant, sorted; only of variants with an ended rated game.
    ratings: Vec<(GameVariant, Rating)>,
}

/// The hash by which two filings are compared: sha256 of the canonical JSON of the filed fields, with the season
/// resolved, and the agent.
#[must_use]
pub fn filing_hash(agent: AgentId, season: &SeasonId, filing: &Filing) -> Digest {
    let fields = json!({
        "agent_id": agent.to_string(),
        "season_id": season.as_str(),
        "division": filing.division.as_str(),
        "model_id": filing.model_id,
        "adapter_kind": filing.adapter_kind.as_str(),
        "endpoint_url": filing.endpoint_url,
        "system_prompt_sha256": filing.system_prompt_sha256.to_hex(),
        "config_sha256": filing.config_sha256.to_hex(),
        "tool_access": filing.tool_access.as_str(),
    });
    Digest::of(canonical(&fields).as_bytes())
}

impl Entry {
    /// A new entry without games.
    pub(super) fn new(
        id: HomologationId,
        agent: AgentId,
        season: SeasonNumber,
        filing: &Filing,
        hash: Digest,
        at: Timestamp,
    ) -> Self {
        Self {
            id,
            agent,
            season,
            division: filing.division,
            hash,
            model_id: filing.model_id.as_str().into(),
            adapter_kind: filing.adapter_kind,
            endpoint_url_sha256: filing.endpoint_url.as_ref().map(|url| Digest::of(url.as_bytes())),
            system_prompt_sha256: filing.system_prompt_sha256,
            config_sha256: filing.config_sha256,
            tool_access: filing.tool_access,
            created_at: at,
            voided_at: None,
            games: 0,
            ratings: Vec::new(),
        }
    }

    /// The rating on a board; `None` before the first ended rated game there.
    #[must_use]
    pub fn rating(&self, variant: GameVariant) -> Option<&Rating> {
        self.ratings.iter().find(|(known, _)| *known == variant).map(|(_, rating)| rating)
    }

    /// The ratings by variant, sorted.
    #[must_use]
    pub fn ratings(&self) -> &[(GameVariant, Rating)] {
        &self.ratings
    }

    const fn lobby(&self, variant: GameVariant) -> Lobby {
        Lobby { variant, division: self.division }
    }

    const fn place(&self, rating: &Rating) -> Place {
        Place::of(self.id, self.created_at, rating)
    }
}

/// The key under which at most one entry stands: agent, season and division.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct StandingKey(AgentId, SeasonNumber, Division);

impl Sharded for StandingKey {
    fn shard(&self) -> u8 {
        self.0.shard()
    }
}

/// The entries in memory, an index of those that stand, and the boards on which they are ranked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entries {
    by_id: ShardedMap<HomologationId, Shared<Entry>>,
    standing: ShardedMap<StandingKey, HomologationId>,
    tables: Tables,
}

impl Entries {
    pub(super) fn find(&self, id: &HomologationId) -> Option<&Entry> {
        self.by_id.get(id).map(|entry| &**entry)
    }

    pub(super) fn standing(
        &self,
        agent: AgentId,
        season: SeasonNumber,
        division: Division,
    ) -> Option<&Entry> {
        self.standing.get(&StandingKey(agent, season, division)).and_then(|id| self.find(id))
    }

    /// The standing entries of an agent, by season and division.
    pub(super) fn standing_of(&self, agent: AgentId) -> impl Iterator<Item = &Entry> {
        let first = StandingKey(agent, SeasonNumber::FIRST, Division::Pure);
        let last = StandingKey(agent, SeasonNumber::LAST, Division::Open);
        self.standing.range(first, last).filter_map(|(_, id)| self.find(id))
    }

    pub(super) const fn tables(&self) -> &Tables {
        &self.tables
    }

    /// Files an entry; the one that stood in its place is voided.
    pub(super) fn file(&mut self, entry: Entry) {
        let place = StandingKey(entry.agent, entry.season, entry.division);
        if let Some(previous) = self.standing.insert(place, entry.id) {
            self.void(previous, entry.created_at);
        }
        self.by_id.insert(entry.id, Shared::new(entry));
    }

    pub(super) fn begin_game(&mut self, id: &HomologationId) {
        if let Some(entry) = self.by_id.get_mut(id) {
            let entry = entry.make_mut();
            entry.games = entry.games.saturating_add(1);
        }
    }

    /// A game that began under the entry has left memory.
    pub(super) fn forget_game(&mut self, id: &HomologationId) {
        if let Some(entry) = self.by_id.get_mut(id) {
            let entry = entry.make_mut();
            entry.games = entry.games.saturating_sub(1);
        }
        self.drop_if_done(id);
    }

    /// Sets the rating of a standing entry on a board.
    pub(super) fn rate(&mut self, id: &HomologationId, variant: GameVariant, rating: Rating) {
        let Some(entry) = self.by_id.get_mut(id).filter(|entry| entry.voided_at.is_none()) else { return };
        let entry = entry.make_mut();
        match entry.ratings.binary_search_by_key(&variant, |(known, _)| *known) {
            Ok(place) => {
                if let Some((_, old)) = entry.ratings.get_mut(place) {
                    let old = core::mem::replace(old, rating);
                    self.tables.remove(entry.season, entry.lobby(variant), &entry.place(&old));
                }
            }
            Err(place) => entry.ratings.insert(place, (variant, rating)),
        }
        self.tables.insert(entry.season, entry.lobby(variant), entry.place(&rating));
    }

    fn void(&mut self, id: HomologationId, at: Timestamp) {
        if let Some(entry) = self.by_id.get_mut(&id) {
            let entry = entry.make_mut();
            entry.voided_at = Some(at);
            for (variant, rating) in &entry.ratings {
                self.tables.remove(entry.season, entry.lobby(*variant), &entry.place(rating));
            }
        }
        self.drop_if_done(&id);
    }

    fn drop_if_done(&mut self, id: &HomologationId) {
        if self.find(id).is_some_and(|entry| entry.voided_at.is_some() && entry.games == 0) {
            self.by_id.remove(id);
        }
    }

    /// Asserts that the index of standing entries and the boards say what the entries say. `games` counts the
    /// seats in memory by entry.
    pub(super) fn check(&self, games: &BTreeMap<HomologationId, u32>) {
        let mut tables = Tables::default();
        let mut standing = 0;
        for (id, entry) in self.by_id.iter() {
            assert_eq!(*id, entry.id, "{id} is filed under its identifier");
            assert_eq!(entry.games, games.get(id).copied().unwrap_or(0), "games under {id}");
            if entry.voided_at.is_some() {
                assert!(entry.games > 0, "voided {id} is kept for a game");
                continue;
            }
            standing += 1;
            let place = StandingKey(entry.agent, entry.season, entry.division);
            assert_eq!(self.standing.get(&place), Some(id), "{id} stands");
            for (variant, rating) in &entry.ratings {
                assert!(rating.games_played > 0, "a rating of {id} comes from a game");
                let record = rating.wins + rating.draws + rating.losses;
                assert_eq!(record, rating.games_played, "the record of {id} adds up");
                tables.insert(entry.season, entry.lobby(*variant), entry.place(rating));
            }
        }
        assert_eq!(standing, self.standing.len(), "nothing stands that is not filed");
        assert!(tables == self.tables, "the boards rank exactly the standing entries with rated games");
    }
}
