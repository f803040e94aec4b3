//! The report on paper: plain lines, or JSON.

use crate::terminal::plain;
use hall_verify::replay::{Claim, ReplayReport, Verdict};
use std::io::{self, Write};

/// One line for each claim, the reason below it, and what it comes to.
pub(super) fn lines(report: &ReplayReport, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "Replay of {}", plain(report.game_id()))?;
    let mut counts = [0; 3];
    for claim in report.claims() {
        let (place, word, reason) = match &claim.verdict {
            Verdict::Holds => (0, "holds", None),
            Verdict::Fails(reason) => (1, "FAILS", Some(reason)),
            Verdict::NotChecked(why) => (2, "not checked", Some(why)),
        };
        if let Some(count) = counts.get_mut(place) {
            *count += 1;
        }
        writeln!(out, "  {word:<11}  {:<16} {}", claim.id.as_str(), plain(&claim.sentence))?;
        if let Some(reason) = reason {
            writeln!(out, "{:31}{}", "", plain(reason))?;
        }
    }
    let [holds, fails, left] = counts;
    writeln!(out, "{holds} claims hold, {fails} fail, {left} are not checked.")?;
    if left > 0 {
        let names: Vec<&str> = report.not_checked().map(|claim| claim.id.as_str()).collect();
        writeln!(out, "Not checked: {}.", names.join(", "))?;
    }
    match report.first_failing() {
        None => writeln!(out, "Every claim that was checked holds."),
        Some(Claim { id, verdict, .. }) => {
            let reason = if let Verdict::Fails(reason) = verdict { plain(reason) } else { String::new() };
            writeln!(out, "The first claim that fails is {id}: {reason}")
        }
    }
}

/// The same as one JSON object.
pub(super) fn json(report: &ReplayReport, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{:#}", report.to_json())
}
