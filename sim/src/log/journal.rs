//! The journal of a hall in production as a log: what `hall admin export-journal` writes, or its bare records.
//!
//! Signed bodies, which a journal keeps once in the facts, are put back into their commands. Where an export
//! withholds a secret, the fact is read with a blank in its place, and nothing that depends on it is decided again.
//!
//! An export carries the number and the hash chain of each record. Both are verified, except for the chain over records
//! of which something is withheld: nobody else has the bytes that it covers. An export that ends too early cannot be
//! recognized.
//!
//! The state cannot be followed past a move that was withheld because its game was live. The log ends before the first
//! such record; the records from there on are checked, and not played.

use super::body::RecordedBody;
use super::{DecisionMode, DecisionOutcome, Header, Log, Step, UnreadableLog};
use hall_core::rooms::{RoomChange, SealedAction};
use hall_core::{Command, DeskCommand, Fact, RoomCommand};
use hall_driver::JournalEntry;
use hall_journal::Head;
use hall_journal::backend_parts::next_head;
use hall_wire::{Digest, GameId};
use serde::{Deserialize as _, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;

/// The place of a seed in a fact that begins a game.
const SEED: &str = "/room~11/change/started/seed";

/// The advice for a journal that cannot be read.
const EXPORT_AGAIN: &str = "if this is a journal, export it again with `hall admin export-journal FILE`";

/// What was checked of a journal before it was played.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// Records.
    pub records: u64,
    /// Whether they have numbers and a hash chain; those of an export do.
    pub numbered: bool,
    /// Records over which the recomputed chain agrees.
    pub chained: u64,
    /// Records of which something is withheld, so that the chain cannot be computed over them.
    pub withheld: u64,
    /// Records that today's program would write otherwise, so that the bytes under the chain are not known.
    pub rewritten: u64,
    /// The first line that is not part of the log, because it hides what was done in a live game. A record's number where
    /// they have numbers.
    pub stopped_at: Option<u64>,
}

impl Checked {
    /// Whether no record can be missing or changed between the first and the last one.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.numbered && self.chained == self.records
    }
}

impl fmt::Display for Checked {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { records, numbered, chained, withheld, rewritten, stopped_at } = self;
        if !numbered {
            return write!(
                out,
                "{records} records without numbers and without a hash chain: whether one is missing or changed was not \
                 checked"
            );
        }
        write!(
            out,
            "records 1 to {records} without a gap; the hash chain over {chained} of them was verified"
        )?;
        if *withheld > 0 {
            write!(out, "; {withheld} could not be verified, because something in them is withheld")?;
        }
        if *rewritten > 0 {
            write!(out, "; {rewritten} could not be verified, because another version wrote them")?;
        }
        if let Some(stopped_at) = stopped_at {
            write!(
                out,
                "; the log ends before record {stopped_at}, which hides what was done in a game that was live: export the \
                 journal again once the game has ended, or with `--with-secrets`"
            )?;
        }
        Ok(())
    }
}

/// Reads a journal. The records of an export must be all from the first on, and continue its hash chain.
///
/// # Errors
/// A line is no record that this version knows, or is not the one that comes next.
pub(super) fn parse(text: &str) -> Result<Log, UnreadableLog> {
    let mut header = Header::new("the journal of a hall", None);
    header.catalog = hall_games::CATALOG.iter().map(|game| game.describe().id.to_owned()).collect();
    let mut sealed = BTreeSet::new();
    let mut steps = Vec::new();
    let mut chain = Chain::default();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let read = serde_json::from_str(line)
            .map_err(|error| format!("{error}; {EXPORT_AGAIN}"))
            .and_then(|value| chain.next(&value).map(|()| value))
            .and_then(|value| match chain.checked.stopped_at {
                Some(_) => Ok(()),
                None if hides_a_move(&value) => {
                    chain.checked.stopped_at = Some(chain.checked.records);
                    Ok(())
                }
                None => step(line, value, &mut sealed).map(|step| steps.push(step)),
            });
        read.map_err(|reason| UnreadableLog { line: number, reason })?;
    }
    if steps.is_empty() {
        let reason = match chain.checked.stopped_at {
            Some(_) => HIDDEN_FROM_THE_FIRST.to_owned(),
            None => format!("there is no record; {EXPORT_AGAIN}"),
        };
        return Err(UnreadableLog { line: 1, reason });
    }
    header.checked = Some(chain.checked);
    Ok(Log { header, steps, state: None })
}

