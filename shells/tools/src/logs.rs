//! Logging to standard error: one line per event, as text or as JSON.

use std::io::IsTerminal as _;
use tracing_subscriber::EnvFilter;

/// The default log level of the MCP library: it logs the beginning and end of every message, which the hall already
/// logs as a request.
const QUIET: &str = "rmcp=error";

/// How to log.
#[derive(Clone, Debug)]
pub struct Logging {
    /// One JSON object a line rather than text.
    pub json: bool,
    /// What to log.
    pub filter: String,
}

/// Starts logging; only the first call in a process counts.
pub fn start(logging: &Logging) {
    let filter = if logging.filter.contains("rmcp") {
        logging.filter.clone()
    } else {
        format!("{QUIET},{}", logging.filter)
    };
    let lines = tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_env_filter(EnvFilter::new(filter));
    // A second start, as in tests, changes nothing.
    let _ = if logging.json { lines.json().flatten_event(true).try_init() } else { lines.try_init() };
}

/// Logs only what is wrong: for commands that speak to a person.
pub fn start_quietly() {
    start(&Logging { json: false, filter: "warn".to_owned() });
}
