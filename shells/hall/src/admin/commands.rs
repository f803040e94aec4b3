//! The command line of `hall admin`.

mod invocation;

pub(crate) use invocation::{Form, Invocation};

use super::request::{AgentFilter, GameFilter, GameFormat, OperatorFilter, Purpose};
use crate::settings::SettingsArgs;
use clap::{Args, Subcommand};
use hall_wire::{FeedbackId, GameId, Handle, OperatorId, Player};
use std::path::PathBuf;

/// Govern a running hall.
///
/// Reaches the hall over a Unix socket in its data folder: anyone who may read that folder is the hall's operator.
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
    /// Show an agent, suspend it, or restore it
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
    #[command(after_help = "Example:\n  hall admin feedback --limit 10")]
    Feedback(With<Feedback>),
    /// List agents, those registered last first
    #[command(after_help = "Example:\n  hall admin agents --playing --json")]
    Agents(With<Listed<AgentFilter>>),
    /// List operators, those with the most agents first
    #[command(after_help = "Example:\n  hall admin operators --suspended")]
    Operators(With<Listed<OperatorFilter>>),
    /// List games, those begun last first
    ///
    /// Of ended games the last 100000 are searched at most. The answer says `searched_all: false` where more games may
    /// match than are listed.
    #[command(after_help = "Example:\n  hall admin games --status ended --reason strikes --limit 20")]
    Games(With<Listed<GameFilter>>),
    /// Begin no new games, so that the hall can be stopped when the last one has ended
    ///
    /// Live games go on and reads are served; lobby joins are answered with UNAVAILABLE, and agents that wait
    /// in a lobby keep their places. It lasts until `hall admin resume` or the end of the process, and of several nodes until
    /// this one leads no longer: a hall that starts is open. The log says when the last game has ended, and so does --wait.
    #[command(after_help = "Example:\n  hall admin drain --wait && systemctl stop hall")]
    Drain(With<Drain>),
    /// Let games begin again after a drain
    #[command(after_help = "Example:\n  hall admin resume")]
    Resume(With<Nothing>),
    /// List the nodes of a hall on several machines, and which of them leads
    #[command(after_help = "Example:\n  hall admin nodes")]
    Nodes(With<Nothing>),
    /// Have the node that is asked lead, and wait until it does
    ///
    /// The leader decides what it has accepted, hands over, and follows; no agent loses time.
    #[command(after_help = "Example:\n  hall admin lead")]
    Lead(With<Nothing>),
    /// Show the state of the hall
    #[command(after_help = "Example:\n  hall admin stats")]
    Stats(With<Nothing>),
    /// Write a backup while the hall runs: a data folder that can be started
    #[command(after_help = "Example:\n  hall admin backup backups/monday")]
    Backup(With<Backup>),
    /// Replace a key of the hall with a new one; the log and the docket say so
    #[command(
        after_help = "Example:\n  hall admin rotate-key log --reason \"The old key was on a lost disk.\""
    )]
    RotateKey(With<RotateKey>),
    /// Let a hall that was started from a backup sign checkpoints again, under the log's next name
    #[command(after_help = "Example:\n  hall admin accept-restore")]
    AcceptRestore(With<AcceptRestore>),
    /// Write every record of the journal as JSON lines
    #[command(after_help = "Example:\n  hall admin export-journal journal.jsonl")]
    ExportJournal(With<ExportJournal>),
    /// Write every ended game as PGN or as replays
    #[command(after_help = "Example:\n  hall admin export-games games.pgn")]
    ExportGames(With<ExportGames>),
}

/// Commands about the docket.
#[derive(Debug, Subcommand)]
pub(crate) enum DocketCommand {
    /// Add an entry; it is public at once and permanently
    #[command(
        after_help = "Example:\n  hall admin docket add --kind note --subject \"Maintenance\" --reason \"The hall moves to another machine on Monday.\""
    )]
    Add(With<DocketAdd>),
}

/// Commands about seasons.
#[derive(Debug, Subcommand)]
pub(crate) enum SeasonCommand {
    /// Open a season under a name that was not used before
    #[command(after_help = "Example:\n  hall admin season open s2")]
    Open(With<Season>),
    /// Close the open season: its lobbies empty, live games finish and count
    #[command(after_help = "Example:\n  hall admin season close s1")]
    Close(With<Season>),
}

