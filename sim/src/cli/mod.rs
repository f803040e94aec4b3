//! The command line: what can be asked of the simulator.

/// Says something on standard output. A reader that has seen enough may close the pipe; what is found is the same. If
/// there is no room for it, the process ends: what is not written is not found either.
macro_rules! say {
    ($($said:tt)*) => {{
        use std::io::Write as _;
        let said = writeln!(std::io::stdout(), $($said)*);
        if let Err(error) = said
            && error.kind() != std::io::ErrorKind::BrokenPipe
        {
            $crate::cli::hint!("cannot write to standard output: {error}");
            std::process::exit($crate::cli::USAGE.into());
        }
    }};
}

/// Says something on standard error, about the running of the program. Whether anybody hears it changes nothing.
macro_rules! hint {
    ($($said:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), "hall-sim: {}", format_args!($($said)*));
    }};
}
pub(crate) use hint;

mod bench;
mod check;
mod files;
mod page;
mod progress;
mod renew;
mod replay;
mod run;
mod shrink;
mod text;
mod world;

use clap::{Parser, Subcommand};

/// What the process ends with.
pub(crate) type Status = u8;

/// Nothing was found.
pub(crate) const OK: Status = 0;
/// Something happened that must never happen.
pub(crate) const VIOLATION: Status = 1;
/// Wrong usage, or a file that cannot be read or written.
pub(crate) const USAGE: Status = 2;
/// Something had not come to rest after a time without faults.
pub(crate) const UNREST: Status = 3;

/// The simulator of the hall: one seed is one world.
///
/// A world has virtual time, agents of many profiles, a network, a disk and a hall, and every fault that a hall must
/// withstand; oracles look at each step. The same seed gives the same world, run after run and in every build.
#[derive(Debug, Parser)]
#[command(name = "hall-sim", version)]
#[command(after_help = "First steps:\n  hall-sim run --seed 7                look at one world\n  \
    hall-sim check --seeds 0..1000       look for a world that fails\n\nExit codes: 0 nothing was found, 1 a violation, \
    2 wrong usage or a file that cannot be read or written, 3 something did not come to rest.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// Each is described at its arguments.
#[derive(Debug, Subcommand)]
enum Command {
    Run(run::RunArgs),
    Check(check::CheckArgs),
    Record(files::RecordArgs),
    Shrink(shrink::ShrinkArgs),
    Replay(replay::ReplayArgs),
    Renew(renew::RenewArgs),
    Trace(files::TraceArgs),
    Bench(bench::BenchArgs),
}

/// Does what was asked for.
pub(crate) fn run(cli: Cli) -> Status {
    match cli.command {
        Command::Run(args) => run::run(args),
        Command::Check(args) => check::run(&args),
        Command::Record(args) => files::record(&args),
        Command::Shrink(args) => shrink::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Renew(args) => renew::run(&args),
        Command::Trace(args) => files::trace(&args),
        Command::Bench(args) => bench::run(&args),
    }
}

/// Says why something cannot be done.
fn cannot(why: &dyn std::fmt::Display) -> Status {
    hint!("{why}");
    USAGE
}
