//! A program in any language that chooses moves: for each turn it reads the view as one line of JSON, and writes its
//! choice as another, `{"index": n}` or `{"move": "…"}`. It needs no network and no key.
//!
//! The program is started once and asked for every turn of every game. What goes wrong is reported, and a quick choice of
//! the agent itself is played in that turn: a program that ends is started again, and asked once more if there is time; one
//! that is silent until [`RESERVE`] is left is stopped, and started again at the next turn; a line that is no answer, or names
//! no legal move, costs that turn alone.

use super::process::{Errors, Process, ProgramError, RESERVE};
use crate::agent::report;
use hall_client::answer::{LegalMove, View};
use hall_client::play::Turn;
use serde::Deserialize;
use std::time::Duration;
use tokio::time::Instant;

/// How long a program may think where the hall states no deadline.
const WITHOUT_DEADLINE: Duration = Duration::from_secs(60);

/// A program that runs, or will run again.
#[derive(Debug)]
pub(super) struct Exec {
    command: String,
    process: Option<Process<String>>,
    /// Whether it was asked and has not answered: the question may have been dropped halfway.
    thinking: bool,
}

/// What a program answers. Exactly one of the two names the move.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    index: Option<u32>,
    #[serde(rename = "move")]
    notation: Option<String>,
}

impl Exec {
    /// Starts the program, a command with its arguments separated by white space.
    ///
    /// # Errors
    /// It cannot be started.
    pub(super) fn start(command: &str) -> Result<Self, ProgramError> {
        let mut exec = Self { command: command.to_owned(), process: None, thinking: false };
        exec.running()?;
        Ok(exec)
    }

    /// The program and its arguments.
    pub(super) fn command(&self) -> &str {
        &self.command
    }

    /// Asks the program. Safe to drop halfway: the program is then started again for the next question.
    ///
    /// # Errors
    /// Why there is no move.
    pub(super) async fn choose<'a>(&mut self, turn: &Turn<'a>) -> Result<&'a LegalMove, ProgramError> {
        let time = turn.time_left.map_or(WITHOUT_DEADLINE, |left| left.saturating_sub(RESERVE));
        let until = Instant::now() + time;
        let answer = match self.ask(turn.view, until).await {
            Err(ProgramError::Ended) => {
                report::trouble("the program ended; it is started again");
                self.process = None;
                self.ask(turn.view, until).await
            }
            answer => answer,
        };
        if answer.as_ref().is_err_and(ProgramError::is_broken) {
            // Dropping the process kills it.
            self.process = None;
        }
        read(turn.view, &answer?)
    }

    async fn ask(&mut self, view: &View, until: Instant) -> Result<String, ProgramError> {
        if self.thinking {
            // Its answer would be taken for one to this question.
            self.process = None;
        }
        let question = serde_json::to_string(view).unwrap_or_default();
        let process = self.running()?;
        if let Some(line) = process.heard() {
            // So is this one: it was not asked for.
            self.process = None;
            return Err(ProgramError::Nonsense(shortened(&line)));
        }
        self.thinking = true;
        let process = self.running()?;
        // A program that does not read must not hold up the turn.
        tokio::time::timeout_at(until, process.tell(&question))
            .await
            .map_err(|_| ProgramError::Silent("a view"))??;
        let answer = process.hear("a view", until).await;
        self.thinking = answer.is_err();
        answer
    }

    fn running(&mut self) -> Result<&mut Process<String>, ProgramError> {
        if self.process.as_mut().is_none_or(|process| !process.is_running()) {
            if self.process.is_some() {
                report::trouble("the program has ended; it is started again");
            }
            self.process = Some(Process::spawn(&self.command, Errors::Shown, line)?);
            self.thinking = false;
        }
        self.process.as_mut().ok_or(ProgramError::Ended)
    }
}

/// Every line matters but an empty one.
fn line(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The legal move that an answer names.
fn read<'a>(view: &'a View, line: &str) -> Result<&'a LegalMove, ProgramError> {
    let nonsense = || ProgramError::Nonsense(shortened(line));
    let answer: Answer = serde_json::from_str(line).map_err(|_| nonsense())?;
    let mut legal = view.legal_moves.iter();
    match (answer.index, answer.notation) {
        (Some(index), None) => {
            legal.find(|legal| legal.index == index).ok_or_else(|| ProgramError::NotLegal(index.to_string()))
        }
        (None, Some(notation)) => legal
            .find(|legal| legal.notation == notation)
            .ok_or_else(|| ProgramError::NotLegal(shortened(&notation))),
        (Some(_), Some(_)) | (None, None) => Err(nonsense()),
    }
}

/// The beginning of a text, for a report.
fn shortened(text: &str) -> String {
    text.chars().take(80).collect()
}

#[cfg(test)]
mod tests;
