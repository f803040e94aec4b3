//! Pages for people: which there are, and how they are served (decision 15).
//!
//! A page has the path of its counterpart without `/api`. It is made by `hall-pages` from what the hall's queries answer;
//! the files here ask and fill in. Pages are in a list of their own, because no document for agents names them.

mod about;
mod agent;
mod assets;
mod docket;
mod filter;
mod front;
mod game;
mod games;
mod leaderboards;
mod rows;
mod rules;
mod summaries;
mod verify;
mod versus;

pub(super) use front::front_page;

use crate::endpoint::{Details, Endpoint, Endpoints, Handling, ReadRequest, Route};
use crate::response::{Failure, Response};
use crate::shell::Shell;
use bytes::Bytes;
use hall_wire::Digest;
use salvo::http::header;
use serde_json::json;

/// Every page, and what pages load.
pub(crate) const PAGES: Endpoints = &[
    &games::GAMES,
    &game::GAME,
    &game::NEWS,
    &game::FRAMES,
    &game::BOARD,
    &game::EMBED,
    &agent::AGENT,
    &versus::VERSUS,
    &leaderboards::LEADERBOARDS,
    &docket::DOCKET,
    &rules::RULES,
    &rules::PICTURE,
    &about::ABOUT,
    &verify::VERIFY,
    &assets::ASSET,
];

const HTML: &str = "text/html; charset=utf-8";

/// What every page may do: load what this hall serves, and nothing from elsewhere; run no inline code.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'self'; require-trusted-types-for 'script'; trusted-types hall; \
                      frame-ancestors";

/// Who may put a page into a frame.
#[derive(Clone, Copy)]
enum Framing {
    Nobody,
    Anybody,
}

/// The declaration of a page.
const fn page(route: Route, counterpart: Option<&'static Endpoint>, read: ReadRequest) -> Endpoint {
    Endpoint {
        route,
        details: |_| html_details(),
        handling: Handling::Page { read, counterpart },
        tools: &[],
    }
}

/// The declaration of something that pages load.
const fn part(route: Route, read: ReadRequest) -> Endpoint {
    Endpoint { route, details: |_| html_details(), handling: Handling::Request(read), tools: &[] }
}

fn html_details() -> Details {
    Details::bare("pages", "text/html", json!({ "type": "string" }))
}

/// A page as it is sent.
fn sent(shell: &Shell, html: impl Into<Bytes>, framing: Framing) -> Response {
    let ancestors = match framing {
        Framing::Nobody => "'none'",
        Framing::Anybody => "*",
    };
    content(shell, HTML, html.into())
        .with_header(header::CONTENT_SECURITY_POLICY, &format!("{POLICY} {ancestors}"))
        .with_header(header::REFERRER_POLICY, "no-referrer")
}

/// Content that is compressed once, and sent again only if it has changed.
fn content(shell: &Shell, content_type: &'static str, bytes: Bytes) -> Response {
    let hash = Digest::of(&bytes);
    hashed_content(shell, content_type, bytes, hash)
}

/// The same where the hash of the bytes is known.
fn hashed_content(shell: &Shell, content_type: &'static str, bytes: Bytes, hash: Digest) -> Response {
    Response::bare(content_type, bytes).document(&shell.contents.of(&hash)).validated(hash)
}

/// A failure as a page.
pub(crate) fn failure_page(failure: &Failure) -> Response {
    let message = failure.message.as_deref().unwrap_or_else(|| failure.code.message());
    let problems = failure.data.as_ref().and_then(|data| data["problems"].as_array());
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let problems: Vec<(String, String)> = problems
        .into_iter()
        .flatten()
        .map(|problem| (text(&problem["field"]), text(&problem["rule"])))
        .collect();
    Response::bare(HTML, hall_pages::failure(failure.status().as_u16(), message, &problems))
        .with_header(header::CONTENT_SECURITY_POLICY, &format!("{POLICY} 'none'"))
        .with_header(header::REFERRER_POLICY, "no-referrer")
        .with_header(header::VARY, "Accept")
}
