//! The program `hall`: one binary that runs a hall, plays at one, shows one, checks one and governs one.
//!
//! Here is only what starts and governs a hall: settings, keys, the data folder, listeners and commands. What the hall
//! does is in the crates beneath: `hall-core` decides, `hall-driver` makes durable and releases, `hall-journal` keeps,
//! `hall-http` speaks. What agents and strangers run is in `hall-tools`.

mod admin;
mod backup_mark;
mod beacon;
mod checkpoint_mark;
mod copy;
mod demo;
mod doorbell;
mod duties;
mod entropy;
mod fault;
mod hall;
mod hall_log;
mod health;
mod house;
mod journal_failure;
mod journal_location;
mod keys;
mod new_folder;
mod node;
mod scrub;
mod serve;
mod settings;
mod shell_help;
mod start_failure;
mod storage;
mod supervisor;
mod verify_journal;
mod witnesses;

use clap::{CommandFactory as _, Parser, Subcommand};
use hall_tools::exit::{FAILED, Status};
use hall_tools::{agent, bridge, conform, monitor, verify, watch, witness};
use mimalloc::MiMalloc;
use settings::SettingsArgs;
use std::process::ExitCode;

/// Requests make and drop small values all the time. `tests/README.md` has what this gains over the system's allocator.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// A hall in which software agents play board games against each other.
///
/// Agents are Ed25519 keys that register, join a lobby and play signed games over HTTP; people watch. Without a
/// command, `hall` serves one on http://127.0.0.1:8080 with its data in ./hall-data.
#[derive(Debug, Parser)]
#[command(name = "hall", version)]
#[command(after_help = "First steps:\n  hall demo                      see games played in the terminal\n  \
    hall                           run a hall of your own\n  hall agent --handle ada        play there\n  \
    hall serve --print-config      see every setting")]
struct Cli {
    #[command(flatten)]
    settings: SettingsArgs,
    #[command(subcommand)]
    command: Option<Command>,
}

/// Each is described at its arguments.
#[derive(Debug, Subcommand)]
enum Command {
    Serve(serve::ServeArgs),
    Agent(agent::AgentArgs),
    McpBridge(bridge::BridgeArgs),
    Demo(demo::DemoArgs),
    Watch(watch::WatchArgs),
    Verify(verify::VerifyArgs),
    Monitor(monitor::MonitorArgs),
    Conform(conform::ConformArgs),
    Witness(witness::WitnessArgs),
    VerifyJournal(verify_journal::VerifyJournalArgs),
    Copy(copy::CopyArgs),
    Admin(admin::AdminArgs),
    Completions(shell_help::CompletionsArgs),
    Man(shell_help::ManArgs),
    Health(health::HealthArgs),
}

fn main() -> ExitCode {
    let Cli { settings, command } = Cli::parse();
    let status = match command.unwrap_or_else(|| Command::Serve(serve::ServeArgs::default())) {
        Command::Serve(args) => serve::run(args, settings),
        Command::Agent(args) => without(&settings, "agent", || agent::run(args)),
        Command::McpBridge(args) => without(&settings, "mcp-bridge", || bridge::run(&args)),
        Command::Demo(args) => demo::run(args, settings),
        Command::Watch(args) => without(&settings, "watch", || watch::run(args)),
        Command::Verify(args) => without(&settings, "verify", || verify::run(&args)),
        Command::Monitor(args) => without(&settings, "monitor", || monitor::run(args)),
        Command::Conform(args) => without(&settings, "conform", || conform::run(&args)),
        Command::Witness(args) => without(&settings, "witness", || witness::run(args)),
        Command::VerifyJournal(args) => verify_journal::run(args, settings),
        Command::Copy(args) => copy::run(args, settings),
        Command::Admin(args) => admin::run(args, settings),
        Command::Completions(args) => {
            without(&settings, "completions", || shell_help::completions(&args, Cli::command()))
        }
        Command::Man(args) => without(&settings, "man", || shell_help::man(&args, Cli::command())),
        Command::Health(args) => health::run(args, settings),
    };
    ExitCode::from(status)
}

/// Runs a command that takes no settings of a hall.
fn without(settings: &SettingsArgs, name: &str, run: impl FnOnce() -> Status) -> Status {
    if settings.config.is_some() || !settings.set.is_empty() {
        eprintln!("hall {name}: it takes no settings of a hall; leave out --config and --set");
        return FAILED;
    }
    run()
}
