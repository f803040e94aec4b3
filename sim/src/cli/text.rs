//! Reports as text for people, and as JSON with what only the program knows.

use hall_sim::report::{Violation, WorldReport};
use hall_sim::run::Choices;
use serde_json::{Value, json};
use std::fmt;
use std::fmt::Write as _;
use std::time::Duration;

/// Width of the lines that lists are broken into.
const WIDTH: usize = 100;

/// The command that runs a world again.
pub(super) fn command(choices: &Choices) -> String {
    format!("hall-sim run {choices}")
}

/// A report with the time that it took.
pub(super) struct Timed<'a> {
    /// The report.
    pub(super) report: &'a WorldReport,
    /// Wall time.
    pub(super) wall: Duration,
    /// The command that runs it again.
    pub(super) reproduce: String,
}

impl Timed<'_> {
    /// One JSON object: the report, with the wall time and the command.
    pub(super) fn json(&self) -> Value {
        let mut value = json!(self.report);
        let wall = u64::try_from(self.wall.as_millis()).unwrap_or(u64::MAX);
        if let Some(members) = value.as_object_mut() {
            members.insert("wall_millis".to_owned(), json!(wall));
            members.insert("reproduce".to_owned(), json!(self.reproduce));
        }
        value
    }

    /// What should not have been, with the commands that run it again and make it smaller; `None` if it was clean.
    pub(super) fn objections(&self) -> Option<String> {
        if self.report.is_clean() {
            return None;
        }
        let mut text = findings(self.report);
        let _ = write!(text, "Again:   {}", self.reproduce);
        if let Some(smaller) = smaller(&self.reproduce) {
            let _ = write!(text, "\nSmaller: {smaller}");
        }
        Some(text)
    }
}

impl fmt::Display for Timed<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report = self.report;
        writeln!(
            out,
            "Seed {}, the {} world, profile {}: {} agents, signatures {}",
            report.seed, report.world, report.profile, report.agents, report.crypto
        )?;
        writeln!(
            out,
            "  games      {} begun, {} ended; {} turns, {} strikes",
            report.games_begun, report.games_ended, report.turns, report.strikes
        )?;
        writeln!(
            out,
            "  hall       {} requests, {} records in its journal, {} starts",
            report.requests, report.records, report.starts
        )?;
        let millis = u64::try_from(self.wall.as_millis()).unwrap_or(u64::MAX).max(1);
        writeln!(
            out,
            "  time       {} virtual in {} ms: {} times as fast; {} turns a second",
            hours(report.virtual_millis),
            millis,
            report.virtual_millis / millis,
            report.turns * 1_000 / millis
        )?;
        let faults: Vec<String> =
            report.faults.iter().map(|(name, count)| format!("{name} {count}")).collect();
        list(out, "faults", &faults)?;
        let marks: Vec<String> = report.marks.iter().cloned().collect();
        list(out, &format!("{} marks", marks.len()), &marks)?;
        writeln!(out, "  trace      {}", report.trace_hash)?;
        if let Some(reason) = &report.halted {
            writeln!(out, "  halted     {reason}")?;
        }
        let verdict = self.objections().unwrap_or_else(|| "Nothing was found.".to_owned());
        writeln!(out, "{verdict}")
    }
}

/// What should not have been in a world, a line each; empty if it was clean.
pub(super) fn findings(report: &WorldReport) -> String {
    let mut text = String::new();
    for Violation { invariant, at, text: found } in &report.violations {
        let _ = writeln!(text, "VIOLATION of {invariant} at {at}: {found}");
    }
    for Violation { invariant, at, text: found } in &report.unrest {
        let _ = writeln!(text, "NOT AT REST, {invariant} at {at}: {found}");
    }
    text
}

/// The command that makes the world of a `run` command smaller, or what to do instead; nothing for a world that was
/// asked for otherwise.
pub(super) fn smaller(reproduce: &str) -> Option<String> {
    if reproduce.contains(" --world turmoil") {
        return Some("turmoil worlds are not shrunk; try the same with fewer --agents".to_owned());
    }
    reproduce.contains(" run ").then(|| reproduce.replacen(" run ", " shrink ", 1))
}

/// A span as hours, minutes and seconds.
pub(super) fn hours(millis: u64) -> String {
    let seconds = millis / 1_000;
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours} h {minutes:02} min") } else { format!("{minutes} min {seconds:02} s") }
}

/// A named list, broken into lines.
pub(super) fn list(out: &mut dyn fmt::Write, name: &str, items: &[String]) -> fmt::Result {
    write!(out, "  {name:<10}")?;
    if items.is_empty() {
        return writeln!(out, " none");
    }
    let mut column = 13;
    for (place, item) in items.iter().enumerate() {
        let comma = if place + 1 < items.len() { "," } else { "" };
        if column + item.len() + 2 > WIDTH && place > 0 {
            write!(out, "\n{:13}{item}{comma}", "")?;
            column = 13 + item.len();
        } else {
            write!(out, " {item}{comma}")?;
            column += item.len() + 2;
        }
    }
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_wire::Timestamp;

    fn failed() -> WorldReport {
        let found = |invariant| vec![Violation::new(invariant, Timestamp::default(), "two of one")];
        WorldReport { violations: found("M1"), unrest: found("V1"), ..WorldReport::default() }
    }

    #[test]
    fn the_report_of_a_failing_world_has_all_findings_and_commands_to_repeat_them() {
        let report = failed();
        let reproduce = "hall-sim run --seed 5 --profile swarm".to_owned();
        let timed = Timed { report: &report, wall: Duration::ZERO, reproduce };
        let told = timed.objections().unwrap();
        assert_eq!(
            told,
            "VIOLATION of M1 at 1970-01-01T00:00:00.000Z: two of one\nNOT AT REST, V1 at \
             1970-01-01T00:00:00.000Z: two of one\nAgain:   hall-sim run --seed 5 --profile swarm\nSmaller: \
             hall-sim shrink --seed 5 --profile swarm"
        );
        assert!(timed.to_string().trim_end().ends_with(&told), "`run` says the same");
    }

    #[test]
    fn the_report_of_a_clean_world_has_no_findings() {
        let report = WorldReport::default();
        let timed = Timed { report: &report, wall: Duration::ZERO, reproduce: String::new() };
        assert_eq!(timed.objections(), None);
        assert!(timed.to_string().ends_with("Nothing was found.\n"));
    }
}
