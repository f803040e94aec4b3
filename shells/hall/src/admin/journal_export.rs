//! Every record of the journal as JSON lines, for researchers.
//!
//! Unless the secrets are asked for, what must not be known yet is withheld: the seed of every live game, in the
//! fact that began it, and the random bytes of the record in which it was drawn. (Nothing else in a record tells a
//! seed: draws are hashes over it.) Of a live game with hidden information what players did is withheld too, with the
//! signatures and hashes of their bodies: there are so few bodies that these would tell which one it is. Agents' endpoint
//! addresses, which the hall publishes only as hashes, and their doorbells' addresses, which it publishes never, are
//! withheld always, and so are the words that the operator withholds (`hall admin redact`). What is withheld is `null`,
//! and `withheld` names its place. (The chain over all records covers what is withheld, and nobody else can make what it
//! covers.)

use super::decisions::unavailable_now;
use super::items::ItemSink;
use super::lines::Refused;
use hall_core::rooms::{Room, RoomChange};
use hall_core::{Command, DeskCommand, DeskFact, DoorbellChange, DoorbellCommand, Fact, Hall, RoomCommand};
use hall_driver::{Engine, JournalEntry};
use hall_journal::{JournalReader, Record};
use hall_wire::GameId;
use hall_wire::text::encode_hex;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use words::{WithheldWords, withheld_places};

#[cfg(test)]
mod tests;
mod words;

/// Records read at once.
const PAGE: usize = 256;

/// How far the journal is exported, and which games have a secret then.
pub(super) struct Bounds {
    last: u64,
    /// Whether something is hidden in them.
    live: BTreeMap<GameId, bool>,
    withheld: WithheldWords,
}

impl Bounds {
    /// Looks at the hall now. The last record is taken first: a game that ends before the look has published its
    /// seed by then, and one that begins after it is beyond the last record.
    pub(super) async fn of(engine: &Engine) -> Result<Self, Refused> {
        let last = engine.status().durable_seq;
        let looked = engine.read(move |hall| Self::at(hall, last)).await;
        looked.map_err(unavailable_now)
    }

    fn at(hall: &Hall, last: u64) -> Self {
        let live = hall.rooms().iter().filter(|room| room.result().is_none());
        let live = live.map(|room| (room.id(), has_hidden_moves(room))).collect();
        Self { last, live, withheld: WithheldWords::of(hall) }
    }
}

/// Sends every record up to the bound.
pub(super) fn export(
    reader: &dyn JournalReader,
    bounds: &Bounds,
    with_secrets: bool,
    sink: &ItemSink,
) -> Result<Value, Refused> {
    let damaged = |error: &dyn std::fmt::Display| Refused::new("DAMAGED", error.to_string());
    let mut next = 1;
    while next <= bounds.last {
        let records = reader.records(next, PAGE).map_err(|error| damaged(&error))?;
        if records.is_empty() {
            break;
        }
        for record in records.into_iter().take_while(|record| record.seq <= bounds.last) {
            next = record.seq + 1;
            let item = item(&record, bounds, with_secrets).map_err(|error| damaged(&error))?;
            sink.item(item)?;
        }
    }
    Ok(json!({ "records": next - 1, "with_secrets": with_secrets }))
}

fn item(record: &Record, bounds: &Bounds, with_secrets: bool) -> Result<Value, serde_json::Error> {
    let entry = JournalEntry::decode(&record.bytes)?;
    let mut written: Value = serde_json::from_slice(&record.bytes)?;
    let mut withheld = BTreeSet::new();
    if !with_secrets {
        withheld = secret_places(&entry, &bounds.live);
        withheld.append(&mut withheld_places(&entry, &bounds.withheld));
        // A place inside another one is gone with it.
        let whole = withheld.clone();
        withheld.retain(|place| !whole.iter().any(|outer| place.starts_with(&format!("{outer}/"))));
    }
    for place in &withheld {
        // Whatever the layout, a place that is not there must never pass for withheld.
        let hidden = written.pointer_mut(place).map(Value::take);
        assert!(hidden.is_some(), "record {} has nothing at {place}", record.seq);
    }
    Ok(
        json!({ "seq": record.seq, "chain": encode_hex(&record.chain), "withheld": withheld, "entry": written }),
    )
}

