//! W1 to W3: a request gets its answer, a turn its ring, and a game the beacon round that has come.

use super::authentication::{asker, asking_handle};
use super::ledger::Ledger;
use super::observation::{Observation, Picture};
use super::{Family, Violations};
use crate::direct::Observed;
use crate::protocol::AnswerBrief;
use hall_core::rooms::{BeaconStatus, RoomChange, RoomFact};
use hall_core::{DoorbellChange, Effect, Fact, Reply, RoomReply};
use hall_wire::{AgentId, GameId, Handle, Span, Timestamp};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// How long a due ring may wait for its first attempt because of other agents at its host.
const RING_WAITS: Span = Span::from_secs(30);
/// How long one attempt at its own endpoint may take; those for the agent's other games may come first, one by one.
const ATTEMPT_TAKES: Span = Span::from_secs(5);
/// How long a game may take to use a round that the hall has.
const ROUND_WAITS: Span = Span::from_secs(3);

/// What the hall owes.
#[derive(Clone, Default)]
pub(super) struct Owed {
    /// Steps that were seen.
    steps: u64,
    /// Whether the world shows the gate, and so all answers.
    gated: bool,
    /// Requests that the gate has let through and that are neither decided nor turned away.
    undecided: u64,
    /// Whether more of them were missing in the queue at the end of the last step.
    missing: bool,
    /// Decided requests whose answers are still to come: by handle, the steps in which they were decided.
    answers: BTreeMap<Handle, VecDeque<u64>>,
    /// Requests whose answers wait for the beacon.
    deferred: BTreeMap<(GameId, u32), Vec<Handle>>,
    rings: DueRings,
    /// Games whose round the process has been given, and when.
    given: BTreeMap<GameId, Timestamp>,
}

/// Turns whose agents have a doorbell that rings, and that nobody has tried to ring for.
#[derive(Clone, Default)]
struct DueRings {
    /// Whether attempts are shown.
    shown: bool,
    /// When each became due, and how long it may wait.
    due: BTreeMap<(AgentId, GameId, u32), (Timestamp, Span)>,
    /// Open turns that somebody has tried to ring for.
    tried: BTreeSet<(AgentId, GameId, u32)>,
    /// Agents whose doorbells ring, and when those that no longer do last did.
    ringing: BTreeMap<AgentId, bool>,
    rang_until: BTreeMap<AgentId, Timestamp>,
    /// Since when the hall has been up without a break.
    up_since: Timestamp,
}

impl Family for Owed {
    fn observation(&mut self, observation: &Observation, ledger: &Ledger, violations: &mut Violations) {
        match observation {
            Observation::Began(terms) => self.rings.shown = terms.rings,
            Observation::Judged(judged) => {
                self.gated = true;
                self.undecided += u64::from(judged.answer.is_none());
            }
            Observation::Answered { handle, answer, .. } => self.answered(handle, answer),
            Observation::BeaconGiven { at, chain_hash, round } => {
                let waits = ledger.games.values().filter(|game| {
                    let bound = game.terms.beacon.as_ref().map(|terms| (terms.chain_hash, terms.round));
                    game.is_live()
                        && game.beacon == BeaconStatus::Waiting
                        && bound == Some((*chain_hash, *round))
                });
                for game in waits {
                    self.given.entry(game.id).or_insert(*at);
                }
            }
            Observation::Rang(rang) => {
                let turn = (rang.agent, rang.game, rang.turn_index);
                self.rings.due.remove(&turn);
                self.rings.tried.insert(turn);
            }
            Observation::Died(_) => self.gone(),
            // What was in doubt is known to be decided by now; who asked for it is not answered.
            Observation::Started { at } => {
                self.gone();
                self.rings.up_since = *at;
                // All that waits is rung for again.
                for ((agent, ..), (_, waits)) in &mut self.rings.due {
                    *waits = may_wait(agent, ledger);
                }
            }
            Observation::Away { until, .. } => {
                self.rings.up_since = self.rings.up_since.max(*until);
                // While writes are not taken, neither is a round.
                self.given.clear();
            }
            Observation::Stepped(picture) => self.stepped(picture, violations),
            Observation::Ended(ending) => {
                let text = || format!("of those who asked, {:?} were never answered", self.answers);
                let left = self.answers.values().all(VecDeque::is_empty);
                violations.require(left || ending.picture.is_none(), "W1", ending.at, text);
            }
            _ => {}
        }
    }

