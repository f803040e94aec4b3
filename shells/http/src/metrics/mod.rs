//! Metrics for the hall's operator, in the text format of Prometheus. Each shell has its own registry.
//!
//! | module | what it owns |
//! |---|---|
//! | `measured` | what the hall and the shells beside it count |
//! | `play` | games, turns, strikes, lobbies |
//! | `process` | the process as the operating system knows it, and the build |

mod measured;
mod play;
mod process;

pub(crate) use measured::Measured;

use crate::errors::ApiCode;
use process::{Build, Process};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::{encode_eof, encode_registry};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use std::time::Duration;

/// Upper bounds of the request time histogram, in seconds. A long poll takes up to 25.
const REQUEST_SECONDS: [f64; 10] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1.0, 5.0, 30.0];
/// Failures that are served as 0 from the start, so that their first occurrence is an increase.
const ALARMING: [ApiCode; 3] = [ApiCode::Internal, ApiCode::Unavailable, ApiCode::RateLimited];

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    operation: &'static str,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OperationLabels {
    operation: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CodeLabels {
    code: &'static str,
}

/// The request metrics, and the registry of all metrics.
pub(crate) struct Metrics {
    registry: Registry,
    /// Metrics of the process, under the names that every Prometheus exporter uses.
    standard: Registry,
    requests: Family<RequestLabels, Counter>,
    seconds: Family<OperationLabels, Histogram>,
    failures: Family<CodeLabels, Counter>,
}

impl Metrics {
    pub(crate) fn new(measured: Measured) -> Self {
        let mut registry = Registry::with_prefix("hall");
        let requests = Family::default();
        registry.register("http_requests", "Requests answered, by operation and status", requests.clone());
        let constructor: fn() -> Histogram = || Histogram::new(REQUEST_SECONDS);
        let seconds = Family::new_with_constructor(constructor);
        let help = "Time from a request's head to the start of its answer";
        registry.register("http_request_seconds", help, seconds.clone());
        let failures: Family<CodeLabels, Counter> = Family::default();
        for code in ALARMING {
            drop(failures.get_or_create(&CodeLabels { code: code.as_str() }));
        }
        registry.register("http_failures", "Failures answered, by error code", failures.clone());
        registry.register_collector(Box::new(measured));
        registry.register_collector(Box::new(Build));
        let mut standard = Registry::default();
        standard.register_collector(Box::new(Process));
        Self { registry, standard, requests, seconds, failures }
    }

    /// Counts an answer. `operation` is the id of the route, `None` where none was found.
    pub(crate) fn answered(&self, operation: Option<&'static str>, status: u16, took: Duration) {
        let operation = operation.unwrap_or("none");
        self.requests.get_or_create(&RequestLabels { operation, status }).inc();
        self.seconds.get_or_create(&OperationLabels { operation }).observe(took.as_secs_f64());
    }

    /// Counts a failure by its code.
    pub(crate) fn failed(&self, code: &'static str) {
        self.failures.get_or_create(&CodeLabels { code }).inc();
    }

    /// Everything as text.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        let registries = [&self.registry, &self.standard];
        let written = registries.into_iter().try_for_each(|registry| encode_registry(&mut text, registry));
        // Writing into a string cannot fail; a collector that does leaves the rest out.
        if written.and_then(|()| encode_eof(&mut text)).is_err() {
            tracing::error!("a metric cannot be written");
        }
        text
    }
}
