//! A GTP engine for Go, Othello or Hex as a strategy. It is told the moves that it does not know yet, and asked for one.
//!
//! The engine's board follows the game's history and nothing else: where the two differ, because the engine's move was not
//! played or another game is asked about, the board is cleared and set up again.

mod dialect;

use super::process::{Errors, Process, ProgramError, RESERVE};
use crate::agent::report;
use dialect::Dialect;
use hall_client::answer::{LegalMove, View};
use hall_client::play::Turn;
use hall_client::wire::GameId;
use std::time::Duration;
use tokio::time::Instant;

/// The format of the records of the games that GTP engines play.
pub(super) const RECORD: &str = "sgf";
/// How long an engine may take to start.
const START: Duration = Duration::from_secs(10);
/// How long it may think where the hall states no deadline.
const WITHOUT_DEADLINE: Duration = Duration::from_secs(60);

/// An engine that runs, or will run again.
#[derive(Debug)]
pub(super) struct Gtp {
    command: String,
    movetime: Duration,
    process: Option<Process<String>>,
    name: String,
    /// What the engine's board holds: the game, and its moves as they were told.
    told: Option<(GameId, Vec<String>)>,
    /// Whether it was told something and has not answered yet.
    waiting: bool,
    /// The number of the last command, which its answer repeats.
    command_number: u64,
}

/// What an engine wants to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Wish<'a> {
    /// To make this move.
    Play(&'a LegalMove),
    /// To resign.
    Resign,
}

impl Gtp {
    /// Starts the engine, a program with its arguments, and asks its name. `movetime` is what it is told to take for a move.
    ///
    /// # Errors
    /// It does not start, or does not answer.
    pub(super) async fn start(command: &str, movetime: Duration) -> Result<Self, ProgramError> {
        let mut engine = Self {
            command: command.to_owned(),
            movetime,
            process: None,
            name: String::new(),
            told: None,
            waiting: false,
            command_number: 0,
        };
        engine.ensure_running(Instant::now() + START).await?;
        Ok(engine)
    }

    /// The engine's own name.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Everything that affects the engine's play, in one line.
    pub(super) fn describe(&self) -> String {
        format!("gtp {} movetime {} ms", self.command, self.movetime.as_millis())
    }

