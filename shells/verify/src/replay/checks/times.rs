//! Times, deadlines and side clocks (decisions 5 and 13), all as the hall dates them.

use super::playthrough::{ILLEGAL_MOVES, OpenedTurn, Playthrough};
use super::same;
use crate::replay::document::{BeaconStatus, Event, ForcedBy, Replay, Turn, Unresolved};
use crate::replay::report::{ClaimId, Ledger};
use hall_games::PlayerSet;
use hall_wire::json::Value;
use hall_wire::{Player, Span, Timestamp};

/// The side clocks by seat, in milliseconds; `None` in a game without them.
type Clocks = Option<Vec<u64>>;

pub(super) fn check(replay: &Replay<'_>, playthrough: &Playthrough, ledger: &mut Ledger) {
    if playthrough.end.is_err() {
        return;
    }
    let timeline = match Timeline::of(replay, playthrough) {
        Ok(timeline) => timeline,
        Err(reason) => {
            ledger.fail(ClaimId::Times, reason);
            ledger.leave(ClaimId::Clocks, "the times of the game are not known");
            return;
        }
    };
    let mut clocks: Clocks =
        timeline.side_time.map(|side| replay.seats.iter().map(|_| side.as_millis()).collect());
    for (turn_index, opening) in (0_u32..).zip(&timeline.turns) {
        let in_turn = |reason: String| format!("turn {turn_index}: {reason}");
        ledger.settle(ClaimId::Times, timeline.opened(opening, &clocks).map_err(in_turn));
        for (_, turn) in timeline.entries(turn_index) {
            ledger.settle(ClaimId::Times, timeline.resolved(opening, turn, &clocks).map_err(in_turn));
        }
        ledger.settle(ClaimId::Clocks, timeline.charged(turn_index, opening, &clocks).map_err(in_turn));
        let after = timeline.entries(turn_index).last().and_then(|(_, turn)| turn.clocks.clone());
        if usize::try_from(turn_index).is_ok_and(|place| place + 1 == timeline.turns.len()) {
            ledger.settle(ClaimId::Times, timeline.voided(opening, &clocks));
        }
        clocks = clocks.and(after);
    }
    if timeline.side_time.is_none() {
        ledger.say(ClaimId::Clocks, "The game was played without side clocks.");
    }
}

/// What the events say of time, turn by turn.
struct Timeline<'v> {
    replay: &'v Replay<'v>,
    charged_until: &'v [Option<Timestamp>],
    out_together: PlayerSet,
    formed: Timestamp,
    move_time: Span,
    side_time: Option<Span>,
    turns: Vec<Opening<'v>>,
}

/// How a turn was opened, and what happened until it was resolved.
struct Opening<'v> {
    who: OpenedTurn,
    /// When it began; the hall acts for vacant seats now.
    began: Timestamp,
    /// When the clocks began to run.
    at: Timestamp,
    /// The earliest deadline, as the event says with which the turn began.
    deadline: Option<Timestamp>,
    /// When the deadline was moved, and to when.
    extended: Vec<(Timestamp, Timestamp)>,
    /// What tells of seats that were vacated in it.
    left: Vec<&'v Event<'v>>,
    /// When the illegal moves were counted.
    attempts: Vec<(Option<Player>, Timestamp)>,
    /// What resolved it for each player.
    resolved_by: Vec<Resolving<'v>>,
}

/// The event with which the turn was over for a player.
struct Resolving<'v> {
    player: Option<Player>,
    event: &'v Event<'v>,
    /// How often the deadline had been moved by then.
    extended: usize,
}

impl<'v> Timeline<'v> {
    fn of(replay: &'v Replay<'v>, playthrough: &'v Playthrough) -> Result<Self, String> {
        let first = replay.events.first().ok_or_else(|| "there are no events".to_owned())?;
        let millis = |name: &str| first.data.get(name).and_then(Value::as_u64).map(Span::from_millis);
        let side = first.data.get("side_ms");
        let mut timeline = Self {
            replay,
            charged_until: &playthrough.charged_until,
            out_together: playthrough.out_together,
            formed: first.created_at,
            move_time: millis("move_ms").ok_or_else(|| "the first event does not say move_ms".to_owned())?,
            side_time: millis("side_ms"),
            turns: Vec::new(),
        };
        if timeline.side_time.is_none() && side != Some(&Value::Null) {
            return Err("the first event does not say side_ms".to_owned());
        }
        timeline.read(&playthrough.turns)?;
        Ok(timeline)
    }

