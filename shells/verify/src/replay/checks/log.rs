//! The game's place in the hall's log (decisions 6.4, 8.1 and 8.2).

use super::same;
use crate::note::{Checkpoint, Note, NoteProblem};
use crate::replay::document::{Event, LeafPlace, Log, Registration, Replay};
use crate::replay::report::{ClaimId, Ledger};
use crate::replay::trust::Trust;
use crate::tree::{inclusion, leaf_hash};
use hall_wire::json::{Map, Value, canonical, parse};
use hall_wire::{Digest, OperatorId, Timestamp};
use serde_json::json;

/// Checks the log part; answers when a trusted witness has cosigned the checkpoint that covers the game.
pub(super) fn check(replay: &Replay<'_>, trust: &Trust, ledger: &mut Ledger) -> Option<Timestamp> {
    let claims = [ClaimId::LogEvents, ClaimId::Registrations, ClaimId::LogSignature, ClaimId::Witnesses];
    let Some(log) = &replay.log else {
        let why = "the replay was taken before a checkpoint covered the game";
        claims.iter().for_each(|claim| ledger.leave(*claim, why));
        return None;
    };
    let read = Note::parse(log.note).map_err(|problem| problem.to_string());
    let read = read.and_then(|note| {
        let checkpoint = Checkpoint::parse(note.text()).map_err(|problem| problem.to_string())?;
        Ok((note, checkpoint))
    });
    let (note, checkpoint) = match read {
        Ok(read) => read,
        Err(reason) => {
            ledger.fail(ClaimId::LogSignature, format!("the checkpoint: {reason}"));
            claims.iter().for_each(|claim| ledger.leave(*claim, "the checkpoint could not be read"));
            return None;
        }
    };
    ledger.settle(ClaimId::LogEvents, events(replay, log, &checkpoint));
    ledger.settle(ClaimId::Registrations, registrations(replay, log, &checkpoint));
    signed(&note, &checkpoint, trust, ledger);
    let cosigned = cosigned(&note, trust, ledger);
    // What a witness saw counts only if the paths lead to what it saw.
    cosigned.filter(|_| !ledger.has_failed(ClaimId::LogEvents))
}

fn signed(note: &Note, checkpoint: &Checkpoint, trust: &Trust, ledger: &mut Ledger) {
    let Some(key) = &trust.log_key else {
        let why = format!(
            "no key of the log was given; the paths lead to the root of the checkpoint, but anybody could have made it \
             (it names the log {})",
            checkpoint.origin
        );
        return ledger.leave(ClaimId::LogSignature, why);
    };
    if checkpoint.origin != key.name() {
        let reason = format!("the checkpoint is of {}, not of {}", checkpoint.origin, key.name());
        ledger.fail(ClaimId::LogSignature, reason);
    }
    if let Err(problem) = note.verify(key) {
        ledger.fail(ClaimId::LogSignature, format!("the checkpoint: {problem}"));
    }
}

/// The earliest time at which a trusted witness has cosigned.
fn cosigned(note: &Note, trust: &Trust, ledger: &mut Ledger) -> Option<Timestamp> {
    if trust.witnesses.is_empty() {
        ledger.leave(ClaimId::Witnesses, "no keys of witnesses were given");
        return None;
    }
    let mut times = Vec::new();
    for witness in &trust.witnesses {
        match note.verify(witness) {
            Ok(time) => times.extend(time),
            Err(NoteProblem::NotSigned { name }) => {
                ledger.leave(ClaimId::Witnesses, format!("the checkpoint bears no cosignature of {name}"));
            }
            Err(problem @ (NoteProblem::WrongSignature { .. } | NoteProblem::Malformed { .. })) => {
                ledger.fail(ClaimId::Witnesses, format!("the checkpoint: {problem}"));
            }
        }
    }
    times.into_iter().min()
}

