//! `hall-sim renew`: a log as today's code decides it.

use super::files::{can_write, write};
use super::page::Page;
use super::{OK, Status, VIOLATION, cannot, progress};
use clap::Args;
use hall_games::CATALOG;
use hall_sim::direct::World;
use hall_sim::log::Log;
use hall_sim::plan::WorldPlan;
use hall_sim::replay::renewed;
use hall_sim::report::Violation;
use serde_json::json;
use std::fs;
use std::path::PathBuf;

/// Decide a recorded log again and write down today's results.
#[derive(Debug, Args)]
#[command(
    after_help = "For a decision that was changed on purpose: the steps stay, and their results are written again; for a plan, \
    the trace hash. Exit codes: 0 it was written, 1 something is wrong with the results, and nothing was written, 2 a file \
    cannot be read or written."
)]
pub(crate) struct RenewArgs {
    /// The log or plan
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Where to write it [default: the same file]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Renews a log.
pub(super) fn run(args: &RenewArgs) -> Status {
    let out = args.out.as_ref().unwrap_or(&args.file);
    let text = match fs::read_to_string(&args.file) {
        Ok(text) => text,
        Err(error) => return cannot(&format_args!("{}: {error}", args.file.display())),
    };
    let mut log = match Log::parse(&text) {
        Ok(log) if log.header.checked.is_some() => {
            return cannot(
                &"the journal of a hall is what happened; only logs of the simulator are decided again",
            );
        }
        Ok(log) => log,
        Err(error) => return cannot(&format_args!("{}, {error}", args.file.display())),
    };
    if let Err(why) = can_write(out) {
        return cannot(&why);
    }
    let mut page = Page::new(args.json);
    page.put("out", out.display().to_string());
    let objected = match log.header.plan.clone().filter(|_| log.steps.is_empty()) {
        Some(plan) => renew_plan(&mut log, *plan, &mut page),
        None => renew_steps(&mut log, &mut page),
    };
    if let Some(Violation { invariant, at, text }) = objected {
        page.tell(
            "violation",
            &format!("VIOLATION of {invariant} at {at}: {text}"),
            json!({ "invariant": invariant, "text": text }),
        );
        page.end();
        return VIOLATION;
    }
    if let Err(why) = write(out, &log.to_string()) {
        return cannot(&why);
    }
    page.end();
    OK
}

fn renew_plan(log: &mut Log, plan: WorldPlan, page: &mut Page) -> Option<Violation> {
    let report = progress::during(|| World::new(plan).run());
    let then = log.header.trace.replace(report.trace_hash.clone()).unwrap_or_default();
    page.tell(
        "trace",
        &format!("the trace hash is {}, it was {then}", report.trace_hash),
        json!(report.trace_hash),
    );
    report.violations.into_iter().chain(report.unrest).next()
}

fn renew_steps(log: &mut Log, page: &mut Page) -> Option<Violation> {
    let (new, objected) = renewed(log, CATALOG);
    let outcomes = |log: &Log| log.steps.iter().map(|step| step.outcome.clone()).collect::<Vec<_>>();
    let changed = outcomes(log).iter().zip(outcomes(&new)).filter(|(then, now)| *then != now).count();
    page.tell("changed", &format!("of {} steps {changed} have a different result", new.steps.len()), changed);
    *log = new;
    objected
}
