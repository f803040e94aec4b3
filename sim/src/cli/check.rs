//! `hall-sim check`: many worlds.

use super::run::status;
use super::text;
use super::world::{KindArgs, WorldArgs};
use super::{OK, Status, UNREST, VIOLATION, cannot, progress};
use clap::Args;
use hall_sim::check::{Harvest, Sweep, sweep};
use hall_sim::report::WorldReport;
use hall_sim::run::{Choices, Kind, Worlds};
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt;
use std::fmt::Write as _;
use std::ops::Range;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

/// Run many seeds and stop at the first world that is not clean: direct and turmoil worlds of several profiles by turns,
/// or worlds of one kind and profile if --world or --profile is given.
#[derive(Debug, Args)]
#[command(
    after_help = "Progress goes to standard error. Exit codes: 0 nothing was found, 1 a violation, 2 wrong usage, 3 \
    something did not come to rest."
)]
pub(crate) struct CheckArgs {
    /// The seeds: from the first up to, but not including, the last
    #[arg(long, value_name = "A..B", value_parser = seeds)]
    seeds: Range<u64>,
    /// Worlds at the same time, 1 to 1024 [default: one for each processor]
    #[arg(long, value_name = "J", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// End after this many seconds: a world that is still running then is cut off, and so is one that takes more than a
    /// quarter of them
    #[arg(long, value_name = "SECONDS")]
    budget: Option<u64>,
    /// Continue after a world that is not clean
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    kind: KindArgs,
    #[command(flatten)]
    choices: WorldArgs,
    /// Print one JSON object for each world that is not clean, and one for all of them
    #[arg(long)]
    json: bool,
}

/// Runs many worlds.
pub(super) fn run(args: &CheckArgs) -> Status {
    if args.seeds.is_empty() {
        return cannot(&"--seeds names no seed; try for example --seeds 0..100");
    }
    let jobs = args.jobs.map_or_else(|| available_parallelism().map_or(1, usize::from), usize::from);
    let choices = match args.kind.apply(args.choices.choices(args.seeds.start)) {
        Ok(choices) => choices,
        Err(why) => return cannot(&why),
    };
    let budget = args.budget.map(Duration::from_secs);
    let is_standard = args.kind.world.is_none() && args.choices.profile.is_none();
    let worlds = if is_standard { Worlds::Standard(choices) } else { Worlds::Alike(choices) };
    let asked = Sweep { seeds: args.seeds.clone(), worlds, jobs, budget };
    let began = Instant::now();
    let mut progress = Progress { began, told: began, worlds: 0, of: args.seeds.end - args.seeds.start };
    let harvest = sweep(&asked, &|| began.elapsed(), |report| {
        progress.tell(report);
        if !report.is_clean() {
            tell(report, &worlds.of(report.seed), args.json);
        }
        args.all || report.is_clean()
    });
    summarize(&harvest, args, began.elapsed());
    let worst = harvest.failures.iter().map(status).min_by_key(|status| match *status {
        VIOLATION => 0,
        UNREST => 1,
        _ => 2,
    });
    worst.unwrap_or(OK)
}

/// Reports a world with findings.
fn tell(report: &WorldReport, choices: &Choices, json: bool) {
    let reproduce = text::command(choices);
    if json {
        let mut value = json!(report);
        if let Some(members) = value.as_object_mut() {
            members.insert("reproduce".to_owned(), json!(reproduce));
        }
        say!("{value}");
        return;
    }
    for found in &report.violations {
        say!("Seed {}: VIOLATION of {} at {}: {}", report.seed, found.invariant, found.at, found.text);
    }
    for found in &report.unrest {
        say!("Seed {}: NOT AT REST, {} at {}: {}", report.seed, found.invariant, found.at, found.text);
    }
    say!("  again:   {reproduce}");
    if let Some(smaller) = text::smaller(&reproduce) {
        say!("  smaller: {smaller}");
    }
}

