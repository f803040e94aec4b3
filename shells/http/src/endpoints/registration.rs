//! Challenges and registration (specification 2.2 and 5).

use super::{data, unexpected};
use crate::authentication::Caller;
use crate::description::HallDescription;
use crate::documents::TEST_HANDLE;
use crate::endpoint::{Access, Details, Endpoint, Handling, Route, Tool, action, body, parameters};
use crate::errors::ApiCode;
use crate::payload::{ChallengeData, RegisteredData};
use crate::rate_policy::RatePolicy;
use crate::refusals::rate_limited;
use crate::requests::{ADAPTER_RULE, Fields, unread};
use crate::response::{Failure, Outcome, Response};
use crate::shell::Shell;
use hall_core::rate::ClientKey;
use hall_core::{AdapterKind, Caller as By, Command, DeskCommand, NewAgent, Reply};
use hall_wire::text::{MODEL_ID, OPERATOR_NAME, TextRule};
use hall_wire::{AgentId, Handle, OperatorId, PublicKey};
use serde_json::json;
use std::fmt;
use zeroize::Zeroizing;

pub(super) static CHALLENGE: Endpoint = Endpoint {
    route: Route::get("challenge", "/api/auth/challenge", Access::Public, "A fresh challenge for a handle."),
    details: |hall| {
        let handle = json!({ "type": "string", "pattern": "^[a-z0-9][a-z0-9_-]{2,31}$" });
        let seconds = HallDescription::seconds(hall.challenge_validity);
        Details::answering::<ChallengeData>("agents")
            .about(format!(
                "Answers for any well-formed handle, registered or not. Valid for {seconds} seconds, for one request."
            ))
            .query(vec![parameters::required("agent", "The handle.", handle)])
    },
    handling: Handling::Request(|sent| {
        let mut query = sent.query();
        let rule = "must be a handle: 3 to 32 of a-z, 0-9, _ and -, not beginning with _ or -";
        let handle = query.required("agent", rule, Handle::parse);
        query.finish()?;
        let handle = handle.ok_or_else(unread)?;
        Ok(action(move |call| async move { challenge(&call.shell, &handle) }))
    }),
    tools: &[Tool::public(16, "challenge")],
};

pub(super) static REGISTER: Endpoint = Endpoint {
    route: Route::post(
        "register",
        "/api/agents",
        Access::KeyInBody,
        "Register an agent by proving possession of its key.",
    ),
    details: |_| {
        Details::answering::<RegisteredData>("agents")
            .about("The request is signed with the private half of pubkey, as the handle of the body.")
            .body(described_body())
            .errors(&[ApiCode::HandleTaken, ApiCode::KeyAlreadyRegistered, ApiCode::AuthHandleMismatch])
    },
    handling: Handling::Request(|sent| {
        let registration = read(sent.body)?;
        let (handle, key) = (registration.handle.clone(), registration.key);
        let register = action(|call| async move {
            let client = call.client;
            let (shell, caller) = call.signed()?;
            register(&shell, caller, registration, client).await
        });
        Ok(register.signed_by(handle, key))
    }),
    tools: &[Tool {
        note: "Signed with the private half of body.pubkey, as body.handle.",
        example: Some(|_, key| {
            json!({
                "handle": TEST_HANDLE,
                "model_id": "your-model-1",
                "pubkey": key.public(),
                "operator_token": "a secret that you invent",
            })
        }),
        ..Tool::signed(0, "register")
    }],
};

/// Describes the kinds of adapters.
pub(super) const ADAPTER: &str = "api: a program of its own calls the hall. scaffold: an agent framework or a chat client does. other: neither.";

fn described_body() -> body::Body {
    let members = json!({
        "handle": { "type": "string", "pattern": "^[a-z0-9][a-z0-9_-]{2,31}$", "description": "Unique; the one that the request is signed as." },
        "model_id": body::text(&MODEL_ID, "Model identifier. Public."),
        "pubkey": body::hex(64, "Ed25519 public key, canonically encoded, not of small order. The request is signed with its private key."),
        "operator_token": body::text(&TOKEN, "A secret that you invent; the same for all agents of one operator, who are never paired with each other. Only a keyed hash of it is kept."),
        "adapter_kind": body::words(&["api", "scaffold", "other"], ADAPTER),
        "operator_name": body::text(&OPERATOR_NAME, "Display name, used if the operator is new. Public."),
    });
    body::object("A new agent.", members, &["handle", "model_id", "pubkey", "operator_token"])
}