/// Why nothing of an export can be played.
const HIDDEN_FROM_THE_FIRST: &str = "the first record hides what was done in a game that was live; export the journal again \
                                     once the game has ended, or with `--with-secrets`";

/// Whether something is withheld of a record without which the state cannot be followed.
fn hides_a_move(line: &Value) -> bool {
    let places = line.get("withheld").and_then(Value::as_array);
    let mut places = places.into_iter().flatten().filter_map(Value::as_str);
    places.any(|place| HIDDEN_MOVES.iter().any(|hidden| place.ends_with(hidden)))
}

/// The hash chain of an export as far as it was read.
struct Chain {
    head: Head,
    /// Whether the chain value of the head was computed, and not only read.
    is_known: bool,
    checked: Checked,
}

impl Default for Chain {
    fn default() -> Self {
        Self { head: Head::EMPTY, is_known: true, checked: Checked::default() }
    }
}

impl Chain {
    /// Checks that a line holds the record that comes next.
    fn next(&mut self, line: &Value) -> Result<(), String> {
        let entry = line.get("entry");
        let first = self.checked.records == 0;
        if !first && self.checked.numbered != entry.is_some() {
            return Err(format!("some records have numbers and others have none; {EXPORT_AGAIN}"));
        }
        self.checked.records += 1;
        let Some(entry) = entry else { return Ok(()) };
        self.checked.numbered = true;
        let (last, seq) = (self.head.seq, line.get("seq").and_then(Value::as_u64));
        let seq =
            seq.ok_or_else(|| format!("after record {last} comes one without a number; {EXPORT_AGAIN}"))?;
        if seq != last + 1 {
            return Err(format!("{}; {EXPORT_AGAIN}", misplaced(last, seq)));
        }
        let text = line.get("chain").and_then(Value::as_str).and_then(Digest::parse);
        let told = text.ok_or_else(|| {
            format!("the chain value of record {seq} is not 64 lowercase hexadecimal digits; {EXPORT_AGAIN}")
        })?;
        let chain =
            self.computed(line, entry).map_err(|error| format!("record {seq}: {error}; {EXPORT_AGAIN}"))?;
        if chain.is_some_and(|chain| chain != *told.as_bytes()) {
            let before = if self.is_known {
                String::new()
            } else {
                format!(", or the chain value of record {last}, which could not be verified,")
            };
            return Err(format!(
                "record {seq} does not continue the hash chain: it{before} was changed; {EXPORT_AGAIN}"
            ));
        }
        self.is_known = chain.is_some();
        self.head = Head { seq, chain: *told.as_bytes() };
        Ok(())
    }

    /// The chain value of a record; `None` if the bytes that were written are not known.
    fn computed(&mut self, line: &Value, entry: &Value) -> Result<Option<[u8; 32]>, serde_json::Error> {
        if line.get("withheld").and_then(Value::as_array).is_some_and(|places| !places.is_empty()) {
            self.checked.withheld += 1;
            return Ok(None);
        }
        // An export has the members of a record in another order than the journal, so it is written again.
        let bytes = JournalEntry::deserialize(entry)?.encode();
        if serde_json::from_slice::<Value>(&bytes)? != *entry {
            self.checked.rewritten += 1;
            return Ok(None);
        }
        self.checked.chained += 1;
        Ok(Some(next_head(&self.head, &bytes).chain))
    }
}

