//! Times, deadlines and side clocks (decision 5), all as the hall dates them.

use super::same;
use crate::replay::document::{Event, ForcedBy, Replay, Turn};
use crate::replay::report::{ClaimId, Ledger};
use crate::replay::rules::Movers;
use hall_wire::json::Value;
use hall_wire::{Span, Timestamp};

pub(super) fn check(replay: &Replay<'_>, movers: &Movers, ledger: &mut Ledger) {
    let timeline = match Timeline::of(replay, movers) {
        Ok(timeline) => timeline,
        Err(reason) => {
            ledger.fail(ClaimId::Times, reason);
            ledger.leave(ClaimId::Clocks, "the times of the game are not known");
            return;
        }
    };
    let mut clocks: Option<Vec<u64>> =
        timeline.side_time.map(|side| replay.seats.iter().map(|_| side.as_millis()).collect());
    let rows = timeline.turns.iter().zip(&replay.moves).enumerate();
    for (place, (opening, turn)) in rows {
        let in_turn = |reason: String| format!("turn {place}: {reason}");
        let left = clocks.as_ref().zip(turn.player.or_else(|| timeline.mover(place)));
        let left = left.and_then(|(clocks, player)| clocks.get(player.index()).copied());
        ledger.settle(ClaimId::Times, timeline.opened(opening, left).map_err(in_turn));
        ledger.settle(ClaimId::Times, timeline.resolved(opening, turn).map_err(in_turn));
        ledger.settle(ClaimId::Clocks, charged(opening, turn, clocks.as_deref()).map_err(in_turn));
        clocks = clocks.and(turn.clocks.clone());
    }
    if timeline.side_time.is_none() {
        ledger.say(ClaimId::Clocks, "The game was played without side clocks.");
    }
}

/// What the events say of time, turn by turn.
struct Timeline<'v> {
    formed: Timestamp,
    move_time: Span,
    side_time: Option<Span>,
    turns: Vec<Opening<'v>>,
    replay: &'v Replay<'v>,
    movers: &'v Movers,
}

/// How a turn was opened, and what happened until it was resolved.
struct Opening<'v> {
    at: Timestamp,
    deadline: Timestamp,
    /// When the deadline was moved, and to when.
    extended: Vec<(Timestamp, Timestamp)>,
    /// When the illegal moves were counted.
    attempts: Vec<Timestamp>,
    /// What resolved it.
    resolved_by: Option<&'v Event<'v>>,
}

impl<'v> Timeline<'v> {
    fn of(replay: &'v Replay<'v>, movers: &'v Movers) -> Result<Self, String> {
        let first = replay.events.first().ok_or_else(|| "there are no events".to_owned())?;
        let millis = |name: &str| first.data.get(name).and_then(Value::as_u64).map(Span::from_millis);
        let side = first.data.get("side_ms");
        let mut timeline = Self {
            formed: first.created_at,
            move_time: millis("move_ms").ok_or_else(|| "the first event does not say move_ms".to_owned())?,
            side_time: millis("side_ms"),
            turns: vec![Opening::by(first)?],
            replay,
            movers,
        };
        if timeline.side_time.is_none() && side != Some(&Value::Null) {
            return Err("the first event does not say side_ms".to_owned());
        }
        for event in replay.events.iter().skip(1) {
            let Some(open) = timeline.turns.last_mut() else { break };
            match event.kind {
                "illegal_attempt" => open.attempts.push(event.created_at),
                "deadline_extended" => {
                    let deadline = event.time("deadline_utc");
                    let deadline =
                        deadline.ok_or_else(|| format!("event {} names no deadline", event.seq))?;
                    open.extended.push((event.created_at, deadline));
                }
                "move" => {
                    open.resolved_by = Some(event);
                    // Null where the move ended the game.
                    if event.data.get("deadline_utc") != Some(&Value::Null) {
                        timeline.turns.push(Opening::by(event)?);
                    }
                }
                "game_ended" => {
                    open.resolved_by.get_or_insert(event);
                }
                _ => {}
            }
        }
        same("the number of turns that the events open", &timeline.turns.len(), &replay.moves.len())?;
        Ok(timeline)
    }

