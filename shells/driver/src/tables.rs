//! The derived tables: how their keys and values lie in them.

use hall_core::{DocketEntry, Filing, KeyPurpose, SeasonId};
use hall_journal::{Row, Table};
use hall_wire::{AgentId, Digest, GameId, HomologationId, Timestamp};
use serde::{Deserialize, Serialize};

/// A homologation entry as its row holds it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FiledRow {
    pub(crate) season: SeasonId,
    pub(crate) filing: Filing,
    pub(crate) hash: Digest,
    pub(crate) created_at: Timestamp,
}

/// What a homologation row says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum HomologationRow {
    /// The entry.
    Filed(FiledRow),
    /// The entry was voided then.
    Voided(Timestamp),
}

/// Which half of an entry a row is.
pub(crate) const FILED: u8 = 0;
/// See [`FILED`].
pub(crate) const VOIDED: u8 = 1;

/// Where a fact stands in the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FactPlace {
    /// The number of its record.
    pub(crate) record: u64,
    /// Its place in the record, from 0.
    pub(crate) index: u32,
}

impl FactPlace {
    pub(crate) fn encode(self) -> Vec<u8> {
        [self.record.to_be_bytes().as_slice(), &self.index.to_be_bytes()].concat()
    }

    /// Reads a place; `None` if the bytes are not one.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let (record, rest) = bytes.split_first_chunk()?;
        let (index, _) = rest.split_first_chunk()?;
        Some(Self { record: u64::from_be_bytes(*record), index: u32::from_be_bytes(*index) })
    }

    /// The index of the fact's leaf that stands behind its place, if there is one.
    pub(crate) fn leaf_index(bytes: &[u8]) -> Option<u64> {
        bytes.get(12..)?.try_into().ok().map(u64::from_be_bytes)
    }
}

pub(crate) const fn key_prefix(purpose: KeyPurpose) -> [u8; 1] {
    match purpose {
        KeyPurpose::Log => [0],
        KeyPurpose::Ring => [1],
    }
}

pub(crate) fn fact_key(game: &GameId, number: u32) -> Vec<u8> {
    [game.as_bytes().as_slice(), &number.to_be_bytes()].concat()
}

pub(crate) fn agent_game_key(agent: &AgentId, game: &GameId) -> Vec<u8> {
    [agent.as_bytes().as_slice(), game.as_bytes()].concat()
}

pub(crate) fn docket_key(entry: &DocketEntry) -> Vec<u8> {
    entry.id.to_be_bytes().to_vec()
}

pub(crate) fn homologation_key(agent: &AgentId, id: &HomologationId, half: u8) -> Vec<u8> {
    [agent.as_bytes().as_slice(), id.as_bytes(), &[half]].concat()
}

pub(crate) fn row<T: Serialize>(table: Table, key: Vec<u8>, value: &T) -> Row {
    let value = serde_json::to_vec(value).expect("rows are plain values");
    Row { table, key, value: Some(value) }
}
