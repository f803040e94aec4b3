//! The data dictionary: every field of replays, spectator events and journal records, with type and meaning.
//!
//! Rows of the replay follow from the schema of its payload. Rows of events and of the journal stand in two text files
//! beside this one, and a test compares them with real data: a file is a list of shapes, the first of which is the
//! document. A shape is the line `shape NAME` and a line for each member: path, type, when it is null or absent (`-`
//! for never), meaning. The type `@NAME` is an object of that shape, `[@NAME]` a list of such objects, and `word or
//! @NAME` a word in the place of the object.

#[cfg(test)]
mod tests;

use crate::payload::ReplayRecord;
use crate::payload::schema::{Components, Schema, payload};
use hall_wire::json::Value;
use std::collections::BTreeMap;

const EVENTS: &str = include_str!("events.txt");
const JOURNAL: &str = include_str!("journal.txt");

payload! {
    /// A field of a document.
    pub(crate) DictionaryField as "DictionaryField" {
        /// Its place: members behind dots, `[]` for every element of a list, `{player}` and `{game}` for keys of maps.
        path: String,
        /// Its JSON type in a word: text, integer, number, boolean, time, id, hash, player, object, or a list of these.
        r#type: String,
        /// When it is null or absent; null if it never is.
        null_when: Option<String>,
        /// What it says.
        meaning: String,
    }

    /// A document and all its fields.
    pub(crate) DictionaryDocument as "DictionaryDocument" {
        /// `replay`, `event` or `journal`.
        name: &'static str,
        /// Where it comes from.
        about: &'static str,
        /// Its fields, outer ones before inner ones.
        fields: Vec<DictionaryField>,
    }

    /// Every field of the documents that researchers read.
    pub(crate) DictionaryData as "DictionaryData" {
        /// The documents.
        documents: Vec<DictionaryDocument>,
    }
}

/// The whole dictionary.
pub(crate) fn dictionary() -> DictionaryData {
    let documents = vec![
        DictionaryDocument {
            name: "replay",
            about: "GET /api/games/ID/replay (data.replay), and replay of each line of GET /api/export/games?format=replay and of \
                    hall admin export-games --format replay.",
            fields: replay(),
        },
        DictionaryDocument {
            name: "event",
            about: "An element of events in GET /api/games/ID/events and in a replay, and the data of a stream. event[TYPE] \
                    stands for the event.data of that type. Times are RFC 3339 in UTC.",
            fields: of_file(EVENTS),
        },
        DictionaryDocument {
            name: "journal",
            about: "A line of hall admin export-journal. Durations and clocks are milliseconds.",
            fields: of_file(JOURNAL),
        },
    ];
    DictionaryData { documents }
}

/// The types of spectator events, which stand in brackets behind `event`.
pub(super) fn event_types() -> impl Iterator<Item = &'static str> {
    EVENTS.lines().filter_map(|line| line.strip_prefix("event[")?.split_once(']')).map(|(name, _)| name)
}

/// The rows of a file, with every shape in each place where it stands.
fn of_file(text: &'static str) -> Vec<DictionaryField> {
    let mut shapes: BTreeMap<&str, Vec<[&str; 4]>> = BTreeMap::new();
    let (mut first, mut shape) = (None, "");
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix("shape ") {
            shape = name;
            first = first.or(Some(name));
            continue;
        }
        let mut cells = line.splitn(4, '|').map(str::trim);
        let row = [(); 4].map(|()| cells.next().unwrap_or_default());
        shapes.entry(shape).or_default().push(row);
    }
    let mut fields = Vec::new();
    expand(&shapes, first.unwrap_or_default(), "", &mut fields);
    fields
}

fn expand(
    shapes: &BTreeMap<&str, Vec<[&str; 4]>>,
    shape: &str,
    prefix: &str,
    out: &mut Vec<DictionaryField>,
) {
    for [path, kind, null_when, meaning] in shapes.get(shape).into_iter().flatten() {
        let path = format!("{prefix}{path}");
        let (shown, inner) = match kind.split_once('@') {
            Some(("[", name)) => ("list of objects".to_owned(), Some((name.trim_end_matches(']'), "[]"))),
            Some((before, name)) => (format!("{before}object"), Some((name, ""))),
            None => ((*kind).to_owned(), None),
        };
        out.push(DictionaryField {
            path: path.clone(),
            r#type: shown,
            null_when: (*null_when != "-").then(|| (*null_when).to_owned()),
            meaning: (*meaning).to_owned(),
        });
        if let Some((name, mark)) = inner {
            expand(shapes, name, &format!("{path}{mark}."), out);
        }
    }
}