    /// Reads the events; `who` are those who were to move, by turn.
    fn read(&mut self, who: &[OpenedTurn]) -> Result<(), String> {
        let (mut moves, mut deadline_of_turn) = (0, None);
        let mut acts = self.replay.chance.iter().flatten();
        let mut before: Option<&Event<'_>> = None;
        for event in &self.replay.events {
            let next = self.turns.len();
            if event.kind == "game_started" {
                self.turns.extend(who.first().map(|who| Opening::by(event, *who)).transpose()?);
            }
            let Some(open) = self.turns.last_mut() else { break };
            match event.kind {
                "chance" => {
                    if open.deadline.is_some() {
                        return Err(format!(
                            "nature acts in event {}, but a deadline was told before",
                            event.seq
                        ));
                    }
                    // It does not wait for anything but the beacon and the end of a gap.
                    let waited =
                        before.is_none_or(|before| matches!(before.kind, "beacon" | "deadline_extended"));
                    if !waited && before.is_some_and(|before| before.created_at != event.created_at) {
                        return Err(format!("nature does not act at once in event {}", event.seq));
                    }
                    if acts.next().is_none_or(|act| act.at != event.created_at) {
                        return Err(format!("the act of nature of event {} is dated otherwise", event.seq));
                    }
                    let left = std::mem::take(&mut open.left);
                    *open = Opening { left, ..Opening::by(event, open.who)? };
                }
                "seat_vacated" => open.left.push(event),
                "illegal_attempt" => open.attempts.push((event.player(), event.created_at)),
                "deadline_extended" => {
                    let deadline = event.time("deadline_utc");
                    let deadline =
                        deadline.ok_or_else(|| format!("event {} names no deadline", event.seq))?;
                    open.extended.push((event.created_at, deadline));
                }
                "move_sealed" => open.resolve(event),
                "move" => {
                    let deadline = event.data.get("deadline_utc");
                    let is_last = who.get(next).is_none();
                    if deadline.is_none() || (is_last && deadline != Some(&Value::Null)) {
                        let found = if is_last { "a deadline of no turn" } else { "no deadline" };
                        return Err(format!("event {} names {found}", event.seq));
                    }
                    if moves > 0 && deadline != deadline_of_turn {
                        return Err(format!(
                            "event {} names another deadline than those before it",
                            event.seq
                        ));
                    }
                    deadline_of_turn = deadline;
                    moves += 1;
                    open.resolve(event);
                    let entries = self.replay.moves.iter();
                    let all = entries.filter(|turn| usize::try_from(turn.turn_index) == Ok(next - 1)).count();
                    if moves == all {
                        moves = 0;
                        self.turns.extend(who.get(next).map(|who| Opening::by(event, *who)).transpose()?);
                    }
                }
                "game_ended" => open.resolve(event),
                _ => {}
            }
            before = Some(event);
        }
        same("the number of turns that the events open", &self.turns.len(), &who.len())
    }

    /// The entries of a turn, with their places.
    fn entries(&self, turn_index: u32) -> impl Iterator<Item = (usize, &'v Turn<'v>)> {
        self.replay.moves.iter().enumerate().filter(move |(_, turn)| turn.turn_index == turn_index)
    }

    /// The deadline of a player whose clock began to run with `opening`: the earlier of the time for a move and what is
    /// left on the side clock.
    fn due(&self, opening: &Opening<'_>, player: Player, clocks: &Clocks) -> Timestamp {
        let by_move = opening.at + self.move_time;
        let left = clocks.as_ref().and_then(|clocks| clocks.get(player.index()));
        left.map_or(by_move, |left| (opening.at + Span::from_millis(*left)).min(by_move))
    }

    /// The earliest deadline of those whose clocks run.
    fn earliest(&self, opening: &Opening<'_>, running: PlayerSet, clocks: &Clocks) -> Option<Timestamp> {
        running.iter().map(|player| self.due(opening, player, clocks)).min()
    }

