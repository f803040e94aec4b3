//! The short text that stands beside a legal move.

use super::board::{BAR, OFF};
use super::play_text::{Part, PlayText};
use alloc::string::String;
use core::fmt::{self, Write as _};

/// What is said of a turn in which nothing can be played.
pub(super) const PASS: &str = "no checker can move";

/// Room for most summaries, so that writing one allocates once.
const USUAL_LEN: usize = 48;

/// Says a play in words, as `24 to 18, 13 to 11 with a hit` or `8 to 5 with a hit to 4` or `6 off twice`.
pub(super) fn summary(play: &PlayText) -> String {
    let mut out = String::with_capacity(USUAL_LEN);
    write_all(&mut out, play).expect("writing to a string does not fail");
    out
}

fn write_all(out: &mut String, play: &PlayText) -> fmt::Result {
    for (part, times) in play.merged() {
        if !out.is_empty() {
            out.write_str(", ")?;
        }
        write_part(out, part)?;
        match times {
            1 => {}
            2 => out.write_str(" twice")?,
            _ => write!(out, " {times} times")?,
        }
    }
    Ok(())
}

fn write_part(out: &mut String, part: &Part) -> fmt::Result {
    match part.from {
        BAR => out.write_str("bar")?,
        from => write!(out, "{from}")?,
    }
    for stop in part.stops() {
        match stop.point {
            OFF => out.write_str(" off")?,
            point => write!(out, " to {point}")?,
        }
        if stop.hits {
            out.write_str(" with a hit")?;
        }
    }
    Ok(())
}
