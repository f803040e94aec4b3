//! The one table of tools. Method, path, access, summary, parameters, body and answers of each come from its
//! operation, as they do for HTTP.

use super::{schemas, words};
use crate::description::HallDescription;
use crate::gate::Demand;
use crate::openapi;
use crate::payload::{HISTORY_TURNS, WHOLE_HISTORY};
use crate::routes::{Access, Operation, ROUTES, Route, Verb};
use rmcp::model::{MetaObject, Tool as Shown, ToolAnnotations};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// A place where tools are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endpoint {
    /// `/mcp`: every tool.
    Full,
    /// `/mcp/read`: what anybody may read.
    Read,
}

impl Endpoint {
    /// The endpoint that an operation is.
    pub(crate) const fn of(operation: Operation) -> Option<Self> {
        if matches!(operation, Operation::Mcp) {
            Some(Self::Full)
        } else if matches!(operation, Operation::McpRead) {
            Some(Self::Read)
        } else {
            None
        }
    }
}

/// What makes a tool besides its operation.
#[derive(Debug)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) operation: Operation,
    /// What its body must say.
    pub(super) demand: Option<Demand>,
    /// Whether it is on `/mcp/read` too.
    is_public: bool,
}

const fn signed(name: &'static str, operation: Operation) -> Kind {
    Kind { name, operation, demand: None, is_public: false }
}

const fn public(name: &'static str, operation: Operation) -> Kind {
    Kind { name, operation, demand: None, is_public: true }
}

const fn demanding(name: &'static str, demand: Demand) -> Kind {
    Kind { name, operation: Operation::Move, demand: Some(demand), is_public: false }
}

/// The sixteen tools of the specification in its order, and the one that decision 11.3 adds.
pub(super) const KINDS: &[Kind] = &[
    signed("register", Operation::Register),
    signed("homologate", Operation::Homologate),
    signed("lobby_join", Operation::JoinLobby),
    signed("lobby_leave", Operation::LeaveLobby),
    signed("my_games", Operation::MyGames),
    public("pulse", Operation::Pulse),
    signed("view", Operation::View),
    signed("legal_moves", Operation::LegalMoves),
    signed("move", Operation::Move),
    demanding("resign", Demand::Resign),
    demanding("offer_draw", Demand::DrawOffer),
    public("game", Operation::Game),
    public("replay", Operation::Replay),
    public("leaderboard", Operation::Leaderboards),
    public("rules", Operation::Rules),
    public("docket", Operation::Docket),
    public("challenge", Operation::Challenge),
];

impl Kind {
    /// Its route. Every operation has one, as a test of the routes makes sure.
    pub(super) fn route(&self) -> Option<&'static Route> {
        ROUTES.iter().find(|route| route.operation == self.operation)
    }

    fn is_at(&self, endpoint: Endpoint) -> bool {
        endpoint == Endpoint::Full || self.is_public
    }
}

/// A tool in a list for people and programs that do not speak MCP.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    pub(crate) name: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) access: Access,
    pub(crate) is_public: bool,
    /// The arguments of a signed call, and the message that its `signature` signs; `None` if it is not signed.
    pub(crate) example: Option<(Map<String, Value>, String)>,
}

/// Every tool, in the order of the endpoints.
pub(crate) fn listed() -> impl Iterator<Item = Listed> {
    KINDS.iter().filter_map(|kind| {
        let route = kind.route()?;
        let Route { verb, path, access, .. } = *route;
        let summary = words::summary(kind);
        Some(Listed {
            name: kind.name,
            summary,
            method: verb.as_str(),
            path,
            access,
            is_public: kind.is_public,
            example: words::Example::of_signed(kind, route)
                .map(|example| (example.arguments, example.message)),
        })
    })
}

/// A tool at an endpoint.
#[derive(Debug)]
pub(super) struct Tool {
    pub(super) kind: &'static Kind,
    pub(super) route: &'static Route,
    /// Names of the arguments that stand in the path, in its order.
    pub(super) in_path: Vec<&'static str>,
    /// Names of the arguments that stand in the query.
    pub(super) in_query: Vec<String>,
    /// Who may call it: as the route says, but nobody signs at `/mcp/read`.
    pub(super) access: Access,
    pub(super) shown: Shown,
}

