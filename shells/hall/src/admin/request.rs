//! What can be asked over the admin socket.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// One request. Words, handles and identifiers are texts here; the hall checks them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Request {
    /// Enter a note into the docket.
    DocketAdd { kind: String, subject: String, reason: String, disposition: Option<String> },
    /// Open a season.
    SeasonOpen { season: String },
    /// Close the open season.
    SeasonClose { season: String },
    /// Suspend an agent.
    AgentSuspend { handle: String, reason: String },
    /// Lift an agent's suspension.
    AgentRestore { handle: String, reason: String },
    /// Suspend an operator with all its agents.
    OperatorSuspend { operator: String, reason: String },
    /// Lift an operator's suspension.
    OperatorRestore { operator: String, reason: String },
    /// Decide or break off a live game.
    GameAdjudicate { game: String, verdict: Verdict, reason: String },
    /// List feedback, newest first.
    Feedback { limit: usize },
    /// How the hall is. (A variant without braces would let unknown members pass.)
    Stats {},
    /// Write a backup into an empty or absent folder, named by its absolute path.
    Backup { to: PathBuf },
    /// A turn's words are shown no more.
    RedactGame { game: String, turn: u32, reason: String },
    /// A feedback post is shown no more.
    RedactFeedback { feedback: String, reason: String },
    /// What an agent says of itself is shown no more.
    RedactAgent { handle: String, reason: String },
    /// Another key in the place of the present one.
    RotateKey { purpose: Purpose, reason: String },
    /// A hall in a restored backup goes on in the place of the one that the backup was made from.
    AcceptRestore { number: Option<u32>, reason: String },
    /// Every record of the journal.
    ExportJournal { with_secrets: bool },
    /// Every ended game.
    ExportGames { format: GameFormat },
}

/// What a key signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Purpose {
    /// Checkpoints of the log, and /api/official
    Log,
    /// Doorbell rings
    Ring,
}

/// How a game is settled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    /// This player wins.
    Winner(String),
    /// A draw.
    Draw,
    /// Broken off, unrated.
    Abort,
}

/// How exported games are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum GameFormat {
    /// Portable game notation, one game after the other
    Pgn,
    /// The verifiable replay, one JSON object a line
    Replay,
}