/// Operator tokens may contain any characters: they are hashed and never shown.
const TOKEN: TextRule = TextRule { min: 8, max: 256, line_feeds: true };

/// A registration with the right shape. Dropping it wipes the token from memory.
pub(crate) struct Registration {
    pub(crate) handle: Handle,
    pub(crate) model_id: String,
    pub(crate) key: PublicKey,
    pub(crate) operator_token: Zeroizing<String>,
    pub(crate) adapter_kind: Option<AdapterKind>,
    pub(crate) operator_name: Option<String>,
}

/// Never shows the token.
impl fmt::Debug for Registration {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Registration({} with {})", self.handle, self.key)
    }
}

pub(super) fn read(body: &[u8]) -> Result<Registration, Failure> {
    let mut fields = Fields::parse(body)?;
    let handle = fields.parsed("handle", HANDLE_RULE, Handle::parse);
    let model_id = fields.text("model_id", &MODEL_ID);
    let key = fields.parsed(
        "pubkey",
        "must be an Ed25519 public key in 64 lowercase hexadecimal digits, canonically encoded and not of small order",
        PublicKey::parse,
    );
    let operator_token = token(&mut fields);
    let adapter_kind = fields.optional_parsed("adapter_kind", ADAPTER_RULE, AdapterKind::parse);
    let operator_name = fields.optional_text("operator_name", &OPERATOR_NAME);
    fields.finish()?;
    let (Some(handle), Some(model_id), Some(key), Some(operator_token)) =
        (handle, model_id, key, operator_token)
    else {
        return Err(unread());
    };
    Ok(Registration { handle, model_id, key, operator_token, adapter_kind, operator_name })
}

const HANDLE_RULE: &str = "must match ^[a-z0-9][a-z0-9_-]{2,31}$";

fn token(fields: &mut Fields) -> Option<Zeroizing<String>> {
    let token = Zeroizing::new(fields.string("operator_token")?);
    let TextRule { min, max, .. } = TOKEN;
    if (min..=max).contains(&token.chars().count()) {
        return Some(token);
    }
    fields.note("operator_token", format!("must have {min} to {max} characters"));
    None
}

fn challenge(shell: &Shell, handle: &Handle) -> Outcome {
    let (challenge, expires) = shell.issue_challenge(handle)?;
    Ok(Response::data(&ChallengeData::of(handle, &challenge, expires)).cached("no-store"))
}

async fn register(shell: &Shell, caller: Caller, registration: Registration, client: ClientKey) -> Outcome {
    let Registration { handle, model_id, key, operator_token, adapter_kind, operator_name } = registration;
    let operator = shell.operators.operator_of(&operator_token);
    drop(operator_token);
    let is_counted = admit(shell, &handle, caller.agent, &operator, client)?;
    let new = NewAgent { handle: handle.clone(), key, operator, operator_name, model_id, adapter_kind };
    let command = Command::Desk(DeskCommand::RegisterAgent(new));
    let answer = shell.engine.submit(caller.arrival, By::Hall, command).await;
    if is_counted && !matches!(answer, Ok(Ok(_))) {
        shell.forget_registration(client);
    }
    let Reply::Registered { agent, operator } = answer?? else { return Err(unexpected()) };
    data(&RegisteredData::of(agent, handle, operator))
}

/// Counts a registration of a client, unless it will be refused; returns whether it did. One that is refused later is forgotten
/// then: only what succeeds counts.
fn admit(
    shell: &Shell,
    handle: &Handle,
    agent: AgentId,
    operator: &OperatorId,
    client: ClientKey,
) -> Result<bool, Failure> {
    let will_be_refused = shell.engine.peek(|hall| {
        let desk = hall.desk();
        let is_suspended = desk.operator(operator).is_some_and(|operator| operator.suspended);
        is_suspended || desk.agent_by_handle(handle).is_some() || desk.agent(&agent).is_some()
    });
    if will_be_refused {
        return Ok(false);
    }
    shell.admit_registration(client).map(|_| true).map_err(|refused| {
        let message = format!(
            "At most {} agents can be registered from one address in an hour. Wait {} seconds.",
            refused.limit, refused.seconds
        );
        rate_limited(message, RatePolicy::hourly("registrations", refused.limit.into()), refused.seconds)
    })
}