    fn fact(&mut self, fact: &Fact, observed: &Observed, ledger: &Ledger, violations: &mut Violations) {
        let Fact::Room(fact) = fact else { return };
        let given = match &fact.change {
            RoomChange::BeaconSettled { .. } | RoomChange::Ended { .. } => self.given.remove(&fact.game),
            RoomChange::PenaltyDeferred { .. } | RoomChange::HallDeferred { .. } => {
                let game = ledger.games.get(&fact.game);
                let waits = game.is_some_and(|game| game.beacon == BeaconStatus::Waiting);
                let text = || format!("game {} waits for a round that is settled", fact.game);
                return violations.require(waits, "W3", fact.at, text);
            }
            _ => return,
        };
        let missed = matches!(fact.change, RoomChange::BeaconSettled { status: BeaconStatus::Missed, .. });
        // What was due before the round came is done first.
        let came = missed && given.is_some_and(|given| given < observed.stamp);
        let text = || format!("game {} goes on without its round, which came at {given:?}", fact.game);
        violations.require(!came, "W3", fact.at, text);
    }

    fn after(&mut self, observed: &Observed, ledger: &Ledger, violations: &mut Violations) {
        self.decided(observed, ledger, violations);
        for fact in &observed.decision.facts {
            match fact {
                Fact::Doorbell(fact) => {
                    self.rings.bell_changed(fact.agent, &fact.change, observed.at, ledger, violations)
                }
                Fact::Room(fact) => self.rings.room_changed(fact, observed.at, ledger, violations),
                _ => {}
            }
        }
    }
}

impl Owed {
    /// The process is gone, and with it all that it owed to those who asked.
    fn gone(&mut self) {
        self.undecided = 0;
        self.answers.clear();
        self.deferred.clear();
        self.given.clear();
    }

    fn answered(&mut self, handle: &Handle, answer: &AnswerBrief) {
        if matches!(
            answer,
            AnswerBrief::Refused { code: "LOW_DISK" | "OVERLOADED" | "STOPPING" | "DRAINING", .. }
        ) {
            self.undecided = self.undecided.saturating_sub(1);
        } else if let Some(decided) = self.answers.get_mut(handle) {
            decided.pop_front();
        }
    }

    fn decided(&mut self, observed: &Observed, ledger: &Ledger, violations: &mut Violations) {
        for effect in &observed.decision.effects {
            let Effect::DeferredAnswer { game, turn_index, .. } = effect else { continue };
            for handle in self.deferred.remove(&(*game, *turn_index)).unwrap_or_default() {
                self.answers.entry(handle).or_default().push_back(self.steps);
            }
        }
        for game in observed.decision.facts.iter().filter_map(Fact::in_room).map(|fact| fact.game) {
            let Some(known) = ledger.games.get(&game).filter(|_| !self.deferred.is_empty()) else { continue };
            let over = |turn: u32| turn < known.turn || !known.is_live();
            let left = self.deferred.range((game, 0)..=(game, u32::MAX)).find(|((_, turn), _)| over(*turn));
            let text = || format!("{left:?} wait for an answer about a turn that is over");
            violations.require(left.is_none(), "W1", observed.at, text);
        }
        if !self.gated || asker(observed).is_none() {
            return;
        }
        self.undecided = self.undecided.saturating_sub(1);
        let Some(handle) = asking_handle(observed, ledger) else { return };
        match &observed.decision.answer {
            Ok(Reply::Room(RoomReply::Deferred { game, turn_index })) => {
                self.deferred.entry((*game, *turn_index)).or_default().push(handle);
            }
            _ => self.answers.entry(handle).or_default().push_back(self.steps),
        }
    }

    fn stepped(&mut self, picture: &Picture, violations: &mut Violations) {
        let at = picture.at;
        let now = self.steps;
        let late = self.answers.iter().find(|(_, decided)| decided.front().is_some_and(|step| *step < now));
        let text = || format!("{late:?} waits for an answer that was durable with an earlier step");
        violations.require(late.is_none(), "W1", at, text);
        self.answers.retain(|_, decided| !decided.is_empty());
        self.steps += 1;
        // Those that are turned away are answered only after the step.
        let missing = self.undecided > u64::try_from(picture.queued).unwrap_or(u64::MAX);
        let text = || format!("{} requests wait, {} are in the queue", self.undecided, picture.queued);
        violations.require(!(missing && self.missing), "W1", at, text);
        self.missing = missing;
        self.rings.check(at, violations);
        let waits = self.given.iter().find(|(_, given)| **given + ROUND_WAITS < at);
        let text = || format!("{waits:?} waits for a round that came then");
        violations.require(waits.is_none(), "W3", at, text);
        self.given.retain(|_, given| *given + ROUND_WAITS >= at);
    }
}

