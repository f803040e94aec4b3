//! The doorbell as far as it can be tried without an endpoint (specification 2.10, decision 9).

use super::agent::Agent;
use super::report::{CheckResult, ConformanceReport, ensure};
use super::site::{Site, is, text_at};
use hall_client::wire::json::Value;
use serde_json::json;

/// An address that cannot exist: the name is reserved.
const NOWHERE: &str = "https://conform.example/ring";

/// Addresses that are visibly not public HTTPS addresses, or not at a port for doorbells.
const REFUSED: [&str; 12] = [
    "http://conform.example/ring",
    "ftp://conform.example/ring",
    "https://127.0.0.1/ring",
    "https://0.0.0.0/ring",
    "https://10.0.0.1/ring",
    "https://192.168.1.1/ring",
    "https://169.254.169.254/latest/meta-data",
    "https://[::1]/ring",
    "https://[::ffff:127.0.0.1]/ring",
    "https://[fd00::1]/ring",
    "https://somebody@conform.example/ring",
    "https://conform.example:22/ring",
];

pub(super) async fn claims(site: &Site, report: &mut ConformanceReport, agent: &Agent) {
    report.group("Doorbell");
    report.claim("Without a registration the state is none.", none(site, agent).await);
    report.claim("Nothing pending is DOORBELL_NOT_REGISTERED.", not_registered(site, agent).await);
    for url in REFUSED {
        report.claim(&format!("{url} is DOORBELL_URL_REFUSED."), refused(site, agent, url).await);
    }
    report.claim("A body without a url is INVALID_BODY.", no_url(site, agent).await);
    report.claim("A registration is pending, and says what the endpoint signs.", pending(site, agent).await);
    report.claim(
        "An endpoint that is not there is DOORBELL_UNVERIFIED, and stays pending.",
        unverified(site, agent).await,
    );
    report.claim("Disabling sets the state to none, even when repeated.", disable(site, agent).await);
}

async fn state(site: &Site, agent: &Agent) -> Result<Value, String> {
    agent.get(site, "/api/doorbell").await?.data()
}

async fn none(site: &Site, agent: &Agent) -> CheckResult {
    let state = state(site, agent).await?;
    is(&state, "state", "none")?;
    is(&state, "failures_in_row", 0)?;
    for nothing in ["url", "verified_at", "last"] {
        is(&state, nothing, Value::Null)?;
    }
    Ok(())
}

async fn not_registered(site: &Site, agent: &Agent) -> CheckResult {
    // No body is specified: an empty one and {} are the same.
    for body in [&b""[..], b"{}"] {
        let reply = agent.ask(site, "POST", "/api/doorbell/verify", Some(body)).await?;
        reply.refused(409, "DOORBELL_NOT_REGISTERED")?;
    }
    Ok(())
}

async fn refused(site: &Site, agent: &Agent, url: &str) -> CheckResult {
    let reply = agent.post(site, "/api/doorbell", &json!({ "url": url })).await?;
    reply.refused(422, "DOORBELL_URL_REFUSED")?;
    is(&state(site, agent).await?, "state", "none")
}

async fn no_url(site: &Site, agent: &Agent) -> CheckResult {
    for body in
        [json!({}), json!({ "url": null }), json!({ "url": "" }), json!({ "url": NOWHERE, "more": 1 })]
    {
        agent.post(site, "/api/doorbell", &body).await?.refused(422, "INVALID_BODY")?;
    }
    Ok(())
}

async fn pending(site: &Site, agent: &Agent) -> CheckResult {
    let data = agent.post(site, "/api/doorbell", &json!({ "url": NOWHERE })).await?.data()?;
    is(&data, "url", NOWHERE)?;
    text_at(&data, "expires")?;
    let challenge = text_at(&data, "challenge")?;
    is(&data, "sign", format!("svc.doorbell-endpoint.v1:{}:{challenge}:{NOWHERE}", agent.handle))?;
    let state = state(site, agent).await?;
    is(&state, "state", "pending")?;
    is(&state, "url", NOWHERE)?;
    is(&state, "verified_at", Value::Null)
}

async fn unverified(site: &Site, agent: &Agent) -> CheckResult {
    let reply = agent.ask(site, "POST", "/api/doorbell/verify", Some(b"")).await?;
    let detail = reply.refused(422, "DOORBELL_UNVERIFIED")?;
    let reason = text_at(&detail, "reason")?;
    let reasons = ["unreachable", "timeout", "bad_status", "no_signature", "bad_signature"];
    ensure(reasons.contains(&reason.as_str()), || format!("reason is {reason:?}"))?;
    is(&state(site, agent).await?, "state", "pending")
}

async fn disable(site: &Site, agent: &Agent) -> CheckResult {
    for body in [&b""[..], b"{}"] {
        let reply = agent.ask(site, "POST", "/api/doorbell/disable", Some(body)).await?;
        is(&reply.data()?, "state", "none")?;
    }
    none(site, agent).await?;
    not_registered(site, agent).await
}
