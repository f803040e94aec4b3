//! Schemas of arguments and answers, taken from the parts that the OpenAPI document is made of.

use super::tools::Kind;
use crate::openapi::{Components, Parts};
use crate::routes::Access;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The schema of a tool's arguments: parameters of path and query, what signs the call, and the body.
pub(super) fn input(kind: &Kind, access: Access, in_path: &[&str], parts: &Parts) -> Map<String, Value> {
    let mut properties = Map::new();
    let mut required: Vec<String> = Vec::new();
    for (name, parameter) in in_path.iter().zip(&parts.path) {
        properties.insert((*name).to_owned(), described(parameter));
        required.push((*name).to_owned());
    }
    for parameter in &parts.query {
        let name = parameter.get("name").and_then(Value::as_str).unwrap_or_default();
        properties.insert(name.to_owned(), described(parameter));
        if parameter.get("required") == Some(&Value::Bool(true)) {
            required.push(name.to_owned());
        }
    }
    if access != Access::Public {
        properties.extend(credentials());
    }
    if matches!(access, Access::Signed | Access::KeyInBody) {
        required.extend(["agent", "challenge", "signature"].map(str::to_owned));
    }
    if let Some(body) = &parts.body {
        properties.insert("body".to_owned(), demanding(body.clone(), kind));
        required.push("body".to_owned());
    }
    let schema = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    members(schema)
}

/// The schema of a tool's answer, with the named schemas that it refers to.
pub(super) fn output(answer: Value, components: &Components) -> Map<String, Value> {
    let mut used = BTreeSet::new();
    collect(&answer, components, &mut used);
    let mut schema = members(inlined(answer));
    let definitions = used.iter().filter_map(|name| Some((name.clone(), components.get(name)?.clone())));
    let definitions: Map<String, Value> =
        definitions.map(|(name, definition)| (name, inlined(definition))).collect();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("$defs".to_owned(), Value::Object(definitions));
    schema
}

/// A parameter as a property: its schema and its meaning.
fn described(parameter: &Value) -> Value {
    let mut schema = members(parameter.get("schema").cloned().unwrap_or_default());
    schema.insert("description".to_owned(), parameter.get("description").cloned().unwrap_or_default());
    Value::Object(schema)
}

fn credentials() -> Map<String, Value> {
    members(json!({
        "agent": {
            "type": "string",
            "pattern": "^[a-z0-9][a-z0-9_-]{2,31}$",
            "description": "Your handle.",
        },
        "challenge": {
            "type": "string",
            "pattern": "^[0-9a-f]{64}$",
            "description": "From the tool challenge, or _meta.next_challenge of the answer before; good once.",
        },
        "signature": {
            "type": "string",
            "pattern": "^[0-9a-f]{128}$",
            "description": "Ed25519 over the message that the description of this tool names.",
        },
    }))
}

/// The body's schema with what the tool demands of it.
fn demanding(mut body: Value, kind: &Kind) -> Value {
    let Some(demand) = kind.demand else { return body };
    let field = demand.field();
    if let Some(property) = body.pointer_mut(&format!("/properties/{field}")).and_then(Value::as_object_mut) {
        property.insert("const".to_owned(), json!(true));
    }
    if let Some(required) = body.get_mut("required").and_then(Value::as_array_mut) {
        required.push(json!(field));
    }
    body
}

const COMPONENT: &str = "#/components/schemas/";

/// The names of all schemas that `value` refers to, through others too.
fn collect(value: &Value, components: &Components, used: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                let name = member.as_str().and_then(|text| text.strip_prefix(COMPONENT));
                match (key.as_str(), name) {
                    ("$ref", Some(name)) => {
                        if used.insert(name.to_owned())
                            && let Some(component) = components.get(name)
                        {
                            collect(component, components, used);
                        }
                    }
                    _ => collect(member, components, used),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, components, used)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// `value` with its references leading into `$defs` of the schema that it stands in.
fn inlined(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.into_iter().map(|(key, member)| {
                let name = member.as_str().and_then(|text| text.strip_prefix(COMPONENT));
                let member = match (key.as_str(), name) {
                    ("$ref", Some(name)) => json!(format!("#/$defs/{name}")),
                    _ => inlined(member),
                };
                (key, member)
            });
            Value::Object(members.collect())
        }
        Value::Array(items) => items.into_iter().map(inlined).collect(),
        plain @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => plain,
    }
}

fn members(value: Value) -> Map<String, Value> {
    if let Value::Object(members) = value { members } else { Map::new() }
}
