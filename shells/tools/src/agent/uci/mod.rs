//! A UCI engine as a strategy: asked within the available time, restarted when it dies.

mod process;

use super::chess::lookahead::played;
use hall_client::answer::{LegalMove, View};
use hall_client::play::Turn;
use hall_client::wire::GameId;
use process::{Process, Said};
use shakmaty::fen::Fen;
use shakmaty::{Chess, EnPassantMode};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// The game that UCI is made for; engines for other games speak other protocols.
pub(super) const GAME: &str = "chess";
/// How long an engine may take to start and to say `readyok`.
const START: Duration = Duration::from_secs(10);
/// How long after its thinking time an engine may take to say `bestmove`.
const GRACE: Duration = Duration::from_secs(2);
/// Kept back from the time of a turn for a greedy choice when the engine fails.
const RESERVE: Duration = Duration::from_millis(500);

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

/// Why an engine gave no move.
#[derive(Debug, thiserror::Error)]
pub(super) enum EngineError {
    /// It cannot be started.
    #[error("cannot be started: {0}")]
    Start(std::io::Error),
    /// It ended, or closed its pipes.
    #[error("it ended")]
    Ended,
    /// It said nothing in time.
    #[error("it did not answer {0:?} in time")]
    Silent(&'static str),
    /// It named no legal move.
    #[error("it chose {0:?}, which is not legal")]
    NotLegal(String),
}

/// An engine that runs, or will run again.
#[derive(Debug)]
pub(crate) struct Engine {
    settings: EngineSettings,
    process: Option<Process>,
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
    /// [`EngineError::Start`], [`EngineError::Ended`] or [`EngineError::Silent`].
    pub(super) async fn start(settings: EngineSettings) -> Result<Self, EngineError> {
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
    pub(super) async fn choose<'a>(&mut self, turn: &Turn<'a>) -> Result<&'a LegalMove, EngineError> {
        let until = turn.time_left.map(|left| Instant::now() + left.saturating_sub(RESERVE));
        let first = self.ask(turn.view, until).await;
        let answer = match first {
            Err(EngineError::Ended) => {
                self.process = None;
                self.ask(turn.view, until).await
            }
            other => other,
        };
        if matches!(answer, Err(EngineError::Silent(_) | EngineError::Ended | EngineError::Start(_))) {
            // Dropping the process kills it.
            self.process = None;
        }
        let notation = answer?;
        let legal = turn.view.legal_moves.iter().find(|legal| legal.notation == notation);
        legal.ok_or(EngineError::NotLegal(notation))
    }

    /// One question and its answer, before `until`.
    async fn ask(&mut self, view: &View, until: Option<Instant>) -> Result<String, EngineError> {
        let bound = |span: Duration| {
            let end = Instant::now() + span;
            until.map_or(end, |until| end.min(until))
        };
        self.ensure_running(bound(START)).await?;
        self.end_old_question(bound(GRACE)).await?;
        let new_game = self.game.replace(view.game_id) != Some(view.game_id);
        let process = self.process.as_mut().ok_or(EngineError::Ended)?;
        if new_game {
            process.tell("ucinewgame").await?;
            process.tell("isready").await?;
            expect(process, "isready", bound(START), |said| matches!(said, Said::Ready)).await?;
        }
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
    async fn ensure_running(&mut self, until: Instant) -> Result<(), EngineError> {
        if self.process.as_mut().is_some_and(Process::is_running) {
            return Ok(());
        }
        self.process = None;
        self.game = None;
        self.thinking = false;
        let mut process = Process::spawn(&self.settings.command).map_err(EngineError::Start)?;
        process.tell("uci").await?;
        loop {
            match next(&mut process, "uci", until).await? {
                Said::Name(name) => self.name = name,
                Said::UciOk => break,
                Said::Ready | Said::BestMove(_) => {}
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
        expect(&mut process, "isready", until, |said| matches!(said, Said::Ready)).await?;
        self.process = Some(process);
        Ok(())
    }

    /// Stops the search of a question that was dropped, so that its answer is not taken for that of the next.
    async fn end_old_question(&mut self, until: Instant) -> Result<(), EngineError> {
        if !self.thinking {
            return Ok(());
        }
        let process = self.process.as_mut().ok_or(EngineError::Ended)?;
        process.tell("stop").await?;
        best_move(process, until).await?;
        self.thinking = false;
        Ok(())
    }
}

/// The engine's next relevant line.
async fn next(process: &mut Process, question: &'static str, until: Instant) -> Result<Said, EngineError> {
    timeout_at(until, process.hear())
        .await
        .map_err(|_| EngineError::Silent(question))?
        .ok_or(EngineError::Ended)
}

/// Waits for what `wanted` accepts.
async fn expect(
    process: &mut Process,
    question: &'static str,
    until: Instant,
    wanted: impl Fn(&Said) -> bool,
) -> Result<(), EngineError> {
    while !wanted(&next(process, question, until).await?) {}
    Ok(())
}

async fn best_move(process: &mut Process, until: Instant) -> Result<String, EngineError> {
    loop {
        if let Said::BestMove(notation) = next(process, "go", until).await? {
            return Ok(notation);
        }
    }
}

/// The position for the engine: as the whole game if its moves lead to this state, so that the engine sees
/// repetitions.
fn position_line(view: &View) -> String {
    let moves: Option<Vec<&str>> = view.history.iter().map(|turn| turn.notation.as_deref()).collect();
    let moves = moves.unwrap_or_default();
    let end = moves.iter().try_fold(Chess::default(), |position, notation| played(&position, notation));
    let reached = end
        .is_some_and(|end| Fen::from_position(&end, EnPassantMode::Legal).to_string() == view.state_string);
    match (reached, moves.is_empty()) {
        (false, _) => format!("position fen {}", view.state_string),
        (true, true) => "position startpos".to_owned(),
        (true, false) => format!("position startpos moves {}", moves.join(" ")),
    }
}

#[cfg(test)]
mod tests;