/// What of a change tells what a player did.
const fn hidden_places(change: &RoomChange) -> &'static [&'static str] {
    match change {
        RoomChange::MovePlayed(_) => &["move_played/notation", "move_played/san", "move_played/body"],
        RoomChange::MoveSealed { .. } => &["move_sealed/action"],
        RoomChange::NatureActed { .. } => &["nature_acted/complete", "nature_acted/draws"],
        RoomChange::IllegalAttempted { .. } => &["illegal_attempted/attempt"],
        RoomChange::Started(_)
        | RoomChange::HallDeferred { .. }
        | RoomChange::Shown { .. }
        | RoomChange::SeatVacated { .. }
        | RoomChange::StrikeGiven { .. }
        | RoomChange::DrawOffered { .. }
        | RoomChange::DrawDeclined { .. }
        | RoomChange::DeadlineExtended { .. }
        | RoomChange::PenaltyDeferred { .. }
        | RoomChange::BeaconSettled { .. }
        | RoomChange::Ended { .. } => &[],
    }
}

/// Whether players do not see each other's moves in a game; a game without rules in this release counts as one.
fn has_hidden_moves(room: &Room) -> bool {
    room.rules().is_none_or(|game| game.describe().information != "perfect")
}

/// The places in a record, as JSON pointers, that hold a secret.
fn secret_places(entry: &JournalEntry, live: &BTreeMap<GameId, bool>) -> BTreeSet<String> {
    let mut places = BTreeSet::new();
    let is_hidden = |game: &GameId| live.get(game).copied().unwrap_or(false);
    if let Command::Room(RoomCommand::Submit(asked)) = &entry.what
        && is_hidden(&asked.game)
    {
        places.insert("/what/submit_move/choice".to_owned());
        // Of a sealed move it is told when the turn is over, like the move itself.
        if asked.commentary.is_some() {
            places.insert("/what/submit_move/commentary".to_owned());
        }
    }
    if let Command::Desk(DeskCommand::FileHomologation { filing, .. }) = &entry.what
        && filing.endpoint_url.is_some()
    {
        places.insert("/what/file_homologation/filing/endpoint_url".to_owned());
    }
    if let Command::Doorbell(DoorbellCommand::Register { .. }) = &entry.what {
        places.insert("/what/register_doorbell/url".to_owned());
    }
    for (index, fact) in entry.facts.iter().enumerate() {
        if let Fact::Doorbell(fact) = fact {
            match &fact.change {
                DoorbellChange::Registered { .. } => {
                    places.insert(format!("/facts/{index}/doorbell~11/change/registered/url"));
                }
                DoorbellChange::Verified { .. } => {
                    places.insert(format!("/facts/{index}/doorbell~11/change/verified/url"));
                }
                DoorbellChange::VerificationBegun
                | DoorbellChange::Disabled
                | DoorbellChange::AttemptFailed { .. }
                | DoorbellChange::Rung { .. }
                | DoorbellChange::TurnMissed { .. }
                | DoorbellChange::Suspended { .. } => {}
            }
        }
        if let Fact::Room(fact) = fact
            && let RoomChange::Started(_) = &fact.change
            && live.contains_key(&fact.game)
        {
            places.insert("/entropy".to_owned());
            places.insert(format!("/facts/{index}/room~11/change/started/seed"));
        }
        if let Fact::Room(fact) = fact
            && is_hidden(&fact.game)
        {
            let inside = hidden_places(&fact.change);
            places.extend(inside.iter().map(|place| format!("/facts/{index}/room~11/change/{place}")));
        }
        if let Fact::Desk(DeskFact::HomologationFiled { filing, .. }) = fact
            && filing.endpoint_url.is_some()
        {
            places.insert(format!("/facts/{index}/homologation_filed~11/filing/endpoint_url"));
        }
    }
    places
}
