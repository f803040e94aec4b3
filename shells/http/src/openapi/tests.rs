use super::*;
use crate::documents::testing::described_hall;
use crate::endpoint::Verb;
use crate::endpoints::{ALL, routes};
use crate::errors::ApiCode;
use hall_core::rooms::ForcedCause;
use std::collections::BTreeSet;

/// Method, path and the status of success of every endpoint of the specification, section 4; 503 stands for
/// endpoints that this hall does not offer yet.
const SPECIFIED: &[(&str, &str, &str)] = &[
    ("get", "/", "200"),
    ("get", "/llms.txt", "200"),
    ("get", "/openapi.json", "200"),
    ("get", "/.well-known/mcp.json", "200"),
    ("get", "/api/playbook", "200"),
    ("get", "/api/catalog", "200"),
    ("get", "/api/auth/challenge", "200"),
    ("get", "/api/games", "200"),
    ("get", "/api/games/{id}", "200"),
    ("get", "/api/games/{id}/events", "200"),
    ("get", "/api/games/{id}/replay", "200"),
    ("get", "/api/agents/{handle}", "200"),
    ("get", "/api/leaderboards", "200"),
    ("get", "/api/rules/{game}", "200"),
    ("get", "/api/howto/{game}", "200"),
    ("get", "/api/docket", "200"),
    ("get", "/api/feedback", "200"),
    ("post", "/api/feedback", "200"),
    ("get", "/api/checkpoint", "503"),
    ("get", "/api/official", "200"),
    ("get", "/api/pulse", "200"),
    ("get", "/api/my/games", "200"),
    ("get", "/api/games/{id}/view", "200"),
    ("get", "/api/games/{id}/legal_moves", "200"),
    ("post", "/api/agents", "200"),
    ("post", "/api/agents/{id}/homologate", "200"),
    ("post", "/api/lobby/join", "201"),
    ("post", "/api/lobby/leave", "200"),
    ("post", "/api/games/{id}/moves", "200"),
    ("post", "/api/doorbell", "200"),
    ("post", "/api/doorbell/verify", "200"),
    ("post", "/api/doorbell/disable", "200"),
    ("post", "/mcp", "200"),
    ("post", "/mcp/read", "200"),
];

#[test]
fn every_endpoint_of_the_specification_is_described_with_its_statuses() {
    let document = document(ALL, &described_hall());
    for (method, path, status) in SPECIFIED {
        let operation = &document["paths"][path][method];
        assert!(operation["responses"][status].is_object(), "{method} {path} answers {status}");
    }
}

#[test]
fn every_route_is_described_and_nothing_else() {
    let document = document(ALL, &described_hall());
    let described: BTreeSet<(String, String)> =
        each_operation(&document).into_iter().map(|(method, path, _)| (method, path)).collect();
    let routed: BTreeSet<(String, String)> =
        routes().map(|route| (route.verb.as_str().to_ascii_lowercase(), public_path(route.path))).collect();
    assert_eq!(described, routed);
    assert_eq!(described.len(), ALL.len(), "no route is listed twice");
}

#[test]
fn every_operation_has_answers_and_every_json_answer_is_an_envelope() {
    let document = document(ALL, &described_hall());
    for (method, path, operation) in each_operation(&document) {
        let responses = operation["responses"].as_object().unwrap();
        assert!(!responses.is_empty(), "{method} {path}");
        for (status, response) in responses {
            let response = resolved(&document, response);
            assert!(!response["description"].as_str().unwrap().is_empty(), "{method} {path} {status}");
            if status.starts_with('2') || path == "/readyz" {
                continue;
            }
            let schema = &response["content"]["application/json"]["schema"];
            let schema = match schema["oneOf"].as_array().map(Vec::as_slice) {
                // The endpoints of MCP answer some statuses with either kind of error, and others only with JSON-RPC.
                Some([envelope, _]) if is_mcp(&path) => envelope,
                None if is_mcp(&path) && schema["properties"]["jsonrpc"].is_object() => continue,
                _ => schema,
            };
            assert_eq!(schema["properties"]["ok"]["const"], false, "{method} {path} {status}");
            assert_eq!(schema["properties"]["metadata"]["$ref"], "#/components/schemas/Metadata");
        }
    }
}

