//! Homologation: what an agent declares for a season and division (specification 2.3).

use super::registration::ADAPTER;
use super::{data, unexpected};
use crate::authentication::Caller;
use crate::endpoint::{Access, Details, Endpoint, Handling, Route, Tool, action, body};
use crate::errors::ApiCode;
use crate::payload::HomologatedData;
use crate::requests::{ADAPTER_RULE, DIVISION_RULE, Fields, unread};
use crate::response::{Failure, Outcome};
use crate::shell::Shell;
use hall_core::{AdapterKind, Caller as By, Command, DeskCommand, Division, Filing, Reply, ToolAccess};
use hall_wire::text::{MODEL_ID, TextRule, URL};
use hall_wire::{AgentId, Digest};
use serde_json::{Value, json};

pub(super) static HOMOLOGATE: Endpoint = Endpoint {
    route: Route::post("homologate", "/api/agents/{id}/homologate", Access::Signed, "File a homologation."),
    details: |_| {
        Details::answering::<HomologatedData>("agents")
        .about(
            "The same fields answer the same entry. A change creates a new entry, voids the standing of the old \
             one, and takes the agent out of the lobbies of that division.",
        )
        .body(described_body())
        .errors(&[
            ApiCode::NotYourAgent,
            ApiCode::AgentNotFound,
            ApiCode::SeasonNotFound,
            ApiCode::DivisionMismatch,
        ])
    },
    handling: Handling::Request(|sent| {
        let (id, filing) = (sent.param(), read(sent.body)?);
        Ok(action(|call| async move {
            let (shell, caller) = call.signed()?;
            homologate(&shell, caller, &id, filing).await
        }))
    }),
    tools: &[Tool {
        note: "The same fields answer the same entry; a change voids the standing of the previous entry.",
        is_destructive: true,
        is_idempotent: true,
        example: Some(|_, _| {
            let nothing = Digest::of(b"");
            json!({
                "season_id": "current",
                "division": "open",
                "model_id": "your-model-1",
                "adapter_kind": "api",
                "endpoint_url": null,
                "system_prompt_sha256": nothing,
                "config_sha256": nothing,
                "tool_access": "engine-assisted",
            })
        }),
        ..Tool::signed(1, "homologate")
    }],
};

fn described_body() -> body::Body {
    let members = json!({
        "season_id": body::text(&SEASON, "A season id, or current for the open one."),
        "division": body::words(&["pure", "open"], "pure needs tool_access pure."),
        "model_id": body::text(&MODEL_ID, "Model identifier. Public."),
        "adapter_kind": body::words(&["api", "scaffold", "other"], ADAPTER),
        "endpoint_url": { "type": ["string", "null"], "minLength": URL.min, "maxLength": URL.max, "description": "An https URL or null. Only its sha256 is published." },
        "system_prompt_sha256": body::hex(64, "sha256 of the system prompt; of the empty text if there is none."),
        "config_sha256": body::hex(64, "sha256 of the configuration; of the empty text if there is none."),
        "tool_access": body::words(&["pure", "engine-assisted"], "pure: the model of model_id chooses alone. engine-assisted: it \
                                                                  may also ask a game engine or another solver."),
    });
    let required = [
        "season_id",
        "division",
        "model_id",
        "adapter_kind",
        "endpoint_url",
        "system_prompt_sha256",
        "config_sha256",
        "tool_access",
    ];
    body::object(
        "What an agent declares for a season and division. Any change voids its standing there.",
        members,
        &required,
    )
}

/// No season has a longer name.
const SEASON: TextRule = TextRule { min: 1, max: 32, line_feeds: false };

const SHA256_RULE: &str = "must be a sha256 in 64 lowercase hexadecimal digits";

pub(super) fn read(body: &[u8]) -> Result<Filing, Failure> {
    let mut fields = Fields::parse(body)?;
    let season_id = fields.text("season_id", &SEASON);
    let division = fields.parsed("division", DIVISION_RULE, Division::parse);
    let model_id = fields.text("model_id", &MODEL_ID);
    let adapter_kind = fields.parsed("adapter_kind", ADAPTER_RULE, AdapterKind::parse);
    let endpoint_url = endpoint(&mut fields);
    let system_prompt_sha256 = fields.parsed("system_prompt_sha256", SHA256_RULE, Digest::parse);
    let config_sha256 = fields.parsed("config_sha256", SHA256_RULE, Digest::parse);
    let tool_access = fields.parsed("tool_access", "must be pure or engine-assisted", ToolAccess::parse);
    fields.finish()?;
    let filing = (|| {
        Some(Filing {
            season_id: season_id?,
            division: division?,
            model_id: model_id?,
            adapter_kind: adapter_kind?,
            endpoint_url,
            system_prompt_sha256: system_prompt_sha256?,
            config_sha256: config_sha256?,
            tool_access: tool_access?,
        })
    })();
    filing.ok_or_else(unread)
}

/// The endpoint's address; the member is required and may be null.
fn endpoint(fields: &mut Fields) -> Option<String> {
    let value = fields.required("endpoint_url")?;
    if value.is_null() {
        return None;
    }
    let Value::String(url) = value else {
        fields.note("endpoint_url", "must be a string or null");
        return None;
    };
    if let Err(problem) = URL.check(&url) {
        fields.note("endpoint_url", format!("{problem}: 1 to 512 characters, no control characters"));
    } else if !is_https(&url) {
        fields.note("endpoint_url", HTTPS_RULE);
    }
    Some(url)
}

/// The rule of an address that must be https.
const HTTPS_RULE: &str = "must be an https URL";

/// Whether `url` begins with `https://` and a host, and holds no space.
fn is_https(url: &str) -> bool {
    let host =
        url.strip_prefix("https://").map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default());
    host.is_some_and(|host| !host.is_empty()) && !url.chars().any(char::is_whitespace)
}

async fn homologate(shell: &Shell, caller: Caller, id: &str, filing: Filing) -> Outcome {
    let Some(agent) = AgentId::parse(id) else {
        // Decision: suspension is checked first, as with every other write.
        let suspended = shell.engine.read(|hall| hall.desk().is_suspended(&caller.agent)).await?;
        return Err(if suspended { ApiCode::AgentSuspended } else { ApiCode::AgentNotFound }.into());
    };
    let by = By::Agent(caller.agent);
    let reply = shell
        .engine
        .submit(caller.arrival, by, Command::Desk(DeskCommand::FileHomologation { agent, filing }))
        .await??;
    let Reply::Homologated { id, hash, division, season, voided_previous, unchanged } = reply else {
        return Err(unexpected());
    };
    data(&HomologatedData {
        homologation_id: id,
        hash,
        division,
        season_id: season,
        voided_previous,
        unchanged,
    })
}
