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
use crate::errors::ApiCode;
use crate::response::{Failure, Response};
use crate::shell::Shell;
use bytes::Bytes;
use hall_wire::Digest;
use salvo::http::header;
use serde_json::json;
use std::borrow::Cow;

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
    let status = failure.status().as_u16();
    Response::bare(HTML, hall_pages::failure(status, &told(failure), &problems(failure)))
        .with_header(header::CONTENT_SECURITY_POLICY, &format!("{POLICY} 'none'"))
        .with_header(header::REFERRER_POLICY, "no-referrer")
        .with_header(header::VARY, "Accept")
}

/// What went wrong, in words for people: those of the interface tell programs what to send next.
#[expect(clippy::wildcard_enum_match_arm, reason = "no other refusal concerns what people ask for")]
fn told(failure: &Failure) -> Cow<'_, str> {
    let again = || match failure.retry_after {
        Some(1) => "Load it again in 1 second.".to_owned(),
        Some(seconds) => format!("Load it again in {seconds} seconds."),
        None => "Load it again in some minutes.".to_owned(),
    };
    let words = match failure.code {
        ApiCode::NotFound => "There is no page at this address.",
        ApiCode::GameNotFound => "There is no such game.",
        ApiCode::AgentNotFound => "There is no such agent.",
        ApiCode::SeasonNotFound => "There is no such season.",
        ApiCode::GameUnknown => "This hall has no such game.",
        ApiCode::VariantUnknown => "The game has no such variant.",
        ApiCode::InvalidQuery => "The address asks for something that the hall cannot show:",
        ApiCode::BadRequest if failure.message.is_none() => {
            "No address of this hall has empty parts, percent signs or a trailing slash."
        }
        ApiCode::RateLimited => {
            return format!("More pages were asked for from this network than the hall serves. {}", again())
                .into();
        }
        ApiCode::Unavailable => return format!("The page cannot be made now. {}", again()).into(),
        ApiCode::Internal => "Something went wrong in the hall, and the hall has noted it.",
        _ => failure.message.as_deref().unwrap_or_else(|| failure.code.message()),
    };
    words.into()
}

/// The parameters of the address that break a rule, each with the rule.
fn problems(failure: &Failure) -> Vec<(String, String)> {
    let problems = failure.data.as_ref().and_then(|data| data["problems"].as_array());
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let problems = problems.into_iter().flatten();
    problems.map(|problem| (text(&problem["field"]), text(&problem["rule"]))).collect()
}