impl Tool {
    fn new(kind: &'static Kind, endpoint: Endpoint, hall: &HallDescription) -> Option<Self> {
        let route = kind.route()?;
        let access = if endpoint == Endpoint::Read { Access::Public } else { route.access };
        let mut components = openapi::Components::new();
        let mut parts = openapi::parts(route, hall, &mut components);
        if access == Access::Public {
            // Only signed callers can have an answer held.
            parts.query.retain(|parameter| !is_of_signed_callers(route, parameter));
        }
        if route.operation == Operation::View {
            parts.query.iter_mut().for_each(describe_history);
        }
        let in_path = arguments_in_path(route);
        let in_query = parts
            .query
            .iter()
            .filter_map(|parameter| Some(parameter.get("name").and_then(Value::as_str)?.to_owned()));
        let input = schemas::input(kind, access, &in_path, &parts);
        let output = schemas::output(route.operation, &parts.answer, &components);
        let description = words::description(kind, route, access, &in_path);
        let shown = Shown::new(kind.name, description, Arc::new(input))
            .with_raw_output_schema(Arc::new(output))
            .with_annotations(annotations(kind, route))
            .with_meta(MetaObject(meta(kind, route, access, &in_path)));
        Some(Self { kind, route, in_query: in_query.collect(), in_path, access, shown })
    }

    /// The path of the equal HTTP request.
    pub(super) fn path_with(&self, values: &[&str]) -> String {
        fill(self.route.path, values)
    }
}

/// A path with values in the place of its parameters.
pub(super) fn fill(template: &str, values: &[&str]) -> String {
    let mut values = values.iter();
    let segments = template.split('/').map(|segment| {
        if segment.starts_with('{') { values.next().copied().unwrap_or(segment) } else { segment }
    });
    segments.collect::<Vec<_>>().join("/")
}

/// The names of a path's parameters.
fn names_in(path: &'static str) -> impl Iterator<Item = &'static str> {
    path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'))
}

/// The names of the arguments that stand in a route's path, in its order.
pub(super) fn arguments_in_path(route: &Route) -> Vec<&'static str> {
    names_in(route.path).map(|name| argument(route, name)).collect()
}

/// What a parameter of a path is called among arguments, where nothing tells whose id it is (decision 11.2).
fn argument(route: &Route, name: &'static str) -> &'static str {
    match (route.operation, name) {
        (Operation::Homologate, "id") => "agent_id",
        (_, "id") => "game_id",
        (_, other) => other,
    }
}

fn is_of_signed_callers(route: &Route, parameter: &Value) -> bool {
    let name = parameter.get("name").and_then(Value::as_str).unwrap_or_default();
    route.operation == Operation::Pulse && matches!(name, "wait" | "after")
}

/// The only query parameter that tools have another default for.
fn describe_history(parameter: &mut Value) {
    if parameter.get("name").and_then(Value::as_str) == Some("history")
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

fn annotations(kind: &Kind, route: &Route) -> ToolAnnotations {
    let reads = route.verb == Verb::Get;
    let hints = ToolAnnotations::new().read_only(reads).open_world(false);
    if reads {
        return hints.idempotent(true);
    }
    // What cannot be taken back: a game that is given up, a standing that a changed filing voids.
    let destroys = kind.demand == Some(Demand::Resign) || kind.operation == Operation::Homologate;
    hints.destructive(destroys).idempotent(kind.operation == Operation::Homologate)
}

/// The equal HTTP request, for programs.
fn meta(kind: &Kind, route: &Route, access: Access, in_path: &[&str]) -> Map<String, Value> {
    let named: Vec<String> = in_path.iter().map(|name| format!("{{{name}}}")).collect();
    let named: Vec<&str> = named.iter().map(String::as_str).collect();
    let mut meta = Map::new();
    meta.insert("method".to_owned(), json!(route.verb.as_str()));
    meta.insert("path".to_owned(), json!(fill(route.path, &named)));
    meta.insert("access".to_owned(), json!(words::access(access)));
    if let Some(demand) = kind.demand {
        meta.insert("demands".to_owned(), json!(demand.field()));
    }
    meta
}

/// The tools of an endpoint, in their order.
#[derive(Debug)]
pub(super) struct Tools(Vec<Tool>);

impl Tools {
    pub(super) fn at(endpoint: Endpoint, hall: &HallDescription) -> Self {
        let there = KINDS.iter().filter(|kind| kind.is_at(endpoint));
        Self(there.filter_map(|kind| Tool::new(kind, endpoint, hall)).collect())
    }

    pub(super) fn find(&self, name: &str) -> Option<&Tool> {
        self.0.iter().find(|tool| tool.kind.name == name)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Tool> {
        self.0.iter()
    }
}
