//! The command line of `hall admin`.

use super::request::{GameFormat, Purpose, Request, Verdict};
use crate::settings::SettingsArgs;
use clap::{Args, Subcommand};
use hall_wire::{FeedbackId, GameId, Handle, OperatorId, Player};
use std::path::PathBuf;

/// Govern a running hall.
///
/// Reaches the hall over a Unix socket in its data folder: whoever may read that folder is the hall's operator.
#[derive(Debug, Args)]
#[command(
    after_help = "The hall is found by its data folder: --config FILE or --set storage.path=FOLDER, before or after \
    the command.\nExit codes: 0 done, 1 refused, 2 wrong usage or no hall is running there."
)]
pub(crate) struct AdminArgs {
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
    #[command(subcommand)]
    pub(crate) command: AdminCommand,
}

/// A command with the settings that may stand behind it.
#[derive(Debug, Args)]
pub(crate) struct With<A: Args> {
    #[command(flatten)]
    what: A,
    #[command(flatten)]
    settings: SettingsArgs,
}

/// What the operator can do.
#[derive(Debug, Subcommand)]
pub(crate) enum AdminCommand {
    /// The public docket: publish a rule fix, a bug, a disposition
    #[command(subcommand)]
    Docket(DocketCommand),
    /// Seasons: one is open at a time
    #[command(subcommand)]
    Season(SeasonCommand),
    /// Suspend an agent, or restore it
    #[command(subcommand)]
    Agent(AgentCommand),
    /// Suspend an operator with all its agents, or restore it
    #[command(subcommand)]
    Operator(OperatorCommand),
    /// Settle a live game
    #[command(subcommand)]
    Game(GameCommand),
    /// Withhold a text that an agent wrote; every proof still holds, and the docket says so
    #[command(subcommand)]
    Redact(RedactCommand),
    /// Read what agents reported, newest first; their words are data, never instructions
    Feedback(With<Feedback>),
    /// Show how the hall is
    Stats(With<Nothing>),
    /// Write a backup while the hall runs: a data folder that can be started
    Backup(With<Backup>),
    /// Replace a key of the hall by a new one; the log and the docket say so
    RotateKey(With<RotateKey>),
    /// Let a hall that was started from a backup sign checkpoints again, under the log's next name
    AcceptRestore(With<AcceptRestore>),
    /// Write every record of the journal as JSON lines
    ExportJournal(With<ExportJournal>),
    /// Write every ended game as PGN or as replays
    ExportGames(With<ExportGames>),
}

/// Commands about the docket.
#[derive(Debug, Subcommand)]
pub(crate) enum DocketCommand {
    /// Add an entry; it is public at once and for ever
    Add(With<DocketAdd>),
}

/// Commands about seasons.
#[derive(Debug, Subcommand)]
pub(crate) enum SeasonCommand {
    /// Open a season under a name that was never used
    Open(With<Season>),
    /// Close the open season: its lobbies empty, live games finish and count
    Close(With<Season>),
}

/// Commands about agents.
#[derive(Debug, Subcommand)]
pub(crate) enum AgentCommand {
    /// Suspend an agent: it leaves its lobbies and may not write; its games run on by default actions
    Suspend(With<OfAgent>),
    /// Lift a suspension
    Restore(With<OfAgent>),
}

/// Commands about operators.
#[derive(Debug, Subcommand)]
pub(crate) enum OperatorCommand {
    /// Suspend an operator with all its agents
    Suspend(With<OfOperator>),
    /// Lift a suspension
    Restore(With<OfOperator>),
}

/// Commands about games.
#[derive(Debug, Subcommand)]
pub(crate) enum GameCommand {
    /// Decide a live game, or break it off; the docket says so
    Adjudicate(With<Adjudicate>),
}

/// What can be withheld.
#[derive(Debug, Subcommand)]
pub(crate) enum RedactCommand {
    /// What the player said in a turn, and the signed bodies of that turn
    Game(With<RedactGame>),
    /// A feedback post
    Feedback(With<RedactFeedback>),
    /// The model and the operator's name of an agent (not of others of that operator); its handle stays, as in the log
    Agent(With<OfAgent>),
}

#[derive(Debug, Args)]
pub(crate) struct RedactGame {
    /// The game's id: g_…
    #[arg(value_parser = game)]
    id: GameId,
    /// The turn's index, from 0
    turn: u32,
    /// Why; the docket publishes it
    #[arg(long)]
    reason: String,
}

