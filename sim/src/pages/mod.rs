//! A recorded world on paper: its trace as JSON lines, its games as PGN, and a timeline to look at.

mod games;
mod timeline;

pub use games::{GameSpan, games, pgns};
pub use timeline::timeline;

use crate::direct::{Observed, Recording};
use crate::log::Step;
use serde_json::json;

/// The whole trace: one JSON object for each decision, then one for each thing that befell the world, then the report.
pub fn trace(recording: &Recording) -> impl Iterator<Item = String> {
    let decided = recording.decided.iter().map(decision);
    let befell = recording.befell.iter().map(|(at, name)| json!({ "befell": name, "at": at }).to_string());
    decided.chain(befell).chain([json!({ "report": recording.report }).to_string()])
}

fn decision(observed: &Observed) -> String {
    let Observed { decision, seq, .. } = observed;
    let answer = match &decision.answer {
        Ok(reply) => format!("{reply:?}"),
        Err(rejection) => format!("refused: {rejection:?}"),
    };
    let effects: Vec<String> = decision.effects.iter().map(|effect| format!("{effect:?}")).collect();
    let step = Step::observed(observed, true);
    json!({ "record": seq, "step": step, "answer": answer, "effects": effects }).to_string()
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
