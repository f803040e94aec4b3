//! Derived tables: what is looked up without folding the journal, written in the same batch as its records.

use crate::ends::{self, EndKey};
use crate::log::{Growth, SignedCut};
use hall_core::rooms::{Room, RoomChange, RoomFact};
use hall_core::{
    DeskFact, DocketEntry, Fact, Filing, GovernanceFact, Hall, HallFact, KeyPurpose, LogHead, SeasonId,
    Withheld,
};
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

/// The rows of the log that a fact changes, beside those of [`rows`]: the tree, and where a leaf is found again.
pub(crate) fn log_rows(fact: &Fact, place: FactPlace, tree: &mut Growth, rows: &mut Vec<Row>) {
    let index = fact.leaf().map(|leaf| tree.push(leaf, place, rows));
    if let Fact::Room(fact) = fact {
        // A fact of a room is found through its place in the journal: writing it twice would double the cost of a move.
        let mut value = place.encode();
        value.extend(index.into_iter().flat_map(u64::to_be_bytes));
        let key = fact_key(&fact.game, fact.number);
        rows.push(Row { table: Table::GameFacts, key, value: Some(value) });
    } else if let (Fact::Desk(DeskFact::AgentRegistered { agent, .. }), Some(index)) = (fact, index) {
        let (key, value) = (agent.as_bytes().to_vec(), Some(index.to_be_bytes().to_vec()));
        rows.push(Row { table: Table::Registrations, key, value });
    } else if let (Fact::Hall(HallFact::KeyPublished { purpose, public_key, .. }), Some(index)) =
        (fact, index)
    {
        let key = [key_prefix(*purpose).as_slice(), &index.to_be_bytes()].concat();
        rows.push(Row { table: Table::Keys, key, value: Some(public_key.clone().into_bytes()) });
    }
}

/// The rows that a fact changes. `hall` is the state after the whole record.
pub(crate) fn rows(fact: &Fact, place: FactPlace, hall: &Hall) -> Vec<Row> {
    match fact {
        Fact::Room(fact) => room_rows(fact, place, hall),
        Fact::Desk(DeskFact::HomologationFiled { at, id, agent, season, filing, hash, voids, .. }) => {
            let filed =
                FiledRow { season: season.clone(), filing: filing.clone(), hash: *hash, created_at: *at };
            let mut rows = vec![row(
                Table::Homologations,
                homologation_key(agent, id, FILED),
                &HomologationRow::Filed(filed),
            )];
            rows.extend(voids.map(|old| {
                row(
                    Table::Homologations,
                    homologation_key(agent, &old, VOIDED),
                    &HomologationRow::Voided(*at),
                )
            }));
            rows
        }
        Fact::Governance(GovernanceFact::DocketEntered { entry, .. }) => {
            vec![row(Table::Docket, docket_key(entry), entry)]
        }
        Fact::Desk(DeskFact::FeedbackPosted { id, .. }) => {
            vec![row(Table::Feedback, id.as_bytes().to_vec(), fact)]
        }
        Fact::Governance(GovernanceFact::TextWithheld { what, .. }) => {
            let row = |key| Row { table: Table::Withheld, key, value: Some(Vec::new()) };
            match what {
                Withheld::Turn { game, turn_index } => vec![row(fact_key(game, *turn_index))],
                Withheld::Feedback(id) => vec![row(id.as_bytes().to_vec())],
                // The desk knows it, and shows it to whoever asks for the agent.
                Withheld::Agent(_) => Vec::new(),
            }
        }
        Fact::Hall(HallFact::CheckpointTaken { at, size, root }) => {
            let key = hall.keys().map_or_else(String::new, |keys| keys.log.clone());
            let signed = SignedCut { cut: LogHead { at: *at, size: *size, root: *root }, key };
            vec![row(Table::Checkpoints, size.to_be_bytes().to_vec(), &signed)]
        }
        Fact::Hall(HallFact::SettingsSet { .. })
        | Fact::Doorbell(_)
        | Fact::Hall(HallFact::KeyPublished { .. })
        | Fact::Desk(DeskFact::AgentRegistered { .. })
        | Fact::Governance(GovernanceFact::SeasonOpened { .. })
        | Fact::Governance(GovernanceFact::SeasonClosed { .. })
        | Fact::Desk(DeskFact::LobbyJoined { .. })
        | Fact::Desk(DeskFact::LobbyLeft { .. })
        | Fact::Desk(DeskFact::LobbiesSwept { .. })
        | Fact::Desk(DeskFact::GameRated { .. })
        | Fact::Hall(HallFact::GameArchived { .. })
        | Fact::Hall(HallFact::Stopped { .. })
        | Fact::Governance(GovernanceFact::AgentSuspended { .. })
        | Fact::Governance(GovernanceFact::AgentRestored { .. })
        | Fact::Governance(GovernanceFact::OperatorSuspended { .. })
        | Fact::Governance(GovernanceFact::OperatorRestored { .. }) => Vec::new(),
    }
}

fn room_rows(fact: &RoomFact, place: FactPlace, hall: &Hall) -> Vec<Row> {
    match &fact.change {
        RoomChange::Started(started) => {
            let row = |agent| Row {
                table: Table::AgentGames,
                key: agent_game_key(agent, &fact.game),
                value: Some(Vec::new()),
            };
            started.seats.iter().map(|seat| row(&seat.agent)).collect()
        }
        RoomChange::Ended { .. } => {
            let Some(room) = hall.rooms().find(&fact.game) else { return Vec::new() };
            let mut rows = vec![ended_row(room)];
            rows.extend(ends::rows(EndKey { at: fact.at, place }, room));
            rows
        }
        RoomChange::MovePlayed(_)
        | RoomChange::IllegalAttempted { .. }
        | RoomChange::StrikeGiven { .. }
        | RoomChange::DrawOffered { .. }
        | RoomChange::DrawDeclined { .. }
        | RoomChange::DeadlineExtended { .. }
        | RoomChange::PenaltyDeferred { .. }
        | RoomChange::BeaconSettled { .. } => Vec::new(),
    }
}

fn ended_row(room: &Room) -> Row {
    row(Table::Games, room.id().as_bytes().to_vec(), &room.save())
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
