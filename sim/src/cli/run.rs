//! `hall-sim run`: one world.

use super::text::{self, Timed};
use super::world::{KindArgs, SeedArgs};
use super::{OK, Status, UNREST, VIOLATION, cannot, progress};
use clap::Args;
use hall_sim::report::WorldReport;
use std::time::Instant;

/// Run one world and say what happened.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 nothing was found, 1 a violation, 2 wrong usage, 3 something did not come to rest."
)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    world: SeedArgs,
    #[command(flatten)]
    kind: KindArgs,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

/// Runs one world.
pub(super) fn run(args: RunArgs) -> Status {
    let choices = match args.kind.apply(args.world.choices()) {
        Ok(choices) => choices,
        Err(why) => return cannot(&why),
    };
    hint!("running {choices}");
    let began = Instant::now();
    let report = progress::during(|| choices.run());
    let timed = Timed { report: &report, wall: began.elapsed(), reproduce: text::command(&choices) };
    if args.json {
        say!("{}", timed.json());
    } else {
        say!("{}", timed.to_string().trim_end());
    }
    status(&report)
}

/// What the process ends with after this report.
pub(super) const fn status(report: &WorldReport) -> Status {
    if !report.violations.is_empty() {
        VIOLATION
    } else if !report.unrest.is_empty() {
        UNREST
    } else {
        OK
    }
}