#[test]
fn refusals_by_mcp_itself_are_described_as_json_rpc_errors() {
    let document = document(ALL, &described_hall());
    let paths = document["paths"].as_object().unwrap().keys().filter(|path| is_mcp(path));
    let mut described = 0;
    for path in paths {
        // No message, another host or origin, no such method, JSON not accepted, an internal error.
        for (status, beside_an_envelope) in
            [("400", true), ("403", false), ("404", false), ("406", false), ("500", true)]
        {
            let response = resolved(&document, &document["paths"][path]["post"]["responses"][status]);
            let schema = &response["content"]["application/json"]["schema"];
            let error = if beside_an_envelope { &schema["oneOf"][1] } else { schema };
            assert_eq!(error["properties"]["jsonrpc"]["const"], "2.0", "{path} {status}");
            assert_eq!(
                error["properties"]["error"]["properties"]["code"]["type"], "integer",
                "{path} {status}"
            );
            assert_eq!(error["required"], json!(["jsonrpc", "error"]), "{path} {status}");
            described += 1;
        }
    }
    assert_eq!(described, 10, "both endpoints");
}

#[test]
fn the_stream_of_events_is_described_event_by_event() {
    let document = document(ALL, &described_hall());
    let listed = &document["paths"]["/api/games/{id}/events"]["get"]["responses"]["200"]["content"];
    let event = &listed["text/event-stream"]["schema"];
    assert_eq!(event["required"], json!(["id", "data"]));
    assert_eq!(event["properties"]["data"]["contentSchema"]["$ref"], "#/components/schemas/Event");
}

#[test]
fn every_code_of_the_table_is_listed_and_every_listed_code_has_its_status() {
    let document = document(ALL, &described_hall());
    let listed = document["components"]["schemas"]["ErrorCode"]["enum"].as_array().unwrap();
    assert_eq!(listed.len(), ApiCode::ALL.len());
    for (method, path, operation) in each_operation(&document) {
        for (status, response) in operation["responses"].as_object().unwrap() {
            let response = resolved(&document, response);
            let codes = &response["content"]["application/json"]["schema"]["properties"]["error"]["properties"]
                ["code"]["enum"];
            for code in codes.as_array().into_iter().flatten() {
                let known = ApiCode::ALL.iter().find(|known| known.as_str() == code).unwrap();
                let right =
                    [known.status(), known.status_in_path()].iter().any(|right| right.to_string() == *status);
                assert!(right, "{method} {path}: {code} under {status}");
            }
        }
    }
}

#[test]
fn every_code_not_about_unknown_routes_is_listed_by_some_operation() {
    let document = document(ALL, &described_hall());
    let mut answered = BTreeSet::new();
    for (_, _, operation) in each_operation(&document) {
        for response in operation["responses"].as_object().unwrap().values() {
            let response = resolved(&document, response);
            let codes = &response["content"]["application/json"]["schema"]["properties"]["error"]["properties"]
                ["code"]["enum"];
            answered
                .extend(codes.as_array().into_iter().flatten().map(|code| code.as_str().unwrap().to_owned()));
        }
    }
    // Answered without a route, or by endpoints that this hall does not offer yet.
    let elsewhere = [ApiCode::NotFound, ApiCode::MethodNotAllowed, ApiCode::NoCheckpoint];
    for code in ApiCode::ALL.iter().filter(|code| !elsewhere.contains(code)) {
        assert!(answered.contains(code.as_str()), "{code} is answered by some operation");
    }
}

#[test]
fn every_reference_resolves() {
    let document = document(ALL, &described_hall());
    let mut references = Vec::new();
    collect_references(&document, &mut references);
    assert!(references.len() > 100, "the document is made of named parts");
    for reference in references {
        let pointer = reference.strip_prefix('#').unwrap();
        let target = document.pointer(pointer).unwrap_or_else(|| panic!("{reference} leads nowhere"));
        assert!(target.is_object(), "{reference}");
    }
}

