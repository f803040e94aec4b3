//! `hall-sim record`, `replay`, `shrink` and `trace`: worlds as files.

use super::run::status;
use super::text::Timed;
use super::world::WorldArgs;
use super::{OK, Status, UNREST, VIOLATION, cannot};
use clap::Args;
use hall_games::CATALOG;
use hall_sim::direct::World;
use hall_sim::log::{Header, Log};
use hall_sim::pages;
use hall_sim::replay::{Shown, replay};
use hall_sim::report::Report;
use hall_sim::shrink::{Effort, Stage, shrink, steps_of};
use hall_wire::{GameId, Handle};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Record one world as a command log: everything that its hall decided, to be decided again.
#[derive(Debug, Args)]
pub(crate) struct RecordArgs {
    /// The seed of the world
    #[arg(long, value_name = "N")]
    seed: u64,
    #[command(flatten)]
    choices: WorldArgs,
    /// Where to
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Record only the plan and the trace hash: a small file that is replayed by running the world again
    #[arg(long)]
    plan: bool,
    /// What it shows, in one line
    #[arg(long, value_name = "TEXT", default_value = "")]
    shows: String,
}

/// Write down one world: its trace, its games, and a timeline to look at.
#[derive(Debug, Args)]
pub(crate) struct TraceArgs {
    /// The seed of the world
    #[arg(long, value_name = "N")]
    seed: u64,
    #[command(flatten)]
    choices: WorldArgs,
    /// The whole trace as JSON lines: each decision with its facts, answer and effects
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The ended games as PGN, one file each
    #[arg(long, value_name = "DIR")]
    games: Option<PathBuf>,
    /// A timeline as one page of HTML that needs nothing else
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// Find the smallest world and the fewest commands that still fail.
#[derive(Debug, Args)]
#[command(
    after_help = "The result is a command log if the core fails by itself, else a plan; `hall-sim replay` plays both. \
    Exit codes: 0 the world is clean, 1 the smallest failure was written, 2 wrong usage, 3 as 1, of something that does \
    not come to rest."
)]
pub(crate) struct ShrinkArgs {
    /// The seed of a world that fails
    #[arg(long, value_name = "N")]
    seed: u64,
    #[command(flatten)]
    choices: WorldArgs,
    /// Where to [default: seed-N.jsonl]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Stop making it smaller after so many seconds
    #[arg(long, value_name = "SECONDS", default_value = "300")]
    budget: u64,
}

/// Play a command log, a recorded plan, or the journal of a hall, step by step.
#[derive(Debug, Args)]
#[command(
    after_help = "FILE is what `hall-sim record` or `shrink` wrote, or `hall admin export-journal`. Exit codes: 0 played to \
    the end, 1 a violation or a difference, 2 the file cannot be read, 3 the world of a plan did not come to rest."
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
}

pub(super) fn record(args: &RecordArgs) -> Status {
    let choices = args.choices.choices(args.seed);
    let plan = choices.plan();
    let recording = World::new(plan.clone()).run_recorded();
    let shows = if args.shows.is_empty() { format!("hall-sim run {choices}") } else { args.shows.clone() };
    let mut log = Log { header: Header::new(shows, Some(&plan)), steps: Vec::new(), state: None };
    if args.plan {
        log.header.trace = Some(recording.report.trace_hash.clone());
    } else {
        log.steps = steps_of(&recording);
        log.state = recording.report.is_clean().then(|| end_of(&log));
    }
    if let Err(why) = write(&args.out, &log.to_string()) {
        return cannot(&why);
    }
    say!("{} steps in {}", log.steps.len(), args.out.display());
    status(&recording.report)
}

/// The digest of the state that the steps of a log make.
fn end_of(log: &Log) -> String {
    let shown = Shown { quiet: true, ..Shown::default() };
    replay(log, CATALOG, &shown, &mut |_| {}).state
}

pub(super) fn trace(args: &TraceArgs) -> Status {
    if args.out.is_none() && args.games.is_none() && args.html.is_none() {
        return cannot(&"nothing to write: say --out, --games or --html");
    }
    let plan = args.choices.choices(args.seed).plan();
    let recording = World::new(plan.clone()).run_recorded();
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    if let Some(path) = &args.out {
        let lines: Vec<String> = pages::trace(&recording).collect();
        files.push((path.clone(), lines.join("\n") + "\n"));
    }
    if let Some(path) = &args.html {
        files.push((path.clone(), pages::timeline(&recording, plan.begins)));
    }
    if let Some(folder) = &args.games {
        let games = pages::pgns(&recording);
        files.extend(games.into_iter().map(|(game, text)| (folder.join(format!("{game}.pgn")), text)));
    }
    for (path, text) in &files {
        if let Err(why) = write(path, text) {
            return cannot(&why);
        }
    }
    say!("files written: {}; the trace hash is {}", files.len(), recording.report.trace_hash);
    status(&recording.report)
}

