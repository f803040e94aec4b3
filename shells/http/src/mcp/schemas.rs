//! Schemas of arguments and answers, taken from the parts that the OpenAPI document is made of, and short: the list
//! of tools stands in the context window of every client (decision 11.1).

use crate::endpoint::{Access, LegalMovesAt, Requirement, Tool};
use crate::openapi::{Components, Parts};
use crate::payload::LEGAL_MOVES_IN_FULL;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The schema of a tool's arguments: parameters of path and query, what signs the call, and the body.
pub(super) fn input(tool: &Tool, access: Access, in_path: &[&str], parts: &Parts) -> Map<String, Value> {
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
        properties.insert("body".to_owned(), requiring(body.clone(), tool.requirement));
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

/// The schema of a tool's answer: the members of `data` and their types, no more (decision 11.1). A refusal has
/// other members, so none is required.
pub(super) fn output(tool: &Tool, answer: &Value, components: &Components) -> Map<String, Value> {
    let data = answer.pointer("/oneOf/0/properties/data").unwrap_or(&Value::Null);
    let mut named = Map::new();
    for (name, schema) in properties(data, components) {
        named.insert(name, typed(&schema, components));
    }
    match tool.legal_moves {
        None => {}
        Some(LegalMovesAt::Data) => {
            named.insert("legal_moves".to_owned(), legal_moves());
        }
        Some(LegalMovesAt::View) => {
            let view = json!({ "type": "object", "properties": { "legal_moves": legal_moves() } });
            named.insert("view".to_owned(), view);
        }
    }
    members(json!({
        "type": "object",
        "properties": { "data": { "type": "object", "properties": named } },
    }))
}

/// Legal moves as tools give them.
fn legal_moves() -> Value {
    json!({
        "type": "array",
        "items": { "type": ["object", "string"] },
        "description": format!("Beyond the {LEGAL_MOVES_IN_FULL}th as notations alone."),
    })
}

/// The members of an object's schema, with those that others give it.
fn properties(schema: &Value, components: &Components) -> Map<String, Value> {
    let schema = resolved(schema, components);
    let mut found = schema.get("properties").map(|own| members(own.clone())).unwrap_or_default();
    for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
        found.extend(properties(part, components));
    }
    found
}

/// A schema that says nothing but the types of `schema`.
fn typed(schema: &Value, components: &Components) -> Value {
    let mut types = BTreeSet::new();
    collect_types(schema, components, &mut types);
    match (types.len(), types.first()) {
        (0, _) | (_, None) => json!({}),
        (1, Some(only)) => json!({ "type": only }),
        (_, Some(_)) => json!({ "type": types }),
    }
}

fn collect_types(schema: &Value, components: &Components, types: &mut BTreeSet<String>) {
    let schema = resolved(schema, components);
    match schema.get("type") {
        Some(Value::String(name)) => {
            types.insert(name.clone());
        }
        Some(Value::Array(names)) => {
            types.extend(names.iter().filter_map(|name| Some(name.as_str()?.to_owned())));
        }
        _ => {}
    }
    if schema.get("allOf").is_some() {
        types.insert("object".to_owned());
    }
    for branch in schema.get("oneOf").and_then(Value::as_array).into_iter().flatten() {
        collect_types(branch, components, types);
    }
}

const COMPONENT: &str = "#/components/schemas/";

/// What a schema refers to, or the schema itself.
fn resolved<'a>(schema: &'a Value, components: &'a Components) -> &'a Value {
    let name = schema.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix(COMPONENT));
    name.and_then(|name| components.get(name)).unwrap_or(schema)
}

/// A parameter as a property: its schema and its meaning.
fn described(parameter: &Value) -> Value {
    let mut schema = members(parameter.get("schema").cloned().unwrap_or_default());
    schema.insert("description".to_owned(), parameter.get("description").cloned().unwrap_or_default());
    Value::Object(schema)
}

/// What signs a call; the description of each signed tool says over which message.
fn credentials() -> Map<String, Value> {
    members(json!({
        "agent": { "type": "string" },
        "challenge": { "type": "string" },
        "signature": { "type": "string" },
    }))
}

/// The body's schema with what the tool requires of it, and without what contradicts that.
fn requiring(mut body: Value, requirement: Option<Requirement>) -> Value {
    if let Some(schema) = body.as_object_mut() {
        schema.remove("description");
    }
    let Some(requirement) = requirement else { return body };
    let others: &[&str] = match requirement {
        Requirement::Resign => &["move", "draw_offer", "draw_accept"],
        Requirement::DrawOffer => &["resign", "draw_accept"],
    };
    let field = requirement.field();
    if let Some(properties) = body.get_mut("properties").and_then(Value::as_object_mut) {
        properties.retain(|name, _| !others.contains(&name.as_str()));
        properties.insert(field.to_owned(), json!({ "const": true }));
    }
    if let Some(required) = body.get_mut("required").and_then(Value::as_array_mut) {
        required.push(json!(field));
    }
    body
}

fn members(value: Value) -> Map<String, Value> {
    if let Value::Object(members) = value { members } else { Map::new() }
}
