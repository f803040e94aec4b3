//! The book of challenges against a map of what was issued (specification 2.5 and 5.3).

use super::Comparison;
use crate::dice::Dice;
use hall_core::challenge::{ChallengeBook, ChallengeProblem, SpendProblem};
use hall_wire::message::Challenge;
use hall_wire::{Handle, Span, Timestamp};
use std::collections::BTreeMap;

const START: i64 = 1_795_211_400_000;
const VALIDITY: i64 = 300_000;
/// A request that is looked at later than this after its stamp counts as if it were just so late.
const LATE: i64 = 10_000;

/// Names of which some begin with another.
const NAMES: [&str; 4] = ["ada", "adam", "adam-1", "eve"];

struct Known {
    handle: Handle,
    issued: i64,
    spent: bool,
}

/// What was issued, and what became of it.
#[derive(Default)]
struct Notes {
    latest: i64,
    /// Whether nothing can be remembered.
    full: bool,
    known: BTreeMap<Challenge, Known>,
}

impl Notes {
    fn verdict(&self, at: i64, handle: &Handle, challenge: &Challenge) -> Result<(), ChallengeProblem> {
        match self.known.get(challenge).filter(|known| known.handle == *handle && known.issued <= at) {
            None => Err(ChallengeProblem::Unknown),
            Some(known) if at.max(self.latest - LATE) >= known.issued + VALIDITY => {
                Err(ChallengeProblem::Expired)
            }
            Some(known) if known.spent => Err(ChallengeProblem::Spent),
            Some(_) => Ok(()),
        }
    }

    fn spend(&mut self, at: i64, handle: &Handle, challenge: &Challenge) -> Result<(), SpendProblem> {
        self.verdict(at, handle, challenge).map_err(SpendProblem::Refused)?;
        self.latest = self.latest.max(at);
        if self.full {
            return Err(SpendProblem::Full);
        }
        if let Some(known) = self.known.get_mut(challenge) {
            known.spent = true;
        }
        Ok(())
    }
}

/// Issues, checks and spends at random, and at the edges of validity.
pub(super) fn compare(
    dice: &mut Dice,
    out: &mut Comparison,
    mut spend: impl FnMut(&mut ChallengeBook, Timestamp, &Handle, &Challenge) -> Result<(), SpendProblem>,
) {
    let handles: Vec<Handle> = NAMES.iter().filter_map(|name| Handle::parse(name)).collect();
    let validity = Span::from_millis(VALIDITY.unsigned_abs());
    for round in 0..4 {
        let full = round == 3;
        let secret = dice.bytes();
        let mut book = if full {
            ChallengeBook::with_capacity(&secret, validity, 0)
        } else {
            ChallengeBook::new(&secret, validity)
        };
        let mut elsewhere = ChallengeBook::new(&dice.bytes(), validity);
        let mut notes = Notes { full, ..Notes::default() };
        let mut now = START;
        // What is spent is remembered in blocks: now and then more is issued than goes into one.
        let many = round == 0 && dice.permille(20);
        let mut issued: Vec<Challenge> = Vec::new();
        for step in 0..if many { 4_200 } else { 60 } {
            let Some(handle) = dice.pick(&handles).cloned() else { return };
            let hasty = many && step < 4_080;
            now += if hasty { 1 } else { jump(dice) };
            let act = if hasty { 0 } else { dice.below(4) };
            if act == 0 {
                let challenge = book.issue(Timestamp::from_millis(now), &handle);
                notes.latest = notes.latest.max(now);
                let known = Known { handle: handle.clone(), issued: notes.latest, spent: false };
                let new = notes.known.insert(challenge, known).is_none();
                out.same("challenge: one issued twice", || format!("{handle}, step {step}"), true, new);
                issued.push(challenge);
                if dice.permille(150) {
                    issued.push(elsewhere.issue(Timestamp::from_millis(now), &handle));
                }
                continue;
            }
            // One of the last is likelier to be of use.
            let recent = issued.len().saturating_sub(if dice.permille(700) { 12 } else { usize::MAX });
            let Some(challenge) = dice.pick(issued.get(recent..).unwrap_or_default()).copied() else {
                continue;
            };
            let challenge = if dice.permille(80) { flipped(dice, challenge) } else { challenge };
            let own = notes.known.get(&challenge);
            let handle =
                own.map(|known| known.handle.clone()).filter(|_| dice.permille(850)).unwrap_or(handle);
            let edges = [-1, 0, VALIDITY - 1, VALIDITY, VALIDITY + 1];
            let at = match (own, dice.pick(&edges)) {
                (Some(known), Some(edge)) if dice.permille(400) => known.issued + edge,
                _ => now,
            };
            let stamp = Timestamp::from_millis(at);
            let since = own.map(|known| at - known.issued);
            let input = || {
                format!(
                    "{challenge} for {handle}, {since:?} ms after its issue, step {step} of round {round}"
                )
            };
            let expected = notes.verdict(at, &handle, &challenge);
            out.same("challenge: check", input, expected, book.check(stamp, &handle, &challenge));
            if act <= 2 {
                let expected = notes.spend(at, &handle, &challenge);
                out.same("challenge: spend", input, expected, spend(&mut book, stamp, &handle, &challenge));
            }
        }
    }
    let expiry = ChallengeBook::new(&[0; 32], validity).expiry(Timestamp::from_millis(START));
    out.same("challenge: expiry", String::new, START + VALIDITY, expiry.as_millis());
}

fn jump(dice: &mut Dice) -> i64 {
    let edges = [0, 1, -1, -5_000, LATE - 1, LATE, LATE + 1, VALIDITY - 1, VALIDITY, VALIDITY + 1, 310_000];
    match dice.pick(&edges) {
        Some(edge) if dice.permille(250) => *edge,
        _ => i64::try_from(dice.below(2_000)).unwrap_or(0),
    }
}

/// The challenge with one bit changed.
fn flipped(dice: &mut Dice, challenge: Challenge) -> Challenge {
    let mut bytes = *challenge.as_bytes();
    let (place, bit) = (usize::try_from(dice.below(32)).unwrap_or(0), dice.below(8));
    if let Some(byte) = bytes.get_mut(place) {
        *byte ^= 1 << bit;
    }
    Challenge::from_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differences(
        spend: impl FnMut(&mut ChallengeBook, Timestamp, &Handle, &Challenge) -> Result<(), SpendProblem>,
    ) -> usize {
        let mut out = Comparison::default();
        compare(&mut Dice::of(1, "challenges", 0), &mut out, spend);
        out.differences.len()
    }

    #[test]
    fn a_book_that_spends_nothing_or_a_millisecond_late_or_never_says_that_it_is_full_differs() {
        assert_eq!(differences(|book, at, handle, challenge| book.spend(at, handle, challenge)), 0);
        let checked = differences(|book, at, handle, challenge| {
            book.check(at, handle, challenge).map_err(SpendProblem::Refused)
        });
        assert_ne!(checked, 0);
        let late = Span::from_millis(1);
        assert_ne!(differences(|book, at, handle, challenge| book.spend(at + late, handle, challenge)), 0);
        let anyhow = differences(|book, at, handle, challenge| match book.spend(at, handle, challenge) {
            Err(SpendProblem::Full) => Ok(()),
            other => other,
        });
        assert_ne!(anyhow, 0);
    }
}
