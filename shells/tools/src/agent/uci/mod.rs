//! A UCI engine as a strategy: asked within the available time, restarted when it dies.

mod engine_line;

use super::process::{Errors, Process, ProgramError, RESERVE};
use super::{board, report};
use engine_line::EngineLine;
use hall_client::answer::{LegalMove, View};
use hall_client::play::Turn;
use hall_client::wire::GameId;
use std::time::Duration;
use tokio::time::Instant;

/// The game that UCI is made for, and that every engine plays.
pub(super) const GAME: &str = "chess";
/// The format of the records of the games that UCI engines play: chess and its relatives.
pub(super) const RECORD: &str = "pgn";
/// How long an engine may take to start and to say `readyok`.
const START: Duration = Duration::from_secs(10);
/// How long after its thinking time an engine may take to say `bestmove`.
const GRACE: Duration = Duration::from_secs(2);

/// The engine's command and how it is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EngineSettings {
    /// A program and its arguments, separated by white space.
    pub(super) command: String,
    /// Options to set, as `NAME=VALUE`, or `NAME` for a button.
    pub(super) options: Vec<String>,
    /// How long it thinks about a move.
    pub(super) movetime: Duration,
}

/// An engine that runs, or will run again.
#[derive(Debug)]
pub(crate) struct Engine {
    settings: EngineSettings,
    process: Option<Process<EngineLine>>,
    name: String,
    /// The game it was last asked about.
    game: Option<GameId>,
    /// Whether it was asked and has not answered yet: the question may have been dropped halfway.
    thinking: bool,
}

impl EngineSettings {
    /// Everything that affects the engine's play, in one line.
    pub(super) fn describe(&self) -> String {
        format!(
            "uci {} [{}] movetime {} ms",
            self.command,
            self.options.join("; "),
            self.movetime.as_millis()
        )
    }
}

impl Engine {
    /// Starts the engine and waits until it is ready.
    ///
    /// # Errors
    /// [`ProgramError::Start`], [`ProgramError::Ended`] or [`ProgramError::Silent`].
    pub(super) async fn start(settings: EngineSettings) -> Result<Self, ProgramError> {
        let mut engine = Self { settings, process: None, name: String::new(), game: None, thinking: false };
        engine.ensure_running(Instant::now() + START).await?;
        Ok(engine)
    }

    pub(super) fn settings(&self) -> &EngineSettings {
        &self.settings
    }

    /// The engine's own name; its command if it gives none.
    pub(super) fn name(&self) -> &str {
        if self.name.is_empty() { &self.settings.command } else { &self.name }
    }