    /// The player whose clock runs in a turn, where the end of the turn does not name it.
    fn mover(&self, place: usize) -> Option<hall_wire::Player> {
        self.replay.seats.get(self.movers.of_turn(place).index()).map(|seat| seat.player)
    }

    /// The deadline is the earlier of the time for a move and what is left on the side clock; a gap only moves it
    /// later.
    fn opened(&self, opening: &Opening<'_>, left: Option<u64>) -> Result<(), String> {
        let by_side = left.map(|left| opening.at + Span::from_millis(left));
        let by_move = opening.at + self.move_time;
        let deadline = by_side.map_or(by_move, |by_side| by_side.min(by_move));
        same("the deadline at its beginning", &opening.deadline, &deadline)?;
        let mut stood = opening.deadline;
        for (at, deadline) in &opening.extended {
            if *deadline < stood {
                return Err("its deadline was moved earlier".to_owned());
            }
            let whole = *at + self.move_time;
            if *deadline < by_side.map_or(whole, |by_side| by_side.min(whole)) {
                return Err("a gap did not give back the whole time for a move".to_owned());
            }
            stood = *deadline;
        }
        Ok(())
    }

    fn resolved(&self, opening: &Opening<'_>, turn: &Turn<'_>) -> Result<(), String> {
        same("its beginning", &turn.started_at, &opening.at)?;
        let deadline = opening.extended.last().map_or(opening.deadline, |(_, deadline)| *deadline);
        same("its deadline", &turn.deadline, &Some(deadline))?;
        for (attempt, counted) in turn.attempts.iter().zip(&opening.attempts) {
            if attempt.at > deadline || attempt.at > *counted || attempt.at < self.formed {
                return Err(format!("an illegal move is dated {}", attempt.at));
            }
        }
        let event = opening.resolved_by.ok_or_else(|| "no event resolves it".to_owned())?;
        let by_hall = turn.player.is_none() || turn.forced.is_some();
        if turn.at > event.created_at || turn.at < self.formed || (by_hall && turn.at != event.created_at) {
            return Err(format!("it is dated {}, but its event {}", turn.at, event.created_at));
        }
        let late = match turn.forced {
            None => turn.at > deadline && turn.player.is_some(),
            Some(ForcedBy::Deadline) => turn.at <= deadline,
            Some(ForcedBy::IllegalMoves) => turn.attempts.iter().any(|attempt| attempt.at > turn.at),
        };
        if !late {
            return Ok(());
        }
        Err(match turn.forced {
            None => format!("the move came at {}, after the deadline {deadline}", turn.at),
            Some(_) => format!("the hall acted at {}, before the turn was lost", turn.at),
        })
    }
}

impl<'v> Opening<'v> {
    fn by(event: &'v Event<'v>) -> Result<Self, String> {
        let deadline = event.time("deadline_utc");
        let deadline = deadline.ok_or_else(|| format!("event {} names no deadline", event.seq))?;
        Ok(Self {
            at: event.created_at,
            deadline,
            extended: Vec::new(),
            attempts: Vec::new(),
            resolved_by: None,
        })
    }
}

/// The clocks after the turn, from those before it. A turn that the operator ended is charged to nobody; one in
/// which a gap was given back costs at most its whole length.
fn charged(opening: &Opening<'_>, turn: &Turn<'_>, before: Option<&[u64]>) -> Result<(), String> {
    let (before, after) = match (before, &turn.clocks) {
        (None, None) => return Ok(()),
        (Some(before), Some(after)) if before.len() == after.len() => (before, after),
        _ => return Err("it does not have the side clocks of the game".to_owned()),
    };
    let used = turn.used_until().map_or(0, |until| until.since(turn.started_at).as_millis());
    for (seat, (before, after)) in (0..u8::MAX).zip(before.iter().zip(after)) {
        let charged = turn.player.is_some_and(|player| player.seat() == seat);
        let least = if charged { before.saturating_sub(used) } else { *before };
        let most = if charged && opening.extended.is_empty() { least } else { *before };
        if *after < least || *after > most {
            return Err(format!("the clock of p{seat} went from {before} to {after} ms, of {used} ms used"));
        }
    }
    Ok(())
}
