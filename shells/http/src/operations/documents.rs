//! The documents that the hall serves about itself. They follow from the settings, so they are made once.

use super::official::SOFTWARE;
use crate::answer::{Answer, Failure, JSON, Outcome};
use crate::description::HallDescription;
use crate::documents::{self, Page, Reference};
use crate::errors::ApiCode;
use crate::mcp::Endpoints;
use crate::negotiation::Accepts;
use crate::openapi;
use crate::shell::Shell;
use bytes::Bytes;
use salvo::http::header;
use std::sync::{Arc, OnceLock};

/// How long documents for discovery may be kept, as their draft asks.
const AN_HOUR: &str = "public, max-age=3600";

/// A document that does not change while the hall runs, as it is sent.
struct Document {
    plain: Bytes,
    /// Its compressed form, once somebody has asked for it.
    compressed: Arc<OnceLock<Bytes>>,
}

impl Document {
    fn new(plain: impl Into<Bytes>) -> Self {
        Self { plain: plain.into(), compressed: Arc::default() }
    }

    fn answer(&self, content_type: &'static str) -> Answer {
        Answer::bare(content_type, self.plain.clone()).document(&self.compressed)
    }
}

/// Documents that do not change while the hall runs.
pub(crate) struct Prepared {
    hall: HallDescription,
    llms_text: Document,
    openapi: Document,
    reference: Document,
    reference_policy: String,
    mcp_discovery: Document,
    mcp_server_card: Document,
    ai_catalog: Document,
    playbook: Document,
    mcp: Endpoints,
    page: Document,
    page_policy: String,
}

impl Prepared {
    fn of(hall: HallDescription) -> Self {
        let openapi = openapi::document(&hall);
        let (reference, page) = (Reference::of(&openapi), Page::new());
        Self {
            llms_text: Document::new(documents::llms_txt(&hall)),
            openapi: Document::new(openapi.to_string()),
            reference: Document::new(reference.html),
            reference_policy: reference.policy,
            mcp_discovery: Document::new(documents::mcp_discovery(&hall).to_string()),
            mcp_server_card: Document::new(documents::server_card(&hall).to_string()),
            ai_catalog: Document::new(documents::ai_catalog(&hall).to_string()),
            mcp: Endpoints::new(&hall),
            playbook: Document::new(Answer::envelope(&documents::playbook(&hall))),
            page: Document::new(page.html),
            page_policy: page.policy,
            hall,
        }
    }
}

fn prepared(shell: &Shell) -> Result<&Prepared, Failure> {
    if let Some(prepared) = shell.prepared.get() {
        return Ok(prepared);
    }
    let (catalog, rules) = shell.engine.peek(|hall| (*hall.catalog(), hall.settings().cloned()));
    let settings = &shell.settings;
    let hall = HallDescription {
        base_url: settings.base_url.clone(),
        software: SOFTWARE.to_owned(),
        catalog,
        // A hall that runs has its settings in force.
        rules: rules.ok_or_else(|| Failure::from(ApiCode::Internal))?,
        requests_per_minute: settings.requests_per_minute,
        registrations_per_hour: settings.registrations_per_hour,
        challenge_validity: settings.challenge_validity,
        house: shell.house.clone(),
    };
    Ok(shell.prepared.get_or_init(|| Prepared::of(hall)))
}

pub(super) async fn front_door(shell: &Shell, accepts: Accepts) -> Outcome {
    let prepared = prepared(shell)?;
    let answer = if accepts.html {
        let page = prepared.page.answer("text/html; charset=utf-8");
        page.with_header(header::CONTENT_SECURITY_POLICY, &prepared.page_policy)
            .with_header(header::REFERRER_POLICY, "no-referrer")
    } else {
        let season = shell.engine.read(|hall| hall.desk().open_season().cloned()).await?;
        Answer::data(&documents::front_door(&prepared.hall, season.as_ref()))
    };
    Ok(answer.with_header(header::VARY, "Accept"))
}

pub(super) fn llms_text(shell: &Shell) -> Outcome {
    Ok(prepared(shell)?.llms_text.answer("text/plain; charset=utf-8"))
}

pub(super) fn openapi(shell: &Shell) -> Outcome {
    Ok(prepared(shell)?.openapi.answer(JSON))
}

pub(super) fn reference(shell: &Shell) -> Outcome {
    let prepared = prepared(shell)?;
    Ok(prepared
        .reference
        .answer("text/html; charset=utf-8")
        .with_header(header::CONTENT_SECURITY_POLICY, &prepared.reference_policy)
        .with_header(header::REFERRER_POLICY, "no-referrer"))
}

pub(super) fn mcp_discovery(shell: &Shell) -> Outcome {
    Ok(prepared(shell)?.mcp_discovery.answer(JSON))
}

pub(super) fn mcp_server_card(shell: &Shell) -> Outcome {
    Ok(prepared(shell)?.mcp_server_card.answer(documents::SERVER_CARD).cached(AN_HOUR))
}

pub(super) fn ai_catalog(shell: &Shell) -> Outcome {
    Ok(prepared(shell)?.ai_catalog.answer(documents::AI_CATALOG).cached(AN_HOUR))
}

/// The MCP endpoints of this hall.
pub(crate) fn mcp_endpoints(shell: &Shell) -> Result<&Endpoints, Failure> {
    Ok(&prepared(shell)?.mcp)
}

pub(super) fn playbook(shell: &Shell) -> Outcome {
    Ok(prepared(shell)?.playbook.answer(JSON))
}