    /// Asks the engine, restarting it once if it turns out to be dead.
    ///
    /// Safe to drop halfway: the next question first ends this one.
    ///
    /// # Errors
    /// Why there is no move; the engine is then stopped and started again at the next turn.
    pub(super) async fn choose<'a>(&mut self, turn: &Turn<'a>) -> Result<&'a LegalMove, ProgramError> {
        let until = turn.time_left.map(|left| Instant::now() + left.saturating_sub(RESERVE));
        let first = self.ask(turn.view, until).await;
        let answer = match first {
            Err(ProgramError::Ended) => {
                report::trouble("the engine ended; it is started again");
                self.process = None;
                self.ask(turn.view, until).await
            }
            other => other,
        };
        if answer.as_ref().is_err_and(ProgramError::is_broken) {
            // Dropping the process kills it.
            self.process = None;
        }
        let notation = answer?;
        let legal = turn.view.legal_moves.iter().find(|legal| legal.notation == notation);
        legal.ok_or_else(|| {
            // It plays another game than this one.
            self.process = None;
            ProgramError::NotLegal(notation)
        })
    }

    /// One question and its answer, before `until`.
    async fn ask(&mut self, view: &View, until: Option<Instant>) -> Result<String, ProgramError> {
        let bound = |span: Duration| {
            let end = Instant::now() + span;
            until.map_or(end, |until| end.min(until))
        };
        self.ensure_running(bound(START)).await?;
        self.end_old_question(bound(GRACE)).await?;
        let new_game = self.game.replace(view.game_id) != Some(view.game_id);
        let process = self.process.as_mut().ok_or(ProgramError::Ended)?;
        if new_game {
            process.tell("ucinewgame").await?;
        }
        // What it says before it is ready answers no question of this turn.
        process.tell("isready").await?;
        expect(process, "isready", bound(START), |said| matches!(said, EngineLine::Ready)).await?;
        process.tell(&position_line(view)).await?;
        let left =
            until.map_or(self.settings.movetime, |until| until.saturating_duration_since(Instant::now()));
        // Half of the grace is for the way through the pipes.
        let movetime =
            self.settings.movetime.min(left.saturating_sub(GRACE / 2)).max(Duration::from_millis(1));
        self.thinking = true;
        process.tell(&format!("go movetime {}", movetime.as_millis())).await?;
        let answer = best_move(process, bound(movetime + GRACE)).await;
        self.thinking = answer.is_err();
        answer
    }

    /// Starts the engine if it does not run.
    async fn ensure_running(&mut self, until: Instant) -> Result<(), ProgramError> {
        if self.process.as_ref().is_some_and(Process::is_running) {
            return Ok(());
        }
        if self.process.is_some() {
            report::trouble("the engine has ended; it is started again");
        }
        self.process = None;
        self.game = None;
        self.thinking = false;
        let mut process = Process::spawn(&self.settings.command, Errors::Dropped, engine_line::read)?;
        process.tell("uci").await?;
        loop {
            match process.hear("uci", until).await? {
                EngineLine::Name(name) => self.name = name,
                EngineLine::UciOk => break,
                EngineLine::Ready | EngineLine::BestMove(_) => {}
            }
        }
        for option in &self.settings.options {
            let line = match option.split_once('=') {
                Some((name, value)) => format!("setoption name {} value {}", name.trim(), value.trim()),
                None => format!("setoption name {}", option.trim()),
            };
            process.tell(&line).await?;
        }
        process.tell("isready").await?;
        expect(&mut process, "isready", until, |said| matches!(said, EngineLine::Ready)).await?;
        self.process = Some(process);
        Ok(())
    }

    /// Stops the search of a question that was dropped, so that its answer is not taken for that of the next.
    async fn end_old_question(&mut self, until: Instant) -> Result<(), ProgramError> {
        if !self.thinking {
            return Ok(());
        }
        let process = self.process.as_mut().ok_or(ProgramError::Ended)?;
        process.tell("stop").await?;
        best_move(process, until).await?;
        self.thinking = false;
        Ok(())
    }
}

/// Waits for what `wanted` accepts.
async fn expect(
    process: &mut Process<EngineLine>,
    question: &'static str,
    until: Instant,
    wanted: impl Fn(&EngineLine) -> bool,
) -> Result<(), ProgramError> {
    while !wanted(&process.hear(question, until).await?) {}
    Ok(())
}

async fn best_move(process: &mut Process<EngineLine>, until: Instant) -> Result<String, ProgramError> {
    loop {
        if let EngineLine::BestMove(notation) = process.hear("go", until).await? {
            return Ok(notation);
        }
    }
}

/// The position for the engine: as the whole game if its moves lead to this state, so that the engine sees
/// repetitions; where nature drew the start position, as the state alone.
fn position_line(view: &View) -> String {
    if !board::is_where_history_leads(view) {
        return format!("position fen {}", view.state_string);
    }
    let moves: Vec<&str> = view.history.iter().filter_map(|turn| turn.notation.as_deref()).collect();
    if moves.is_empty() {
        return "position startpos".to_owned();
    }
    format!("position startpos moves {}", moves.join(" "))
}

#[cfg(test)]
mod tests;
