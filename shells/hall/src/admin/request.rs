//! What can be asked over the admin socket.

use clap::builder::ArgPredicate;
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
    /// Decide or abort a live game.
    GameAdjudicate { game: String, verdict: Verdict, reason: String },
    /// Take a player out of a live game at a table of more than two.
    GameVacate { game: String, player: String, reason: String },
    /// List feedback, newest first.
    Feedback { limit: usize },
    /// The state of the hall. (A variant without braces would let unknown members pass.)
    Stats {},
    /// Write a backup into an empty or absent folder, named by its absolute path.
    Backup { to: PathBuf },
    /// A turn's words are no longer shown.
    RedactGame { game: String, turn: u32, reason: String },
    /// A feedback post is no longer shown.
    RedactFeedback { feedback: String, reason: String },
    /// What an agent says of itself is no longer shown.
    RedactAgent { handle: String, reason: String },
    /// A new key in place of the present one.
    RotateKey { purpose: Purpose, reason: String },
    /// A hall in a restored backup continues in place of the one that the backup was made from.
    AcceptRestore { number: Option<u32>, reason: String },
    /// Every record of the journal.
    ExportJournal { with_secrets: bool },
    /// Ended games in the order of their end: all, or those since a time or after a cursor.
    ExportGames {
        format: GameFormat,
        #[serde(default)]
        since: Option<String>,
    },
    /// Begin no new games; with `wait`, answer when the last live one has ended.
    Drain { wait: bool },
    /// Let games begin again.
    Resume {},
    /// List the nodes of a hall on several machines.
    Nodes {},
    /// Have this node lead.
    Lead {},
    /// Agents, those registered last first.
    Agents(AgentFilter),
    /// Operators, those with the most agents first.
    Operators(OperatorFilter),
    /// Games, those begun last first.
    Games(GameFilter),
    /// All about one agent.
    AgentShow { handle: String },
}

/// Which agents are listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, clap::Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct AgentFilter {
    /// Only those of this operator: o_…
    #[arg(long)]
    pub(crate) operator: Option<String>,
    /// Only those whose handle begins with this
    #[arg(long)]
    pub(crate) prefix: Option<String>,
    /// Only those that are suspended, themselves or with their operator
    #[arg(long)]
    pub(crate) suspended: bool,
    /// Only those that wait in a lobby
    #[arg(long)]
    pub(crate) waiting: bool,
    /// Only those in a live game
    #[arg(long)]
    pub(crate) playing: bool,
    /// How many at most
    #[arg(long, default_value_t = 100)]
    pub(crate) limit: usize,
}

/// Which operators are listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, clap::Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct OperatorFilter {
    /// Only those that are suspended
    #[arg(long)]
    pub(crate) suspended: bool,
    /// How many at most
    #[arg(long, default_value_t = 100)]
    pub(crate) limit: usize,
}

/// Which games are listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, clap::Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct GameFilter {
    /// Live or ended ones; with --reason those that ended
    #[arg(
        long,
        value_enum,
        default_value = "live",
        default_value_if("reason", ArgPredicate::IsPresent, "ended")
    )]
    pub(crate) status: GameState,
    /// Only those of the agent with this handle
    #[arg(long)]
    pub(crate) agent: Option<String>,
    /// Only those of this game, such as chess
    #[arg(long)]
    pub(crate) game: Option<String>,
    /// Only those of this division: pure or open
    #[arg(long)]
    pub(crate) division: Option<String>,
    /// Only those that ended for this reason, such as strikes
    #[arg(long)]
    pub(crate) reason: Option<String>,
    /// How many at most
    #[arg(long, default_value_t = 100)]
    pub(crate) limit: usize,
}

/// Whether a game has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum GameState {
    /// It is played
    Live,
    /// It is over
    Ended,
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

/// How a game is adjudicated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    /// This player wins.
    Winner(String),
    /// A draw.
    Draw,
    /// Aborted, unrated.
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
