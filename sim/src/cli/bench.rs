//! `hall-sim bench`: how fast it is, on fixed seeds, against what it should reach.

use super::{OK, Status};
use clap::Args;
use hall_sim::bench::{Measured, Size, measure};
use serde_json::json;

/// Measure the speed on fixed seeds.
#[derive(Debug, Args)]
#[command(
    after_help = "Each line says what was reached, what is asked for, and how one compares to the other. One thread, \
    but for the small worlds."
)]
pub(crate) struct BenchArgs {
    /// A tenth of the work, for a first look
    #[arg(long)]
    quick: bool,
    /// Leave out the world of 100,000 agents
    #[arg(long)]
    no_large: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Measures.
pub(super) fn run(args: &BenchArgs) -> Status {
    let size = Size { quick: args.quick, large: !args.no_large };
    let mut all: Vec<Measured> = Vec::new();
    measure(size, &mut |measured| {
        if !args.json {
            println!("{measured}");
        }
        all.push(measured);
    });
    if args.json {
        println!("{}", json!({ "measured": all }));
    }
    OK
}