/// The rows of the replay, from its schema.
fn replay() -> Vec<DictionaryField> {
    let mut components = Components::new();
    let schema = ReplayRecord::schema(&mut components);
    let mut fields = Vec::new();
    members(&components, &schema, "", &mut fields);
    fields
}

/// The rows of the members of an object.
fn members(components: &Components, schema: &Value, prefix: &str, out: &mut Vec<DictionaryField>) {
    let schema = resolved(components, schema);
    let named = |key: &str| schema.get(key).and_then(Value::as_object).into_iter().flatten();
    let maps = named("patternProperties").map(|(_, inner)| ("{player}", inner));
    for (name, inner) in named("properties").map(|(name, inner)| (name.as_str(), inner)).chain(maps) {
        let path = format!("{prefix}{name}");
        let described = |schema: &Value| schema.get("description").and_then(Value::as_str).map(str::to_owned);
        let meaning = described(inner);
        let (inner, nullable) = without_null(inner);
        let of_player = || "The value of this player.".to_owned();
        let meaning = meaning.or_else(|| described(resolved(components, inner))).unwrap_or_else(of_player);
        let is_optional = !list(schema, "required").any(|required| required == name) && name != "{player}";
        let null_when = (nullable || is_optional).then(|| null_when(&meaning));
        out.push(DictionaryField { path: path.clone(), r#type: kind(components, inner), null_when, meaning });
        match resolved(components, inner).get("items") {
            Some(items) => members(components, items, &format!("{path}[]."), out),
            None => members(components, inner, &format!("{path}."), out),
        }
    }
}

/// When a field is null, by its meaning: what follows the word.
fn null_when(meaning: &str) -> String {
    let told = meaning.split_once("null ").map(|(_, when)| when.trim_end_matches('.'));
    told.unwrap_or("it does not apply").to_owned()
}

fn list<'a>(schema: &'a Value, key: &str) -> impl Iterator<Item = &'a str> {
    schema.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// The schema that a reference names.
fn resolved<'a>(components: &'a Components, schema: &'a Value) -> &'a Value {
    let name = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next());
    name.and_then(|name| components.get(name)).unwrap_or(schema)
}

/// The schema of what is not null, and whether null is another choice.
fn without_null(schema: &Value) -> (&Value, bool) {
    let is_null = |choice: &&Value| choice.get("type").and_then(Value::as_str) == Some("null");
    match schema.get("oneOf").and_then(Value::as_array) {
        Some(choices) if choices.iter().any(|choice| is_null(&choice)) => {
            (choices.iter().find(|choice| !is_null(choice)).unwrap_or(schema), true)
        }
        Some(_) | None => (schema, list(schema, "type").any(|kind| kind == "null")),
    }
}

/// A JSON type in a word of the dictionary.
fn kind(components: &Components, schema: &Value) -> String {
    let schema = resolved(components, schema);
    let named = schema.get("type").and_then(Value::as_str);
    let Some(named) = named.or_else(|| list(schema, "type").find(|kind| *kind != "null")) else {
        return "any".to_owned();
    };
    let pattern = schema.get("pattern").and_then(Value::as_str).unwrap_or_default();
    match named {
        "array" => match schema.get("items").map(|items| kind(components, items)) {
            Some(inner) if inner == "object" => "list of objects".to_owned(),
            Some(inner) => format!("list of {inner}"),
            None => "list".to_owned(),
        },
        "string" if schema.get("format").is_some() => "time".to_owned(),
        "string" if pattern.ends_with("{26}$") => "id".to_owned(),
        "string" if pattern.ends_with("{64}$") => "hash".to_owned(),
        "string" if pattern.starts_with("^p(") => "player".to_owned(),
        "string" => "text".to_owned(),
        other => other.to_owned(),
    }
}
