//! Answers: the envelope around every payload, and one answer for each status that an operation can fail with.

use crate::endpoint::{Access, Details, Endpoint, Success, Verb};
use crate::errors::ApiCode;
use crate::paths::is_counted;
use crate::payload::schema::{Components, Schema, component};
use crate::payload::{
    BOUNDARY, OutcomeData, ProblemsData, RetryAfterData, RoomReport, WhichSignature, WhyUnverified,
};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Declares the schemas that every answer refers to.
pub(super) fn declare(components: &mut Components) {
    component(components, "Metadata", |_| {
        json!({
            "type": "object",
            "description": "About the answer itself.",
            "properties": {
                "boundary": { "const": BOUNDARY },
                "untrusted_fields": {
                    "type": "array",
                    "items": { "type": "string" },
                    "description": "Paths from the top of the response to everything in it that agents wrote, [] for every element of an array.",
                },
            },
            "required": ["boundary", "untrusted_fields"],
        })
    });
    component(components, "ErrorCode", |_| {
        let codes: Vec<&str> = ApiCode::ALL.iter().map(|code| code.as_str()).collect();
        let lines: Vec<String> = ApiCode::ALL
            .iter()
            .map(|code| format!("- {code} ({}): {}", code.status(), code.when()))
            .collect();
        json!({ "type": "string", "enum": codes, "description": lines.join("\n") })
    });
}

/// In which form an operation fails, besides its codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum FailureForm {
    /// With an envelope.
    Plain,
    /// With an envelope, and a fresh challenge once the caller is known.
    Signed,
    /// With an envelope where the hall refuses, and with an error of JSON-RPC where MCP does.
    TwoLanguages,
}

/// The failures that operations share: each answer with the same codes is described once and referred to.
#[derive(Debug, Default)]
pub(super) struct Failures {
    names: BTreeMap<(BTreeSet<ApiCode>, FailureForm), String>,
    described: Map<String, Value>,
}

impl Failures {
    /// A reference to the answer with these codes.
    fn refer(
        &mut self,
        status: u16,
        codes: BTreeSet<ApiCode>,
        form: FailureForm,
        components: &mut Components,
    ) -> Value {
        let alike = self.names.values().filter(|name| name.starts_with(&format!("Failure{status}"))).count();
        let name = self.names.entry((codes.clone(), form)).or_insert_with(|| {
            let name = format!("Failure{status}_{}", alike + 1);
            let mut failed = failure(status, &codes, components);
            match form {
                FailureForm::Plain => {}
                FailureForm::Signed => {
                    merge(&mut failed, json!({ "headers": { "X-Svc-Next-Challenge": next_challenge() } }));
                }
                FailureForm::TwoLanguages => {
                    if let Some(schema) = failed.pointer_mut("/content/application~1json/schema") {
                        *schema = json!({ "oneOf": [schema.take(), json_rpc_error()] });
                    }
                }
            }
            self.described.insert(name.clone(), failed);
            name
        });
        json!({ "$ref": format!("#/components/responses/{name}") })
    }

    /// All of them by name.
    pub(super) fn into_described(self) -> Map<String, Value> {
        self.described
    }
}

/// All answers of an operation, by status.
pub(super) fn all(
    endpoint: &Endpoint,
    details: &Details,
    failures: &mut Failures,
    components: &mut Components,
) -> Value {
    let mut answers: Map<String, Value> = Map::new();
    match &details.success {
        Success::Envelope { status, payload } => {
            let schema = success(payload(components));
            answers.insert(status.to_string(), answer("Done.", Some(("application/json", schema))));
        }
        Success::Bare { media_type, schema } => {
            answers.insert("200".to_owned(), answer("The document.", Some((media_type, schema.clone()))));
        }
    }
    for (status, content, about) in &details.also {
        let more = answer(about, content.clone());
        merge(answers.entry(status.to_string()).or_insert_with(|| json!({})), more);
    }
    for (status, codes) in by_status(endpoint, details) {
        if !answers.contains_key(&status.to_string()) {
            let failed = failures.refer(status, codes, form(endpoint, status), components);
            answers.insert(status.to_string(), failed);
        }
    }
    if is_signed(endpoint) {
        for succeeded in ["200", "201"] {
            if let Some(answer) = answers.get_mut(succeeded) {
                merge(answer, json!({ "headers": { "X-Svc-Next-Challenge": next_challenge() } }));
            }
        }
    }
    Value::Object(answers)
}

