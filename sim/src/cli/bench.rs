//! `hall-sim bench`: the simulator's speed on fixed seeds, beside its targets.

use super::{OK, Status, VIOLATION};
use clap::Args;
use hall_sim::bench::{BenchPart, Measured, Size, measure};
use serde_json::json;

/// Measure the speed on fixed seeds.
#[derive(Debug, Args)]
#[command(
    after_help = "Each line says what was reached, what is asked for, and how one compares to the other. One thread, except for \
    the small worlds. 'Every oracle at every step' compares with the reference hall what each step changed; the whole state, \
    with probes, once in 10,000 steps. Exit codes: 0 every world was clean, whatever was reached, 1 one was not, 2 wrong usage."
)]
pub(crate) struct BenchArgs {
    /// A tenth of the work, for a first look
    #[arg(long)]
    quick: bool,
    /// Leave out the world of 100,000 agents
    #[arg(long, conflicts_with = "only")]
    no_large: bool,
    /// Only this: sampled, every, real, small, large, turmoil or complete
    #[arg(long, value_name = "PART", value_parser = part)]
    only: Option<BenchPart>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

fn part(word: &str) -> Result<BenchPart, String> {
    BenchPart::parse(word).ok_or_else(|| {
        let words: Vec<&str> = BenchPart::ALL.into_iter().map(BenchPart::word).collect();
        format!("one of {}", words.join(", "))
    })
}

/// Measures.
pub(super) fn run(args: &BenchArgs) -> Status {
    let size = Size { quick: args.quick, large: !args.no_large, only: args.only };
    let mut all: Vec<Measured> = Vec::new();
    measure(size, &mut |measured| {
        if args.json {
            hint!("{} is measured", measured.what);
        } else {
            say!("{measured}");
        }
        all.push(measured);
    });
    if args.json {
        say!("{}", json!({ "measured": all }));
    }
    status(&all)
}

/// The exit code: it depends on what was found, not on the speed.
fn status(all: &[Measured]) -> Status {
    if all.iter().all(|measured| measured.not_clean.is_empty()) { OK } else { VIOLATION }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measured_world_with_findings_is_a_violation_however_fast_it_was() {
        let measured = |not_clean: Vec<u64>| Measured {
            what: "worlds",
            value: 1,
            unit: "worlds",
            goal: Some(2),
            percent: Some(50),
            note: String::new(),
            not_clean,
        };
        assert_eq!(status(&[measured(Vec::new()), measured(Vec::new())]), OK);
        assert_eq!(status(&[measured(Vec::new()), measured(vec![7])]), VIOLATION);
    }
}