    /// Asks the engine, started again once if it turns out to be dead. Safe to drop halfway: the engine is then started
    /// again for the next question.
    ///
    /// # Errors
    /// Why there is no move.
    pub(super) async fn choose<'a>(&mut self, turn: &Turn<'a>) -> Result<Wish<'a>, ProgramError> {
        let time = turn.time_left.map_or(WITHOUT_DEADLINE, |left| left.saturating_sub(RESERVE));
        let until = Instant::now() + time;
        let answer = match self.ask(turn.view, until).await {
            Err(ProgramError::Ended) => {
                report::trouble("the engine ended; it is started again");
                self.process = None;
                self.ask(turn.view, until).await
            }
            answer => answer,
        };
        if answer.is_err() {
            self.told = None;
        }
        if answer.as_ref().is_err_and(ProgramError::is_broken) {
            // Dropping the process kills it.
            self.process = None;
        }
        let notation = answer?;
        if notation == "resign" {
            return Ok(Wish::Resign);
        }
        let legal = turn.view.legal_moves.iter().find(|legal| legal.notation == notation);
        legal.map(Wish::Play).ok_or_else(|| {
            // It has made the move on its own board.
            self.told = None;
            ProgramError::NotLegal(notation)
        })
    }

    /// The notation of the engine's move, or `resign`.
    async fn ask(&mut self, view: &View, until: Instant) -> Result<String, ProgramError> {
        let dialect = Dialect::of(view)?;
        self.ensure_running(until.min(Instant::now() + START)).await?;
        self.catch_up(dialect, view, until).await?;
        let color = color(view.you.player.seat());
        let vertex = self.tell(&format!("genmove {color}"), until).await?;
        if let Some((_, moves)) = &mut self.told {
            // As the engine has made it: one that has swapped sides holds another board than one that has swapped pieces.
            moves.push(play(color, &vertex));
        }
        Ok(dialect.notation(&vertex))
    }

    /// Sets up the engine's board as the view has it.
    async fn catch_up(&mut self, dialect: Dialect, view: &View, until: Instant) -> Result<(), ProgramError> {
        let moves: Vec<String> = view
            .history
            .iter()
            .filter_map(|turn| {
                Some(play(color(turn.player?.seat()), &dialect.vertex(turn.notation.as_deref()?)))
            })
            .collect();
        let known = match self.told.take() {
            Some((game, told)) if game == view.game_id && begins_with(&moves, &told) => told.len(),
            _ => {
                self.set_up(dialect, view, until).await?;
                0
            }
        };
        for command in moves.iter().skip(known) {
            match self.tell(command, until).await {
                // Some engines pass by themselves where they must, and know no such command.
                Err(ProgramError::Refused { .. })
                    if dialect.forces_passes() && command.ends_with(" pass") => {}
                told => told.map(drop)?,
            }
        }
        self.told = Some((view.game_id, moves));
        Ok(())
    }

    async fn set_up(&mut self, dialect: Dialect, view: &View, until: Instant) -> Result<(), ProgramError> {
        for command in dialect.set_up(view) {
            self.tell(&command, until).await?;
        }
        let seconds = self.movetime.as_millis().div_ceil(1_000);
        match self.tell(&format!("time_settings 0 {seconds} 1"), until).await {
            // Not every engine knows about time.
            Err(ProgramError::Refused { .. }) => Ok(()),
            told => told.map(drop),
        }
    }

    async fn ensure_running(&mut self, until: Instant) -> Result<(), ProgramError> {
        if self.waiting {
            // The answer to an abandoned question would be taken for that to the next one.
            self.process = None;
        }
        if self.process.as_ref().is_some_and(Process::is_running) {
            return Ok(());
        }
        if self.process.is_some() {
            report::trouble("the engine has ended; it is started again");
        }
        self.told = None;
        self.waiting = false;
        self.process = Some(Process::spawn(&self.command, Errors::Dropped, line)?);
        let name = self.tell("name", until).await?;
        let version = self.tell("version", until).await.unwrap_or_default();
        self.name = format!("{name} {version}").trim().to_owned();
        Ok(())
    }

    /// One command and the text of its answer.
    async fn tell(&mut self, command: &str, until: Instant) -> Result<String, ProgramError> {
        let process = self.process.as_mut().ok_or(ProgramError::Ended)?;
        self.waiting = true;
        self.command_number += 1;
        process.tell(&format!("{} {command}", self.command_number)).await?;
        let answer = loop {
            // What comes before it answers no command, or another one.
            if let Some(answer) = answer_to(self.command_number, &process.hear("a command", until).await?) {
                break answer;
            }
        };
        // An answer ends with an empty line.
        while !process.hear("a command", until).await?.is_empty() {}
        self.waiting = false;
        answer.map_err(|answer| ProgramError::Refused { command: command.to_owned(), answer })
    }
}

/// Every line matters, because an empty one ends an answer.
fn line(text: &str) -> Option<String> {
    Some(text.trim().to_owned())
}

/// The text of an answer, or of a refusal, if this line begins that to the command with this number.
fn answer_to(number: u64, line: &str) -> Option<Result<String, String>> {
    let (sign, rest) = line.split_at_checked(1)?;
    let text = rest.strip_prefix(&number.to_string())?;
    if text.starts_with(|letter: char| !letter.is_whitespace()) {
        return None;
    }
    match sign {
        "=" => Some(Ok(text.trim().to_owned())),
        "?" => Some(Err(text.trim().to_owned())),
        _ => None,
    }
}

/// The first seat is Black in all these games.
const fn color(seat: u8) -> &'static str {
    if seat == 0 { "B" } else { "W" }
}

/// Whether these moves begin with those: engines write vertices in capital and in small letters.
fn begins_with(moves: &[String], told: &[String]) -> bool {
    moves
        .get(..told.len())
        .is_some_and(|begun| begun.iter().zip(told).all(|(one, other)| one.eq_ignore_ascii_case(other)))
}

fn play(color: &str, vertex: &str) -> String {
    format!("play {color} {vertex}")
}

#[cfg(test)]
mod tests;
