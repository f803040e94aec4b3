//! Logging to standard error: one line per event, as text or as JSON. In a process that is one of several of a hall every line
//! names it, and the epoch that it knows.

use std::fmt;
use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use tracing::{Event, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::{FormatEvent, FormatFields, Writer};
use tracing_subscriber::fmt::{FmtContext, format};
use tracing_subscriber::registry::LookupSpan;

/// The default log level of the MCP library: it logs the beginning and end of every message, which the hall already
/// logs as a request, and as an error that a client did not stay for its answer.
const QUIET: &str = "rmcp=error,rmcp::service=off";

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
        .with_env_filter(EnvFilter::new(filter))
        // It would be told on standard error, which is what failed, and panic there: in the middle of a request.
        .log_internal_errors(false);
    let ansi = std::io::stderr().is_terminal();
    // A second start, as in tests, changes nothing.
    let _ = if logging.json {
        lines.json().event_format(Named { lines: json(), by: &NODE }).try_init()
    } else {
        lines.with_ansi(ansi).event_format(Named { lines: format().with_ansi(ansi), by: &NODE }).try_init()
    };
}

/// From now on every line names this process among several of one hall, and `epoch` unless that is 0. Only the first call in a
/// process counts.
pub fn name_node(name: &str, epoch: Arc<AtomicU64>) {
    let _ = NODE.set(Node { name: name.to_owned(), epoch });
}

/// What the lines of this process name.
static NODE: OnceLock<Node> = OnceLock::new();

struct Node {
    name: String,
    epoch: Arc<AtomicU64>,
}

fn json() -> format::Format<format::Json> {
    format().json().flatten_event(true)
}

/// Lines that name the node, once there is one.
struct Named<F> {
    lines: F,
    by: &'static OnceLock<Node>,
}

impl<S, N, F> FormatEvent<S, N> for Named<F>
where
    S: Subscriber + for<'lookup> LookupSpan<'lookup>,
    N: for<'writer> FormatFields<'writer> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut out: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let Some(Node { name, epoch }) = self.by.get() else {
            return self.lines.format_event(context, out, event);
        };
        let mut line = String::new();
        self.lines.format_event(context, Writer::new(&mut line), event)?;
        let epoch = Some(epoch.load(Ordering::Relaxed)).filter(|epoch| *epoch > 0);
        match line.strip_prefix('{') {
            Some(members) => {
                write!(out, "{{\"node\":{}", serde_json::json!(name))?;
                epoch.map_or(Ok(()), |epoch| write!(out, ",\"epoch\":{epoch}"))?;
                write!(out, ",{members}")
            }
            None => {
                write!(out, "{} node={name:?}", line.trim_end())?;
                epoch.map_or(Ok(()), |epoch| write!(out, " epoch={epoch}"))?;
                writeln!(out)
            }
        }
    }
}

/// Logs only what is wrong: for commands that speak to a person.
pub fn start_quietly() {
    start(&Logging { json: false, filter: "warn".to_owned() });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::sync::Mutex;
    use tracing::dispatcher::{Dispatch, with_default};

    /// What was written, shared with the test.
    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    impl Written {
        fn last(&self) -> String {
            let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
            assert!(text.ends_with('\n'));
            text.lines().last().unwrap().to_owned()
        }
    }

    #[test]
    fn every_line_names_the_node_and_the_epoch_once_they_are_known() {
        static BY: OnceLock<Node> = OnceLock::new();
        let (text, as_json) = (Written::default(), Written::default());
        let (writer, json_writer) = (text.clone(), as_json.clone());
        let lines: Dispatch = tracing_subscriber::fmt()
            .with_writer(move || writer.clone())
            .event_format(Named { lines: format().with_ansi(false), by: &BY })
            .finish()
            .into();
        let json_lines: Dispatch = tracing_subscriber::fmt()
            .with_writer(move || json_writer.clone())
            .json()
            .event_format(Named { lines: json(), by: &BY })
            .finish()
            .into();
        let log = |seq: u64| {
            with_default(&lines, || tracing::info!(seq, "this node leads"));
            with_default(&json_lines, || tracing::info!(seq, "this node leads"));
            (text.last(), serde_json::from_str::<serde_json::Value>(&as_json.last()).unwrap())
        };
        let (line, members) = log(1);
        assert!(line.ends_with("this node leads seq=1"), "{line}");
        assert_eq!((members.get("node"), members.get("epoch")), (None, None));
        let epoch = Arc::new(AtomicU64::new(0));
        drop(BY.set(Node { name: "a \"b\"".to_owned(), epoch: Arc::clone(&epoch) }));
        let (line, members) = log(2);
        assert!(line.ends_with(r#"this node leads seq=2 node="a \"b\"""#), "{line}");
        assert_eq!((members["node"].as_str(), members.get("epoch")), (Some("a \"b\""), None));
        epoch.store(7, Ordering::Relaxed);
        let (line, members) = log(3);
        assert!(line.ends_with(r#"seq=3 node="a \"b\"" epoch=7"#), "{line}");
        assert_eq!((members["epoch"].as_u64(), members["seq"].as_u64()), (Some(7), Some(3)));
        assert_eq!(members["message"], "this node leads");
    }
}