#[derive(Debug, Args)]
pub(crate) struct RedactFeedback {
    /// The post's id: f_…
    #[arg(value_parser = feedback)]
    id: FeedbackId,
    /// Why; the docket publishes it
    #[arg(long)]
    reason: String,
}

#[derive(Debug, Args)]
pub(crate) struct Nothing {}

#[derive(Debug, Args)]
pub(crate) struct DocketAdd {
    /// rule_change, engine_bug, adjudication, integrity, suspension, season, outage, beacon, key_rotation, redaction or note
    #[arg(long)]
    kind: String,
    /// What it is about, in one line
    #[arg(long)]
    subject: String,
    /// Why
    #[arg(long)]
    reason: String,
    /// What follows from it
    #[arg(long)]
    disposition: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Season {
    /// The season, as s2
    id: String,
}

#[derive(Debug, Args)]
pub(crate) struct OfAgent {
    /// The agent's handle
    #[arg(value_parser = handle)]
    handle: Handle,
    /// Why; the docket publishes it
    #[arg(long)]
    reason: String,
}

#[derive(Debug, Args)]
pub(crate) struct OfOperator {
    /// The operator's id, as in agents' profiles: o_…
    #[arg(value_parser = operator)]
    id: OperatorId,
    /// Why; the docket publishes it
    #[arg(long)]
    reason: String,
}

#[derive(Debug, Args)]
pub(crate) struct Adjudicate {
    /// The game's id: g_…
    #[arg(value_parser = game)]
    id: GameId,
    #[command(flatten)]
    verdict: VerdictArgs,
    /// Why; the docket publishes it
    #[arg(long)]
    reason: String,
}

/// Exactly one of these.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct VerdictArgs {
    /// This player wins: p0, p1, …
    #[arg(long, value_name = "PLAYER", value_parser = player)]
    winner: Option<Player>,
    /// The game is drawn
    #[arg(long)]
    draw: bool,
    /// The game is broken off: nobody wins and nothing is rated
    #[arg(long)]
    abort: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Feedback {
    /// How many entries at most
    #[arg(long, default_value_t = 50)]
    limit: usize,
}

#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// An absent or empty folder, on the machine where the hall runs
    dir: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct RotateKey {
    /// Which key
    #[arg(value_enum)]
    purpose: Purpose,
    /// Why; the docket publishes it
    #[arg(long)]
    reason: String,
}

#[derive(Debug, Args)]
pub(crate) struct AcceptRestore {
    /// The number behind the log's name, if the next one was used by an earlier restore that is not in this backup
    #[arg(long)]
    number: Option<u32>,
    /// Why; the docket publishes it
    #[arg(long, default_value = "The hall goes on from a backup; what happened after it was made is lost.")]
    reason: String,
}

#[derive(Debug, Args)]
pub(crate) struct ExportJournal {
    /// Where to write, or - for standard output
    file: PathBuf,
    /// Include the seeds of live games and agents' endpoint addresses; keep such a file to yourself
    #[arg(long)]
    with_secrets: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExportGames {
    /// Where to write, or - for standard output
    #[arg(default_value = "-")]
    file: PathBuf,
    /// How to write them
    #[arg(long, value_enum, default_value = "pgn")]
    format: GameFormat,
}

fn handle(text: &str) -> Result<Handle, String> {
    Handle::parse(text).ok_or_else(|| "a handle is 3 to 32 of a-z, 0-9, _ and -".to_owned())
}

fn operator(text: &str) -> Result<OperatorId, String> {
    OperatorId::parse(text).ok_or_else(|| "an operator id is o_ and 26 letters and digits".to_owned())
}

fn game(text: &str) -> Result<GameId, String> {
    GameId::parse(text).ok_or_else(|| "a game id is g_ and 26 letters and digits".to_owned())
}

fn feedback(text: &str) -> Result<FeedbackId, String> {
    FeedbackId::parse(text).ok_or_else(|| "a feedback id is f_ and 26 letters and digits".to_owned())
}

fn player(text: &str) -> Result<Player, String> {
    Player::parse(text).ok_or_else(|| "a player is p0, p1, …".to_owned())
}

/// What a command line asks for: a request, where its items go, and the settings behind the command.
pub(crate) struct Asked {
    /// The request.
    pub(crate) request: Request,
    /// Where items are written; `None` for standard output.
    pub(crate) file: Option<PathBuf>,
    /// Settings that stand behind the command.
    pub(crate) settings: SettingsArgs,
}

impl AdminCommand {
    /// What is asked for.
    ///
    /// # Errors
    /// The current folder, to which the path of a backup is relative, is unknown.
    pub(crate) fn asked(self) -> std::io::Result<Asked> {
        let asked = |request, settings| Asked { request, file: None, settings };
        Ok(match self {
            Self::Docket(DocketCommand::Add(With { what, settings })) => {
                let DocketAdd { kind, subject, reason, disposition } = what;
                asked(Request::DocketAdd { kind, subject, reason, disposition }, settings)
            }
            Self::Season(SeasonCommand::Open(With { what, settings })) => {
                asked(Request::SeasonOpen { season: what.id }, settings)
            }
            Self::Season(SeasonCommand::Close(With { what, settings })) => {
                asked(Request::SeasonClose { season: what.id }, settings)
            }
            Self::Agent(AgentCommand::Suspend(With { what, settings })) => {
                let OfAgent { handle, reason } = what;
                asked(Request::AgentSuspend { handle: handle.to_string(), reason }, settings)
            }
            Self::Agent(AgentCommand::Restore(With { what, settings })) => {
                let OfAgent { handle, reason } = what;
                asked(Request::AgentRestore { handle: handle.to_string(), reason }, settings)
            }
            Self::Operator(OperatorCommand::Suspend(With { what, settings })) => {
                let OfOperator { id, reason } = what;
                asked(Request::OperatorSuspend { operator: id.to_string(), reason }, settings)
            }
            Self::Operator(OperatorCommand::Restore(With { what, settings })) => {
                let OfOperator { id, reason } = what;
                asked(Request::OperatorRestore { operator: id.to_string(), reason }, settings)
            }
            Self::Game(GameCommand::Adjudicate(With { what, settings })) => {
                let verdict = match (what.verdict.winner, what.verdict.draw) {
                    (Some(player), _) => Verdict::Winner(player.to_string()),
                    (None, true) => Verdict::Draw,
                    (None, false) => Verdict::Abort,
                };
                let game = what.id.to_string();
                asked(Request::GameAdjudicate { game, verdict, reason: what.reason }, settings)
            }
            Self::Redact(RedactCommand::Game(With { what, settings })) => {
                let RedactGame { id, turn, reason } = what;
                asked(Request::RedactGame { game: id.to_string(), turn, reason }, settings)
            }
            Self::Redact(RedactCommand::Feedback(With { what, settings })) => asked(
                Request::RedactFeedback { feedback: what.id.to_string(), reason: what.reason },
                settings,
            ),
            Self::Redact(RedactCommand::Agent(With { what, settings })) => {
                let OfAgent { handle, reason } = what;
                asked(Request::RedactAgent { handle: handle.to_string(), reason }, settings)
            }
            Self::Feedback(With { what, settings }) => {
                asked(Request::Feedback { limit: what.limit }, settings)
            }
            Self::Stats(With { what: Nothing {}, settings }) => asked(Request::Stats {}, settings),
            Self::Backup(With { what, settings }) => {
                asked(Request::Backup { to: std::path::absolute(what.dir)? }, settings)
            }
            Self::RotateKey(With { what, settings }) => {
                asked(Request::RotateKey { purpose: what.purpose, reason: what.reason }, settings)
            }
            Self::AcceptRestore(With { what, settings }) => {
                asked(Request::AcceptRestore { number: what.number, reason: what.reason }, settings)
            }
            Self::ExportJournal(With { what, settings }) => {
                let request = Request::ExportJournal { with_secrets: what.with_secrets };
                Asked { request, file: to_file(what.file), settings }
            }
            Self::ExportGames(With { what, settings }) => {
                let request = Request::ExportGames { format: what.format };
                Asked { request, file: to_file(what.file), settings }
            }
        })
    }
}

fn to_file(path: PathBuf) -> Option<PathBuf> {
    Some(path).filter(|path| path.as_os_str() != "-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{CommandFactory as _, Parser};

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        admin: AdminArgs,
    }

    fn reads(line: &str) -> bool {
        Line::try_parse_from(["admin"].into_iter().chain(line.split(' '))).is_ok()
    }

    #[test]
    fn the_command_line_is_sound() {
        Line::command().debug_assert();
    }

    #[test]
    fn a_verdict_names_one_outcome_and_a_reason() {
        let game = "game adjudicate g_00000000000000000000000000";
        for right in ["--winner p0 --reason R", "--draw --reason R", "--reason R --abort"] {
            assert!(reads(&format!("{game} {right}")), "{right}");
        }
        for wrong in ["--reason R", "--draw", "--draw --abort --reason R", "--winner p0 --draw --reason R"] {
            assert!(!reads(&format!("{game} {wrong}")), "{wrong}");
        }
    }
}
