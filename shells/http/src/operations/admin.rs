//! Health, readiness and metrics: bare JSON and text, for machines that look after the hall.

use crate::answer::{Answer, Outcome};
use crate::shell::Shell;
use salvo::http::{HeaderValue, ResBody, StatusCode, header};
use salvo::{Depot, FlowCtrl, Handler, Request, Response, Router, Service, async_trait};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::Ordering;

const JSON: &str = "application/json; charset=utf-8";
const METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Whether the process answers at all.
pub(super) fn health() -> Outcome {
    Ok(bare(&json!({ "status": "ok" })))
}

/// Whether the hall takes writes: 200 if so, else 503 with what is wrong. Damage that the background scrub has found
/// in old records is told, as are a beacon that is missed and a drain; none of them keeps live games from going on.
pub(super) fn readiness(shell: &Shell) -> Outcome {
    let status = shell.engine.status();
    let word = match (status.stopping, status.writable) {
        (true, _) => "stopping",
        (false, false) => "low_disk",
        (false, true) => "ready",
    };
    let code = if word == "ready" { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let damage = shell.engine.counters().damage_found.load(Ordering::Relaxed);
    let beacon = shell.beacon_status().as_str();
    let document = json!({
        "status": word, "durable_record": status.durable_seq, "damage_found": damage, "beacon": beacon,
        "draining": status.draining,
    });
    Ok(bare(&document).with_status(code))
}

fn bare(document: &Value) -> Answer {
    Answer::bare(JSON, document.to_string()).cached("no-store")
}

/// Metrics, health and readiness, for a listener that only the hall's operator reaches.
#[must_use]
pub fn admin_service(shell: Arc<Shell>) -> Service {
    Service::new(Router::new()).hoop(Admin { shell })
}

struct Admin {
    shell: Arc<Shell>,
}

#[async_trait]
impl Handler for Admin {
    async fn handle(
        &self,
        request: &mut Request,
        _: &mut Depot,
        response: &mut Response,
        flow: &mut FlowCtrl,
    ) {
        flow.skip_rest();
        let outcome = match (request.method().as_str(), request.uri().path()) {
            ("GET" | "HEAD", "/metrics") => Ok(Answer::bare(METRICS, self.shell.metrics.text())),
            ("GET" | "HEAD", "/healthz") => health(),
            ("GET" | "HEAD", "/readyz") => readiness(&self.shell),
            _ => Ok(bare(&json!({ "status": "not found" })).with_status(StatusCode::NOT_FOUND)),
        };
        let Ok(answer) = outcome else { return };
        response.status_code(answer.status);
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(answer.content_type));
        if let crate::answer::Content::Whole(bytes) = answer.body {
            response.body(ResBody::Once(bytes));
        }
    }
}
