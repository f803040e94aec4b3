//! T1 to T9: time, deadlines, strikes, and gaps that no agent pays for.

use super::ledger::{Game, Ledger, earlier};
use super::observation::{Observation, Picture};
use super::texts::within;
use super::{Family, Violations};
use crate::direct::Observed;
use crate::protocol::{AgentRequest, AnswerBrief};
use crate::reference::open_position;
use hall_core::rooms::{BeaconStatus, ForcedCause, OpenTurn, Resolution, RoomChange, RoomFact, SealedAction};
use hall_core::{Caller, Command, Effect, Fact, HallCommand, Rejection, RoomCommand, RoomRejection};
use hall_games::Reason;
use hall_wire::{GameId, Handle, Player, Span, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

/// How long a request in flight holds back actions in an agent's place (decision 5.2).
const GRACE: Span = Span::from_secs(2);
/// Times without service that are remembered: more than any turn can overlap.
const AWAYS: usize = 64;

/// The observed times.
#[derive(Clone, Default)]
pub(super) struct Clock {
    last: Timestamp,
    /// The last time in the journal, which is all that a clock remembers when the hall starts again.
    written: Timestamp,
    /// Move requests in the hall that are not decided: stamp, handle, game, turn.
    on_the_way: BTreeMap<u64, (Timestamp, Handle, GameId, u32)>,
    /// Those of them that the gate has let through, by what they ask: of equal copies only one is.
    let_through: BTreeSet<(Timestamp, Handle, GameId, u32, u64)>,
    died: Option<Timestamp>,
    /// Whether a world tells when the hall is away. A log does not: there the hall's own word is all there is.
    is_told: bool,
    aways: Vec<(Timestamp, Timestamp)>,
}

impl Family for Clock {
    fn observation(&mut self, observation: &Observation, ledger: &Ledger, violations: &mut Violations) {
        self.is_told |= matches!(
            observation,
            Observation::Arrived { .. } | Observation::Died(_) | Observation::Away { .. }
        );
        match observation {
            Observation::Arrived { id, stamp, handle, what } => {
                if let AgentRequest::Move(what) = &**what {
                    self.on_the_way.insert(*id, (*stamp, handle.clone(), what.game, what.turn_index));
                }
            }
            Observation::Judged(judged) => {
                if judged.answer.is_some() {
                    self.on_the_way.remove(&judged.id);
                } else if let Some((stamp, handle, game, turn)) = self.on_the_way.get(&judged.id) {
                    self.let_through.insert((*stamp, handle.clone(), *game, *turn, judged.id));
                }
                self.told(judged.answer.as_ref(), judged.at, ledger, violations);
            }
            Observation::Died(death) => {
                self.on_the_way.clear();
                self.let_through.clear();
                self.died = Some(death.at);
                self.last = self.written;
            }
            Observation::Away { from, until, .. } => self.was_away(*from, *until),
            _ => {}
        }
    }

    fn picture(&mut self, picture: &Picture, ledger: &Ledger, violations: &mut Violations) {
        pictured(picture, ledger, violations);
    }

    fn before(&mut self, observed: &Observed, ledger: &Ledger, violations: &mut Violations) {
        let Observed { at, stamp, what, .. } = observed;
        let starts = matches!(what, Command::Hall(HallCommand::Start { .. }));
        if starts && !self.is_told {
            // A log does not tell that its hall died before this start, and what was only answered since is forgotten.
            self.last = self.written;
        }
        let text = || format!("{at} (stamp {stamp}) comes after {}", self.last);
        let own = observed.decision.facts.iter().all(|fact| fact.at() == *at);
        violations.require(*at >= self.last && *stamp <= *at && own, "T4", *at, text);
        if starts {
            // What the hall had not written down by its end is not part of its time: with a system clock that was set
            // back, it continues from what is written.
            for (from, until) in &mut self.aways {
                (*from, *until) = ((*from).min(*at), (*until).min(*at));
            }
            if let Some(from) = self.died.take() {
                self.was_away(from.min(*at), *at);
            }
        }
        if let (Command::Room(RoomCommand::ExtendForGap { from, until, .. }), false) = (what, self.is_told) {
            self.was_away(*from, *until);
        }
        self.last = self.last.max(*at);
        if !observed.decision.facts.is_empty() {
            self.written = self.last;
        }
        if let (Command::Room(RoomCommand::Submit(asked)), Caller::Agent(agent)) = (what, observed.who) {
            if let Some(person) = ledger.people.get(&agent) {
                self.decided(*stamp, &person.handle, asked.game, asked.turn_index);
            }
            submitted(observed, ledger, violations);
        }
    }

    fn fact(&mut self, fact: &Fact, observed: &Observed, ledger: &Ledger, violations: &mut Violations) {
        let Fact::Room(fact) = fact else { return };
        let at = fact.at;
        if let RoomChange::Started(terms) = &fact.change {
            let text = || format!("the first turn of game {} has other clocks than agreed", fact.game);
            let set = ledger.settings.as_ref().and_then(|settings| settings.timing.get(&terms.variant.game));
            let agreed = set.is_none_or(|timing| *timing == terms.timing);
            let to_move = open_position(ledger.games_offered, terms).to_move();
            let fresh = to_move.iter().map(|player| fresh(player, at, terms.timing.move_time));
            violations.require(agreed && fresh.eq(terms.turns.iter().copied()), "T8", at, text);
            let deadline = terms.turns.iter().map(|open| earlier(open, terms.timing.side_time)).min();
            return published(fact, deadline, ledger, violations);
        }
        let Some(game) = ledger.games.get(&fact.game) else { return };
        match &fact.change {
            RoomChange::StrikeGiven { turn_index, player, cause, count } => {
                let again = game.struck_in.contains(&(*turn_index, *player));
                let right = !again && *count <= 3 && *turn_index == game.turn;
                violations
                    .require(right, "T5", at, || format!("{player} of game {} is struck again", game.id));
                let next = *count == game.strikes_of(*player) + 1;
                let text =
                    || format!("strike {count} of {player} of game {} follows no strike before", game.id);
                violations.require(next, "T6", at, text);
                if *cause == ForcedCause::Deadline && game.deferred.is_none() {
                    self.missed(game, *player, at, ledger, violations);
                }
            }
            RoomChange::PenaltyDeferred { player, cause: ForcedCause::Deadline, .. }
                if game.deferred.is_none() =>
            {
                self.missed(game, *player, at, ledger, violations);
            }
            // What is sealed is timed when it is sealed.
            RoomChange::MovePlayed(resolution) => {
                if !game.position.is_simultaneous() {
                    resolved(game, resolution, fact, observed, violations);
                    if resolution.forced.is_none() {
                        self.charged(game, resolution.player, observed, violations);
                    }
                }
                next_deadline(
                    game,
                    &resolution.turns,
                    resolution.clocks.as_deref(),
                    fact,
                    ledger,
                    violations,
                );
            }
            RoomChange::MoveSealed { player, action, turns, .. } => {
                sealed(game, *player, action, fact, observed, violations);
                if action.forced.is_none() {
                    self.charged(game, Some(*player), observed, violations);
                }
                begun(game, Some(*player), turns, at, violations);
            }
            RoomChange::NatureActed { turns, clocks, to_move, .. } => {
                let left: Option<Vec<Span>> = game.left.iter().copied().collect();
                let text = || format!("nature changes the clocks of game {} to {clocks:?}", game.id);
                violations.require(*clocks == left, "T8", at, text);
                // Where the hall may have to wait before it acts for a vacant seat, the others wait too.
                let hall_acts = to_move.iter().any(|player| game.vacated(player).is_some());
                let waits = hall_acts && game.beacon == BeaconStatus::Waiting;
                let fresh = to_move.iter().filter(|player| !waits && game.vacated(*player).is_none());
                let fresh = fresh.map(|player| self::fresh(player, at, game.terms.timing.move_time));
                let text = || format!("the turns after nature has acted in game {} are {turns:?}", game.id);
                violations.require(fresh.eq(turns.iter().copied()), "T8", at, text);
                next_deadline(game, turns, clocks.as_deref(), fact, ledger, violations);
            }
            RoomChange::SeatVacated { player, reason, .. } if *reason == Reason::CLOCK => {
                self.missed(game, *player, at, ledger, violations);
            }
            RoomChange::Ended { result, resolution: Some(resolution) } => {
                if let (Some(player), "clock") = (resolution.player, result.reason.as_str()) {
                    self.missed(game, player, at, ledger, violations);
                }
                resolved(game, resolution, fact, observed, violations);
            }
            RoomChange::DeadlineExtended { turns, gap, .. } => {
                extended(game, turns, *gap, fact, observed, ledger, violations);
                turns.iter().for_each(|open| self.credited(game, open, at, violations));
            }
            _ => {}
        }
    }

    fn after(&mut self, observed: &Observed, ledger: &Ledger, violations: &mut Violations) {
        for fact in observed.decision.facts.iter().filter_map(Fact::in_room) {
            let Some(game) = ledger.games.get(&fact.game) else { continue };
            // Who is struck out of a game in which others play on has left its seat.
            let is_out = |player: Player| game.strikes_of(player) == 3 && game.vacated(player).is_none();
            let out = game.players().any(is_out);
            let by_strikes = game.result.as_ref().is_some_and(|result| result.reason.as_str() == "strikes");
            let by_strikes = by_strikes && game.vacant.iter().all(|vacant| vacant.reason != Reason::STRIKES);
            let text =
                || format!("game {} has strikes {:?} and result {:?}", game.id, game.strikes, game.result);
            violations.require(
                if game.is_live() { !out } else { out == by_strikes || out && !game.vacant.is_empty() },
                "T5",
                observed.at,
                text,
            );
            if let RoomChange::MovePlayed(resolution) = &fact.change {
                opened(game, resolution, fact.at, violations);
            }
        }
        for effect in &observed.decision.effects {
            let Effect::RingDoorbell { agent, game, turn_index, deadline } = effect else { continue };
            let Some(game) = ledger.games.get(game) else { continue };
            let own = game.player_of(agent).and_then(|player| game.deadline_of(player));
            let right = *turn_index == game.turn && Some(*deadline) == own;
            let text = || format!("the ring for turn {turn_index} of game {} tells {deadline}", game.id);
            violations.require(right, "T8", observed.at, text);
        }
    }
}

impl Clock {
    /// The first of equal requests to move that were let through is no longer in flight.
    fn decided(&mut self, stamp: Timestamp, handle: &Handle, game: GameId, turn: u32) {
        let equal = |id| (stamp, handle.clone(), game, turn, id);
        let first = self.let_through.range(equal(0)..=equal(u64::MAX)).next().cloned();
        if let Some(first) = first {
            self.on_the_way.remove(&first.4);
            self.let_through.remove(&first);
        }
    }

    fn was_away(&mut self, from: Timestamp, until: Timestamp) {
        if self.aways.len() >= AWAYS {
            self.aways.remove(0);
        }
        self.aways.push((from, until));
    }

    /// The deadline of a player counts as missed now.
    fn missed(
        &self,
        game: &Game,
        player: Player,
        at: Timestamp,
        ledger: &Ledger,
        violations: &mut Violations,
    ) {
        let (Some(open), Some(deadline)) = (game.open_turn(player), game.deadline_of(player)) else { return };
        let handle = game.agent(player).and_then(|agent| ledger.people.get(&agent)).map(|it| &it.handle);
        let waits = self.on_the_way.values().find(|(stamp, own, which, turn)| {
            let in_time = *stamp <= deadline && at.since(*stamp) <= GRACE;
            in_time && Some(own) == handle && *which == game.id && *turn == game.turn
        });
        let text =
            || format!("the deadline {deadline} of game {} is taken for missed at {at}, {waits:?}", game.id);
        violations.require(at > deadline && waits.is_none(), "T1", at, text);
        for until in self.aways_in(&open, at).map(|(_, until)| until) {
            let text =
                || format!("a strike in game {} for a turn during a gap that ended at {until}", game.id);
            violations.require(open.move_deadline >= until + game.terms.timing.move_time, "T9", at, text);
        }
        self.credited(game, &open, at, violations);
    }

    /// A player is charged for its turn up to the stamp of its move.
    fn charged(&self, game: &Game, player: Option<Player>, observed: &Observed, violations: &mut Violations) {
        if let Some(open) = player.and_then(|player| game.open_turn(player)) {
            self.credited(game, &open, observed.stamp, violations);
        }
    }

    /// When the hall was away in an open turn and is back.
    fn aways_in(&self, open: &OpenTurn, at: Timestamp) -> impl Iterator<Item = (Timestamp, Timestamp)> {
        let began = open.started_at;
        self.aways.iter().copied().filter(move |(_, until)| *until > began && *until <= at)
    }

    /// All the time in which the hall was away in an open turn is given back to it.
    fn credited(&self, game: &Game, open: &OpenTurn, at: Timestamp, violations: &mut Violations) {
        let mut covered = open.started_at;
        let mut lost = Span::ZERO;
        for (from, until) in self.aways_in(open, at) {
            let begin = from.max(covered);
            lost = Span::from_millis(lost.as_millis() + until.since(begin).as_millis());
            covered = covered.max(until);
        }
        let text = || {
            format!(
                "game {} had {} ms of gaps, {} are credited",
                game.id,
                lost.as_millis(),
                open.credit.as_millis()
            )
        };
        violations.require(open.credit >= lost, "T9", at, text);
    }

    /// Deadlines that agents receive.
    fn told(
        &self,
        answer: Option<&AnswerBrief>,
        at: Timestamp,
        ledger: &Ledger,
        violations: &mut Violations,
    ) {
        let mut same = |game: &GameId, turn: u32, deadline: Option<Timestamp>| {
            let Some(game) = ledger.games.get(game).filter(|game| game.turn == turn) else { return };
            let text = || format!("game {} turn {turn} is told to end at {deadline:?}", game.id);
            let known = deadline.is_none_or(|told| game.deadlines().any(|(_, known)| known == told));
            violations.require(known, "T8", at, text);
        };
        match answer {
            Some(AnswerBrief::View(view)) => same(&view.game, view.turn_index, view.deadline),
            Some(AnswerBrief::Games(games)) => {
                games.iter().for_each(|brief| same(&brief.game, brief.turn_index, brief.deadline));
            }
            _ => {}
        }
    }
}

const fn fresh_from(player: Player, at: Timestamp, move_deadline: Timestamp) -> OpenTurn {
    OpenTurn { player, started_at: at, move_deadline, credit: Span::ZERO }
}

fn fresh(player: Player, at: Timestamp, move_time: Span) -> OpenTurn {
    fresh_from(player, at, at + move_time)
}

/// The meaning of a stamp for a submission.
fn submitted(observed: &Observed, ledger: &Ledger, violations: &mut Violations) {
    let Observed {
        at,
        stamp,
        what: Command::Room(RoomCommand::Submit(asked)),
        who: Caller::Agent(agent),
        ..
    } = observed
    else {
        return;
    };
    let Some(game) = ledger.games.get(&asked.game) else { return };
    let Some(player) = game.player_of(agent) else { return };
    let Some(deadline) = game.deadline_of(player).or_else(|| game.deadline()) else { return };
    let due = asked.turn_index == game.turn && game.is_to_move(player);
    let in_time = *stamp <= deadline;
    let late = matches!(&observed.decision.answer, Err(Rejection::Room(RoomRejection::WrongTurn(_))));
    let judged = matches!(
        &observed.decision.answer,
        Ok(_)
            | Err(Rejection::Room(RoomRejection::IllegalMove(_))
                | Rejection::Room(RoomRejection::NoDrawOffer(_))
                | Rejection::Room(RoomRejection::MoveMissing))
    );
    let text = || format!("a request of {player} of game {} stamped {stamp}, deadline {deadline}", game.id);
    let early = due && in_time && late && !game.needs_chance(player, asked);
    violations.require(!early && (in_time || !judged), "T2", *at, text);
}

/// The clocks of a turn that is resolved, and of the one that it opens.
fn resolved(
    game: &Game,
    resolution: &Resolution,
    fact: &RoomFact,
    observed: &Observed,
    violations: &mut Violations,
) {
    let at = fact.at;
    let deadline = match (game.deferred, resolution.player) {
        (Some(deferred), _) => deferred.deadline,
        (None, Some(player)) => game.deadline_of(player),
        (None, None) => game.deadline(),
    };
    let until = game.charged_until(resolution);
    let mut left = match resolution.player {
        Some(player) => game.charged(player, until),
        None => game.left.clone(),
    };
    let all_out = matches!(&fact.change, RoomChange::Ended { result, .. } if result.draw)
        && resolution.forced == Some(ForcedCause::Deadline);
    if all_out {
        // All who were still to act have missed the same deadline.
        for player in game.open.iter().map(|open| open.player) {
            let own = game.charged(player, until).get(player.index()).copied();
            left.get_mut(player.index()).into_iter().zip(own).for_each(|(left, own)| *left = own);
        }
    }
    let clocks: Option<Vec<Span>> = left.iter().copied().collect();
    let first = game.open.iter().map(|open| open.started_at).min();
    let own = resolution.player.and_then(|player| game.open_turn(player)).map(|open| open.started_at);
    let began = own.or(first).unwrap_or(resolution.started_at);
    let text = || {
        format!("turn {} of game {}: {:?}, expected {clocks:?} left", game.turn, game.id, resolution.clocks)
    };
    let same =
        resolution.clocks == clocks && resolution.deadline == deadline && resolution.started_at == began;
    let by_hall = resolution.forced.is_some() || resolution.player.is_none();
    let when = if by_hall { left_at(game, resolution.player).unwrap_or(at) } else { observed.stamp };
    violations.require(same && resolution.at == when, "T8", at, text);
}

/// When the player left whose turn this is, if it has left in this turn.
fn left_at(game: &Game, player: Option<Player>) -> Option<Timestamp> {
    let vacated = game.vacated(player?)?;
    (vacated.turn == game.turn).then_some(vacated.left_at)
}

/// The time of what a player does in a shared turn, and what that leaves on its clock.
fn sealed(
    game: &Game,
    player: Player,
    action: &SealedAction,
    fact: &RoomFact,
    observed: &Observed,
    violations: &mut Violations,
) {
    let own = game.open_turn(player);
    let until = match action.forced {
        _ if game.deferred.is_some() => game.deferred.map(|deferred| deferred.charged_until),
        Some(ForcedCause::Deadline) => game.deadline_of(player),
        Some(ForcedCause::IllegalMoves) => game.attempted_at,
        Some(ForcedCause::Vacated) => {
            game.vacated(player).filter(|own| own.turn == game.turn).map(|own| own.charged_until)
        }
        None => Some(action.at),
    };
    let until = until.unwrap_or(fact.at);
    let left = game.charged(player, until).get(player.index()).copied().flatten();
    let deadline = game.deferred.map_or_else(|| game.deadline_of(player), |deferred| deferred.deadline);
    let same = action.remaining == left
        && action.deadline == deadline
        && action.started_at == own.map_or(fact.at, |open| open.started_at);
    let when = match action.forced {
        // A default action has the time of the deadline that was missed (decision 13.4).
        Some(ForcedCause::Deadline) => until,
        Some(ForcedCause::IllegalMoves | ForcedCause::Vacated) => {
            left_at(game, Some(player)).unwrap_or(fact.at)
        }
        None => observed.stamp,
    };
    let text = || format!("what {player} of game {} seals is timed {action:?}", game.id);
    violations.require(same && action.at == when, "T8", fact.at, text);
}

/// The clocks that run when the last vacant seat has acted in a shared turn.
fn begun(game: &Game, actor: Option<Player>, turns: &[OpenTurn], at: Timestamp, violations: &mut Violations) {
    if turns.is_empty() {
        return;
    }
    let waiting = game.unsealed();
    let waiting = waiting.iter().filter(|player| Some(*player) != actor);
    let running = |player| game.open_turn(player);
    let due = waiting
        .map(|player| running(player).unwrap_or_else(|| fresh(player, at, game.terms.timing.move_time)));
    let text = || format!("the turns of game {} after a vacant seat has acted are {turns:?}", game.id);
    violations.require(due.eq(turns.iter().copied()), "T8", at, text);
}

/// The deadline that an event tells is that of the turns that it opens.
fn next_deadline(
    game: &Game,
    turns: &[OpenTurn],
    clocks: Option<&[Span]>,
    fact: &RoomFact,
    ledger: &Ledger,
    violations: &mut Violations,
) {
    let left = |open: &OpenTurn| {
        let told = clocks.and_then(|clocks| clocks.get(open.player.index()).copied());
        told.or_else(|| game.left_of(open.player))
    };
    published(fact, turns.iter().map(|open| earlier(open, left(open))).min(), ledger, violations);
}

/// The turns after a move: those of the others who are to move go on, and new ones begin.
fn opened(game: &Game, resolution: &Resolution, at: Timestamp, violations: &mut Violations) {
    if resolution.turns.is_empty() || resolution.turn_index + 1 != game.turn {
        return;
    }
    let running = |player: Player| {
        let open = game.open_before.iter().find(|open| open.player == player);
        open.filter(|_| resolution.player != Some(player)).copied()
    };
    let expected = game
        .position
        .to_move()
        .iter()
        .filter(|player| game.vacated(*player).is_none())
        .map(|player| running(player).unwrap_or_else(|| fresh(player, at, game.terms.timing.move_time)));
    let text = || {
        format!("the turns after {} of game {} are {:?}", resolution.turn_index, game.id, resolution.turns)
    };
    violations.require(expected.eq(resolution.turns.iter().copied()), "T8", at, text);
}

fn extended(
    game: &Game,
    turns: &[OpenTurn],
    gap: Option<(Timestamp, Timestamp)>,
    fact: &RoomFact,
    observed: &Observed,
    ledger: &Ledger,
    violations: &mut Violations,
) {
    let Command::Room(RoomCommand::ExtendForGap { from, until, .. }) = &observed.what else {
        return violations.report("T3", fact.at, format!("game {} gets time without a gap", game.id));
    };
    let extended = |old: &OpenTurn| {
        let lost = until.since((*from).max(old.started_at)).as_millis();
        OpenTurn {
            move_deadline: old.move_deadline.max(fact.at + game.terms.timing.move_time),
            credit: Span::from_millis(old.credit.as_millis() + lost),
            ..*old
        }
    };
    let right = game.open.iter().map(extended).eq(turns.iter().copied()) && gap == Some((*from, *until));
    let text =
        || format!("{:?} of game {} become {turns:?} for a gap from {from} to {until}", game.open, game.id);
    violations.require(right && !turns.is_empty(), "T3", fact.at, text);
    let deadline = turns.iter().map(|open| earlier(open, game.left_of(open.player))).min();
    published(fact, deadline, ledger, violations);
}

/// The deadline that spectators receive.
fn published(fact: &RoomFact, deadline: Option<Timestamp>, ledger: &Ledger, violations: &mut Violations) {
    let leaf = ledger.texts.read(fact.event.as_ref().map_or("", |event| event.leaf.as_str()));
    let told = within(&leaf, &["event", "data", "deadline_utc"]);
    let text = || format!("game {} publishes the deadline {told:?}, it is {deadline:?}", fact.game);
    violations.require(told.and_then(Timestamp::parse) == deadline, "T8", fact.at, text);
}

fn pictured(picture: &Picture, ledger: &Ledger, violations: &mut Violations) {
    let at = picture.at;
    let due = ledger.next_deadline();
    let text = || format!("the hall waits for {:?}, due is {due:?}", picture.next_deadline);
    violations.require(picture.next_deadline == due, "T7", at, text);
    for room in &picture.rooms {
        let Some(game) = ledger.games.get(&room.game) else { continue };
        for (player, seat) in (0..).map(Player::new).zip(&room.seats) {
            let given = game.strikes_of(player);
            let text = || format!("{player} of game {} has {} strikes, not {given}", game.id, seat.strikes);
            violations.require(seat.strikes == given, "T6", at, text);
            let deadline = game.deadline_of(player);
            let text =
                || format!("{player} of game {} has until {:?}, not {deadline:?}", game.id, seat.deadline);
            violations.require(seat.deadline == deadline, "T8", at, text);
        }
    }
}
