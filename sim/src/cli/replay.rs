//! `hall-sim replay`: what a file holds, step by step.

use super::page::Page;
use super::run::status;
use super::text::{self, Timed};
use super::{OK, Status, USAGE, VIOLATION, cannot, progress};
use clap::Args;
use hall_games::CATALOG;
use hall_sim::direct::World;
use hall_sim::log::Log;
use hall_sim::plan::WorldPlan;
use hall_sim::replay::{ReplayOptions, play};
use hall_sim::report::{Violation, WorldReport};
use hall_sim::shrink::steps_of;
use hall_wire::{GameId, Handle};
use serde_json::json;
use std::fs;
use std::path::PathBuf;
use std::time::Instant;

/// Play a command log, a recorded plan, or the journal of a hall, step by step.
#[derive(Debug, Args)]
#[command(
    after_help = "FILE is what `hall-sim record` or `shrink` wrote, or `hall admin export-journal`. A plan is run as a \
    world; with any option that looks at steps, the decisions of its hall are then played. Exit codes: 0 played to the end, 1 a \
    violation or a difference, 2 the file cannot be read or the agent or game does not occur in it, 3 the world of a plan \
    did not come to rest."
)]
pub(crate) struct ReplayArgs {
    /// The file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Stop after this step; in a journal the steps are its records
    #[arg(long, value_name = "SEQ")]
    until: Option<usize>,
    /// Show only what concerns this game
    #[arg(long, value_name = "ID", value_parser = game)]
    game: Option<GameId>,
    /// Show only what concerns this agent
    #[arg(long, value_name = "HANDLE", value_parser = handle)]
    agent: Option<Handle>,
    /// Decide every command with today's code and report the first difference in facts
    #[arg(long)]
    compare: bool,
    /// Show the board after each move
    #[arg(long)]
    board: bool,
    /// Show the facts in full
    #[arg(long)]
    facts: bool,
    /// Show no steps, only how it ends
    #[arg(long)]
    quiet: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl ReplayArgs {
    /// Whether a plan is to be played step by step. Without any of this it is run as a world, which is faster.
    const fn looks_inside(&self) -> bool {
        self.until.is_some()
            || self.game.is_some()
            || self.agent.is_some()
            || self.compare
            || self.board
            || self.facts
            || self.quiet
    }

    fn options(&self) -> ReplayOptions {
        ReplayOptions {
            until: self.until,
            game: self.game,
            agent: self.agent.clone(),
            board: self.board,
            facts: self.facts,
            compare: self.compare,
            quiet: self.quiet,
        }
    }
}

/// Plays a file.
pub(super) fn run(args: &ReplayArgs) -> Status {
    let text = match fs::read_to_string(&args.file) {
        Ok(text) => text,
        Err(error) => return cannot(&format_args!("{}: {error}", args.file.display())),
    };
    let log = match Log::parse(&text) {
        Ok(log) => log,
        Err(error) => return cannot(&format_args!("{}, {error}", args.file.display())),
    };
    drop(text);
    let mut page = Page::new(args.json);
    page.put("file", args.file.display().to_string());
    page.tell("shows", &log.header.shows, json!(log.header.shows));
    if let Some(checked) = &log.header.checked {
        page.tell("checked", &checked.to_string(), json!(checked));
    }
    let status = match log.header.plan.clone().filter(|_| log.steps.is_empty()) {
        Some(plan) if args.looks_inside() => plan_by_steps(args, log, *plan, &mut page),
        Some(plan) => plan_as_world(args, &log, *plan, &mut page),
        None => by_steps(args, &log, &args.options(), &mut page),
    };
    if status != USAGE {
        page.end();
    }
    status
}

/// Runs the world of a plan again.
fn plan_as_world(args: &ReplayArgs, log: &Log, plan: WorldPlan, page: &mut Page) -> Status {
    let began = Instant::now();
    let report = progress::during(|| World::new(plan).run());
    let reproduce = format!("hall-sim replay {}", args.file.display());
    let timed = Timed { report: &report, wall: began.elapsed(), reproduce };
    page.tell("report", timed.to_string().trim_end(), timed.json());
    trace_differs(log, &report, page).unwrap_or_else(|| status(&report))
}

/// Runs the world of a plan again, and plays what its hall decided.
fn plan_by_steps(args: &ReplayArgs, mut log: Log, plan: WorldPlan, page: &mut Page) -> Status {
    let recording = progress::during(|| World::new(plan).run_recorded());
    let report = &recording.report;
    log.steps = steps_of(&recording, false);
    let is_same = log.header.trace.as_ref() == Some(&report.trace_hash);
    page.tell(
        "report",
        &format!(
            "The world of this plan decided {} steps; its trace hash is {}{}",
            log.steps.len(),
            report.trace_hash,
            if is_same { ", as recorded" } else { "" }
        ),
        json!(report),
    );
    // The steps were decided just now: there is nothing to compare them with.
    let options = ReplayOptions { compare: false, ..args.options() };
    let played = by_steps(args, &log, &options, page);
    let found = text::findings(report);
    if !found.is_empty() {
        page.say(found.trim_end());
    }
    let differs = trace_differs(&log, report, page);
    if played != OK { played } else { differs.unwrap_or_else(|| status(report)) }
}

/// Says so if a world is another one than was recorded.
fn trace_differs(log: &Log, report: &WorldReport, page: &mut Page) -> Option<Status> {
    let trace = log.header.trace.as_ref().filter(|trace| **trace != report.trace_hash)?;
    let text = format!(
        "the trace hash is {}, recorded was {trace} (a plan gives another world once agents or faults of the simulator change)",
        report.trace_hash
    );
    page.tell("trace_difference", &format!("DIFFERENCE: {text}"), json!(text));
    Some(VIOLATION)
}

/// Plays the steps of a log.
fn by_steps(args: &ReplayArgs, log: &Log, options: &ReplayOptions, page: &mut Page) -> Status {
    let (there, file) = (log.steps.len(), args.file.display());
    if let Some(until) = args.until.filter(|until| !(1..=there).contains(until)) {
        return cannot(&format_args!("{file}: there is no step {until}, only 1 to {there}"));
    }
    let mut steps = Vec::new();
    let replayed = play(log, CATALOG, options, &mut |step| {
        page.say(&step.to_string());
        if args.json {
            steps.push(step);
        }
    });
    page.put("steps", json!(steps));
    page.put("steps_played", replayed.steps);
    page.tell("state", &replayed.standing.to_string(), json!(replayed.standing));
    let is_withheld = log.header.checked.as_ref().is_some_and(|checked| checked.withheld > 0);
    if is_withheld {
        page.say(
            "Something in this export is withheld, so that its digest is not that of the hall it comes from.",
        );
    }
    if let Some(violation) = &replayed.violation {
        let Violation { invariant, text, .. } = violation;
        page.tell(
            "violation",
            &format!("VIOLATION of {invariant} at step {}: {text}", replayed.steps),
            json!(violation),
        );
        let unchecked = log.header.checked.as_ref().filter(|checked| !checked.is_complete());
        if let ("panic", Some(_)) = (*invariant, unchecked) {
            let text = "Not all of this journal could be verified: a record that is missing or was changed leads here as \
                        well as a fault of the core. Compare with an export from `hall admin export-journal FILE \
                        --with-secrets`.";
            page.tell("doubt", text, text);
        }
    }
    if let Some((step, text)) = &replayed.difference {
        page.tell(
            "difference",
            &format!("DIFFERENCE at step {step}: {text}"),
            json!({ "step": step, "text": text }),
        );
    }
    if replayed.violation.is_some() || replayed.difference.is_some() {
        return VIOLATION;
    }
    if let Some(recorded) = &replayed.other_state {
        page.tell(
            "other_state",
            &format!("The state differs from the recorded one, {recorded}; --compare shows where they part."),
            recorded.as_str(),
        );
    }
    if let [first, ..] = replayed.unknown.as_slice() {
        let until = args.until.map_or_else(String::new, |until| format!(" up to step {until}"));
        return cannot(&format_args!(
            "{}: no {first} occurs in it{until}; leave the filter out to see who plays what",
            args.file.display()
        ));
    }
    if options.compare {
        let text = format!(
            "{} steps are decided today as they were recorded; of {} something was withheld.",
            replayed.compared, replayed.withheld
        );
        let compared = json!({ "the_same": replayed.compared, "withheld": replayed.withheld });
        page.tell("compared", &text, compared);
    }
    OK
}

fn game(text: &str) -> Result<GameId, String> {
    GameId::parse(text).ok_or_else(|| "a game id, such as g_01m7yfs7qymvb7e9cwq7408k3p".to_owned())
}

fn handle(text: &str) -> Result<Handle, String> {
    Handle::parse(text)
        .ok_or_else(|| "a handle: 3 to 32 of a-z, 0-9, - and _, the first a letter or digit".to_owned())
}
