//! The engine's process and its pipes, line by line.

use super::EngineError;
use std::io;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::mpsc;

/// The longest line that is read, in bytes; an engine that writes longer ones counts as broken.
const LONGEST_LINE: u64 = 64 * 1024;
/// How many lines may wait to be read.
const UNHEARD: usize = 64;

/// A running engine. Dropping it kills the process.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    stdin: ChildStdin,
    heard: mpsc::Receiver<Said>,
}

/// The relevant lines of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// `id name …`
    Name(String),
    /// `uciok`
    UciOk,
    /// `readyok`
    Ready,
    /// `bestmove …`
    BestMove(String),
}

impl Process {
    /// Starts a program with its arguments, which are separated by white space.
    pub(super) fn spawn(command: &str) -> io::Result<Self> {
        let mut words = command.split_whitespace();
        let program = words.next().ok_or(io::ErrorKind::InvalidInput)?;
        let mut child = Command::new(program)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // An interrupt from the terminal is for the agent; it ends the engine itself.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let (sender, heard) = mpsc::channel(UNHEARD);
        tokio::spawn(listen(stdout, sender));
        Ok(Self { child, stdin, heard })
    }

    /// Whether it has not ended.
    pub(super) fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Writes a line.
    pub(super) async fn tell(&mut self, line: &str) -> Result<(), EngineError> {
        // One write for the whole line: a question that is dropped here is either sent completely or not at all.
        let line = format!("{line}\n");
        self.stdin.write_all(line.as_bytes()).await.map_err(|_| EngineError::Ended)?;
        self.stdin.flush().await.map_err(|_| EngineError::Ended)
    }

    /// The next relevant line; `None` once the engine has closed its output.
    pub(super) async fn hear(&mut self) -> Option<Said> {
        self.heard.recv().await
    }
}

/// Reads lines until the output ends, passing on what matters.
async fn listen(output: impl AsyncRead + Unpin, sender: mpsc::Sender<Said>) {
    let mut reader = BufReader::new(output);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut reader).take(LONGEST_LINE).read_until(b'\n', &mut line).await;
        match read {
            Ok(count) if count > 0 && line.ends_with(b"\n") => {}
            _ => return,
        }
        if let Some(said) = parse(&String::from_utf8_lossy(&line))
            && sender.send(said).await.is_err()
        {
            return;
        }
    }
}

/// Reads one line of an engine; `None` for what does not matter, such as `info`.
pub(super) fn parse(line: &str) -> Option<Said> {
    let mut words = line.split_whitespace();
    match words.next()? {
        "uciok" => Some(Said::UciOk),
        "readyok" => Some(Said::Ready),
        "bestmove" => Some(Said::BestMove(words.next().unwrap_or_default().to_owned())),
        "id" if words.next() == Some("name") => Some(Said::Name(words.collect::<Vec<_>>().join(" "))),
        _ => None,
    }
}
