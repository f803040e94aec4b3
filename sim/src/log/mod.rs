//! Command logs: what a hall decided, written down so that it can be decided again.
//!
//! A log is JSON lines: a [`Header`], a [`Step`] for each decision in the order in which they became state, and a
//! digest of the state at the end. Times and random bytes stand in the steps, so nothing else is needed. The journal
//! of a hall in production becomes a log too: see [`journal`].

mod body;
pub mod journal;
mod judge;
mod step;

pub use judge::{Judge, Judges, Panel, Refuted, StepResult, kind_of};
pub use step::{DecisionMode, DecisionOutcome, Step};

use crate::plan::WorldPlan;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The version of the layout.
pub const VERSION: u32 = 1;

/// The first line of a log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The version of the layout.
    pub hall_sim: u32,
    /// The version of the program that wrote it.
    pub build: String,
    /// What it shows, in one line.
    pub shows: String,
    /// The games on offer.
    pub catalog: Vec<String>,
    /// The plan of the world that it comes from, if it comes from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Box<WorldPlan>>,
    /// The trace hash of that world, in a file that has no steps and is replayed by running the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
    /// How many steps follow, as it is written in a file, so that one that was cut off is seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<usize>,
    /// Who looks on when it is decided again. Steps that an oracle tried are judged by the reference hall: no agent
    /// would have sent them.
    #[serde(default, skip_serializing_if = "Panel::is_all")]
    pub judged_by: Panel,
    /// What was checked of it when it was read, if it is the journal of a hall.
    #[serde(skip)]
    pub checked: Option<journal::Checked>,
}

impl Header {
    /// The header of a new log.
    #[must_use]
    pub fn new(shows: impl Into<String>, plan: Option<&WorldPlan>) -> Self {
        Self {
            hall_sim: VERSION,
            build: env!("CARGO_PKG_VERSION").to_owned(),
            shows: shows.into(),
            catalog: hall_games::CATALOG.iter().map(|game| game.describe().id.to_owned()).collect(),
            plan: plan.cloned().map(Box::new),
            trace: None,
            steps: None,
            judged_by: Panel::All,
            checked: None,
        }
    }
}

/// A log.
#[derive(Clone, Debug, PartialEq)]
pub struct Log {
    /// What it is.
    pub header: Header,
    /// The decisions.
    pub steps: Vec<Step>,
    /// The digest of the state after them, hexadecimal, if it was recorded.
    pub state: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Header(Box<Header>),
    Step(Box<Step>),
    State(String),
}

/// Why a file is no log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadableLog {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for UnreadableLog {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}: {}", self.line, self.reason)
    }
}

impl std::error::Error for UnreadableLog {}

impl Log {
    /// Reads a log: one of the simulator, or the journal of a hall.
    ///
    /// # Errors
    /// The text is neither, or a journal of which something is missing or was changed.
    pub fn parse(text: &str) -> Result<Self, UnreadableLog> {
        let text = text.trim_start_matches('\u{feff}');
        let begins = |with: &str| text.trim_start().starts_with(with);
        if ["{\"step\"", "{\"state\""].iter().any(|with| begins(with)) {
            let reason = "a log begins with its header, and here it is missing".to_owned();
            return Err(UnreadableLog { line: 1, reason });
        }
        if begins("{\"answer\"") || begins("{\"befell\"") {
            let reason = "this is a trace, which is to be read; `hall-sim record` writes what can be played"
                .to_owned();
            return Err(UnreadableLog { line: 1, reason });
        }
        if !begins("{\"header\"") {
            return journal::parse(text);
        }
        let mut header: Option<Header> = None;
        let (mut steps, mut state) = (Vec::new(), None);
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let unreadable = |reason: String| UnreadableLog { line: number, reason };
            if state.is_some() {
                return Err(unreadable("the state at the end is the last line of a log".into()));
            }
            match serde_json::from_str(line).map_err(|error| unreadable(error.to_string()))? {
                Line::Header(read) if read.hall_sim != VERSION => {
                    let known = format!("layout {} is not known, only {VERSION}", read.hall_sim);
                    return Err(unreadable(known));
                }
                Line::Header(_) if header.is_some() => {
                    return Err(unreadable("a second header".into()));
                }
                Line::Header(read) => header = Some(*read),
                Line::Step(step) if step.drawn().is_none() => {
                    return Err(unreadable("entropy is not hexadecimal".into()));
                }
                Line::Step(step) => steps.push(*step),
                Line::State(digest) => state = Some(digest),
            }
        }
        let last = text.lines().count();
        let unreadable = |reason: String| UnreadableLog { line: last, reason };
        let mut header = header.ok_or_else(|| unreadable("a log begins with its header".into()))?;
        match header.steps.take() {
            Some(count) if count != steps.len() => {
                let have = steps.len();
                Err(unreadable(format!(
                    "the header tells of {count} steps, and here are {have}: the file is not whole"
                )))
            }
            None if steps.is_empty() && header.trace.is_none() => {
                Err(unreadable("there are neither steps nor the trace hash of a plan".into()))
            }
            _ => Ok(Self { header, steps, state }),
        }
    }
}

/// The log as JSON lines.
impl fmt::Display for Log {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |line: &Line| {
            let text = serde_json::to_string(line).map_err(|_| fmt::Error)?;
            writeln!(out, "{text}")
        };
        let steps = (!self.steps.is_empty()).then_some(self.steps.len());
        line(&Line::Header(Box::new(Header { steps, ..self.header.clone() })))?;
        for step in &self.steps {
            line(&Line::Step(Box::new(step.clone())))?;
        }
        self.state.as_ref().map_or(Ok(()), |digest| line(&Line::State(digest.clone())))
    }
}
