//! W4 and W5: what was taken is given back, and what has ended or waits takes no more memory than it must.

use super::ledger::Ledger;
use super::observation::{Held, Observation, Picture};
use super::{Family, Violations};
use crate::direct::Observed;
use hall_core::rooms::RoomChange;
use hall_core::{Effect, Fact, HallFact, Reply, RoomReply};
use hall_wire::{GameId, Span, Timestamp};
use std::collections::{BTreeMap, VecDeque};

/// Serial numbers of challenges that one page of memory covers, and what it takes.
const PAGE_SERIALS: usize = 4_096;
const PAGE_BYTES: usize = 576;
/// How long a spent challenge is remembered at most: its validity, and the time for requests that are on their way.
const REMEMBERED: Span = Span::from_secs(310);
/// Pages that may be there besides the full ones: the first and the last are used in part.
const PARTIAL_PAGES: usize = 2;

/// The challenges that the memory of spent ones may have to know.
#[derive(Clone, Default)]
struct Challenges {
    /// When they were issued, and how many in that millisecond.
    issued: VecDeque<(Timestamp, usize)>,
    /// How many they are.
    remembered: usize,
    /// The latest time at which one was issued, or that the stamp of a request shows which spent one. A request that
    /// lingers is spent at its stamp, however late it is looked at.
    latest: Timestamp,
}

impl Challenges {
    fn issue(&mut self, at: Timestamp) {
        self.latest = self.latest.max(at);
        self.remembered += 1;
        match self.issued.back_mut().filter(|(last, _)| *last == at) {
            Some((_, count)) => *count += 1,
            None => self.issued.push_back((at, 1)),
        }
    }

    /// What has expired is forgotten when something is spent.
    fn spend(&mut self, stamp: Timestamp) {
        self.latest = self.latest.max(stamp);
        while let Some((at, count)) = self.issued.front()
            && *at + REMEMBERED < self.latest
        {
            self.remembered -= count;
            self.issued.pop_front();
        }
    }

    /// What remembering them takes at most.
    const fn most_bytes(&self) -> usize {
        (self.remembered / PAGE_SERIALS + PARTIAL_PAGES) * PAGE_BYTES
    }
}

/// What takes memory, recounted.
#[derive(Clone, Default)]
pub(super) struct Growth {
    /// Steps that were seen.
    steps: u64,
    /// Games that have ended and are still in memory, with the step in which they ended.
    ended: BTreeMap<GameId, u64>,
    /// Answers that wait for the beacon.
    deferred: BTreeMap<(GameId, u32), usize>,
    /// Challenges of the process that runs.
    challenges: Challenges,
    /// Whether the disk was full at the last step.
    was_full: bool,
}

impl Family for Growth {
    fn observation(&mut self, observation: &Observation, _: &Ledger, violations: &mut Violations) {
        match observation {
            Observation::Issued { at, .. } => self.challenges.issue(*at),
            Observation::Judged(judged) if judged.spent => self.challenges.spend(judged.stamp),
            Observation::Died(_) => {
                self.challenges = Challenges::default();
                self.deferred.clear();
            }
            // What was in doubt is known by now. The first step takes out of memory what the last process left there.
            Observation::Started { .. } => {
                let now = self.steps + 1;
                self.ended.values_mut().for_each(|step| *step = now);
                self.deferred.clear();
            }
            Observation::Away { why: "low_disk", .. } => self.was_full = true,
            Observation::Rang(rang) => {
                let text = || format!("the ringer remembers {} hosts for {} turns", rang.hosts, rang.turns);
                violations.require(rang.hosts <= rang.turns, "W5", rang.at, text);
            }
            Observation::Stepped(picture) => self.stepped(picture, violations),
            _ => {}
        }
    }

    fn after(&mut self, observed: &Observed, _: &Ledger, _: &mut Violations) {
        for fact in &observed.decision.facts {
            match fact {
                Fact::Room(fact) if matches!(fact.change, RoomChange::Ended { .. }) => {
                    self.ended.insert(fact.game, self.steps);
                }
                Fact::Hall(HallFact::GameArchived { game, .. }) => {
                    self.ended.remove(game);
                }
                _ => {}
            }
        }
        for effect in &observed.decision.effects {
            if let Effect::DeferredAnswer { game, turn_index, .. } = effect {
                self.deferred.remove(&(*game, *turn_index));
            }
        }
        if let Ok(Reply::Room(RoomReply::Deferred { game, turn_index })) = &observed.decision.answer {
            *self.deferred.entry((*game, *turn_index)).or_default() += 1;
        }
    }
}

impl Growth {
    fn stepped(&mut self, picture: &Picture, violations: &mut Violations) {
        let at = picture.at;
        let may_write = picture.writable && !self.was_full;
        self.was_full = !picture.writable;
        let now = self.steps;
        self.steps += 1;
        let remembered = self.challenges.remembered;
        let text = || {
            format!(
                "{remembered} challenges can be spent twice, and {} bytes remember them",
                picture.spent_bytes
            )
        };
        violations.require(picture.spent_bytes <= self.challenges.most_bytes(), "W4", at, text);
        let Some(Held { occupancy, lingering, followed }) = picture.held else { return };
        let left = self.ended.iter().find(|(_, step)| **step < now).filter(|_| may_write);
        let text = || format!("{left:?} ended with an earlier step and is still in memory");
        violations.require(left.is_none(), "W5", at, text);
        let in_flight = picture.queued + lingering;
        let text = || format!("{} requests are in flight, {in_flight} are known", occupancy.in_flight);
        // With nothing under way everything must be given back, else there may be no more than there are requests.
        let invariant = if in_flight == 0 { "W4" } else { "W5" };
        violations.require(occupancy.in_flight <= in_flight, invariant, at, text);
        let deferred = self.deferred.values().sum();
        let text = || format!("{} answers are held back, {deferred} wait for the beacon", occupancy.deferred);
        violations.require(occupancy.deferred <= deferred, "W5", at, text);
        let text = || {
            format!(
                "{} games are followed by {followed} readers, {} agents watched",
                occupancy.followed, occupancy.watched
            )
        };
        violations.require(occupancy.followed == followed && occupancy.watched == 0, "W4", at, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice::Dice;
    use hall_core::challenge::ChallengeBook;
    use hall_wire::Handle;

    #[test]
    fn a_hall_that_spends_at_the_stamps_of_late_requests_never_remembers_more_than_is_allowed() {
        let handle = Handle::parse("ada").unwrap();
        for seed in 0..20 {
            let mut dice = Dice::of(seed, "challenges", 0);
            let mut book = ChallengeBook::new(&[7; 32], Span::from_secs(300));
            let mut allowed = Challenges::default();
            let mut now = Timestamp::from_millis(1_000_000);
            let mut fullest = 0;
            for _ in 0..30_000 {
                let challenge = book.issue(now, &handle);
                allowed.issue(now);
                let stamp = now;
                // A request lingers now and then, and once in a while the whole process stops.
                let step = if dice.below(3_000) == 0 { 120_000 } else { dice.below(40) };
                now = now + Span::from_millis(step);
                if dice.below(2) == 0 {
                    let spent = if dice.below(3) == 0 { now } else { stamp };
                    if book.spend(spent, &handle, &challenge).is_ok() {
                        allowed.spend(spent);
                    }
                    assert!(book.bytes() <= allowed.most_bytes(), "seed {seed} at {now}");
                }
                fullest = fullest.max(book.bytes());
            }
            assert!(fullest > 2 * PAGE_BYTES, "several pages are in use at a time");
        }
    }
}
