//! Fewer commands: leaving out agents, games, stretches, single steps, turns in the middle of games and at last empty
//! time, as long as the core still fails.

use super::replayed;
use super::shorter::{games, turns, without_turns};
use super::sooner::{gap_before, sooner};
use crate::log::{Judges, Step, kind_of};
use hall_core::{Caller, Command};
use hall_wire::{AgentId, GameId};
use std::collections::BTreeSet;

/// The fewest steps found that still break `kind`, as they were decided in the end; `None` if all of them together
/// do not break it without the world around the core. `goes_on` is told how many are left.
pub fn fewer(
    steps: &[Step],
    kind: &str,
    judges: Judges<'_>,
    mut goes_on: impl FnMut(usize) -> bool,
) -> Option<Vec<Step>> {
    let fails = |steps: &[Step], judges: Judges<'_>| {
        let (played, violation) = replayed(steps, judges);
        violation.filter(|violation| kind_of(violation) == kind).map(|_| played)
    };
    let mut best = fails(steps, judges)?;
    // Only whoever objects is asked from now on: the others cost time.
    let judges = cheapest(&best, kind, judges);
    let mut before = usize::MAX;
    while best.len() < before {
        before = best.len();
        let mut groups = groups(&best);
        groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
        for group in groups.into_iter().filter(|group| group.len() > 1) {
            if !goes_on(best.len()) {
                return Some(best);
            }
            let left: Vec<Step> = best.iter().filter(|step| !group.contains(&key(step))).cloned().collect();
            best = fails(&left, judges).filter(|played| played.len() < best.len()).unwrap_or(best);
        }
        let mut chunk = (best.len() / 2).max(1);
        loop {
            let mut until = best.len();
            while until > 0 {
                if !goes_on(best.len()) {
                    return Some(best);
                }
                let from = until.saturating_sub(chunk);
                let left: Vec<Step> =
                    best.iter().take(from).chain(best.iter().skip(until)).cloned().collect();
                if let Some(played) = fails(&left, judges).filter(|played| played.len() < best.len()) {
                    best = played;
                }
                until = from.min(best.len());
            }
            if chunk == 1 {
                break;
            }
            chunk /= 2;
        }
        for game in games(&best) {
            let mut count = turns(&best, game) / 2 * 2;
            while count > 0 {
                let mut from = turns(&best, game).saturating_sub(count);
                loop {
                    if !goes_on(best.len()) {
                        return Some(best);
                    }
                    let left = without_turns(&best, game, from, count);
                    let fewer = fails(&left, judges).filter(|played| played.len() < best.len());
                    best = fewer.unwrap_or(best);
                    if from == 0 {
                        break;
                    }
                    from = from.saturating_sub(count);
                }
                // The same side stays to move.
                count = count / 4 * 2;
            }
        }
        // From the end, so that what was moved already stays close together.
        for place in (1..best.len()).rev() {
            let Some(gap) = gap_before(&best, place) else { continue };
            if !goes_on(best.len()) {
                return Some(best);
            }
            let still = fails(&sooner(&best, place, gap), judges);
            best = still.filter(|played| played.len() <= best.len()).unwrap_or(best);
        }
    }
    Some(best)
}

/// The judges with only those that are needed.
fn cheapest<'a>(steps: &[Step], kind: &str, judges: Judges<'a>) -> Judges<'a> {
    let mut fewest = judges;
    let without: [fn(&mut Judges<'_>); 2] = [|judges| judges.check = false, |judges| judges.oracles = false];
    for without in without {
        let mut candidate = fewest;
        without(&mut candidate);
        if replayed(steps, candidate).1.is_some_and(|violation| kind_of(&violation) == kind) {
            fewest = candidate;
        }
    }
    fewest
}

/// By what a step is known while others are left out.
type Key = (i64, i64, &'static str, String);

fn key(step: &Step) -> Key {
    (step.at.as_millis(), step.stamp.as_millis(), step.word(), format!("{:?}", step.who))
}

/// Steps that belong together: those of one agent, and those of one game.
fn groups(steps: &[Step]) -> Vec<BTreeSet<Key>> {
    let agents: BTreeSet<AgentId> = steps.iter().filter_map(agent).collect();
    let games: BTreeSet<GameId> = steps.iter().filter_map(Step::game).collect();
    let of = |belongs: &dyn Fn(&Step) -> bool| {
        steps.iter().filter(|step| belongs(step)).map(key).collect::<BTreeSet<Key>>()
    };
    let by_agent = agents.iter().map(|whose| of(&|step| agent(step) == Some(*whose)));
    let by_game = games.iter().map(|which| of(&|step| step.game() == Some(*which)));
    by_agent.chain(by_game).collect()
}

fn agent(step: &Step) -> Option<AgentId> {
    match (&step.what, step.who) {
        (Command::RegisterAgent(new), _) => Some(AgentId::of_key(&new.key)),
        (_, Caller::Agent(agent)) => Some(agent),
        (_, Caller::Operator | Caller::Hall) => None,
    }
}