pub(super) fn shrink_it(args: &ShrinkArgs) -> Status {
    let plan = args.choices.choices(args.seed).plan();
    let began = Instant::now();
    let budget = Duration::from_secs(args.budget);
    let mut told = Instant::now();
    let mut goes_on = |stage: Stage, what: &str| {
        if told.elapsed() > Duration::from_secs(2) {
            told = Instant::now();
            eprintln!("hall-sim: {what}");
        }
        // A world that could still be smaller matters less than the steps, which are what somebody will read.
        began.elapsed() < if stage == Stage::World { budget / 3 } else { budget }
    };
    let mut effort = Effort { goes_on: &mut goes_on, other: &|_, _| None };
    let Some(shrunk) = shrink(&plan, &mut effort) else {
        say!("The world is clean: nothing to make smaller.");
        return OK;
    };
    let mut log = shrunk.log;
    if log.steps.is_empty() {
        let report = World::new(shrunk.plan.clone()).run();
        log.header.trace = Some(report.trace_hash);
    }
    let path = args.out.clone().unwrap_or_else(|| PathBuf::from(format!("seed-{}.jsonl", args.seed)));
    if let Err(why) = write(&path, &log.to_string()) {
        return cannot(&why);
    }
    let plan = &shrunk.plan;
    say!("{}", log.header.shows);
    say!(
        "smallest world: {} agents ({}) for {} s with faults, after {} tries",
        plan.tempers.len(),
        plan.tempers.join(", "),
        plan.lasts.as_millis() / 1_000,
        shrunk.tried
    );
    if log.steps.is_empty() {
        say!("The core alone does not fail: the plan is in {}", path.display());
    } else {
        say!("{} steps that break the core: {}", log.steps.len(), path.display());
    }
    say!("Play it:  hall-sim replay {}", path.display());
    if shrunk.violation.invariant.starts_with('V') { UNREST } else { VIOLATION }
}

pub(super) fn replay_file(args: &ReplayArgs) -> Status {
    let text = match fs::read_to_string(&args.file) {
        Ok(text) => text,
        Err(error) => return cannot(&format_args!("{}: {error}", args.file.display())),
    };
    let log = match Log::parse(&text) {
        Ok(log) => log,
        Err(error) => return cannot(&format_args!("{}, {error}", args.file.display())),
    };
    say!("{}", log.header.shows);
    if let (true, Some(plan)) = (log.steps.is_empty(), &log.header.plan) {
        let began = Instant::now();
        let report = World::new((**plan).clone()).run();
        let reproduce = format!("hall-sim replay {}", args.file.display());
        say!("{}", Timed { report: &report, wall: began.elapsed(), reproduce }.to_string().trim_end());
        return compared(&log, &report);
    }
    let shown = Shown {
        until: args.until,
        game: args.game,
        agent: args.agent.clone(),
        board: args.board,
        facts: args.facts,
        compare: args.compare,
        quiet: args.quiet,
    };
    let replayed = replay(&log, CATALOG, &shown, &mut |line| say!("{line}"));
    if let Some(violation) = &replayed.violation {
        say!("VIOLATION of {} at step {}: {}", violation.invariant, replayed.steps, violation.text);
    }
    if let Some((step, text)) = &replayed.difference {
        say!("DIFFERENCE at step {step}: {text}");
    }
    if replayed.violation.is_some() || replayed.difference.is_some() {
        return VIOLATION;
    }
    if args.compare {
        say!(
            "{} steps are decided today as they were recorded; of {} something was withheld.",
            replayed.compared,
            replayed.withheld
        );
    }
    OK
}

fn compared(log: &Log, report: &Report) -> Status {
    if let Some(trace) = log.header.trace.as_ref().filter(|trace| **trace != report.trace_hash) {
        say!("DIFFERENCE: the trace hash is {}, recorded was {trace}", report.trace_hash);
        return VIOLATION;
    }
    status(report)
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

fn game(text: &str) -> Result<GameId, String> {
    GameId::parse(text).ok_or_else(|| "a game id, as g_01m7yfs7qymvb7e9cwq7408k3p".to_owned())
}

fn handle(text: &str) -> Result<Handle, String> {
    Handle::parse(text).ok_or_else(|| "a handle".to_owned())
}
