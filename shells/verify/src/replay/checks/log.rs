//! The game's place in the hall's log (decisions 6.4, 8.1 and 8.2).

use super::same;
use crate::note::{Checkpoint, Note, NoteProblem, VerifierKey};
use crate::replay::EarlyProof;
use crate::replay::document::{Event, LeafPlace, Log, Registration, Replay};
use crate::replay::report::{ClaimId, Ledger};
use crate::replay::trust::Trust;
use crate::tree::{inclusion, leaf_hash};
use hall_wire::json::{Map, Value, canonical, parse};
use hall_wire::text::encode_hex;
use hall_wire::{Digest, OperatorId, Timestamp};
use serde_json::json;

/// Checks the log part; answers when a trusted witness has cosigned a checkpoint that covers the game's beginning.
pub(super) fn check(replay: &Replay<'_>, trust: &Trust, ledger: &mut Ledger) -> Option<Timestamp> {
    let whole = over_the_whole(replay, trust, ledger);
    let early = trust.early.as_ref().and_then(|proof| over_the_beginning(replay, proof, trust, ledger));
    whole.into_iter().chain(early).min()
}

/// When a trusted witness has cosigned what was proven while the game was live.
fn over_the_beginning(
    replay: &Replay<'_>,
    proof: &EarlyProof,
    trust: &Trust,
    ledger: &mut Ledger,
) -> Option<Timestamp> {
    let read = Note::parse(&proof.note).map_err(|problem| problem.to_string()).and_then(|note| {
        let checkpoint = Checkpoint::parse(note.text()).map_err(|problem| problem.to_string())?;
        let first = replay.events.first().ok_or_else(|| "the replay has no events".to_owned())?;
        let leaf = leaf_hash(event_leaf(replay, first)?.as_bytes());
        inclusion(proof.leaf_index, checkpoint.size, &leaf, &proof.path, &checkpoint.root).map_err(
            |problem| format!("the game's first event is not leaf {}: {problem}", proof.leaf_index),
        )?;
        Ok(note)
    });
    match read {
        Ok(note) => trust.witnesses.iter().filter_map(|witness| note.verify(witness).ok().flatten()).min(),
        Err(reason) => {
            ledger.fail(ClaimId::Witnesses, format!("the early proof: {reason}"));
            None
        }
    }
}

fn over_the_whole(replay: &Replay<'_>, trust: &Trust, ledger: &mut Ledger) -> Option<Timestamp> {
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
    let origin = &checkpoint.origin;
    if trust.log_keys.is_empty() {
        let why = format!(
            "no key of the log was given; the paths lead to the root of the checkpoint, but anybody could have made it \
             (it names the log {origin})"
        );
        return ledger.leave(ClaimId::LogSignature, why);
    }
    let keys: Vec<_> = trust.log_keys.iter().filter(|key| key.name() == origin).collect();
    if keys.is_empty() {
        let names: Vec<_> = trust.log_keys.iter().map(VerifierKey::name).collect();
        let reason = format!(
            "the checkpoint is of {origin}, not of {}; after an accepted restore a log goes on under another name, and \
             what was published before keeps the old name and needs the key of that time",
            names.join(" or ")
        );
        return ledger.fail(ClaimId::LogSignature, reason);
    }
    let verdicts: Vec<_> = keys.iter().map(|key| note.verify(key)).collect();
    // A wrong signature in the name of a trusted key invalidates the note, even if other keys have signed it.
    let wrong = |verdict: &&Result<_, _>| !matches!(verdict, Ok(_) | Err(NoteProblem::NotSigned { .. }));
    if let Some(Err(problem)) = verdicts.iter().find(wrong) {
        ledger.fail(ClaimId::LogSignature, format!("the checkpoint: {problem}"));
    } else if verdicts.iter().all(Result::is_err) {
        ledger.fail(ClaimId::LogSignature, format!("the checkpoint: {}", by_another(note, origin)));
    }
}

/// The key that signed a note of this log instead of a trusted one, and what to do about it.
fn by_another(note: &Note, origin: &str) -> String {
    let lines = note.signatures().iter().filter(|line| line.name == origin);
    let ids: Vec<String> = lines.map(|line| encode_hex(&line.key_id)).collect();
    if ids.is_empty() {
        return format!("it bears no signature of {origin}");
    }
    format!(
        "it bears no signature of {origin} with a key that was given, but one with the key {origin}+{}+…; if the log's key \
         was replaced since, give the one of that time, too: each stands in the log, and its replacement in the docket",
        ids.join(&format!("+… or {origin}+"))
    )
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
