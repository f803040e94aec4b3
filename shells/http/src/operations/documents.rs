//! The documents that the hall serves about itself. They follow from the settings, so they are made once.

use super::Accepts;
use super::official::SOFTWARE;
use crate::answer::{Answer, Failure, JSON, Outcome};
use crate::documents::{self, ApiCode, Page, Premises, Reference};
use crate::mcp::Endpoints;
use crate::openapi;
use crate::shell::Shell;
use bytes::Bytes;
use salvo::http::header;

/// How long documents for discovery may be kept, as their draft asks.
const AN_HOUR: &str = "public, max-age=3600";

/// Documents that do not change while the hall runs, as they are sent.
pub(crate) struct Prepared {
    premises: Premises,
    llms_text: Bytes,
    openapi: Bytes,
    reference: Reference,
    mcp_discovery: Bytes,
    mcp_server_card: Bytes,
    ai_catalog: Bytes,
    playbook: Bytes,
    mcp: Endpoints,
    page: Page,
}

impl Prepared {
    fn of(premises: Premises) -> Self {
        let openapi = openapi::document(&premises);
        Self {
            llms_text: documents::llms_txt(&premises).into(),
            openapi: openapi.to_string().into(),
            reference: Reference::of(&openapi),
            mcp_discovery: documents::mcp_discovery(&premises).to_string().into(),
            mcp_server_card: documents::server_card(&premises).to_string().into(),
            ai_catalog: documents::ai_catalog(&premises).to_string().into(),
            mcp: Endpoints::new(&premises),
            playbook: Answer::envelope(&documents::playbook(&premises)),
            page: Page::new(),
            premises,
        }
    }
}

fn prepared(shell: &Shell) -> Result<&Prepared, Failure> {
    if let Some(prepared) = shell.prepared.get() {
        return Ok(prepared);
    }
    let (catalog, rules) = shell.engine.peek(|hall| (*hall.catalog(), hall.rules().cloned()));
    let settings = &shell.settings;
    let premises = Premises {
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
    Ok(shell.prepared.get_or_init(|| Prepared::of(premises)))
}

pub(super) async fn front_door(shell: &Shell, accepts: Accepts) -> Outcome {
    let prepared = prepared(shell)?;
    let answer = if accepts.html {
        let page = Answer::bare("text/html; charset=utf-8", prepared.page.html.clone());
        page.with_header(header::CONTENT_SECURITY_POLICY, &prepared.page.policy)
            .with_header(header::REFERRER_POLICY, "no-referrer")
    } else {
        let season = shell.engine.read(|hall| hall.desk().open_season().cloned()).await?;
        Answer::data(&documents::front_door(&prepared.premises, season.as_ref()))
    };
    Ok(answer.with_header(header::VARY, "Accept"))
}

pub(super) fn llms_text(shell: &Shell) -> Outcome {
    Ok(Answer::bare("text/plain; charset=utf-8", prepared(shell)?.llms_text.clone()))
}

pub(super) fn openapi(shell: &Shell) -> Outcome {
    Ok(Answer::bare(JSON, prepared(shell)?.openapi.clone()))
}

pub(super) fn reference(shell: &Shell) -> Outcome {
    let reference = &prepared(shell)?.reference;
    Ok(Answer::bare("text/html; charset=utf-8", reference.html.clone())
        .with_header(header::CONTENT_SECURITY_POLICY, &reference.policy)
        .with_header(header::REFERRER_POLICY, "no-referrer"))
}

pub(super) fn mcp_discovery(shell: &Shell) -> Outcome {
    Ok(Answer::bare(JSON, prepared(shell)?.mcp_discovery.clone()))
}

pub(super) fn mcp_server_card(shell: &Shell) -> Outcome {
    let card = prepared(shell)?.mcp_server_card.clone();
    Ok(Answer::bare(documents::SERVER_CARD, card).cached(AN_HOUR))
}

pub(super) fn ai_catalog(shell: &Shell) -> Outcome {
    let catalog = prepared(shell)?.ai_catalog.clone();
    Ok(Answer::bare(documents::AI_CATALOG, catalog).cached(AN_HOUR))
}

/// The MCP endpoints of this hall.
pub(crate) fn mcp_endpoints(shell: &Shell) -> Result<&Endpoints, Failure> {
    Ok(&prepared(shell)?.mcp)
}

pub(super) fn playbook(shell: &Shell) -> Outcome {
    Ok(Answer::bare(JSON, prepared(shell)?.playbook.clone()))
}
