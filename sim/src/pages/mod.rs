//! A recorded world on paper: its trace as JSON lines, its games as PGN, and a timeline to look at.

mod games;
mod steps;
mod timeline;

pub use games::{GameSpan, games, pgns};
pub use timeline::{often, timeline};

use crate::direct::{Observed, Recording};
use crate::log::Step;
use hall_core::Answer;
use serde_json::{Value, json};

/// The whole trace, one JSON object a line: each decision, and between them what happened to the world, in order of time; then
/// the report.
pub fn trace(recording: &Recording) -> impl Iterator<Item = String> {
    let mut incidents = recording.incidents.iter().peekable();
    let mut lines = Vec::with_capacity(recording.decided.len() + recording.incidents.len() + 1);
    for observed in &recording.decided {
        while let Some((at, name)) = incidents.next_if(|(at, _)| *at < observed.at) {
            lines.push(json!({ "befell": name, "at": at }).to_string());
        }
        lines.push(decision(observed));
    }
    lines.extend(incidents.map(|(at, name)| json!({ "befell": name, "at": at }).to_string()));
    lines.push(json!({ "report": recording.report }).to_string());
    lines.into_iter()
}

fn decision(observed: &Observed) -> String {
    let Observed { decision, seq, .. } = observed;
    let (answer, step) = (answered(&decision.answer), Step::observed(observed, true));
    json!({ "record": seq, "step": step, "answer": answer, "effects": decision.effects }).to_string()
}

/// An answer with all that it says: `granted` or `refused`.
#[must_use]
pub fn answered(answer: &Answer) -> Value {
    match answer {
        Ok(reply) => json!({ "granted": reply }),
        Err(rejection) => json!({ "refused": rejection }),
    }
}

/// The first line in which two traces differ, from 1, with both lines; `None` if they are the same.
pub fn first_divergence(
    one: impl IntoIterator<Item = String>,
    other: impl IntoIterator<Item = String>,
) -> Option<(usize, String, String)> {
    let (mut one, mut other) = (one.into_iter(), other.into_iter());
    let end = || "(the trace has ended)".to_owned();
    for number in 1.. {
        match (one.next(), other.next()) {
            (None, None) => return None,
            (left, right) if left != right => {
                return Some((number, left.unwrap_or_else(end), right.unwrap_or_else(end)));
            }
            _ => {}
        }
    }
    None
}
