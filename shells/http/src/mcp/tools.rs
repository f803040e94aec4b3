//! The tools as they are served. What each is comes from the declaration of its endpoint, as it does for HTTP.

use super::declared::declared;
use super::{schemas, words};
use crate::description::HallDescription;
use crate::endpoint::{Access, Endpoint, Endpoints, Route, Tool, ToolSet, Verb};
use crate::openapi;
use crate::payload::{HISTORY_TURNS, WHOLE_HISTORY};
use rmcp::model::{MetaObject, Tool as Shown, ToolAnnotations};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// A tool as it is served at an endpoint of MCP.
pub(super) struct Served {
    pub(super) tool: &'static Tool,
    pub(super) endpoint: &'static Endpoint,
    /// All endpoints of the hall, among which a path is looked for.
    pub(super) endpoints: Endpoints,
    /// Names of the arguments that stand in the path, in its order.
    pub(super) in_path: Vec<&'static str>,
    /// Names of the arguments that stand in the query.
    pub(super) in_query: Vec<String>,
    /// Who may call it: as the route says, but nobody signs at `/mcp/read`.
    pub(super) access: Access,
    pub(super) shown: Shown,
}

impl Served {
    fn new(
        endpoints: Endpoints,
        (endpoint, tool): (&'static Endpoint, &'static Tool),
        set: ToolSet,
        hall: &HallDescription,
    ) -> Self {
        let route = &endpoint.route;
        let access = if set == ToolSet::Read { Access::Public } else { route.access };
        let mut components = openapi::Components::new();
        let mut parts = openapi::parts(endpoint, hall, &mut components);
        if access == Access::Public {
            // Only signed callers can have an answer held.
            parts.query.retain(|parameter| !tool.signed_query.contains(&name_of(parameter)));
        }
        parts.query.iter_mut().for_each(describe_history);
        let in_path = words::arguments_in_path(route);
        let in_query = parts.query.iter().map(|parameter| name_of(parameter).to_owned()).collect();
        let input = schemas::input(tool, access, &in_path, &parts);
        let output = schemas::output(tool, &parts.answer, &components);
        let description = words::description(tool, route, access, &in_path);
        let shown = Shown::new(tool.name, description, Arc::new(input))
            .with_raw_output_schema(Arc::new(output))
            .with_annotations(annotations(tool, route))
            .with_meta(MetaObject(meta(tool, route, access, &in_path)));
        Self { tool, endpoint, endpoints, in_query, in_path, access, shown }
    }

    /// The path of the corresponding HTTP request.
    pub(super) fn path_with(&self, values: &[&str]) -> String {
        words::fill(self.endpoint.route.path, values)
    }
}

fn name_of(parameter: &Value) -> &str {
    parameter.get("name").and_then(Value::as_str).unwrap_or_default()
}

/// The only query parameter that tools have another default for.
pub(super) const HISTORY: &str = "history";

fn describe_history(parameter: &mut Value) {
    if name_of(parameter) == HISTORY
        && let Some(members) = parameter.as_object_mut()
    {
        let schema = json!({
            "oneOf": [{ "const": WHOLE_HISTORY }, { "type": "integer", "minimum": 0 }],
            "default": HISTORY_TURNS,
        });
        members.insert("schema".to_owned(), schema);
        members.insert("description".to_owned(), json!("How many of the last turns."));
    }
}

fn annotations(tool: &Tool, route: &Route) -> ToolAnnotations {
    let reads = route.verb == Verb::Get;
    let hints = ToolAnnotations::new().read_only(reads).open_world(false);
    if reads {
        return hints.idempotent(true);
    }
    hints.destructive(tool.is_destructive).idempotent(tool.is_idempotent)
}

/// The corresponding HTTP request, for programs.
fn meta(tool: &Tool, route: &Route, access: Access, in_path: &[&str]) -> Map<String, Value> {
    let named: Vec<String> = in_path.iter().map(|name| format!("{{{name}}}")).collect();
    let named: Vec<&str> = named.iter().map(String::as_str).collect();
    let mut meta = Map::new();
    meta.insert("method".to_owned(), json!(route.verb.as_str()));
    meta.insert("path".to_owned(), json!(words::fill(route.path, &named)));
    meta.insert("access".to_owned(), json!(words::access(access)));
    if let Some(requirement) = tool.requirement {
        meta.insert("demands".to_owned(), json!(requirement.field()));
    }
    meta
}

/// The tools of an endpoint of MCP, in their order.
pub(super) struct Tools(Vec<Served>);

impl Tools {
    pub(super) fn new(endpoints: Endpoints, set: ToolSet, hall: &HallDescription) -> Self {
        let there =
            declared(endpoints).into_iter().filter(|(_, tool)| set == ToolSet::Full || tool.is_public);
        Self(there.map(|declared| Served::new(endpoints, declared, set, hall)).collect())
    }

    pub(super) fn find(&self, name: &str) -> Option<&Served> {
        self.0.iter().find(|served| served.tool.name == name)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Served> {
        self.0.iter()
    }
}