    /// The turn begins with the earliest deadline; a gap only moves it later. Where the hall acts for a vacant seat first,
    /// earlier halls told none.
    fn opened(&self, opening: &Opening<'_>, clocks: &Clocks) -> Result<(), String> {
        let earliest = self.earliest(opening, opening.who.running, clocks);
        let is_untold = !opening.who.vacant.is_empty() && opening.deadline.is_none();
        let told = earliest.filter(|_| !is_untold);
        same("the deadline at its beginning", &opening.deadline, &told)?;
        let mut stood = earliest.unwrap_or(opening.at);
        for (at, deadline) in &opening.extended {
            if *deadline < stood {
                return Err("its deadline was moved earlier".to_owned());
            }
            let whole = *at + self.move_time;
            let by_side = opening.who.running.iter().filter_map(|player| {
                let left = clocks.as_ref()?.get(player.index())?;
                Some(opening.at + Span::from_millis(*left))
            });
            if *deadline < by_side.min().map_or(whole, |by_side| by_side.min(whole)) {
                return Err("a gap did not give back the whole time for a move".to_owned());
            }
            stood = *deadline;
        }
        Ok(())
    }

    fn resolved(&self, opening: &Opening<'_>, turn: &Turn<'_>, clocks: &Clocks) -> Result<(), String> {
        let by = opening.resolved_by.iter().find(|by| by.player == turn.player);
        let Resolving { event, extended, .. } = by.ok_or_else(|| "no event resolves it".to_owned())?;
        let is_vacant = turn.player.is_some_and(|player| opening.who.vacant.contains(player));
        let is_halls = is_vacant || opening.who.running.is_empty();
        let began = if is_halls { opening.began } else { opening.at };
        let began_again = is_halls && self.may_wait_again(opening, turn.started_at);
        if !began_again || turn.started_at > turn.at {
            same("its beginning", &turn.started_at, &began)?;
        }
        self.deadline(opening, turn, *extended, clocks)?;
        let own = opening.attempts.iter().filter(|(by, _)| turn.notation.is_none() || *by == turn.player);
        for (attempt, (_, counted)) in turn.attempts.iter().zip(own) {
            let is_late = turn.deadline.is_none_or(|deadline| attempt.at > deadline);
            let is_foreign = turn.notation.is_none() && opening.who.running.iter().count() > 1;
            if (is_late && !is_foreign) || attempt.at > *counted || attempt.at < self.formed {
                return Err(format!("an illegal move is dated {}", attempt.at));
            }
        }
        let left_now = turn.forced == Some(ForcedBy::Vacated) && !is_vacant;
        // What a missed deadline seals in a turn that players share is dated by it.
        let is_sealed = event.kind == "move_sealed" && turn.forced == Some(ForcedBy::Deadline);
        let left = opening.left_before(turn.player);
        let dated = if is_sealed { turn.deadline } else { left.or(Some(event.created_at)) };
        let by_hall = turn.player.is_none() || (turn.forced.is_some() && !left_now);
        if turn.at > event.created_at || turn.at < self.formed || (by_hall && Some(turn.at) != dated) {
            return Err(format!("it is dated {}, but its event {}", turn.at, event.created_at));
        }
        let is_signed = turn.player.is_some() && (turn.forced.is_none() || turn.signature.is_some());
        let deadline = turn.deadline.unwrap_or(turn.at);
        let late = match turn.forced {
            None | Some(ForcedBy::Vacated) => is_signed && turn.at > deadline,
            Some(ForcedBy::Deadline) => event.created_at <= deadline,
            Some(ForcedBy::IllegalMoves) => turn.attempts.iter().any(|attempt| attempt.at > turn.at),
        };
        if !late {
            return Ok(());
        }
        Err(if is_signed {
            format!("the move came at {}, after the deadline {deadline}", turn.at)
        } else {
            format!("the hall acted at {}, before the turn was lost", turn.at)
        })
    }

    /// Whether the hall may have waited for the beacon again from `at` on in a turn without a clock: a gap gives it the
    /// whole wait once more, and no event tells of that.
    fn may_wait_again(&self, opening: &Opening<'_>, at: Timestamp) -> bool {
        let settled = self.replay.events.iter().find(|event| event.kind == "beacon");
        self.replay.beacon.status != BeaconStatus::Off
            && opening.began <= at
            && settled.is_none_or(|settled| at <= settled.created_at)
    }

