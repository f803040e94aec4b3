//! `hall-sim shrink`: the smallest world that still fails.

use super::files::{can_write, write};
use super::page::Page;
use super::world::StepsArgs;
use super::{OK, Status, UNREST, VIOLATION, cannot};
use clap::Args;
use hall_sim::direct::World;
use hall_sim::shrink::{Effort, Stage, shrink};
use serde_json::json;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Find the smallest world and the fewest commands that still fail.
#[derive(Debug, Args)]
#[command(
    after_help = "The result is a command log if the core fails by itself, else a plan; `hall-sim replay` plays both. \
    Exit codes: 0 the world is clean, 1 the smallest failure was written, 2 wrong usage, 3 as 1, for something that does not \
    come to rest."
)]
pub(crate) struct ShrinkArgs {
    #[command(flatten)]
    world: StepsArgs,
    /// Where to write it [default: seed-N.jsonl]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Stop making it smaller after this many seconds
    #[arg(long, value_name = "SECONDS", default_value = "300")]
    budget: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Makes a failure small.
pub(super) fn run(args: &ShrinkArgs) -> Status {
    let choices = match args.world.choices_in_steps() {
        Ok(choices) => choices,
        Err(why) => return cannot(&why),
    };
    let path = args.out.clone().unwrap_or_else(|| PathBuf::from(format!("seed-{}.jsonl", choices.seed)));
    if let Err(why) = can_write(&path) {
        return cannot(&why);
    }
    let plan = choices.plan();
    let began = Instant::now();
    let budget = Duration::from_secs(args.budget);
    let mut told = Instant::now();
    let mut goes_on = |stage: Stage, what: &str| {
        if told.elapsed() > Duration::from_secs(2) {
            told = Instant::now();
            hint!("{what}");
        }
        // A world that could still be smaller matters less than the steps, which are what somebody will read.
        began.elapsed() < if stage == Stage::World { budget / 3 } else { budget }
    };
    let mut effort = Effort { goes_on: &mut goes_on, other: &|_, _| None };
    let mut page = Page::new(args.json);
    let Some(shrunk) = shrink(&plan, &mut effort) else {
        page.tell("clean", "The world is clean: nothing to make smaller.", true);
        page.end();
        return OK;
    };
    let mut log = shrunk.log;
    if log.steps.is_empty() {
        let report = World::new(shrunk.plan.clone()).run();
        log.header.trace = Some(report.trace_hash);
    }
    if let Err(why) = write(&path, &log.to_string()) {
        return cannot(&why);
    }
    let shown = path.display();
    let plan = &shrunk.plan;
    let seconds = plan.lasts.as_millis() / 1_000;
    page.put("clean", false);
    page.put("violation", json!(shrunk.violation));
    page.tell("shows", &log.header.shows, json!(log.header.shows));
    page.tell(
        "smallest_world",
        &format!(
            "smallest world: {} agents ({}) for {seconds} s with faults, after {} tries",
            plan.agent_profiles.len(),
            plan.agent_profiles.join(", "),
            shrunk.tried
        ),
        json!({ "agents": plan.agent_profiles, "seconds": seconds, "tries": shrunk.tried }),
    );
    let written = if log.steps.is_empty() {
        format!("The core alone does not fail: the plan is in {shown}")
    } else {
        format!("{} steps that break the core: {shown}", log.steps.len())
    };
    page.tell("steps", &written, log.steps.len());
    page.put("out", shown.to_string());
    let replay = format!("hall-sim replay {shown}");
    page.tell("replay", &format!("Play it:  {replay}"), replay.as_str());
    page.end();
    // The same as `run` with that world.
    if shrunk.is_unrest { UNREST } else { VIOLATION }
}
