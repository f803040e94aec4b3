//! Derived tables: rows for lookups that must not fold the journal, written in the same batch as its records.

use crate::ends::{self, EndKey};
use crate::log::SignedCheckpoint;
use crate::seat_plays;
use crate::tables::{
    self, FILED, FactPlace, FiledRow, HomologationRow, VOIDED, agent_game_key, docket_key, fact_key,
    homologation_key, row,
};
use hall_core::rooms::{Room, RoomChange, RoomFact};
use hall_core::{DeskFact, Fact, GovernanceFact, Hall, HallFact, LogHead, Withheld};
use hall_journal::Row;

/// The rows that a fact changes. `hall` is the state after the whole record.
pub(crate) fn rows(fact: &Fact, place: FactPlace, hall: &Hall) -> Vec<Row> {
    match fact {
        Fact::Room(fact) => room_rows(fact, place, hall),
        Fact::Desk(DeskFact::HomologationFiled { at, id, agent, season, filing, hash, voids, .. }) => {
            let filed =
                FiledRow { season: season.clone(), filing: filing.clone(), hash: *hash, created_at: *at };
            let mut rows = vec![row(
                tables::HOMOLOGATIONS,
                homologation_key(agent, id, FILED),
                &HomologationRow::Filed(filed),
            )];
            rows.extend(voids.map(|old| {
                row(
                    tables::HOMOLOGATIONS,
                    homologation_key(agent, &old, VOIDED),
                    &HomologationRow::Voided(*at),
                )
            }));
            rows
        }
        Fact::Governance(GovernanceFact::DocketEntered { entry, .. }) => {
            vec![row(tables::DOCKET, docket_key(entry), entry)]
        }
        Fact::Desk(DeskFact::FeedbackPosted { id, .. }) => {
            vec![row(tables::FEEDBACK, id.as_bytes().to_vec(), fact)]
        }
        Fact::Governance(GovernanceFact::TextWithheld { what, .. }) => {
            let row = |key| Row { table: tables::WITHHELD, key, value: Some(Vec::new()) };
            match what {
                Withheld::Turn { game, turn_index } => vec![row(fact_key(game, *turn_index))],
                Withheld::Feedback(id) => vec![row(id.as_bytes().to_vec())],
                // The desk has it in memory and answers from there.
                Withheld::Agent(_) => Vec::new(),
            }
        }
        Fact::Hall(HallFact::CheckpointTaken { at, size, root }) => {
            let key = hall.keys().map_or_else(String::new, |keys| keys.log.clone());
            let signed = SignedCheckpoint { head: LogHead { at: *at, size: *size, root: *root }, key };
            vec![row(tables::CHECKPOINTS, size.to_be_bytes().to_vec(), &signed)]
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
        | Fact::Hall(HallFact::RulesOffered { .. })
        | Fact::Hall(HallFact::Stopped { .. })
        | Fact::Governance(GovernanceFact::AgentSuspended { .. })
        | Fact::Governance(GovernanceFact::AgentRestored { .. })
        | Fact::Governance(GovernanceFact::OperatorSuspended { .. })
        | Fact::Governance(GovernanceFact::OperatorRestored { .. }) => Vec::new(),
    }
}

fn room_rows(fact: &RoomFact, place: FactPlace, hall: &Hall) -> Vec<Row> {
    let room = || hall.rooms().find(&fact.game).map(|room| &**room);
    let mut rows = match &fact.change {
        RoomChange::Started(started) => {
            let row = |agent| Row {
                table: tables::AGENT_GAMES,
                key: agent_game_key(agent, &fact.game),
                value: Some(Vec::new()),
            };
            started.seats.iter().map(|seat| row(&seat.agent)).collect()
        }
        RoomChange::Ended { .. } => {
            let Some(room) = room() else { return Vec::new() };
            let mut rows = ended_rows(room).to_vec();
            rows.extend(ends::rows(EndKey { at: fact.at, place }, room));
            rows
        }
        RoomChange::MovePlayed(_)
        | RoomChange::MoveSealed { .. }
        | RoomChange::NatureActed { .. }
        | RoomChange::HallDeferred { .. }
        | RoomChange::Shown { .. }
        | RoomChange::SeatVacated { .. }
        | RoomChange::IllegalAttempted { .. }
        | RoomChange::StrikeGiven { .. }
        | RoomChange::DrawOffered { .. }
        | RoomChange::DrawDeclined { .. }
        | RoomChange::DeadlineExtended { .. }
        | RoomChange::PenaltyDeferred { .. }
        | RoomChange::BeaconSettled { .. } => Vec::new(),
    };
    rows.extend(seat_plays::row_of(fact, room));
    rows
}

fn ended_rows(room: &Room) -> [Row; 2] {
    let key = || room.id().as_bytes().to_vec();
    [row(tables::GAMES, key(), &room.save()), row(tables::GAME_OUTLINES, key(), &room.outline())]
}
