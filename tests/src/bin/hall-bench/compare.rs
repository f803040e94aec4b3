//! This build against another revision: both are under load in turn, so that what the machine does meets both.
//!
//! A figure of one build alone says little on a machine that others share. The ratio of two that were measured within the
//! same seconds says much, and its spread over the rounds says how much.

use crate::figures::{median, rounded};
use crate::fleet::{CONNECTIONS, Fleet};
use crate::server::Server;
use crate::{LIGHT_LOAD, Plan, cores, load, note, script};
use hall_tests::{Settings, Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Live games.
const GAMES: usize = 1_000;
/// Rounds: enough for a spread.
const ROUNDS: usize = 9;

/// What is compared: a name, where it stands in the report of a round, and whether that round is at full load.
const FIGURES: [(&str, &str, bool); 4] = [
    ("moves per second at full load", "/moves_per_second", true),
    ("processor time per move at full load, us", "/server_cpu_us_per_move", true),
    ("p50 at 200 moves a second, us", "/latency_us/p50", false),
    ("p99 at 200 moves a second, us", "/latency_us/p99", false),
];

/// Measures this build and another one: that of a revision, or a program at a path.
pub(crate) async fn measure(plan: &Plan, other: &str) -> Value {
    let program = match Path::new(other).canonicalize() {
        Ok(program) if program.is_file() => program,
        _ => build(&commit_of(other)),
    };
    let mut sides = Vec::new();
    for (name, settings) in
        [("this", Settings::default()), ("other", Settings::default().of_program(&program))]
    {
        note(&format!("{GAMES} live games on the {name} build"));
        let server = Server::with(plan, settings);
        let script = script::find(&server, script::CHESS);
        let fleet = Fleet::enter(&server, &script, CONNECTIONS).await;
        sides.push(Side { server, fleet, rounds: Vec::new() });
    }
    for round in 0..ROUNDS {
        note(&format!("round {} of {ROUNDS}", round + 1));
        // Each of them is first in every other round.
        for turn in 0..2 {
            sides[(round + turn) % 2].measure(plan).await;
        }
    }
    let figures: Vec<Value> = FIGURES.iter().map(|figure| compared(figure, &sides[0], &sides[1])).collect();
    json!({
        "machine": cores::describe(plan.pinned),
        "other_build": other,
        "rounds": ROUNDS,
        "live_games": GAMES,
        "this_to_other": figures,
    })
}

/// One of the two builds.
struct Side {
    server: Server,
    fleet: Fleet,
    /// Of each round, at full load and at light load.
    rounds: Vec<[Value; 2]>,
}

impl Side {
    async fn measure(&mut self, plan: &Plan) {
        let Self { server, fleet, rounds } = self;
        fleet.provide(server, GAMES, plan).await;
        let full = load::saturate(plan, server, fleet).await.report();
        fleet.provide(server, GAMES, plan).await;
        let light = load::at_rate(plan, server, fleet, LIGHT_LOAD).await.report();
        rounds.push([full, light]);
    }

    fn figures(&self, (_, place, is_full): &(&str, &str, bool)) -> Vec<f64> {
        let part = usize::from(!is_full);
        self.rounds.iter().map(|round| round[part].pointer(place).unwrap().as_f64().unwrap()).collect()
    }
}

/// A figure of both, and the ratios of the rounds: their median, and the quarter and three quarters of them.
fn compared(figure: &(&str, &str, bool), this: &Side, other: &Side) -> Value {
    let (this, other) = (this.figures(figure), other.figures(figure));
    let mut ratios: Vec<f64> = this.iter().zip(&other).map(|(this, other)| this / other).collect();
    ratios.sort_unstable_by(f64::total_cmp);
    let at = |part: usize| (ratios[(ratios.len() - 1) * part / 4] * 1_000.0).round() / 1_000.0;
    json!({
        "figure": figure.0,
        "this": rounded(median(this.into_iter())),
        "other": rounded(median(other.into_iter())),
        "ratio": { "median": at(2), "quarter": at(1), "three_quarters": at(3), "least": at(0), "most": at(4) },
    })
}

/// The commit that a revision names.
fn commit_of(revision: &str) -> String {
    let told = Command::new("git")
        .args(["rev-parse", "--verify", "--quiet", &format!("{revision}^{{commit}}")])
        .current_dir(workspace())
        .output()
        .unwrap();
    assert!(told.status.success(), "{revision} is neither a program nor a commit of this repository");
    String::from_utf8(told.stdout).unwrap().trim().to_owned()
}

/// The profile of production, for commits that do not have it yet.
const DIST: [&str; 3] =
    ["profile.dist.inherits='release'", "profile.dist.lto='fat'", "profile.dist.codegen-units=1"];

/// The program of a commit, built with the profile of this one, in a clone beside it; what was built before is kept.
fn build(commit: &str) -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let beside = own.parent().unwrap();
    let profile = beside.file_name().and_then(|name| name.to_str()).unwrap();
    assert!(["release", "dist"].contains(&profile), "built for {profile}, this program measures nothing");
    let folder = beside.join("compare");
    let program = folder.join(commit).join("hall");
    if program.exists() {
        return program;
    }
    note(&format!("building {commit}"));
    let source = folder.join("source");
    if !source.exists() {
        // It reads the objects of this repository, so that it knows every commit that this one does.
        let clone = ["clone", "--quiet", "--shared", "--no-checkout"];
        run(Command::new("git").args(clone).arg(workspace()).arg(&source));
    }
    run(Command::new("git").args(["checkout", "--quiet", "--detach", commit]).current_dir(&source));
    let target = folder.join("target");
    run(Command::new("cargo")
        .args(["build", "--locked", "--quiet", "--profile", profile, "--package", "hall"])
        .args(DIST.iter().flat_map(|setting| ["--config", setting]))
        .env("CARGO_TARGET_DIR", &target)
        .current_dir(&source));
    std::fs::create_dir_all(program.parent().unwrap()).unwrap();
    std::fs::copy(target.join(profile).join("hall"), &program).unwrap();
    program
}

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn run(command: &mut Command) {
    let status = command.status().unwrap();
    assert!(status.success(), "{command:?}: {status}");
}
