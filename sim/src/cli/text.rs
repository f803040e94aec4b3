//! Reports as text for people, and as JSON with what only the program knows.

use hall_sim::report::Report;
use hall_sim::run::Choices;
use serde_json::{Value, json};
use std::fmt;
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
    pub(super) report: &'a Report,
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
        for violation in &report.violations {
            writeln!(out, "VIOLATION of {} at {}: {}", violation.invariant, violation.at, violation.text)?;
        }
        for violation in &report.unrest {
            writeln!(out, "NOT AT REST, {} at {}: {}", violation.invariant, violation.at, violation.text)?;
        }
        if report.is_clean() {
            writeln!(out, "Nothing was found.")
        } else {
            writeln!(out, "Again:   {}", self.reproduce)?;
            smaller(&self.reproduce).map_or(Ok(()), |smaller| writeln!(out, "Smaller: {smaller}"))
        }
    }
}

/// The command that makes the world of a `run` command smaller; there is none for a world that only shows bytes.
pub(super) fn smaller(reproduce: &str) -> Option<String> {
    let is_direct = reproduce.contains(" run ") && !reproduce.contains(" --world turmoil");
    is_direct.then(|| reproduce.replacen(" run ", " shrink ", 1))
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
