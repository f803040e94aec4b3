//! `hall-sim bench`: how fast it is, on fixed seeds, against what it should reach.

use super::{OK, Status};
use clap::Args;
use hall_sim::bench::{Measured, Part, Size, measure};
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
    /// Only this: sampled, every, real, small or large
    #[arg(long, value_name = "PART", value_parser = part)]
    only: Option<Part>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

fn part(word: &str) -> Result<Part, String> {
    Part::parse(word).ok_or_else(|| {
        let words: Vec<&str> = Part::ALL.into_iter().map(Part::word).collect();
        format!("one of {}", words.join(", "))
    })
}

/// Measures.
pub(super) fn run(args: &BenchArgs) -> Status {
    let size = Size { quick: args.quick, large: !args.no_large, only: args.only };
    let mut all: Vec<Measured> = Vec::new();
    measure(size, &mut |measured| {
        if !args.json {
            say!("{measured}");
        }
        all.push(measured);
    });
    if args.json {
        say!("{}", json!({ "measured": all }));
    }
    OK
}
