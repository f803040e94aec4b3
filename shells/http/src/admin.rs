//! The service for the hall's operator: metrics, health and readiness.

use crate::endpoints::{health, readiness};
use crate::response::{JSON, Response};
use crate::shell::Shell;
use salvo::http::{HeaderValue, ResBody, StatusCode, header};
use salvo::{Depot, FlowCtrl, Handler, Request, Response as SalvoResponse, Router, Service, async_trait};
use serde_json::json;
use std::sync::Arc;

const METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

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
        response: &mut SalvoResponse,
        flow: &mut FlowCtrl,
    ) {
        flow.skip_rest();
        let outcome = match (request.method().as_str(), request.uri().path()) {
            ("GET" | "HEAD", "/metrics") => Ok(Response::bare(METRICS, self.shell.metrics.text())),
            ("GET" | "HEAD", "/healthz") => health(),
            ("GET" | "HEAD", "/readyz") => readiness(&self.shell),
            _ => Ok(Response::bare(JSON, json!({ "status": "not found" }).to_string())
                .with_status(StatusCode::NOT_FOUND)),
        };
        let Ok(answer) = outcome else { return };
        response.status_code(answer.status);
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(answer.content_type));
        if let crate::response::Content::Whole(bytes) = answer.body {
            response.body(ResBody::Once(bytes));
        }
    }
}