fn events(replay: &Replay<'_>, log: &Log<'_>, checkpoint: &Checkpoint) -> Result<(), String> {
    same("the number of leaves", &log.leaves.len(), &replay.events.len())?;
    let mut before = None;
    for (event, (seq, place)) in replay.events.iter().zip(&log.leaves) {
        same("the number of an event in the log", seq, &event.seq)?;
        if before.is_some_and(|before| before >= place.index) {
            return Err(format!("event {seq} stands in the log before the one that it follows"));
        }
        before = Some(place.index);
        let leaf = event_leaf(replay, event)?;
        included(&format!("event {seq}"), &leaf, place, checkpoint)?;
    }
    Ok(())
}

/// The leaf of an event: its words stand in it only as their hash.
fn event_leaf(replay: &Replay<'_>, event: &Event<'_>) -> Result<String, String> {
    let mut data = event.data.as_object().cloned().unwrap_or_default();
    if let Some(commentary) = data.remove("commentary") {
        let hash = match &commentary {
            Value::String(words) => Value::from(Digest::of(words.as_bytes()).to_hex()),
            // Withheld words leave their hash behind.
            Value::Null => data.remove("commentary_sha256").unwrap_or_default(),
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                return Err(format!("the commentary of event {} is no text", event.seq));
            }
        };
        data.insert("commentary_sha256".to_owned(), hash);
    }
    Ok(canonical(&json!({
        "kind": "event",
        "game_id": replay.game_id.to_string(),
        "seq": event.seq,
        "created_at": event.created_at.to_string(),
        "event": { "type": event.kind, "data": data },
    })))
}

fn registrations(replay: &Replay<'_>, log: &Log<'_>, checkpoint: &Checkpoint) -> Result<(), String> {
    same("the number of registrations", &log.registrations.len(), &replay.seats.len())?;
    let first_event = log.leaves.first().map(|(_, place)| place.index);
    let mut operators = Vec::new();
    for (seat, registration) in replay.seats.iter().zip(&log.registrations) {
        let Registration { player, leaf, place } = registration;
        let what = format!("the registration of {player}");
        same("the player of a registration", player, &seat.player)?;
        let parsed = parse(leaf.as_bytes()).map_err(|problem| format!("{what}: {problem}"))?;
        let members = parsed.value.as_object().ok_or_else(|| format!("{what} is no object"))?;
        if canonical(&parsed.value) != *leaf {
            return Err(format!("{what} is not in canonical form"));
        }
        let key = seat.key.map(|key| key.to_string()).unwrap_or_default();
        for (name, expected) in [
            ("kind", "registration"),
            ("handle", seat.handle.as_str()),
            ("agent_id", &seat.agent.to_string()),
            ("pubkey_ed25519", &key),
        ] {
            same(&format!("{name} in {what}"), &text(members, name), &Some(expected))?;
        }
        let created = text(members, "created_at").and_then(Timestamp::parse);
        let created = created.ok_or_else(|| format!("{what} has no date"))?;
        if replay.formed().is_some_and(|formed| created > formed)
            || first_event.is_some_and(|first| place.index >= first)
        {
            return Err(format!("{what} comes after the beginning of the game"));
        }
        let operator = text(members, "operator_id").and_then(OperatorId::parse);
        let operator = operator.ok_or_else(|| format!("{what} names no operator"))?;
        if operators.contains(&operator) {
            return Err(format!("both players belong to the operator {operator}"));
        }
        operators.push(operator);
        same(&format!("the number of fields in {what}"), &members.len(), &6)?;
        included(&what, leaf, place, checkpoint)?;
    }
    Ok(())
}

fn text<'m>(members: &'m Map<String, Value>, name: &str) -> Option<&'m str> {
    members.get(name).and_then(Value::as_str)
}

fn included(what: &str, leaf: &str, place: &LeafPlace, checkpoint: &Checkpoint) -> Result<(), String> {
    let hash = leaf_hash(leaf.as_bytes());
    inclusion(place.index, checkpoint.size, &hash, &place.path, &checkpoint.root)
        .map_err(|problem| format!("{what} is not shown to be leaf {}: {problem}", place.index))
}
