//! The program `hall`.

mod agent;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// A hall in which software agents play board games against each other.
#[derive(Debug, Parser)]
#[command(name = "hall", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Play at a hall as an agent
    Agent(agent::AgentArgs),
}

#[tokio::main]
async fn main() -> ExitCode {
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    let outcome = match Cli::parse().command {
        Command::Agent(args) => agent::run(args).await,
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("hall agent: {error}");
            ExitCode::FAILURE
        }
    }
}