fn summarize(harvest: &Harvest, args: &CheckArgs, wall: Duration) {
    let millis = u64::try_from(wall.as_millis()).unwrap_or(u64::MAX).max(1);
    let per_minute = harvest.worlds * 60_000 / millis;
    let never = harvest.never(hall_sim::marks::EXPECTED.iter().copied());
    let never = match args.kind.world.unwrap_or_default() {
        Kind::Turmoil => Err("turmoil worlds need not reach any"),
        Kind::Cluster => Err("worlds of several nodes need not reach any"),
        // What worlds had not reached by the first that failed says nothing, and the failure is what is to be seen.
        Kind::Direct if !harvest.failures.is_empty() => Err("missing ones are listed when no world fails"),
        Kind::Direct => Ok(&never),
    };
    let asked = args.seeds.end - args.seeds.start;
    if args.json {
        let seeds: Vec<u64> = harvest.failures.iter().map(|report| report.seed).collect();
        say!(
            "{}",
            json!({
                "worlds": harvest.worlds, "asked": asked, "wall_millis": millis, "worlds_per_minute": per_minute,
                "games": harvest.games, "turns": harvest.turns, "faults": harvest.faults, "halted": harvest.halted,
                "marks": harvest.marks, "marks_never_reached": never.ok(), "not_clean": seeds,
                "cut_off": harvest.cut_off.iter().map(|report| json!({
                    "seed": report.seed, "virtual_millis": report.virtual_millis, "of": report.cut_off,
                })).collect::<Vec<_>>(),
            })
        );
        return;
    }
    let of = if harvest.worlds < asked { format!(" of {asked}") } else { String::new() };
    say!(
        "{}{of} worlds in {} s, {per_minute} a minute: {} games, {} turns; in {} the hall refused a damaged disk",
        harvest.worlds,
        millis / 1_000,
        harvest.games,
        harvest.turns,
        harvest.halted
    );
    let mut lists = String::new();
    let faults: Vec<String> = harvest.faults.iter().map(|(name, count)| format!("{name} {count}")).collect();
    let written = text::list(&mut lists, "faults", &faults)
        .and_then(|()| cut_off(&mut lists, &harvest.cut_off))
        .and_then(|()| marks(&mut lists, harvest.marks.len(), never));
    if written.is_ok() {
        say!("{}", lists.trim_end());
    }
    let seeds: Vec<String> = harvest.failures.iter().map(|report| report.seed.to_string()).collect();
    let end = if harvest.worlds < asked && seeds.is_empty() { " in the time that it had." } else { "." };
    match seeds.as_slice() {
        [] => say!("Nothing was found{end}"),
        [seed] => say!("One world is not clean: seed {seed}."),
        seeds => say!("{} worlds are not clean: seeds {}.", seeds.len(), seeds.join(", ")),
    }
}

/// The worlds that were cut off, and where; nothing if there are none.
fn cut_off(out: &mut String, cut_off: &[WorldReport]) -> fmt::Result {
    if cut_off.is_empty() {
        return Ok(());
    }
    let told: Vec<String> = cut_off
        .iter()
        .map(|report| {
            let of = text::hours(report.cut_off.unwrap_or_default());
            format!("seed {} after {} of {of}", report.seed, text::hours(report.virtual_millis))
        })
        .collect();
    text::list(out, &format!("{} cut off", told.len()), &told)
}

/// How many marks were reached, and which were not; or why that is not told.
fn marks(out: &mut String, reached: usize, never: Result<&BTreeSet<&str>, &'static str>) -> fmt::Result {
    let never = match never {
        Ok(never) => never,
        Err(why) => return writeln!(out, "  {reached} marks reached; {why}"),
    };
    let never: Vec<String> = never.iter().map(|mark| (*mark).to_owned()).collect();
    text::list(out, &format!("{reached} marks reached, never"), &never)
}

/// A line on standard error now and then.
struct Progress {
    began: Instant,
    told: Instant,
    worlds: u64,
    of: u64,
}

impl Progress {
    fn tell(&mut self, report: &WorldReport) {
        self.worlds += 1;
        if self.told.elapsed() < progress::interval() {
            return;
        }
        self.told = Instant::now();
        let seconds = self.began.elapsed().as_secs().max(1);
        hint!(
            "seed {}, {} of {} worlds, {} a minute",
            report.seed,
            self.worlds,
            self.of,
            self.worlds * 60 / seconds
        );
    }
}

fn seeds(text: &str) -> Result<Range<u64>, String> {
    let parsed = text.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    parsed.ok_or_else(|| "two numbers, such as 0..100".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_marks_are_reported_only_where_some_are_required() {
        let told = |never: Result<&BTreeSet<&str>, &'static str>| {
            let mut text = String::new();
            marks(&mut text, 25, never).unwrap();
            text
        };
        assert_eq!(told(Err("none is asked for")), "  25 marks reached; none is asked for\n");
        assert_eq!(told(Ok(&BTreeSet::new())), "  25 marks reached, never none\n");
        assert_eq!(told(Ok(&["fault:kill"].into())), "  25 marks reached, never fault:kill\n");
    }
    #[test]
    fn worlds_that_were_cut_off_are_listed_with_the_time_that_they_reached() {
        let report = |seed, virtual_millis| WorldReport {
            seed,
            virtual_millis,
            cut_off: Some(36_000_000),
            ..WorldReport::default()
        };
        let told = |reports: &[WorldReport]| {
            let mut text = String::new();
            cut_off(&mut text, reports).unwrap();
            text
        };
        assert_eq!(told(&[]), "");
        assert_eq!(
            told(&[report(4, 61_000), report(7, 0)]),
            "  2 cut off  seed 4 after 1 min 01 s of 10 h 00 min, seed 7 after 0 min 00 s of 10 h 00 min\n"
        );
    }
}