impl DueRings {
    /// A turn has begun or is over.
    fn room_changed(&mut self, fact: &RoomFact, at: Timestamp, ledger: &Ledger, violations: &mut Violations) {
        if !self.shown {
            return;
        }
        let Some(game) = ledger.games.get(&fact.game).filter(|_| !self.ringing.is_empty()) else { return };
        let is_over = |(agent, which, turn): &(AgentId, GameId, u32)| {
            let is_to_move = game.player_of(agent).is_some_and(|player| game.is_to_move(player));
            *which == game.id && (*turn < game.turn || !is_to_move)
        };
        self.end(at, violations, is_over);
        self.tried.retain(|turn| !is_over(turn));
        for open in game.open.iter().filter(|open| open.started_at == fact.at) {
            let Some(agent) = game.agent(open.player) else { continue };
            let turn = (agent, game.id, game.turn);
            // Another player may act in the millisecond in which the turn began, after the first attempt.
            let is_due = self.ringing.get(&agent) == Some(&true) && !self.tried.contains(&turn);
            if is_due && !game.is_waiting() {
                self.due.entry(turn).or_insert_with(|| (at, may_wait(&agent, ledger)));
            }
        }
    }

    fn bell_changed(
        &mut self,
        agent: AgentId,
        change: &DoorbellChange,
        at: Timestamp,
        ledger: &Ledger,
        violations: &mut Violations,
    ) {
        let rings = match change {
            DoorbellChange::Verified { .. } if self.shown => true,
            DoorbellChange::Disabled | DoorbellChange::Suspended { .. } => false,
            _ => return,
        };
        if self.ringing.insert(agent, rings) == Some(true) {
            self.rang_until.insert(agent, at);
        }
        self.end(at, violations, |(of, ..)| *of == agent);
        let rang_until = self.rang_until.get(&agent);
        for game in ledger.live_of.get(&agent).into_iter().flatten().filter(|_| rings) {
            let Some(game) = ledger.games.get(game).filter(|game| !game.is_waiting()) else { continue };
            let open = game.player_of(&agent).and_then(|player| game.open_turn(player));
            // A turn that was rung for at one address is not rung for at another.
            if open.is_some_and(|open| rang_until.is_none_or(|until| open.started_at > *until)) {
                self.due.entry((agent, game.id, game.turn)).or_insert_with(|| (at, may_wait(&agent, ledger)));
            }
        }
    }

    /// What is owed no longer must not be late.
    fn end(
        &mut self,
        at: Timestamp,
        violations: &mut Violations,
        ends: impl Fn(&(AgentId, GameId, u32)) -> bool,
    ) {
        let up_since = self.up_since;
        self.due.retain(|key, (due, waits)| {
            let goes = ends(key);
            if goes {
                in_time(key, (*due).max(up_since), *waits, at, violations);
            }
            !goes
        });
    }

    /// Nothing that is owed is late.
    fn check(&self, at: Timestamp, violations: &mut Violations) {
        for (key, (due, waits)) in &self.due {
            in_time(key, (*due).max(self.up_since), *waits, at, violations);
        }
    }
}

/// How long a ring for an agent may wait for its first attempt.
fn may_wait(agent: &AgentId, ledger: &Ledger) -> Span {
    let games = ledger.live_of.get(agent).map_or(0, BTreeSet::len);
    RING_WAITS + Span::from_millis(ATTEMPT_TAKES.as_millis() * u64::try_from(games).unwrap_or(0))
}

fn in_time(
    (agent, game, turn): &(AgentId, GameId, u32),
    due: Timestamp,
    waits: Span,
    at: Timestamp,
    violations: &mut Violations,
) {
    let text = || format!("nobody tries to ring {agent} for turn {turn} of game {game}, due at {due}");
    violations.require(at <= due + waits, "W2", at, text);
}