/// The error for record `seq` after record `last`, of which it is not the next.
fn misplaced(last: u64, seq: u64) -> String {
    let missing = last + 1;
    if last == 0 {
        return format!(
            "the export begins at record {seq}, not at record 1: the state of a hall is built from its first record on, \
             and a tail cannot be played"
        );
    }
    if seq == last {
        return format!("record {seq} stands here a second time");
    }
    if seq < last {
        return format!("record {seq} stands here after record {last}");
    }
    if seq == missing + 1 {
        return format!("record {missing} is missing before record {seq}");
    }
    format!("records {missing} to {} are missing before record {seq}", seq - 1)
}

fn step(line: &str, mut value: Value, sealed: &mut BTreeSet<GameId>) -> Result<Step, String> {
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
    let entry: JournalEntry =
        serde_json::from_value(value).map_err(|error| format!("{error}; {EXPORT_AGAIN}"))?;
    let JournalEntry { at, stamp, who, what, facts, entropy, .. } = entry;
    for fact in facts.iter().filter_map(Fact::in_room) {
        if blank_seeds && matches!(fact.change, RoomChange::Started(_)) {
            sealed.insert(fact.game);
        }
    }
    let is_filing = matches!(&what, Command::Desk(DeskCommand::FileHomologation { filing, .. }) if filing.endpoint_url.is_none());
    let mut outcome = DecisionOutcome::of(&facts, true);
    outcome.withheld = entropy_withheld
        || blank_seeds
        || words_withheld
        || facts
            .iter()
            .filter_map(Fact::in_room)
            .any(|fact| sealed.contains(&fact.game) && rolls(&fact.change))
        || (is_filing && line.contains("filing/endpoint_url"));
    let signed = if matches!(what, Command::Room(RoomCommand::Submit(_))) {
        RecordedBody::in_facts(&facts)
    } else {
        None
    };
    let entropy = (!entropy_withheld).then_some(entropy);
    Ok(Step { at, stamp, who, what, signed, entropy, mode: DecisionMode::Usual, outcome: Some(outcome) })
}

/// Puts empty texts in the place of withheld ones that every record must have. Returns whether any text is withheld.
fn blank_words(entry: &mut Value, places: &Value) -> bool {
    let mut any = false;
    for place in places.as_array().into_iter().flatten().filter_map(Value::as_str) {
        let is_post = place.contains("feedback") && (place.ends_with("/subject") || place.ends_with("/body"));
        let is_url = place.contains("doorbell") && place.ends_with("/url");
        let is_needed = is_post || is_url || place.ends_with("/body/text") || place.ends_with("/model_id");
        if let Some(held) = entry.pointer_mut(place).filter(|held| is_needed && held.is_null()) {
            *held = Value::String(String::new());
        }
        any |= is_needed || place.ends_with("/commentary") || place.ends_with("/operator_name");
    }
    any
}

/// What an export withholds of a live game that hides moves.
const HIDDEN_MOVES: [&str; 7] = [
    "move_played/notation",
    "move_played/san",
    "move_played/body",
    "move_sealed/action",
    "nature_acted/complete",
    "nature_acted/draws",
    "illegal_attempted/attempt",
];

