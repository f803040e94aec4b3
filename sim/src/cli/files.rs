//! `hall-sim record` and `trace`: worlds as files.

use super::page::Page;
use super::run::status;
use super::text::{self, Timed};
use super::world::StepsArgs;
use super::{Status, cannot, progress};
use clap::Args;
use hall_games::CATALOG;
use hall_sim::direct::{Recording, World};
use hall_sim::log::{Header, Log};
use hall_sim::pages;
use hall_sim::plan::WorldPlan;
use hall_sim::replay::{ReplayOptions, replay};
use hall_sim::shrink::steps_of;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Record one world as a command log: everything that its hall decided, to be decided again.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 nothing was found, 1 a violation, 2 wrong usage or a file that cannot be written, 3 \
    something did not come to rest. The files are written in any case."
)]
pub(crate) struct RecordArgs {
    #[command(flatten)]
    world: StepsArgs,
    /// Where to write it
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Record only the plan and the trace hash: a small file that is replayed by running the world again
    #[arg(long)]
    plan: bool,
    /// Keep the facts of each step, too, so that a difference is shown exactly; else only their digest
    #[arg(long, conflicts_with = "plan")]
    facts: bool,
    /// What it shows, in one line
    #[arg(long, value_name = "TEXT", default_value = "")]
    shows: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Write down one world: its trace, its games, and a timeline to look at.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 nothing was found, 1 a violation, 2 wrong usage or a file that cannot be written, 3 \
    something did not come to rest. The files are written in any case."
)]
pub(crate) struct TraceArgs {
    #[command(flatten)]
    world: StepsArgs,
    /// The whole trace as JSON lines: each decision with its facts, answer and effects (`record`, `step`, `answer`,
    /// `effects`), between them what happened to the world (`befell`, `at`), at the end the `report`
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The ended games as PGN, one file each
    #[arg(long, value_name = "DIR")]
    games: Option<PathBuf>,
    /// A timeline as one page of HTML that needs nothing else
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Records a world.
pub(super) fn record(args: &RecordArgs) -> Status {
    let choices = match args.world.choices_in_steps() {
        Ok(choices) => choices,
        Err(why) => return cannot(&why),
    };
    if let Err(why) = can_write(&args.out) {
        return cannot(&why);
    }
    let plan = choices.plan();
    let (recording, wall) = recorded(&plan);
    let report = &recording.report;
    let shows = if args.shows.is_empty() { format!("hall-sim run {choices}") } else { args.shows.clone() };
    let mut log = Log { header: Header::new(shows, Some(&plan)), steps: Vec::new(), state: None };
    if args.plan {
        log.header.trace = Some(report.trace_hash.clone());
    } else {
        log.steps = steps_of(&recording, args.facts);
        log.state = report.is_clean().then(|| end_of(&log));
    }
    if let Err(why) = write(&args.out, &log.to_string()) {
        return cannot(&why);
    }
    let mut page = Page::new(args.json);
    let out = args.out.display();
    let written = if args.plan {
        format!("the plan of {} agents and the trace hash {} in {out}", report.agents, report.trace_hash)
    } else {
        format!("{} steps in {out}", log.steps.len())
    };
    page.tell("out", &written, out.to_string());
    page.put("holds", if args.plan { "plan" } else { "steps" });
    page.put("steps", log.steps.len());
    conclude(&Timed { report, wall, reproduce: text::command(&choices) }, page)
}

/// Runs a world and keeps everything; with the wall time that it took.
fn recorded(plan: &WorldPlan) -> (Recording, Duration) {
    let began = Instant::now();
    let recording = progress::during(|| World::new(plan.clone()).run_recorded());
    (recording, began.elapsed())
}

/// Says what was found in a world that was written down, as `run` says it.
fn conclude(timed: &Timed<'_>, mut page: Page) -> Status {
    page.put("report", timed.json());
    if let Some(verdict) = timed.objections() {
        page.say(&verdict);
    }
    page.end();
    status(timed.report)
}

/// The digest of the state that the steps of a log make.
fn end_of(log: &Log) -> String {
    let options = ReplayOptions { quiet: true, ..ReplayOptions::default() };
    replay(log, CATALOG, &options, &mut |_| {}).standing.digest
}

/// Writes down a world.
pub(super) fn trace(args: &TraceArgs) -> Status {
    if args.out.is_none() && args.games.is_none() && args.html.is_none() {
        return cannot(&"nothing to write: give --out, --games or --html");
    }
    let choices = match args.world.choices_in_steps() {
        Ok(choices) => choices,
        Err(why) => return cannot(&why),
    };
    if args.out.is_some() && args.out == args.html {
        return cannot(&"--out and --html name the same file");
    }
    for path in args.out.iter().chain(&args.html) {
        if let Err(why) = can_write(path) {
            return cannot(&why);
        }
    }
    let plan = choices.plan();
    let (recording, wall) = recorded(&plan);
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    if let Some(path) = &args.out {
        let lines: Vec<String> = pages::trace(&recording).collect();
        files.push((path.clone(), lines.join("\n") + "\n"));
    }
    if let Some(path) = &args.html {
        files.push((path.clone(), pages::timeline(&recording, &plan)));
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
    let mut page = Page::new(args.json);
    let report = &recording.report;
    let written = format!("files written: {}; the trace hash is {}", files.len(), report.trace_hash);
    let paths: Vec<String> = files.iter().map(|(path, _)| path.display().to_string()).collect();
    page.tell("files", &written, paths);
    conclude(&Timed { report, wall, reproduce: text::command(&choices) }, page)
}

/// Makes sure, before something takes its time, that a file can be written in the end. What is in it stays.
pub(super) fn can_write(path: &Path) -> Result<(), String> {
    make_folder(path)?;
    let is_new = !path.exists();
    let opened = fs::OpenOptions::new().append(true).create(true).open(path);
    let tried = opened.and_then(|_| if is_new { fs::remove_file(path) } else { Ok(()) });
    tried.map_err(|error| format!("{}: {error}", path.display()))
}

fn make_folder(path: &Path) -> Result<(), String> {
    let Some(folder) = path.parent() else { return Ok(()) };
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

/// Writes a file, and the folder that it is in if that is missing.
pub(super) fn write(path: &Path, text: &str) -> Result<(), String> {
    make_folder(path)?;
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