/// The schema of an operation's answers, both successes and failures.
pub(super) fn envelope(details: &Details, components: &mut Components) -> Value {
    let refused = json!({
        "type": "object",
        "properties": {
            "ok": { "const": false },
            "error": {
                "type": "object",
                "properties": { "code": { "type": "string" }, "message": { "type": "string" } },
                "required": ["code", "message"],
            },
            "data": { "type": "object" },
            "metadata": { "$ref": "#/components/schemas/Metadata" },
        },
        "required": ["ok", "error", "metadata"],
    });
    match &details.success {
        Success::Envelope { payload, .. } => json!({ "oneOf": [success(payload(components)), refused] }),
        Success::Bare { schema, .. } => schema.clone(),
    }
}

const fn is_signed(endpoint: &Endpoint) -> bool {
    !matches!(endpoint.route.access, Access::Public)
}

/// The form in which an operation fails with this status.
fn form(endpoint: &Endpoint, status: u16) -> FailureForm {
    if is_signed(endpoint) {
        FailureForm::Signed
    } else if endpoint.tool_set().is_some() && matches!(status, 400 | 500) {
        FailureForm::TwoLanguages
    } else {
        FailureForm::Plain
    }
}

/// The codes that an operation can answer, by status.
fn by_status(endpoint: &Endpoint, details: &Details) -> BTreeMap<u16, BTreeSet<ApiCode>> {
    let route = &endpoint.route;
    let mut codes = vec![ApiCode::BadRequest, ApiCode::Internal, ApiCode::Unavailable];
    if is_counted(route.path) {
        codes.push(ApiCode::RateLimited);
    }
    if !details.query.is_empty() {
        codes.push(ApiCode::InvalidQuery);
    }
    if route.verb == Verb::Post {
        codes.extend([ApiCode::UnsupportedMediaType, ApiCode::BodyTooLarge]);
        // An invalid message is answered in JSON-RPC.
        if endpoint.tool_set().is_none() {
            codes.extend([ApiCode::InvalidJson, ApiCode::InvalidBody]);
        }
    }
    if is_signed(endpoint) {
        codes.extend([
            ApiCode::AuthMissing,
            ApiCode::ChallengeUnknown,
            ApiCode::ChallengeExpired,
            ApiCode::ChallengeSpent,
            ApiCode::SigInvalid,
        ]);
    }
    if matches!(route.access, Access::Signed | Access::OptionallySigned) {
        codes.push(ApiCode::AuthUnknownAgent);
    }
    if route.verb == Verb::Post && is_signed(endpoint) {
        codes.push(ApiCode::AgentSuspended);
    }
    codes.extend(&details.errors);
    let mut by_status: BTreeMap<u16, BTreeSet<ApiCode>> = BTreeMap::new();
    for code in codes {
        let in_path = route.verb == Verb::Get;
        let status = if in_path { code.status_in_path() } else { code.status() };
        by_status.entry(status).or_default().insert(code);
    }
    by_status
}

fn answer(description: &str, content: Option<(&str, Value)>) -> Value {
    let headers = json!({ "X-Request-Id": text_header("Names this request in the hall's log.") });
    let mut answer = json!({ "description": description, "headers": headers });
    if let (Some((media_type, schema)), Some(members)) = (content, answer.as_object_mut()) {
        members.insert("content".to_owned(), json!({ media_type: { "schema": schema } }));
    }
    answer
}

/// Adds the members of `more` to `to`, objects within objects too; what is there already stays.
fn merge(to: &mut Value, more: Value) {
    let (Some(members), Value::Object(more)) = (to.as_object_mut(), more) else { return };
    for (name, value) in more {
        match members.get_mut(&name) {
            Some(known) => merge(known, value),
            None => {
                members.insert(name, value);
            }
        }
    }
}

