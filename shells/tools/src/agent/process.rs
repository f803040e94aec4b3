//! A program that an agent asks, and its pipes, line by line.

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::io;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

/// Kept back from the time of a turn for a choice of the agent itself when the program fails.
pub(super) const RESERVE: Duration = Duration::from_millis(500);

/// The longest line that is read, in bytes; a program that writes longer ones counts as broken.
const LONGEST_LINE: u64 = 64 * 1024;
/// How many lines may wait to be read.
const UNHEARD: usize = 64;

/// Why a program gave no move.
#[derive(Debug, thiserror::Error)]
pub(super) enum ProgramError {
    /// It cannot be started.
    #[error("cannot be started: {0}")]
    Start(io::Error),
    /// It ended, or closed its pipes.
    #[error("it ended")]
    Ended,
    /// It said nothing in time.
    #[error("it did not answer {0:?} in time")]
    Silent(&'static str),
    /// It refused what it was told.
    #[error("it refused {command:?}: {answer}")]
    Refused {
        /// What it was told.
        command: String,
        /// What it said.
        answer: String,
    },
    /// It said something else than a move.
    #[error("it said {0:?}, which is no answer")]
    Nonsense(String),
    /// It named no legal move.
    #[error("it chose {0:?}, which is not legal")]
    NotLegal(String),
}

impl ProgramError {
    /// Whether the program must be started again before it is asked again.
    pub(super) const fn is_broken(&self) -> bool {
        matches!(self, Self::Start(_) | Self::Ended | Self::Silent(_))
    }
}

/// What becomes of what a program writes to standard error.
#[derive(Clone, Copy, Debug)]
pub(super) enum Errors {
    /// It is dropped.
    Dropped,
    /// It goes where that of the agent goes.
    Shown,
}

/// A running program, of whose lines those matter that are read as a `T`. Dropping it kills the program and all that it
/// started: what the command names may be a script around the program that answers.
#[derive(Debug)]
pub(super) struct Process<T> {
    /// Nothing waits for it here: while it is not reaped, no other group can have its id.
    _child: Child,
    /// The group that it leads.
    group: Pid,
    stdin: ChildStdin,
    heard: mpsc::Receiver<T>,
}

impl<T: Send + 'static> Process<T> {
    /// Starts a program with its arguments, which are separated by white space. `read` reads a line; `None` is a line that
    /// does not matter.
    pub(super) fn spawn(
        command: &str,
        errors: Errors,
        read: fn(&str) -> Option<T>,
    ) -> Result<Self, ProgramError> {
        let mut words = command.split_whitespace();
        let program = words.next().ok_or(ProgramError::Start(io::ErrorKind::InvalidInput.into()))?;
        let mut child = Command::new(program)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(match errors {
                Errors::Dropped => Stdio::null(),
                Errors::Shown => Stdio::inherit(),
            })
            // An interrupt from the terminal is for the agent; it ends the program itself.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(ProgramError::Start)?;
        let (Some(stdin), Some(stdout), Some(group)) =
            (child.stdin.take(), child.stdout.take(), group(&child))
        else {
            return Err(ProgramError::Start(io::ErrorKind::BrokenPipe.into()));
        };
        let (sender, heard) = mpsc::channel(UNHEARD);
        tokio::spawn(listen(stdout, sender, read));
        Ok(Self { _child: child, group, stdin, heard })
    }

    /// Whether it has not ended.
    pub(super) fn is_running(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        matches!(waitid(WaitId::Pid(self.group), options), Ok(None))
    }

    /// Writes a line.
    pub(super) async fn tell(&mut self, line: &str) -> Result<(), ProgramError> {
        // One write for the whole line: a question that is dropped here is either sent completely or not at all.
        let line = format!("{line}\n");
        self.stdin.write_all(line.as_bytes()).await.map_err(|_| ProgramError::Ended)?;
        self.stdin.flush().await.map_err(|_| ProgramError::Ended)
    }

    /// The next line that matters.
    pub(super) async fn hear(&mut self, question: &'static str, until: Instant) -> Result<T, ProgramError> {
        timeout_at(until, self.heard.recv())
            .await
            .map_err(|_| ProgramError::Silent(question))?
            .ok_or(ProgramError::Ended)
    }

    /// A line that was written without a question.
    pub(super) fn heard(&mut self) -> Option<T> {
        self.heard.try_recv().ok()
    }
}

impl<T> Drop for Process<T> {
    fn drop(&mut self) {
        // There is no such group if all have ended.
        let _ = kill_process_group(self.group, Signal::KILL);
    }
}

/// The group of a child that leads one.
fn group(child: &Child) -> Option<Pid> {
    Pid::from_raw(i32::try_from(child.id()?).ok()?)
}

/// Reads lines until the output ends, passing on what matters.
async fn listen<T>(output: impl AsyncRead + Unpin, sender: mpsc::Sender<T>, read: fn(&str) -> Option<T>) {
    let mut reader = BufReader::new(output);
    let mut line = Vec::new();
    loop {
        line.clear();
        let count = (&mut reader).take(LONGEST_LINE).read_until(b'\n', &mut line).await;
        match count {
            Ok(count) if count > 0 && line.ends_with(b"\n") => {}
            _ => return,
        }
        if let Some(said) = read(&String::from_utf8_lossy(&line))
            && sender.send(said).await.is_err()
        {
            return;
        }
    }
}
