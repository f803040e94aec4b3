//! The report on paper: plain lines, or JSON.

use hall_verify::replay::{Claim, ReplayReport, Verdict};
use std::io::{self, Write};

/// The longest text of a reason that is shown, in characters: it may quote what the replay says.
const MAX_SHOWN: usize = 400;

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

/// Text for a terminal: what a stranger wrote must not move its cursor or turn its lines around.
pub(super) fn plain(text: &str) -> String {
    let hidden = |letter: char| {
        letter.is_control()
            || matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut shown = String::new();
    for (place, letter) in text.chars().enumerate() {
        if place == MAX_SHOWN {
            shown.push('…');
            break;
        }
        if hidden(letter) { shown.extend(letter.escape_unicode()) } else { shown.push(letter) }
    }
    shown
}
