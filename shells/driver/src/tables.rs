//! The derived tables, and the encoding of their keys and values.

use hall_core::{DocketEntry, Filing, KeyPurpose, SeasonId};
use hall_journal::{Row, Table};
use hall_wire::{AgentId, Digest, GameId, HomologationId, Timestamp};
use serde::{Deserialize, Serialize};

/// Declares the tables: each has a tag that is stored in keys and hashes and must never change its meaning.
macro_rules! tables {
    ($($(#[$doc:meta])* $name:ident = $tag:literal, $text:literal;)*) => {
        $($(#[$doc])* pub const $name: Table = Table::new($tag, $text);)*

        /// Every table, in the order of the tags. A new one takes the next free tag; a tag is never used again.
        pub const ALL: &[Table] = &[$($name),*];
    };
}

tables! {
    /// Ended games by identifier.
    GAMES = 1, "games";
    /// Where the facts of a game stand in the journal, in their order.
    GAME_FACTS = 2, "game_facts";
    /// Games of an agent.
    AGENT_GAMES = 3, "agent_games";
    /// Homologation entries of an agent, standing and voided.
    HOMOLOGATIONS = 4, "homologations";
    /// The docket by entry number.
    DOCKET = 5, "docket";
    /// Feedback in the order of its arrival.
    FEEDBACK = 6, "feedback";
    /// Hashes of the log's tree by level and index.
    LOG_HASHES = 7, "log_hashes";
    /// Signed checkpoints of the log by size.
    CHECKPOINTS = 8, "checkpoints";
    /// Where the registration of an agent stands in the log.
    REGISTRATIONS = 9, "registrations";
    /// Keys of the hall in the order in which they came into force.
    KEYS = 10, "keys";
    /// Texts that are withheld.
    WITHHELD = 11, "withheld";
    /// Full tiles of the log's tree by level and index.
    LOG_TILES = 12, "log_tiles";
    /// Ended games in the order of their end.
    ENDED_GAMES = 13, "ended_games";
    /// Ended games of an agent in the order of their end.
    AGENT_ENDS = 14, "agent_ends";
    /// How an ended game changed the ratings of its seats, by game.
    RATED_GAMES = 15, "rated_games";
    /// What lists show of ended games, by identifier. Games that ended before there was this table have none.
    GAME_OUTLINES = 16, "game_outlines";
    /// How the seats of games are played. Games that began before there was this table have not all of it.
    SEAT_PLAYS = 17, "seat_plays";
}

/// A homologation entry as its row holds it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FiledRow {
    pub(crate) season: SeasonId,
    pub(crate) filing: Filing,
    pub(crate) hash: Digest,
    pub(crate) created_at: Timestamp,
}

/// The contents of a homologation row.
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

    /// The index of the fact's leaf, which follows its place, if there is one.
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
