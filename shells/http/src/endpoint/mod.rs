//! An endpoint: one declaration of everything about it.
//!
//! Owns the vocabulary of declarations: route, description for the documents, how a request becomes an action, and the
//! tools of MCP. Does not know which endpoints exist: routing, the OpenAPI document and the tools take the list of
//! them as a parameter, so that none of these can have an endpoint that the others lack.

mod action;
pub(crate) mod body;
mod details;
pub(crate) mod parameters;
mod route;
mod tool;

pub(crate) use action::{Action, Call, Sent, action};
pub(crate) use details::{Details, Success};
pub(crate) use route::Params;
pub use route::{Access, Route, Verb};
pub(crate) use tool::{LegalMovesAt, Requirement, Tool, ToolSet};

use crate::description::HallDescription;
use crate::response::Failure;

/// A declaration of an endpoint.
pub(crate) struct Endpoint {
    /// Method, path, access, id and summary.
    pub(crate) route: Route,
    /// What it asks for and what it answers.
    pub(crate) details: fn(&HallDescription) -> Details,
    /// How a request to it is handled.
    pub(crate) handling: Handling,
    /// The tools of MCP that do the same; most endpoints have one or none.
    pub(crate) tools: &'static [Tool],
}

/// How the shape of a request is read.
pub(crate) type ReadRequest = fn(Sent<'_>) -> Result<Action, Failure>;

/// How a request to an endpoint is handled.
#[derive(Clone, Copy)]
pub(crate) enum Handling {
    /// Its shape is read without state, and determines the action to run once the caller is known.
    Request(ReadRequest),
    /// It is a JSON-RPC message that may call one of these tools.
    Mcp(ToolSet),
    /// A client that prefers HTML gets a page; any other gets what the counterpart answers.
    Page {
        /// How a request for the page is handled.
        read: ReadRequest,
        /// The endpoint that answers the same as JSON; `None` where there is none.
        counterpart: Option<&'static Endpoint>,
    },
}

impl Endpoint {
    /// The tools that are called here, if this is an endpoint of MCP.
    pub(crate) const fn tool_set(&self) -> Option<ToolSet> {
        match self.handling {
            Handling::Request(_) | Handling::Page { .. } => None,
            Handling::Mcp(set) => Some(set),
        }
    }
}

/// A list of endpoints, in the order of the OpenAPI document.
pub(crate) type Endpoints = &'static [&'static Endpoint];

/// The result of routing a path and a method.
pub(crate) enum Match {
    /// To this endpoint.
    Found(&'static Endpoint, Params),
    /// To endpoints with other methods only: their names, as the `Allow` header lists them, and whether any of
    /// them is a public GET.
    OtherMethod { allow: String, public_get: bool },
    /// Nowhere.
    Nothing,
}

/// Finds the endpoint at `path`. HEAD goes where GET goes.
pub(crate) fn find(endpoints: Endpoints, method: &str, path: &str) -> Match {
    let mut others: Vec<&Route> = Vec::new();
    for endpoint in endpoints {
        let route = &endpoint.route;
        let Some(params) = route.fit(path) else { continue };
        if method == route.verb.as_str() || (method == "HEAD" && route.verb == Verb::Get) {
            return Match::Found(endpoint, params);
        }
        others.push(route);
    }
    if others.is_empty() {
        return Match::Nothing;
    }
    let has = |verb: Verb| others.iter().any(|route| route.verb == verb);
    let names = [(has(Verb::Get), "GET, HEAD"), (has(Verb::Post), "POST"), (true, "OPTIONS")];
    let allow: Vec<&str> = names.iter().filter(|(there, _)| *there).map(|(_, name)| *name).collect();
    let public_get = others.iter().any(|route| route.is_public_read());
    Match::OtherMethod { allow: allow.join(", "), public_get }
}
