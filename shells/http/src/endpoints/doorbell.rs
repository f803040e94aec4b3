//! The doorbell of the caller (specification 2.10, decision 9).

use super::{data, unexpected};
use crate::authentication::Caller;
use crate::endpoint::{Access, Details, Endpoint, Handling, Route, action, body};
use crate::errors::ApiCode;
use crate::payload::{
    Authored, DoorbellChallengeData, DoorbellData, DoorbellStateData, DoorbellVerifiedData, LastRing,
};
use crate::rate_policy::RatePolicy;
use crate::refusals::{rate_limited, seconds};
use crate::requests::{Fields, no_fields, unread};
use crate::response::{Failure, Outcome};
use crate::shell::Shell;
use hall_core::desk::{Doorbell, DoorbellState, LastAttempt};
use hall_core::rooms::ChallengeText;
use hall_core::{Caller as By, Command, DoorbellCommand, Reply};
use hall_driver::Unverified;
use hall_wire::message::doorbell_endpoint;
use hall_wire::{AgentId, Digest, RingId, Signature};
use serde_json::json;

pub(super) static DOORBELL_STATE: Endpoint = Endpoint {
    route: Route::get("doorbell_state", "/api/doorbell", Access::Signed, "The caller's doorbell."),
    details: |_| Details::answering::<DoorbellData>("doorbell"),
    handling: Handling::Request(|_| {
        Ok(action(|call| async move {
            let (shell, agent) = call.signed_agent()?;
            state(&shell, agent).await
        }))
    }),
    tools: &[],
};

pub(super) static DOORBELL_SET: Endpoint = Endpoint {
    route: Route::post("doorbell_set", "/api/doorbell", Access::Signed, "Register an address to be rung."),
    details: |_| {
        Details::answering::<DoorbellChallengeData>("doorbell")
            .about("The state goes to pending with a challenge of 15 minutes; an address that was verified before keeps ringing until the new one is verified.")
            .body(described_body())
            .errors(&[ApiCode::DoorbellUrlRefused])
    },
    handling: Handling::Request(|sent| {
        let url = read_url(sent.body)?;
        Ok(action(|call| async move {
            let (shell, caller) = call.signed()?;
            set(&shell, caller, url).await
        }))
    }),
    tools: &[],
};

pub(super) static DOORBELL_VERIFY: Endpoint = Endpoint {
    route: Route::post(
        "doorbell_verify",
        "/api/doorbell/verify",
        Access::Signed,
        "Have the address verified.",
    ),
    details: |_| {
        Details::answering::<DoorbellVerifiedData>("doorbell")
            .about("The hall sends one GET with X-Svc-Agent and X-Svc-Challenge to the address, which answers 2xx with \
                    X-Svc-Doorbell-Signature. At most 5 times an hour, failures included; for a host that never signs, at most 5 \
                    times an hour for all agents (RATE_LIMITED).")
            .body(body::no_fields())
            .errors(&[
                ApiCode::DoorbellUrlRefused,
                ApiCode::DoorbellNotRegistered,
                ApiCode::DoorbellUnverified,
            ])
    },
    handling: Handling::Request(|sent| {
        no_fields(sent.body)?;
        Ok(action(|call| async move {
            let (shell, caller) = call.signed()?;
            verify(&shell, caller).await
        }))
    }),
    tools: &[],
};

pub(super) static DOORBELL_DISABLE: Endpoint = Endpoint {
    route: Route::post("doorbell_disable", "/api/doorbell/disable", Access::Signed, "Ring no more."),
    details: |_| Details::answering::<DoorbellStateData>("doorbell").body(body::no_fields()),
    handling: Handling::Request(|sent| {
        no_fields(sent.body)?;
        Ok(action(|call| async move {
            let (shell, caller) = call.signed()?;
            disable(&shell, caller).await
        }))
    }),
    tools: &[],
};

fn described_body() -> body::Body {
    body::object(
        "An address to be rung.",
        json!({ "url": body::text(&hall_wire::text::URL, "An https URL on a public address.") }),
        &["url"],
    )
}

/// Decision: any text of the right length is an address here. Whether it may be rung depends on the settings; if not,
/// the answer is DOORBELL_URL_REFUSED.
fn read_url(body: &[u8]) -> Result<String, Failure> {
    let mut fields = Fields::parse(body)?;
    let url = fields.text("url", &hall_wire::text::URL);
    fields.finish()?;
    url.ok_or_else(unread)
}

async fn set(shell: &Shell, caller: Caller, url: String) -> Outcome {
    let Caller { agent, handle, arrival, .. } = caller;
    let address = shell.doorbells.permits(&url).into();
    let command = Command::Doorbell(DoorbellCommand::Register { url: url.clone(), address });
    let reply = shell.engine.submit(arrival, By::Agent(agent), command).await??;
    let Reply::DoorbellRegistered { challenge, expires } = reply else { return Err(unexpected()) };
    let sign = doorbell_endpoint(&handle, &challenge, &url);
    let challenge = Digest::from_bytes(*challenge.as_bytes());
    data(&DoorbellChallengeData { url: Authored(url), challenge, expires, sign })
}

