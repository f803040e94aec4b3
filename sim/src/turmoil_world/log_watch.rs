//! Reads what the hall writes into its log while a world runs: no operator token may be in it (A9).

use super::chronicle::Shared;
use super::tokens;
use std::fmt::{Debug, Write as _};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Looks at every line of the log of this thread.
pub(super) struct LogWatch(pub(super) Shared);

impl LogWatch {
    fn look(&self, fields: impl FnOnce(&mut LogLine)) {
        let mut line = LogLine::default();
        fields(&mut line);
        if tokens::is_in(line.0.as_bytes()) {
            self.0.violation("A9", format!("an operator token is in the log: {}", line.0));
        }
    }
}

impl Subscriber for LogWatch {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("hall")
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::DEBUG)
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        self.look(|line| span.record(line));
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        self.look(|line| values.record(line));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        self.look(|line| event.record(line));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// The fields of one line.
#[derive(Default)]
struct LogLine(String);

impl Visit for LogLine {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        // Writing into a string cannot fail.
        let _ = write!(self.0, "{field}={value:?} ");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing::subscriber::with_default;

    #[test]
    fn a_token_in_the_log_is_reported() {
        let chronicle = Shared::default();
        let found = || {
            let violations = std::mem::take(&mut chronicle.open().report.violations);
            violations.into_iter().map(|violation| violation.invariant).collect::<Vec<_>>()
        };
        let token = tokens::token(7);
        with_default(LogWatch(chronicle.clone()), || tracing::info!(operator = 7, "registered"));
        assert_eq!(found(), [""; 0]);
        with_default(LogWatch(chronicle.clone()), || tracing::info!(?token, "registered"));
        assert_eq!(found(), ["A9"]);
        with_default(LogWatch(chronicle.clone()), || tracing::warn!("{token} is unknown"));
        assert_eq!(found(), ["A9"]);
    }
}
