//! `hall-sim`: the simulator as a program. The work is in the library; here are only arguments and output.

mod cli;

use clap::Parser as _;
use mimalloc::MiMalloc;
use std::process::ExitCode;

/// Oracles make and drop small values all the time; with the system's allocator that takes nearly a fifth of a run.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(cli::run(cli::Cli::parse()))
}