/// Counts a verification, asks the endpoint, and answers with the result.
async fn verify(shell: &Shell, caller: Caller) -> Outcome {
    let Caller { agent, handle, arrival, .. } = caller;
    let begin = Command::Doorbell(DoorbellCommand::BeginVerification);
    let reply = shell.engine.submit(arrival, By::Agent(agent), begin).await??;
    let Reply::DoorbellVerifying { url, challenge } = reply else { return Err(unexpected()) };
    let key = shell.engine.peek(|hall| hall.desk().agent(&agent).map(|agent| agent.key));
    let key = key.ok_or_else(unexpected)?;
    let signed = shell.doorbells.verify(&url, &handle, &challenge).await.map_err(unverified)?;
    let message = doorbell_endpoint(&handle, &challenge, &url);
    let signature = Signature::parse(&signed)
        .filter(|signature| key.verifies(message.as_bytes(), signature))
        .ok_or_else(|| unverified(Unverified::BadSignature))?;
    let challenge = ChallengeText::from(challenge);
    let confirm = Command::Doorbell(DoorbellCommand::Confirm { agent, challenge, signature });
    let reply = shell.engine.submit(shell.engine.arrive(), By::Hall, confirm).await??;
    let Reply::DoorbellVerified { at } = reply else { return Err(unexpected()) };
    data(&DoorbellVerifiedData { state: DoorbellState::Verified.as_str(), verified_at: at })
}

async fn disable(shell: &Shell, caller: Caller) -> Outcome {
    let by = By::Agent(caller.agent);
    shell.engine.submit(caller.arrival, by, Command::Doorbell(DoorbellCommand::Disable)).await??;
    data(&DoorbellStateData { state: DoorbellState::None.as_str() })
}

async fn state(shell: &Shell, agent: AgentId) -> Outcome {
    let now = shell.engine.now();
    let doorbell = shell.engine.read(|hall| hall.desk().doorbell(&agent).cloned()).await?;
    let doorbell = doorbell.unwrap_or_default();
    data(&described(&doorbell, doorbell.state_at(now), agent, shell.doorbells.last(&agent)))
}

/// Decision: while an address waits to be verified, it is the one that is shown; `failures_in_row` and `last` are those
/// of the address that rings meanwhile.
fn described(
    doorbell: &Doorbell,
    state: DoorbellState,
    agent: AgentId,
    seen: Option<LastAttempt>,
) -> DoorbellData {
    let bell = doorbell.bell.as_ref();
    let (url, verified_at) = match state {
        DoorbellState::None => (None, None),
        DoorbellState::Pending => (doorbell.pending.as_ref().map(|pending| &pending.url), None),
        DoorbellState::Verified | DoorbellState::Suspended => {
            (bell.map(|bell| &bell.url), bell.map(|bell| bell.verified_at))
        }
    };
    // A ring that was answered at the first attempt is not a fact; the ringer remembers it.
    let last = bell.and_then(|bell| {
        let seen = seen.filter(|seen| seen.at >= bell.verified_at);
        bell.last.into_iter().chain(seen).max_by_key(|last| last.at)
    });
    DoorbellData {
        state: state.as_str(),
        url: url.map(|url| Authored(url.to_string())),
        verified_at,
        failures_in_row: bell.map_or(0, |bell| bell.failures_in_row),
        last: last.map(|last| LastRing {
            at: last.at,
            event_id: RingId::of_turn(&agent, &last.game, last.turn_index).to_string(),
            ok: last.failure.is_none(),
            reason: last.failure.map(|failure| failure.as_str().to_owned()),
        }),
    }
}

/// Why an endpoint was not verified. Nothing else of its answer is disclosed.
fn unverified(why: Unverified) -> Failure {
    let reason = match why {
        Unverified::Refused => return ApiCode::DoorbellUrlRefused.into(),
        Unverified::TooOften { wait, most } => {
            let message = "This host was asked too often in the last hour to prove that it belongs to an agent, and never did. Wait as long as Retry-After says, or use another host.";
            let used_up = RatePolicy::hourly("failed_verifications", most);
            return rate_limited(message.to_owned(), used_up, seconds(wait));
        }
        Unverified::Unreachable => "unreachable",
        Unverified::Timeout => "timeout",
        Unverified::BadStatus => "bad_status",
        Unverified::NoSignature => "no_signature",
        Unverified::BadSignature => "bad_signature",
    };
    Failure::from(ApiCode::DoorbellUnverified).with_data(json!({ "reason": reason }))
}
