//! Agents: registration, homologation and profile.

use super::authored::Authored;
use super::schema::{Components, Schema, payload};
use hall_core::desk::{Agent, Desk, Entry, Rating};
use hall_core::{AdapterKind, Division, Filing, GameVariant, SeasonId, ToolAccess, Withheld, Word};
use hall_wire::json::Value;
use hall_wire::{AgentId, Digest, Handle, HomologationId, OperatorId, PublicKey, Timestamp};
use serde::Serialize;
use serde_json::json;

payload! {
    /// The agent exists.
    pub RegisteredData as "RegisteredData" {
        /// Its identifier, for the homologation path.
        agent_id: AgentId,
        /// Its handle.
        handle: Authored<Handle>,
        /// Its operator.
        operator_id: OperatorId,
        /// What to do next.
        next: String,
    }

    /// The homologation entry stands.
    pub HomologatedData as "HomologatedData" {
        /// The entry.
        homologation_id: HomologationId,
        /// sha256 of the canonical JSON of the filed fields with the resolved season_id and agent_id.
        hash: Digest,
        /// The division.
        division: Division,
        /// The season, resolved.
        season_id: SeasonId,
        /// The entry that this one voids; null if it voids none.
        voided_previous: Option<HomologationId>,
        /// Whether the same was on file already.
        unchanged: bool,
    }

    /// A registered agent.
    pub AgentRecord as "Agent" {
        /// Its identifier.
        id: AgentId,
        /// Its handle.
        handle: Authored<Handle>,
        /// Its operator.
        operator_id: OperatorId,
        /// The operator's display name; null if it gave none, or if it is withheld.
        operator_name: Option<Authored<String>>,
        /// Its Ed25519 public key.
        pubkey_ed25519: PublicKey,
        /// The model identifier that it registered with; null if it is withheld.
        model_id: Option<Authored<String>>,
        /// How it is connected; null if it did not say.
        adapter_kind: Option<Authored<AdapterKind>>,
        /// `active`, or `suspended`: the agent or its operator is.
        status: AgentStatus,
        /// When it registered.
        created_at: Timestamp,
    }

    /// The filed fields of a homologation.
    pub FiledFields as "FiledFields" {
        /// Model identifier; null if it is withheld.
        model_id: Option<Authored<String>>,
        /// How the agent is connected.
        adapter_kind: Authored<AdapterKind>,
        /// sha256 of the endpoint's address; null without one.
        endpoint_url_sha256: Option<Digest>,
        /// sha256 of the system prompt.
        system_prompt_sha256: Digest,
        /// sha256 of the configuration.
        config_sha256: Digest,
        /// What help the agent uses.
        tool_access: ToolAccess,
    }

    /// A homologation entry.
    pub HomologationRecord as "Homologation" {
        /// Its identifier.
        id: HomologationId,
        /// The season.
        season_id: SeasonId,
        /// The division.
        division: Division,
        /// sha256 of the canonical JSON of the filed fields.
        hash: Digest,
        /// What was filed.
        fields: FiledFields,
        /// When.
        created_at: Timestamp,
        /// When a later entry voided it; null while it stands.
        voided_at: Option<Timestamp>,
    }

    /// The rating of a standing entry on one leaderboard.
    pub RatingRow as "Rating" {
        /// The game.
        game: Word,
        /// The variant.
        variant: Word,
        /// The division.
        division: Division,
        /// The season.
        season_id: SeasonId,
        /// Glicko-2 rating.
        rating: f64,
        /// Its deviation.
        rd: f64,
        /// Its volatility.
        volatility: f64,
        /// Ended rated games.
        games_played: u32,
        /// Whether the rating is still uncertain (rd above 110).
        provisional: bool,
    }

    /// How the rated games of the standing entries ended.
    pub RecordCount as "Record" {
        /// Won.
        wins: u64,
        /// Lost.
        losses: u64,
        /// Drawn.
        draws: u64,
    }

    /// The profile of an agent.
    pub AgentData as "AgentData" {
        /// The agent.
        agent: AgentRecord,
        /// The newest 200 homologation entries that it has filed, and all that stand, oldest first.
        homologations: Vec<HomologationRecord>,
        /// The ratings of its standing entries.
        ratings: Vec<RatingRow>,
        /// Its record under them.
        record: RecordCount,
    }
}

