//! The journal of a hall in production as a log: what `hall admin export-journal` writes, or its bare records.
//!
//! Signed bodies, which a journal keeps once in the facts, are put back into their commands. Where an export
//! withholds a secret, the fact is read with a blank in its place, and nothing that depends on it is decided again.

use super::body::Signed;
use super::{Header, Log, Manner, Outcome, Step, Unreadable};
use hall_core::rooms::RoomChange;
use hall_core::{Command, Fact};
use hall_driver::JournalEntry;
use hall_wire::GameId;
use serde_json::Value;
use std::collections::BTreeSet;

/// The place of a seed in a fact that begins a game.
const SEED: &str = "/room~11/change/started/seed";

/// Reads a journal.
///
/// # Errors
/// A line is no record that this version knows.
pub(super) fn parse(text: &str) -> Result<Log, Unreadable> {
    let mut header = Header::new("the journal of a hall", None);
    header.catalog = hall_games::CATALOG.iter().map(|game| game.describe().id.to_owned()).collect();
    let mut sealed = BTreeSet::new();
    let mut steps = Vec::new();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let step = step(line, &mut sealed).map_err(|reason| Unreadable { line: number, reason })?;
        steps.push(step);
    }
    if steps.is_empty() {
        return Err(Unreadable { line: 1, reason: "there is no record".to_owned() });
    }
    Ok(Log { header, steps, state: None })
}

fn step(line: &str, sealed: &mut BTreeSet<GameId>) -> Result<Step, String> {
    let mut value: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let places = value.get_mut("withheld").map(Value::take);
    if let Some(entry) = value.get_mut("entry") {
        value = entry.take();
    }
    let words_withheld = places.is_some_and(|places| blank_words(&mut value, &places));
    let entropy_withheld = value.get("entropy").is_some_and(Value::is_null);
    if let Some(entropy) = value.get_mut("entropy").filter(|entropy| entropy.is_null()) {
        *entropy = Value::String(String::new());
    }
    let mut blank_seeds = false;
    for fact in value.get_mut("facts").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(seed) = fact.pointer_mut(SEED).filter(|seed| seed.is_null()) {
            *seed = Value::String("0".repeat(64));
            blank_seeds = true;
        }
    }
    let entry: JournalEntry = serde_json::from_value(value).map_err(|error| error.to_string())?;
    let JournalEntry { at, stamp, who, what, facts, entropy, .. } = entry;
    for fact in facts.iter().filter_map(Fact::in_room) {
        if blank_seeds && matches!(fact.change, RoomChange::Started(_)) {
            sealed.insert(fact.game);
        }
    }
    let is_filing =
        matches!(&what, Command::FileHomologation { filing, .. } if filing.endpoint_url.is_none());
    let mut outcome = Outcome::of(&facts, true);
    outcome.withheld = entropy_withheld
        || blank_seeds
        || words_withheld
        || facts
            .iter()
            .filter_map(Fact::in_room)
            .any(|fact| sealed.contains(&fact.game) && draws(&fact.change))
        || (is_filing && line.contains("filing/endpoint_url"));
    let signed = if matches!(what, Command::SubmitMove(_)) { Signed::in_facts(&facts) } else { None };
    let entropy = (!entropy_withheld).then_some(entropy);
    Ok(Step { at, stamp, who, what, signed, entropy, manner: Manner::Usual, outcome: Some(outcome) })
}

/// Writes empty texts where words are withheld that every record has. Whether any words are.
fn blank_words(entry: &mut Value, places: &Value) -> bool {
    let mut any = false;
    for place in places.as_array().into_iter().flatten().filter_map(Value::as_str) {
        let is_post = place.contains("feedback") && (place.ends_with("/subject") || place.ends_with("/body"));
        let is_needed = is_post || place.ends_with("/body/text") || place.ends_with("/model_id");
        if let Some(held) = entry.pointer_mut(place).filter(|held| is_needed && held.is_null()) {
            *held = Value::String(String::new());
        }
        any |= is_needed || place.ends_with("/commentary") || place.ends_with("/operator_name");
    }
    any
}

/// Whether a change depends on the seed of its game.
const fn draws(change: &RoomChange) -> bool {
    match change {
        RoomChange::MovePlayed(resolution) => !resolution.draws.is_empty(),
        RoomChange::Ended { .. } => true,
        RoomChange::Started(_)
        | RoomChange::IllegalAttempted { .. }
        | RoomChange::StrikeGiven { .. }
        | RoomChange::DrawOffered { .. }
        | RoomChange::DrawDeclined { .. }
        | RoomChange::DeadlineExtended { .. }
        | RoomChange::PenaltyHeld { .. }
        | RoomChange::BeaconSettled { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A record of a hall in which a move was played.
    fn played() -> Value {
        let golden = include_str!("../../../shells/driver/tests/golden/journal-v1.jsonl");
        let line = golden.lines().find(|line| line.contains("move_played")).unwrap();
        serde_json::from_str(line).unwrap()
    }

    #[test]
    fn a_record_whose_words_are_withheld_is_read_and_not_compared() {
        let places = ["/facts/0/room~11/change/move_played/body/text", "/facts/0/room~11/event/commentary"];
        let mut entry = played();
        let whole = step(&entry.to_string(), &mut BTreeSet::new()).unwrap();
        places.iter().for_each(|place| *entry.pointer_mut(place).unwrap() = Value::Null);
        let line = json!({ "seq": 1, "chain": "", "withheld": places, "entry": entry });
        let read = step(&line.to_string(), &mut BTreeSet::new()).unwrap();
        let withheld = |step: &Step| step.outcome.as_ref().unwrap().withheld;
        assert_eq!((withheld(&whole), withheld(&read)), (false, true));
    }
}