/// Whether a change depends on the seed of its game.
const fn rolls(change: &RoomChange) -> bool {
    match change {
        RoomChange::MovePlayed(resolution) => !resolution.rolls.is_empty(),
        RoomChange::NatureActed { rolls, .. }
        | RoomChange::MoveSealed { action: SealedAction { rolls, .. }, .. } => !rolls.is_empty(),
        RoomChange::Ended { .. } => true,
        RoomChange::Started(_)
        | RoomChange::HallDeferred { .. }
        | RoomChange::Shown { .. }
        | RoomChange::SeatVacated { .. }
        | RoomChange::IllegalAttempted { .. }
        | RoomChange::StrikeGiven { .. }
        | RoomChange::DrawOffered { .. }
        | RoomChange::DrawDeclined { .. }
        | RoomChange::DeadlineExtended { .. }
        | RoomChange::PenaltyDeferred { .. }
        | RoomChange::BeaconSettled { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_wire::text::encode_hex;
    use serde_json::json;

    /// A record of a hall in which a move was played.
    fn played() -> Value {
        let line = GOLDEN.lines().find(|line| line.contains("move_played")).unwrap();
        serde_json::from_str(line).unwrap()
    }

    const GOLDEN: &str = include_str!("../../../shells/driver/tests/golden/journal-v1.jsonl");

    /// The first records of a hall as an export of them; of every tenth one `withheld` places are withheld.
    fn export(count: usize, withheld: &[&str]) -> Vec<Value> {
        let mut head = Head::EMPTY;
        let records = GOLDEN.lines().take(count).map(|line| {
            head = next_head(&head, line.as_bytes());
            let entry: Value = serde_json::from_str(line).unwrap();
            let places = if head.seq.is_multiple_of(10) { withheld } else { &[] };
            json!({ "seq": head.seq, "chain": encode_hex(&head.chain), "withheld": places, "entry": entry })
        });
        records.collect()
    }

    fn read(lines: &[Value]) -> Result<Checked, UnreadableLog> {
        let text: Vec<String> = lines.iter().map(Value::to_string).collect();
        parse(&text.join("\n")).map(|log| log.header.checked.unwrap())
    }

    #[test]
    fn an_export_is_verified_and_unverifiable_parts_are_reported() {
        let checked = read(&export(30, &[])).unwrap();
        assert_eq!(checked, Checked { records: 30, numbered: true, chained: 30, ..Checked::default() });
        assert!(checked.is_complete());
        let told = "records 1 to 30 without a gap; the hash chain over 30 of them was verified";
        assert_eq!(checked.to_string(), told);

        let partly = read(&export(30, &["/what/nowhere"])).unwrap();
        assert_eq!((partly.chained, partly.withheld), (27, 3));
        assert!(!partly.is_complete() && partly.to_string().ends_with(
            "over 27 of them was verified; 3 could not be verified, because something in them is withheld"
        ));

        let bare: Vec<Value> = GOLDEN.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let bare = read(&bare).unwrap();
        assert!(!bare.is_complete() && bare.to_string().contains("was not checked"), "{bare}");
    }

    #[test]
    fn a_record_of_another_version_is_read_and_not_verified() {
        let mut lines = export(3, &[]);
        *lines[1].pointer_mut("/entry").unwrap() = {
            let mut entry = lines[1]["entry"].clone();
            entry["of_another_version"] = json!(1);
            entry
        };
        let checked = read(&lines[..2]).unwrap();
        assert_eq!((checked.chained, checked.rewritten), (1, 1));
    }

    #[test]
    fn a_damaged_export_is_refused_with_the_first_bad_line_and_what_to_do() {
        type Damage = fn(&mut Vec<Value>);
        let cases: [(&str, usize, Damage, &str); 11] = [
            ("deleted", 20, |lines| drop(lines.remove(19)), "record 20 is missing before record 21"),
            (
                "cut out",
                20,
                |lines| drop(lines.drain(19..22)),
                "records 20 to 22 are missing before record 23",
            ),
            (
                "doubled",
                21,
                |lines| lines.insert(20, lines[19].clone()),
                "record 20 stands here a second time",
            ),
            ("moved", 21, |lines| lines.insert(20, lines[4].clone()), "record 5 stands here after record 20"),
            ("tail", 1, |lines| drop(lines.drain(..7)), "begins at record 8, not at record 1"),
            (
                "chain changed",
                5,
                |lines| lines[4]["chain"] = json!("0".repeat(64)),
                "record 5 does not continue the hash chain: it was changed",
            ),
            (
                "chain gone",
                5,
                |lines| lines[4]["chain"] = Value::Null,
                "is not 64 lowercase hexadecimal digits",
            ),
            (
                "entry changed",
                6,
                |lines| lines[5]["entry"]["at"] = json!("2026-11-18T11:06:39.000Z"),
                "record 6 does not continue the hash chain: it was changed",
            ),
            (
                "chain changed where something is withheld",
                11,
                |lines| lines[9]["chain"] = json!("0".repeat(64)),
                "it, or the chain value of record 10, which could not be verified, was changed",
            ),
            (
                "no number",
                3,
                |lines| lines[2]["seq"] = Value::Null,
                "after record 2 comes one without a number",
            ),
            ("bare", 3, |lines| lines[2] = lines[2]["entry"].clone(), "others have none"),
        ];
        for (name, line, damage, told) in cases {
            let mut lines = export(30, &["/what/nowhere"]);
            damage(&mut lines);
            let refused = read(&lines).unwrap_err();
            assert_eq!(refused.line, line, "{name}: {refused}");
            assert!(refused.reason.contains(told), "{name}: {refused}");
            assert!(refused.reason.ends_with("`hall admin export-journal FILE`"), "{name}: {refused}");
        }
    }

    #[test]
    fn a_record_whose_words_are_withheld_is_read_and_not_compared() {
        let places = ["/facts/0/room~11/change/move_played/body/text", "/facts/0/room~11/event/commentary"];
        let mut entry = played();
        let whole = step("", entry.clone(), &mut BTreeSet::new()).unwrap();
        places.iter().for_each(|place| *entry.pointer_mut(place).unwrap() = Value::Null);
        let line = json!({ "seq": 1, "chain": "", "withheld": places, "entry": entry });
        let read = step(&line.to_string(), line.clone(), &mut BTreeSet::new()).unwrap();
        let withheld = |step: &Step| step.outcome.as_ref().unwrap().withheld;
        assert_eq!((withheld(&whole), withheld(&read)), (false, true));
    }

    #[test]
    fn a_doorbell_whose_address_is_withheld_is_read_and_not_compared() {
        let agent = "a_2vdats26ppvypw33qjws4v08q6";
        let (challenge, expires) = ("00".repeat(32), "2026-11-18T11:11:39.000Z");
        let change = json!({ "registered": { "url": null, "challenge": challenge, "expires": expires } });
        let entry = json!({
            "v": 1, "at": "2026-11-18T11:06:39.000Z", "stamp": "2026-11-18T11:06:39.000Z", "who": { "agent": agent },
            "what": { "register_doorbell": { "url": null, "permitted": true } }, "entropy": "",
            "facts": [{ "doorbell/1": { "at": "2026-11-18T11:06:39.000Z", "agent": agent, "change": change } }],
        });
        let places = ["/what/register_doorbell/url", "/facts/0/doorbell~11/change/registered/url"];
        let line = json!({ "seq": 1, "chain": "", "withheld": places, "entry": entry });
        let read = step(&line.to_string(), line.clone(), &mut BTreeSet::new()).unwrap();
        assert!(read.outcome.unwrap().withheld);
    }

    #[test]
    fn a_log_ends_at_the_first_record_that_hides_a_move_of_a_live_game_and_says_so() {
        let mut lines = export(30, &[]);
        let place = "/facts/0/room~11/change/nature_acted/draws";
        lines[19]["withheld"] = json!([place]);
        let text: Vec<String> = lines.iter().map(Value::to_string).collect();
        let log = parse(&text.join("\n")).unwrap();
        let checked = log.header.checked.unwrap();
        assert_eq!((log.steps.len(), checked.records, checked.stopped_at), (19, 30, Some(20)));
        let told = checked.to_string();
        assert!(
            told.starts_with("records 1 to 30 without a gap; the hash chain over 29 of them was verified")
                && told.contains("ends before record 20")
                && told.contains("--with-secrets"),
            "{told}"
        );
        // What comes after it is checked, and a damaged export is refused as ever.
        lines.remove(24);
        assert_eq!(read(&lines).unwrap_err().line, 25);

        lines.truncate(1);
        lines[0]["withheld"] = json!([place]);
        let refused = read(&lines).unwrap_err();
        assert!(refused.reason.contains("--with-secrets"), "{refused}");
    }
}
