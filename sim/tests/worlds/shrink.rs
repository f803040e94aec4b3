//! Failures of whole worlds, made small.

use hall_core::rooms::RoomChange;
use hall_core::{Caller, Command, DeskCommand, Fact, GovernanceCommand, GovernanceFact, Hall, HallCommand};
use hall_sim::dice::Dice;
use hall_sim::direct::{Observed, World};
use hall_sim::log::{Judges, Log, Panel, Step};
use hall_sim::oracles::{Probed, Tried};
use hall_sim::plan::{Profile, WorldPlan};
use hall_sim::report::Violation;
use hall_sim::shrink::{Effort, Stage, by_game, in_the_core, replayed, shrink, steps_of};

/// A planted bug: no player may resign.
fn nobody_gives_up(observed: &Observed, _: &Hall) -> Option<Violation> {
    let gives_up = observed.decision.facts.iter().filter_map(Fact::in_room).any(|fact| {
        matches!(&fact.change, RoomChange::Ended { result, .. } if result.reason.as_str() == "resignation")
    });
    gives_up.then(|| Violation::new("planted", observed.at, "somebody gave up"))
}

#[test]
fn a_planted_failure_of_a_swarm_shrinks_to_a_log_of_few_steps_that_still_fails() {
    let mut goes_on = |_: Stage, _: &str| true;
    let mut effort = Effort { goes_on: &mut goes_on, other: &nobody_gives_up };
    // Not every world has a resignation.
    let shrunk =
        (0..20).find_map(|seed| shrink(&WorldPlan::draw(seed, Profile::Swarm), &mut effort)).unwrap();
    assert_eq!(shrunk.violation.invariant, "planted");
    assert!(shrunk.plan.agent_profiles.len() <= 3, "{} agents", shrunk.plan.agent_profiles.len());
    // The start, two registrations, two entries, two joins and the move that gives up; and what was due.
    assert!((1..=12).contains(&shrunk.log.steps.len()), "{}", shrunk.log);
    let written = Log::parse(&shrunk.log.to_string()).unwrap();
    assert_eq!(written, shrunk.log);
    let judges = Judges { other: &nobody_gives_up, ..Judges::all() };
    assert_eq!(replayed(&written.steps, judges).1.unwrap().invariant, "planted");
    assert_eq!(replayed(&written.steps, Judges::all()).1, None);
}

/// A planted bug: the operator may not suspend any agent.
fn nobody_is_suspended(observed: &Observed, _: &Hall) -> Option<Violation> {
    let suspended = |fact: &Fact| matches!(fact, Fact::Governance(GovernanceFact::AgentSuspended { .. }));
    let suspends = observed.decision.facts.iter().any(suspended);
    suspends.then(|| Violation::new("planted", observed.at, "somebody was suspended"))
}

#[test]
fn a_failure_found_on_a_copy_of_the_hall_shrinks_to_a_log_that_ends_with_it() {
    let mut recording = World::new(WorldPlan::calm(3, 4)).run_recorded();
    let after = recording.decided.len() / 2;
    let at = recording.decided[after].at;
    let handle = recording.decided.iter().find_map(|observed| {
        let Command::Desk(DeskCommand::RegisterAgent(new)) = &observed.what else { return None };
        Some(new.handle.clone())
    });
    let suspend = Command::Governance(GovernanceCommand::SuspendAgent {
        handle: handle.unwrap(),
        reason: "tried".to_owned(),
    });
    let tried = |what| Tried { at, stamp: at, who: Caller::Operator, what, drawn: Vec::new(), saved: true };
    recording.probed =
        Some(Probed { after, chain: vec![tried(Command::Hall(HallCommand::Sweep)), tried(suspend)] });
    let shrunk = in_the_core(&recording, "R1", &nobody_is_suspended, |_| true);
    let (steps, judged_by) = shrunk.unwrap();
    assert_eq!(judged_by, Panel::Reference);
    // The start of the hall, what is due then, the registration, and what was tried.
    let words: Vec<&str> = steps.iter().map(Step::word).collect();
    assert_eq!(words, ["start_hall", "sweep", "register_agent", "suspend_agent"]);
}

#[test]
fn the_log_of_a_clean_world_with_doorbells_is_clean_when_it_is_replayed() {
    let mut plan = WorldPlan::draw(1, Profile::Bells);
    plan.lasts = hall_wire::Span::from_secs(600);
    let recording = World::new(plan).run_recorded();
    let steps = steps_of(&recording, false);
    let proved = steps.iter().filter(|step| step.word() == "confirm_doorbell").count();
    assert!(recording.report.is_clean() && proved > 0, "{proved} addresses proved");
    assert_eq!(replayed(&steps, Judges::all()).1, None);
}

#[test]
fn a_clean_world_has_nothing_to_shrink() {
    let mut goes_on = |_: Stage, _: &str| true;
    let mut effort = Effort { goes_on: &mut goes_on, other: &|_, _| None };
    assert!(shrink(&WorldPlan::calm(3, 2), &mut effort).is_none());
}

/// What shrinking leaves out must not look like a failure: nothing is wrong with what is left.
#[test]
fn a_clean_log_is_as_clean_without_any_of_its_steps() {
    let mut plan = WorldPlan::draw(3, Profile::Swarm);
    plan.lasts = hall_wire::Span::from_secs(300);
    plan.set_agents(6);
    let steps = steps_of(&World::new(plan).run_recorded(), false);
    assert!(steps.len() > 150, "{} steps", steps.len());
    // Some oracles do not know what the gate would have refused already: who has not registered.
    let stays = |step: &Step| matches!(step.word(), "start_hall" | "register_agent");
    let mut dice = Dice::of(1, "what is left out", 0);
    for _ in 0..40 {
        let leaves_out = u32::try_from(dice.between(1, 900)).unwrap();
        let left: Vec<Step> =
            steps.iter().filter(|step| stays(step) || !dice.permille(leaves_out)).cloned().collect();
        let found = replayed(&left, Judges::all()).1;
        assert_eq!(found, None, "{} of {} steps", left.len(), steps.len());
    }
}

#[test]
fn a_game_is_left_out_together_with_the_steps_that_lead_to_it() {
    let steps = steps_of(&World::new(WorldPlan::calm(3, 2)).run_recorded(), false);
    let groups = by_game(&steps);
    assert!(groups.len() > 2, "{} games", groups.len());
    for group in groups {
        let joins = group.iter().filter(|(_, _, word, _)| *word == "join_lobby").count();
        assert_eq!(joins, 2);
    }
}