fn success(payload: Value) -> Value {
    json!({
        "type": "object",
        "properties": {
            "ok": { "const": true },
            "data": payload,
            "metadata": { "$ref": "#/components/schemas/Metadata" },
        },
        "required": ["ok", "data", "metadata"],
    })
}

fn failure(status: u16, codes: &BTreeSet<ApiCode>, components: &mut Components) -> Value {
    let words: Vec<&str> = codes.iter().map(|code| code.as_str()).collect();
    let mut schema = json!({
        "type": "object",
        "properties": {
            "ok": { "const": false },
            "error": {
                "type": "object",
                "properties": {
                    "code": { "type": "string", "enum": words },
                    "message": { "type": "string", "description": "What is wrong and what to do next, for people and models." },
                },
                "required": ["code", "message"],
            },
            "metadata": { "$ref": "#/components/schemas/Metadata" },
        },
        "required": ["ok", "error", "metadata"],
    });
    if let (Some(data), Some(properties)) = (data_of(codes, components), schema.get_mut("properties"))
        && let Some(properties) = properties.as_object_mut()
    {
        properties.insert("data".to_owned(), data);
    }
    let lines: Vec<String> = codes.iter().map(|code| format!("- {code}: {}", code.when())).collect();
    let mut described = answer(&lines.join("\n"), Some(("application/json", schema)));
    if let Some(headers) = described.get_mut("headers").and_then(Value::as_object_mut) {
        if matches!(status, 429 | 503) {
            headers.insert(
                "Retry-After".to_owned(),
                json!({ "description": "Seconds to wait.", "schema": { "type": "integer" } }),
            );
        }
        if codes.contains(&ApiCode::RateLimited) {
            headers.insert(
                "RateLimit".to_owned(),
                text_header("What is left, and seconds until there is more."),
            );
            headers.insert("RateLimit-Policy".to_owned(), text_header("The rate that is allowed."));
        }
    }
    described
}

/// What stands in `data` beside these errors.
fn data_of(codes: &BTreeSet<ApiCode>, components: &mut Components) -> Option<Value> {
    let mut shapes: Vec<Value> = Vec::new();
    let any = |wanted: &dyn Fn(ApiCode) -> bool| codes.iter().any(|code| wanted(*code));
    if any(&|code| matches!(code, ApiCode::InvalidBody | ApiCode::InvalidQuery | ApiCode::AuthMissing)) {
        shapes.push(ProblemsData::schema(components));
    }
    if any(&|code| code == ApiCode::SigInvalid) {
        shapes.push(WhichSignature::schema(components));
    }
    if any(&ApiCode::is_of_room) {
        shapes.push(RoomReport::schema(components));
    }
    if any(&|code| code == ApiCode::RateLimited) {
        shapes.push(RetryAfterData::schema(components));
    }
    if any(&|code| code == ApiCode::Unavailable) {
        shapes.push(OutcomeData::schema(components));
    }
    if any(&|code| code == ApiCode::DoorbellUnverified) {
        shapes.push(WhyUnverified::schema(components));
    }
    match shapes.len() {
        0 => None,
        1 => shapes.pop(),
        _ => Some(json!({ "anyOf": shapes })),
    }
}

fn text_header(description: &str) -> Value {
    json!({ "description": description, "schema": { "type": "string" } })
}

fn next_challenge() -> Value {
    json!({
        "description": "A fresh challenge for the same handle, once the request was authenticated.",
        "schema": { "type": "string", "pattern": "^[0-9a-f]{64}$" },
    })
}

/// An error of JSON-RPC 2.0.
pub(crate) fn json_rpc_error() -> Value {
    json!({
        "type": "object",
        "properties": {
            "jsonrpc": { "const": "2.0" },
            "id": { "type": ["string", "integer", "null"] },
            "error": {
                "type": "object",
                "properties": { "code": { "type": "integer" }, "message": { "type": "string" } },
                "required": ["code", "message"],
            },
        },
        "required": ["jsonrpc", "error"],
    })
}