    /// The deadline of an entry: as the turn began, and as gaps moved it; of a verdict, the earliest of those who had not
    /// acted. Where several were to move, what is told of a gap is the earliest deadline of them all.
    fn deadline(
        &self,
        opening: &Opening<'_>,
        turn: &Turn<'_>,
        extended: usize,
        clocks: &Clocks,
    ) -> Result<(), String> {
        let who = opening.who;
        let whose = match turn.player {
            Some(player) if who.running.contains(player) => PlayerSet::only(player),
            Some(_) => PlayerSet::EMPTY,
            None => {
                let acted = opening.resolved_by.iter().filter_map(|by| by.player);
                acted.fold(who.running, PlayerSet::without)
            }
        };
        let standing = self.earliest(opening, whose, clocks);
        let told = extended.checked_sub(1).and_then(|last| opening.extended.get(last));
        match told.map(|(_, deadline)| *deadline) {
            // The operator may have ended a game in which the hall waited for the beacon to act for a seat.
            _ if turn.player.is_none()
                && turn.deadline.is_none()
                && self.replay.beacon.status == BeaconStatus::Waiting =>
            {
                Ok(())
            }
            Some(told) if standing.is_some() && who.running.iter().count() == 1 => {
                same("its deadline", &turn.deadline, &Some(told))
            }
            Some(_) if standing.is_some() => {
                let (least, most) = self.moved_to(opening, whose, extended, clocks);
                match turn.deadline {
                    Some(deadline) if (least..=most).contains(&deadline) => Ok(()),
                    deadline => same("its deadline", &deadline, &Some(most)),
                }
            }
            Some(_) | None => same("its deadline", &turn.deadline, &standing),
        }
    }

    /// The earliest and the latest deadline that these players may have had when gaps had moved it so often. What is told of a
    /// gap is the earliest deadline of all who were to move; how much of it was given back to a side clock that ends before
    /// the time for a move is not told.
    fn moved_to(
        &self,
        opening: &Opening<'_>,
        whose: PlayerSet,
        extended: usize,
        clocks: &Clocks,
    ) -> (Timestamp, Timestamp) {
        let moved = opening.extended.get(..extended).unwrap_or_default();
        let whole = moved.iter().map(|(at, _)| *at).fold(opening.at, Ord::max) + self.move_time;
        let told = moved.last().map_or(opening.at, |(_, deadline)| *deadline);
        let left = whose.iter().filter_map(|player| clocks.as_ref()?.get(player.index())).min();
        let is_short = left.is_some_and(|left| opening.at + Span::from_millis(*left) < whole);
        let standing = self.earliest(opening, whose, clocks).unwrap_or(opening.at);
        let most = whole.max(told);
        (if is_short { standing.max(told) } else { most }, most)
    }

    /// What was sealed in the last turn is dated before it was told; what the hall did, then, or by the deadline that was
    /// missed.
    fn voided(&self, opening: &Opening<'_>, clocks: &Clocks) -> Result<(), String> {
        for action in self.replay.unresolved.iter().flatten() {
            let told = opening.resolved_by.iter().find(|by| by.player == Some(action.player));
            let is_so = told.is_some_and(|by| {
                let (told, whose) = (by.event.created_at, PlayerSet::only(action.player));
                let due = self.due(opening, action.player, clocks);
                let (first, last) = match by.extended {
                    0 => (due, due),
                    extended => self.moved_to(opening, whose, extended, clocks),
                };
                let is_before = (self.formed..=told).contains(&action.at);
                let by_hall = match opening.left_before(Some(action.player)) {
                    Some(left) => action.at == left,
                    None => action.at == told || (first..=last).contains(&action.at),
                };
                is_before && (action.signature.is_some() || by_hall)
            });
            if !is_so {
                return Err(format!("the void action of {} is dated {}", action.player, action.at));
            }
        }
        Ok(())
    }