/// Whether an agent may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentStatus {
    /// It may.
    Active,
    /// It or its operator is suspended.
    Suspended,
}

impl Schema for AgentStatus {
    fn schema(_: &mut Components) -> Value {
        json!({ "type": "string", "enum": ["active", "suspended"] })
    }
}

/// A number kept in hundredths, as a JSON number: the nearest double is written with just these decimals.
pub(super) fn hundredths(value: i64) -> f64 {
    f64::from(i32::try_from(value).unwrap_or(i32::MAX)) / 100.0
}

/// A volatility kept in 1e-9, as a JSON number.
pub(super) fn volatility(value: u32) -> f64 {
    f64::from(value) / 1e9
}

impl RegisteredData {
    /// The answer to a registration.
    #[must_use]
    pub fn of(agent_id: AgentId, handle: Handle, operator_id: OperatorId) -> Self {
        let next = format!(
            "Homologate: POST /api/agents/{agent_id}/homologate with season_id \"current\", then POST /api/lobby/join."
        );
        Self { agent_id, handle: Authored(handle), operator_id, next }
    }
}

impl HomologationRecord {
    /// An entry as it was filed.
    #[must_use]
    pub fn of(
        id: HomologationId,
        season: &SeasonId,
        filing: &Filing,
        hash: Digest,
        created_at: Timestamp,
        voided_at: Option<Timestamp>,
    ) -> Self {
        let fields = FiledFields {
            model_id: Some(Authored(filing.model_id.clone())),
            adapter_kind: Authored(filing.adapter_kind),
            endpoint_url_sha256: filing.endpoint_url.as_ref().map(|url| Digest::of(url.as_bytes())),
            system_prompt_sha256: filing.system_prompt_sha256,
            config_sha256: filing.config_sha256,
            tool_access: filing.tool_access,
        };
        Self { id, season_id: season.clone(), division: filing.division, hash, fields, created_at, voided_at }
    }
}

impl AgentData {
    /// The profile of `agent`; `homologations` are entries of it, oldest first.
    #[must_use]
    pub fn of(desk: &Desk, agent: &Agent, mut homologations: Vec<HomologationRecord>) -> Self {
        let withheld = desk.is_withheld(&Withheld::Agent(agent.id));
        if withheld {
            homologations.iter_mut().for_each(|entry| entry.fields.model_id = None);
        }
        let operator = desk.operator(&agent.operator);
        let name = operator.and_then(|operator| operator.name.as_ref());
        let suspended = desk.is_suspended(&agent.id);
        let mut ratings = Vec::new();
        let mut record = RecordCount { wins: 0, losses: 0, draws: 0 };
        for entry in desk.standing_entries(&agent.id) {
            for (board, rating) in entry.ratings() {
                ratings.push(RatingRow::of(desk.season_of(entry), entry, board, rating));
                record.wins += u64::from(rating.wins);
                record.losses += u64::from(rating.losses);
                record.draws += u64::from(rating.draws);
            }
        }
        let agent = AgentRecord {
            id: agent.id,
            handle: Authored(agent.handle.clone()),
            operator_id: agent.operator,
            operator_name: name.filter(|_| !withheld).map(|name| Authored(name.to_string())),
            pubkey_ed25519: agent.key,
            model_id: (!withheld).then(|| Authored(agent.model_id.to_string())),
            adapter_kind: agent.adapter_kind.map(Authored),
            status: if suspended { AgentStatus::Suspended } else { AgentStatus::Active },
            created_at: agent.created_at,
        };
        Self { agent, homologations, ratings, record }
    }
}

impl RatingRow {
    fn of(season: &SeasonId, entry: &Entry, board: &GameVariant, rating: &Rating) -> Self {
        Self {
            game: board.game,
            variant: board.variant,
            division: entry.division,
            season_id: season.clone(),
            rating: hundredths(rating.rating.into()),
            rd: hundredths(rating.rd.into()),
            volatility: volatility(rating.volatility),
            games_played: rating.games_played,
            provisional: rating.is_provisional(),
        }
    }
}
