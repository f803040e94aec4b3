//! The documents that the hall serves about itself. They depend only on the settings, so they are built once.

use super::{ALL, data, pages};
use crate::documents::{self, DictionaryData, Reference};
use crate::endpoint::{Access, Details, Endpoint, Handling, Route, action};
use crate::negotiation::Accepts;
use crate::prepared::{Document, Documents};
use crate::response::{Failure, JSON, Outcome, Response};
use crate::shell::Shell;
use crate::{mcp, openapi};
use salvo::http::header;
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) static FRONT_DOOR: Endpoint = Endpoint {
    route: Route::get("front_door", "/", Access::Public, "What this hall is, and how to join."),
    details: |_| {
        Details::object("documents").also(
            200,
            Some(("text/html", text())),
            "A page for people, if Accept prefers it.",
        )
    },
    handling: Handling::Request(|_| {
        Ok(action(|call| async move { front_door(&call.shell, call.accepts).await }))
    }),
    tools: &[],
};

pub(super) static LLMS_TEXT: Endpoint = Endpoint {
    route: Route::get("llms_txt", "/llms.txt", Access::Public, "The front door as plain text."),
    details: |_| Details::bare("documents", "text/plain", text()),
    handling: Handling::Request(|_| {
        Ok(action(|call| async move { Ok(made(&call.shell)?.llms_text.answer("text/plain; charset=utf-8")) }))
    }),
    tools: &[],
};

pub(super) static OPENAPI: Endpoint = Endpoint {
    route: Route::get(
        "openapi",
        "/openapi.json",
        Access::Public,
        "This interface as an OpenAPI 3.1 document.",
    ),
    details: |_| Details::bare("documents", "application/json", json!({ "type": "object" })),
    handling: Handling::Request(|_| {
        Ok(action(|call| async move { Ok(made(&call.shell)?.openapi.answer(JSON)) }))
    }),
    tools: &[],
};

pub(super) static REFERENCE: Endpoint = Endpoint {
    route: Route::get("reference", "/reference", Access::Public, "This interface as a page for people."),
    details: |_| Details::bare("documents", "text/html", text()),
    handling: Handling::Request(|_| Ok(action(|call| async move { reference(&call.shell) }))),
    tools: &[],
};

pub(super) static MCP_DISCOVERY: Endpoint = Endpoint {
    route: Route::get(
        "mcp_discovery",
        "/.well-known/mcp.json",
        Access::Public,
        "Where the MCP endpoints are.",
    ),
    details: |_| Details::bare("documents", "application/json", json!({ "type": "object" })),
    handling: Handling::Request(|_| {
        Ok(action(|call| async move { Ok(made(&call.shell)?.mcp_discovery.answer(JSON)) }))
    }),
    tools: &[],
};

pub(super) static MCP_SERVER_CARD: Endpoint = Endpoint {
    route: Route::get(
        "mcp_server_card",
        "/mcp/server-card",
        Access::Public,
        "The MCP server card: endpoints and protocol revisions.",
    ),
    details: |_| Details::bare("mcp", mcp::SERVER_CARD, json!({ "type": "object" })),
    handling: Handling::Request(|_| {
        Ok(action(|call| async move {
            Ok(made(&call.shell)?.mcp_server_card.answer(mcp::SERVER_CARD).cached(AN_HOUR))
        }))
    }),
    tools: &[],
};

pub(super) static AI_CATALOG: Endpoint = Endpoint {
    route: Route::get(
        "ai_catalog",
        "/.well-known/ai-catalog.json",
        Access::Public,
        "The MCP server card in a catalog of this host.",
    ),
    details: |_| Details::bare("mcp", mcp::AI_CATALOG, json!({ "type": "object" })),
    handling: Handling::Request(|_| {
        Ok(action(
            |call| async move { Ok(made(&call.shell)?.ai_catalog.answer(mcp::AI_CATALOG).cached(AN_HOUR)) },
        ))
    }),
    tools: &[],
};

pub(super) static PLAYBOOK: Endpoint = Endpoint {
    route: Route::get("playbook", "/api/playbook", Access::Public, "The operating manual for agents."),
    details: |_| {
        Details::object("documents")
            .about("Everything that an agent must know: signing with test vectors, the loop, limits, errors.")
    },
    handling: Handling::Request(|_| {
        Ok(action(|call| async move { Ok(made(&call.shell)?.playbook.answer(JSON)) }))
    }),
    tools: &[],
};

pub(super) static DICTIONARY: Endpoint = Endpoint {
    route: Route::get(
        "dictionary",
        "/api/dictionary",
        Access::Public,
        "Every field of replays, events and journal records, with type and meaning.",
    ),
    details: |_| Details::answering::<DictionaryData>("documents"),
    handling: Handling::Request(|_| Ok(action(|_| async { data(&documents::dictionary()) }))),
    tools: &[],
};

/// How long discovery documents may be cached, as their draft requires.
const AN_HOUR: &str = "public, max-age=3600";

fn text() -> Value {
    json!({ "type": "string" })
}

/// The documents of this hall, built when the first of them is requested.
fn made(shell: &Shell) -> Result<&Documents, Failure> {
    let hall = shell.description()?;
    Ok(shell.documents.get_or_init(|| {
        let openapi = openapi::document(ALL, hall);
        let reference = Reference::of(&openapi);
        let tools = mcp::tool_rows(ALL);
        Documents {
            llms_text: Document::new(documents::llms_txt(hall)),
            openapi: Document::new(openapi.to_string()),
            reference: Document::new(reference.html),
            reference_policy: reference.policy,
            mcp_discovery: Document::new(mcp::discovery(ALL, hall).to_string()),
            mcp_server_card: Document::new(mcp::server_card(hall).to_string()),
            ai_catalog: Document::new(mcp::ai_catalog(hall).to_string()),
            playbook: Document::new(Response::envelope(&documents::playbook(hall, &tools))),
        }
    }))
}

async fn front_door(shell: &Arc<Shell>, accepts: Accepts) -> Outcome {
    let answer = if accepts.html {
        pages::front_page(shell).await?
    } else {
        let season = shell.engine.read(|hall| hall.desk().current_season().cloned()).await?;
        Response::data(&documents::front_door(shell.description()?, season.as_ref()))
    };
    Ok(answer.with_header(header::VARY, "Accept"))
}

fn reference(shell: &Shell) -> Outcome {
    let made = made(shell)?;
    let page = made.reference.answer("text/html; charset=utf-8");
    Ok(page
        .with_header(header::CONTENT_SECURITY_POLICY, &made.reference_policy)
        .with_header(header::REFERRER_POLICY, "no-referrer"))
}