    /// The clocks after the turn, from those before it. What the operator ended is charged to nobody; a turn in which a
    /// gap was given back costs at most its whole length.
    fn charged(&self, turn_index: u32, opening: &Opening<'_>, before_turn: &Clocks) -> Result<(), String> {
        let entries: Vec<(usize, &Turn<'_>)> = self.entries(turn_index).collect();
        let Some((_, last)) = entries.last() else { return Ok(()) };
        if entries.iter().any(|(_, turn)| turn.clocks != last.clocks) {
            return Err("its entries do not have the same side clocks".to_owned());
        }
        let (before, after) = match (before_turn, &last.clocks) {
            (None, None) => return Ok(()),
            (Some(before), Some(after)) if before.len() == after.len() => (before, after),
            _ => return Err("it does not have the side clocks of the game".to_owned()),
        };
        for (seat, (before, after)) in (0..u8::MAX).zip(before.iter().zip(after)) {
            let player = Player::new(seat);
            // One entry ends the game of all who go out together.
            let is_out = |turn: &Turn<'_>| turn.notation.is_none() && self.out_together.contains(player);
            let is_own = |turn: &Turn<'_>| turn.player == Some(player) || is_out(turn);
            let entry = entries.iter().find(|(_, turn)| is_own(turn));
            let until = entry.and_then(|(place, _)| self.charged_until.get(*place).copied().flatten());
            let is_void = |action: &&Unresolved<'_>| action.player == player && last.notation.is_none();
            let void = self.replay.unresolved.iter().flatten().find(is_void);
            let (until, is_told) = match (until, void) {
                (None, Some(action)) => self.void_until(opening, action, before_turn),
                (until, _) => (until, true),
            };
            let used = until.filter(|_| opening.who.running.contains(player));
            let used = used.map_or(0, |until| until.since(opening.at).as_millis());
            let least = before.saturating_sub(used);
            let most = match opening.left_for(player) {
                Some("clock") => 0,
                _ if is_told && opening.extended.is_empty() => least,
                _ => *before,
            };
            if *after < least || *after > most {
                return Err(format!(
                    "the clock of {player} went from {before} to {after} ms, of {used} ms used"
                ));
            }
        }
        Ok(())
    }

    /// Until when a void action is charged at the most, and whether it is exactly until then: of a third illegal move, which
    /// the hall answered with an action, nothing tells when it came. A gap moves the deadlines of all, and what the hall did at
    /// one is dated by it.
    fn void_until(
        &self,
        opening: &Opening<'_>,
        action: &Unresolved<'_>,
        clocks: &Clocks,
    ) -> (Option<Timestamp>, bool) {
        let attempts = opening.attempts.iter().filter(|(by, _)| *by == Some(action.player)).count();
        let is_halls = action.signature.is_none();
        let by_deadline = matches!(opening.left_for(action.player), None | Some("clock" | "strikes"));
        match () {
            () if is_halls && attempts >= ILLEGAL_MOVES => (Some(action.at), false),
            () if is_halls && by_deadline && opening.extended.is_empty() => {
                (Some(self.due(opening, action.player, clocks)), true)
            }
            () => (Some(action.at), true),
        }
    }
}

impl<'v> Opening<'v> {
    fn by(event: &'v Event<'v>, who: OpenedTurn) -> Result<Self, String> {
        let deadline = event.time("deadline_utc");
        if deadline.is_none() && event.data.get("deadline_utc") != Some(&Value::Null) {
            return Err(format!("event {} names no deadline", event.seq));
        }
        Ok(Self {
            who,
            began: event.created_at,
            at: event.created_at,
            deadline,
            extended: Vec::new(),
            left: Vec::new(),
            attempts: Vec::new(),
            resolved_by: Vec::new(),
        })
    }

    /// When the operator vacated the seat of this player, if that was while nature waited for the beacon to open the turn:
    /// that dates what the hall does for the seat in it.
    fn left_before(&self, player: Option<Player>) -> Option<Timestamp> {
        let is_vacant = player.is_some_and(|player| self.who.vacant.contains(player));
        let left = self.left.iter().find(|event| is_vacant && event.player() == player)?;
        Some(left.created_at)
    }

    /// Why the seat of this player was vacated in the turn, if it was.
    fn left_for(&self, player: Player) -> Option<&'v str> {
        self.left.iter().find(|event| event.player() == Some(player))?.data.get("reason")?.as_str()
    }

    /// The turn is over for the player whom the event names.
    fn resolve(&mut self, event: &'v Event<'v>) {
        let player = event.player();
        if self.resolved_by.iter().any(|by| by.player == player) {
            return;
        }
        // The clocks of the others run from the moment at which the last vacant seat has acted, if not before.
        if player.is_some_and(|player| self.who.vacant.contains(player)) {
            self.at = event.created_at;
        }
        self.resolved_by.push(Resolving { player, event, extended: self.extended.len() });
    }
}
