//! Making a failure small: first the plan of its world, then the commands that its core was given.
//!
//! A smaller world counts as the same failure if the same invariant breaks. What cannot be shown on the core alone
//! (a fault of the journal, say, or of the gate) stays a plan.

mod commands;
mod shorter;
mod sooner;
mod world;

pub use commands::{Key, by_game, fewer};
pub use world::smaller;

use crate::direct::{Observed, Recording, UnderWay, World};
use crate::log::{DecisionMode, Header, Judge, Judges, Log, Panel, Step, kind_of};
use crate::oracles::Tried;
use crate::plan::WorldPlan;
use crate::report::{Violation, WorldReport};
use hall_core::Hall;
use hall_games::CATALOG;

/// What became of a failure.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// What it breaks.
    pub violation: Violation,
    /// Whether its world breaks nothing but that: it does not come to rest.
    pub is_unrest: bool,
    /// The smallest plan that still fails.
    pub plan: WorldPlan,
    /// The commands that break the core, if they do without the world around it; else a log without steps.
    pub log: Log,
    /// Worlds and logs that were tried.
    pub tried: u64,
}

/// What is being made smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The world, first.
    World,
    /// The log of its commands.
    Log,
}

/// How far to go, and whom to tell.
pub struct Effort<'a> {
    /// Asked before each try; when it says no, the smallest by then is the result of the stage.
    pub goes_on: &'a mut dyn FnMut(Stage, &str) -> bool,
    /// A custom judge of decisions, for tests of shrinking.
    pub other: &'a dyn Fn(&Observed, &Hall) -> Option<Violation>,
}

/// Makes the failure of a plan small. `None` if its world is clean.
pub fn shrink(plan: &WorldPlan, effort: &mut Effort<'_>) -> Option<Shrunk> {
    let report = fails(plan, effort)?.report;
    let first = report.violations.into_iter().chain(report.unrest).next()?;
    let kind = kind_of(&first);
    let mut tried = 1;
    let plan = smaller(plan, |plan| {
        tried += 1;
        let size = format!("{} agents for {} s", plan.agent_profiles.len(), plan.lasts.as_millis() / 1_000);
        (effort.goes_on)(Stage::World, &format!("world {tried}: {size}"))
            .then(|| fails(plan, effort).is_some_and(|recording| has(&recording.report, &kind)))
    });
    let recording = fails(&plan, effort)?;
    let report = &recording.report;
    let violation =
        report.violations.iter().chain(&report.unrest).find(|found| kind_of(found) == kind)?.clone();
    let is_unrest = report.violations.is_empty();
    let shows = format!("{}: {}", violation.invariant, one_line(&violation.text));
    let mut header = Header::new(shows, Some(&plan));
    let small = in_the_core(&recording, &kind, effort.other, |left| {
        tried += 1;
        (effort.goes_on)(Stage::Log, &format!("log {tried}: {left} steps"))
    });
    let (steps, judged_by) = small.unwrap_or_default();
    header.judged_by = judged_by;
    let log = Log { header, steps, state: None };
    Some(Shrunk { violation, is_unrest, plan, log, tried })
}

/// The fewest steps that break the core without the world around it, and who objects to them; `None` if it does not
/// break then.
pub fn in_the_core(
    recording: &Recording,
    kind: &str,
    other: &dyn Fn(&Observed, &Hall) -> Option<Violation>,
    mut goes_on: impl FnMut(usize) -> bool,
) -> Option<(Vec<Step>, Panel)> {
    if let Some(steps) = with_what_was_tried(recording) {
        let judges = Judges { other, ..Judges::with(Panel::Reference) };
        // What an oracle found on a copy of the state may be found by another check when it happens.
        let found = replayed(&steps, judges).1.map(|found| kind_of(&found));
        let small = found.and_then(|kind| fewer(&steps, &kind, judges, &mut goes_on));
        if let Some(steps) = small {
            return Some((steps, Panel::Reference));
        }
    }
    let judges = Judges { other, ..Judges::all() };
    let steps = steps_of(recording, false);
    // One decision may break several invariants, and another one of them may be the first that is seen here.
    let first = replayed(&steps, judges).1.map(|found| kind_of(&found));
    let kind = first.filter(|first| has(&recording.report, first)).unwrap_or_else(|| kind.to_owned());
    let steps = fewer(&steps, &kind, judges, &mut goes_on)?;
    // Steps that only one of them was asked about may come to what others object to, though nothing is wrong with them.
    let panels = [Panel::All, Panel::Reference, Panel::Others, Panel::Nobody];
    let objects = |panel: &Panel| {
        let found = replayed(&steps, Judges { oracles: *panel, ..judges }).1;
        found.is_some_and(|found| kind_of(&found) == kind)
    };
    let judged_by = panels.into_iter().find(objects)?;
    Some((steps, judged_by))
}

/// What was decided until an oracle tried something on a copy of the hall, and then what it tried, as if that had been
/// asked for. `None` if the failure is not one of those.
fn with_what_was_tried(recording: &Recording) -> Option<Vec<Step>> {
    let probed = recording.probed.as_ref()?;
    let before = recording.decided.iter().take(probed.after);
    let tried = probed.chain.iter().map(|tried| {
        let Tried { at, stamp, who, what, drawn, saved } = tried.clone();
        let mode = if saved { DecisionMode::TriedAndSaved } else { DecisionMode::Tried };
        Step { mode, ..Step::new(at, stamp, who, what, &drawn) }
    });
    Some(before.map(|observed| Step::observed(observed, false)).chain(tried).collect())
}

/// Runs a world under the custom judge. Returns its findings, if there are any.
fn fails(plan: &WorldPlan, effort: &Effort<'_>) -> Option<Recording> {
    let mut recording = World::new(plan.clone()).run_recorded();
    if recording.report.violations.is_empty() {
        // The state is shown to the other judge only when the core decides alone; here it is an empty one.
        let hall = Hall::new(CATALOG, hall_driver::docket_wording);
        let objects = recording.decided.iter().find_map(|observed| (effort.other)(observed, &hall));
        recording.report.violations.extend(objects);
    }
    (!recording.report.is_clean()).then_some(recording)
}

fn has(report: &WorldReport, kind: &str) -> bool {
    report.violations.iter().chain(&report.unrest).any(|found| kind_of(found) == kind)
}

/// The steps of a recorded world, with the facts of each or only their digest.
#[must_use]
pub fn steps_of(recording: &Recording, keep_facts: bool) -> Vec<Step> {
    let mut steps: Vec<Step> =
        recording.decided.iter().map(|observed| Step::observed(observed, keep_facts)).collect();
    if let Some(UnderWay { at, stamp, who, what }) = recording.under_way.clone() {
        steps.push(Step::new(at, stamp, who, what, &[]));
    }
    steps
}

/// Decides a log in which steps may be left out; what was decided in the end and who objected.
#[must_use]
pub fn replayed(steps: &[Step], judges: Judges<'_>) -> (Vec<Step>, Option<Violation>) {
    let (played, refuted) = Judge::new(CATALOG, judges).play(steps);
    (played, refuted.map(|refuted| refuted.violation))
}

fn one_line(text: &str) -> String {
    const MOST_LETTERS: usize = 300;
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(MOST_LETTERS) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}
