//! Output for people: one line per event, on standard output, and faults on standard error.

use hall_client::play::{Event, Tally};
use hall_client::wire::Timestamp;
use std::io::Write as _;
use std::time::SystemTime;

/// Prints events and keeps count of the live games.
#[derive(Debug)]
pub(super) struct EventPrinter {
    live: usize,
    detail: Detail,
}

/// How much is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// Every event.
    All,
    /// Results and errors.
    Results,
}

impl EventPrinter {
    pub(super) const fn new(detail: Detail) -> Self {
        Self { live: 0, detail }
    }

    /// Prints what is neither a result nor an error.
    pub(super) fn note(&self, text: &str) {
        if self.detail == Detail::All {
            print(text);
        }
    }

    /// How many games are live according to the events so far.
    pub(super) const fn live_games(&self) -> usize {
        self.live
    }

    pub(super) fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Seated { .. } => self.live += 1,
            Event::Ended { .. } => self.live = self.live.saturating_sub(1),
            Event::FellBack { .. } | Event::Trouble { .. } => {}
            Event::Entered(_)
            | Event::Homologated(_)
            | Event::Queued
            | Event::Answered { .. }
            | Event::Limited(_) => return self.note(&event.to_string()),
        }
        if matches!(event, Event::Seated { .. }) {
            self.note(&event.to_string());
        } else {
            print(&event.to_string());
        }
    }
}

/// Prints how the games of this run ended.
pub(super) fn tally(tally: &Tally) {
    let Tally { wins, losses, draws, aborted } = tally;
    let aborted = if *aborted > 0 { format!(", {aborted} aborted") } else { String::new() };
    print(&format!("done: {wins} won, {losses} lost, {draws} drawn{aborted}"));
}

/// Prints what went wrong with the agent itself, on standard error.
pub(super) fn trouble(text: &str) {
    let _ = writeln!(std::io::stderr(), "hall agent: {text}");
}

/// Prints a line with the time of day in UTC.
pub(super) fn print(text: &str) {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let now = Timestamp::from_millis(i64::try_from(now.as_millis()).unwrap_or(0)).to_string();
    let time = now.get(11..19).unwrap_or_default();
    // Nobody may be reading any more; the game continues anyway.
    let _ = writeln!(std::io::stdout(), "{time} {text}");
}