/// Commands about agents.
#[derive(Debug, Subcommand)]
pub(crate) enum AgentCommand {
    /// Show everything about an agent: profile, games, quotas, doorbell
    #[command(after_help = "Example:\n  hall admin agent show ada")]
    Show(With<ShowAgent>),
    /// Suspend an agent: it leaves its lobbies and may not write; its games continue with default actions
    #[command(
        after_help = "Example:\n  hall admin agent suspend ada --reason \"It tries to crash the hall.\""
    )]
    Suspend(With<OfAgent>),
    /// Lift a suspension
    #[command(after_help = "Example:\n  hall admin agent restore ada --reason \"It was a mistake.\"")]
    Restore(With<OfAgent>),
}

/// Commands about operators.
#[derive(Debug, Subcommand)]
pub(crate) enum OperatorCommand {
    /// Suspend an operator with all its agents
    #[command(
        after_help = "Example:\n  hall admin operator suspend o_00000000000000000000000000 --reason \"It tries to crash the hall.\""
    )]
    Suspend(With<OfOperator>),
    /// Lift a suspension
    #[command(
        after_help = "Example:\n  hall admin operator restore o_00000000000000000000000000 --reason \"It was a mistake.\""
    )]
    Restore(With<OfOperator>),
}

/// Commands about games.
#[derive(Debug, Subcommand)]
pub(crate) enum GameCommand {
    /// Decide a live game, or abort it; the docket says so
    #[command(
        after_help = "Example:\n  hall admin game adjudicate g_00000000000000000000000000 --draw --reason \"The rules were applied wrongly.\""
    )]
    Adjudicate(With<Adjudicate>),
    /// Take a player out of a live game at a table of more than two; the others play on, and the docket says so
    #[command(
        after_help = "Example:\n  hall admin game vacate g_00000000000000000000000000 p2 --reason \"It answers with insults.\""
    )]
    Vacate(With<Vacate>),
}

/// What can be withheld.
#[derive(Debug, Subcommand)]
pub(crate) enum RedactCommand {
    /// What the player said in a turn, and the signed bodies of that turn
    #[command(
        after_help = "Example:\n  hall admin redact game g_00000000000000000000000000 12 --reason \"Personal data.\""
    )]
    Game(With<RedactGame>),
    /// A feedback post
    #[command(
        after_help = "Example:\n  hall admin redact feedback f_00000000000000000000000000 --reason \"Personal data.\""
    )]
    Feedback(With<RedactFeedback>),
    /// The model and the operator's name of an agent (not of others of that operator); its handle stays, as in the log
    #[command(after_help = "Example:\n  hall admin redact agent ada --reason \"Personal data.\"")]
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

/// A list, with how it is printed.
#[derive(Debug, Args)]
pub(crate) struct Listed<F: Args> {
    #[command(flatten)]
    filter: F,
    /// One JSON object a line rather than a table
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ShowAgent {
    /// The agent's handle
    #[arg(value_parser = handle)]
    handle: Handle,
    /// One JSON object rather than lines
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Drain {
    /// Return when the last live game has ended, and report how many are left
    #[arg(long)]
    wait: bool,
}

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
    /// The season, such as s2
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

#[derive(Debug, Args)]
pub(crate) struct Vacate {
    /// The game's id: g_…
    #[arg(value_parser = game)]
    id: GameId,
    /// Who leaves: p0, p1, …
    #[arg(value_name = "PLAYER", value_parser = player)]
    player: Player,
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
    /// The game is aborted: nobody wins and nothing is rated
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
    /// Where to write, or - for standard output; what the file held is replaced
    #[arg(default_value = "-")]
    file: PathBuf,
    /// How to write them
    #[arg(long, value_enum, default_value = "pgn")]
    format: GameFormat,
    /// Only games that ended on this day (2026-11-20, in UTC) or at this time (2026-11-20T21:50:00.000Z) or later, or
    /// after the game with this cursor
    #[arg(long, value_name = "DAY|TIME|CURSOR")]
    since: Option<String>,
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

#[cfg(test)]
mod tests;
