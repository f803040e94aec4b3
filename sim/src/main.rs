//! `hall-sim`: the simulator as a program. The work is in the library; here are only arguments and output.

mod cli;

use clap::Parser as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(cli::run(cli::Cli::parse()))
}