#[test]
fn signed_operations_demand_all_three_headers_together() {
    let document = document(ALL, &described_hall());
    for route in routes() {
        let operation = &document["paths"][public_path(route.path)][route.verb.as_str().to_ascii_lowercase()];
        let demands = operation["security"].as_array().unwrap();
        let three = |demand: &&Value| demand.as_object().unwrap().len() == 3;
        let (most, least) = match route.access {
            Access::Public => (0, 0),
            Access::OptionallySigned => (1, 1),
            Access::Signed | Access::KeyInBody => (1, 0),
        };
        assert_eq!(demands.iter().filter(three).count(), most, "{}", route.path);
        assert_eq!(demands.iter().filter(|demand| **demand == json!({})).count(), least, "{}", route.path);
        let refused = resolved(&document, &operation["responses"]["401"]);
        let next = &refused["headers"]["X-Svc-Next-Challenge"];
        assert_eq!(next.is_object(), route.access != Access::Public, "{}", route.path);
    }
}

#[test]
fn every_path_parameter_is_described_once() {
    let document = document(ALL, &described_hall());
    for (method, path, operation) in each_operation(&document) {
        let in_template = path.matches('{').count();
        let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
        let described = parameters.iter().filter(|parameter| parameter["in"] == "path").count();
        assert_eq!(in_template, described, "{method} {path}");
    }
}

#[test]
fn every_post_has_a_body_and_no_get_has() {
    let document = document(ALL, &described_hall());
    for route in routes() {
        let operation = &document["paths"][public_path(route.path)][route.verb.as_str().to_ascii_lowercase()];
        assert_eq!(operation["requestBody"].is_object(), route.verb == Verb::Post, "{}", route.path);
    }
}

#[test]
fn schema_names_contain_only_letters_and_digits() {
    let document = document(ALL, &described_hall());
    for name in document["components"]["schemas"].as_object().unwrap().keys() {
        assert!(name.chars().all(|letter| letter.is_ascii_alphanumeric()), "{name}");
    }
}

#[test]
fn every_schema_of_a_forced_turn_names_each_cause() {
    let document = document(ALL, &described_hall());
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let mut seen = 0;
    for (name, schema) in schemas {
        let Some(forced) = schema["properties"].get("forced") else { continue };
        seen += 1;
        for cause in ForcedCause::ALL {
            assert!(forced.to_string().contains(&format!("`{}`", cause.as_str())), "{name}: {forced}");
        }
    }
    assert!(seen >= 2, "{seen} schemas");
}

/// Whether it is an endpoint that speaks JSON-RPC.
fn is_mcp(path: &str) -> bool {
    ["/mcp", "/mcp/read"].contains(&path)
}

/// The target of a response's reference, or the response itself.
fn resolved<'a>(document: &'a Value, response: &'a Value) -> &'a Value {
    match response["$ref"].as_str() {
        Some(reference) => document.pointer(reference.strip_prefix('#').unwrap()).unwrap(),
        None => response,
    }
}

fn each_operation(document: &Value) -> Vec<(String, String, Value)> {
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            operations.push((method.clone(), path.clone(), operation.clone()));
        }
    }
    operations
}

fn collect_references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match (name.as_str(), member.as_str()) {
                    ("$ref", Some(reference)) => found.push(reference.to_owned()),
                    _ => collect_references(member, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect_references(item, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Every `oneOf` in `value` that has a branch for null.
fn each_nullable<'a>(value: &'a Value, found: &mut Vec<&'a Value>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| each_nullable(item, found)),
        Value::Object(members) => {
            let branches = members.get("oneOf").and_then(Value::as_array);
            if branches.is_some_and(|branches| branches.contains(&json!({ "type": "null" }))) {
                found.push(value);
            }
            members.values().for_each(|member| each_nullable(member, found));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn nullable_schemas_accept_null_in_exactly_one_way() {
    let document = document(ALL, &described_hall());
    let mut nullable = Vec::new();
    each_nullable(&document, &mut nullable);
    assert!(!nullable.is_empty());
    for schema in nullable {
        for branch in schema["oneOf"].as_array().unwrap() {
            let says = ["type", "$ref", "enum", "const"].iter().any(|word| branch.get(word).is_some());
            assert!(says, "{schema}");
        }
    }
}
