//! The bidding game as plain values: what its rules and the rooms' say of it.

use super::{BIDS, MOVE_TIME, SEATS};
use hall_core::rooms::Forced;
use hall_core::{Answer, Choice, Effect, Report, TurnBrief};
use hall_games::{GameResult, LegalMove, PlayerSet, Reason};
use hall_wire::{AgentId, Digest, GameId, Notation, Player, Span, Timestamp};
use std::collections::VecDeque;

/// What the rules say of one seat.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Seat {
    /// The clock that runs while it is to move.
    pub(super) clock: Option<Clock>,
    pub(super) remaining: Option<Span>,
    pub(super) strikes: u8,
    pub(super) illegal: u8,
    pub(super) bid: Option<&'static str>,
    pub(super) points: u8,
    pub(super) last: Option<TurnBrief>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Clock {
    pub(super) since: Timestamp,
    pub(super) until: Timestamp,
    pub(super) given_back: Span,
}

/// A resolved turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Turn {
    pub(super) brief: TurnBrief,
    pub(super) at: Timestamp,
}

/// What the rules say of the game.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) game: GameId,
    pub(super) agents: [AgentId; SEATS],
    pub(super) seats: [Seat; SEATS],
    pub(super) turns: Vec<Turn>,
    pub(super) rounds: u8,
    pub(super) result: Option<GameResult>,
    /// When the hall was away: the first and the last instants.
    pub(super) away: Vec<(Timestamp, Timestamp)>,
    /// What was drawn by the hall and has not been accounted for: below what, and which value.
    pub(super) drawn: VecDeque<(u64, u64)>,
    /// What must be told to shells.
    pub(super) effects: Vec<Effect>,
}

/// What a player asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wish {
    pub(super) place: usize,
    pub(super) turn_index: u32,
    pub(super) choice: Option<Choice>,
    pub(super) resign: bool,
}

/// How a turn is resolved.
#[derive(Clone, Copy, Debug)]
struct Resolving {
    place: usize,
    forced: Option<Forced>,
    /// The hash of what was signed.
    body: Option<Digest>,
    /// When it counts as resolved.
    at: Timestamp,
    /// Until when the side clock is charged.
    charged: Timestamp,
    /// Core time, from which new turns begin.
    now: Timestamp,
}

impl Table {
    pub(super) fn turn_index(&self) -> u32 {
        u32::try_from(self.turns.len()).unwrap_or(u32::MAX)
    }

    pub(super) fn deadline_of(&self, place: usize) -> Option<Timestamp> {
        let seat = self.seats.get(place)?;
        let clock = seat.clock?;
        let side = seat.remaining.map(|left| clock.since + clock.given_back + left);
        Some(side.map_or(clock.until, |side| side.min(clock.until)))
    }

    pub(super) fn deadline(&self) -> Option<Timestamp> {
        (0..SEATS).filter_map(|place| self.deadline_of(place)).min()
    }

    /// Takes the next value that the hall drew; a number that no die shows if it drew none or another.
    fn draw(&mut self, below: u64) -> u64 {
        match self.drawn.pop_front() {
            Some((n, value)) if n == below => value,
            _ => u64::MAX,
        }
    }

    /// Everybody whose deadline has passed, in order: a pass and a strike, or the end.
    pub(super) fn pass_time(&mut self, now: Timestamp) {
        loop {
            let missed = (0..SEATS).filter_map(|place| Some((self.deadline_of(place)?, place))).min();
            let Some((deadline, place)) = missed.filter(|(deadline, _)| *deadline < now) else { return };
            let Some(seat) = self.seats.get(place) else { return };
            let side = seat.remaining.zip(seat.clock);
            let out_of_time =
                side.is_some_and(|(left, clock)| clock.since + clock.given_back + left <= clock.until);
            let forced = Some(Forced::Deadline);
            let turn = Resolving { place, forced, body: None, at: now, charged: deadline, now };
            if out_of_time {
                self.lose(turn, Reason::CLOCK);
            } else {
                self.punish(turn);
            }
        }
    }

    /// Full time for everybody again after the hall was away.
    pub(super) fn give_back(&mut self, from: Timestamp, until: Timestamp, now: Timestamp) {
        self.away.push((from, until));
        for clock in self.seats.iter_mut().filter_map(|seat| seat.clock.as_mut()) {
            clock.until = clock.until.max(now + MOVE_TIME);
            clock.given_back = clock.given_back + until.since(from.max(clock.since));
        }
    }

    /// A strike, and what goes with it.
    fn punish(&mut self, turn: Resolving) {
        let Some(seat) = self.seats.get_mut(turn.place) else { return };
        seat.strikes += 1;
        if seat.strikes == 3 {
            return self.lose(turn, Reason::STRIKES);
        }
        let bid = if turn.forced == Some(Forced::IllegalMoves) {
            let drawn = usize::try_from(self.draw(4)).unwrap_or(usize::MAX);
            BIDS.get(drawn).copied().unwrap_or("nothing drawn")
        } else {
            "pass"
        };
        self.bid(turn, bid);
    }

    fn lose(&mut self, turn: Resolving, reason: Reason) {
        let winners = (0..SEATS).filter(|other| *other != turn.place).map(player).collect();
        self.result = Some(GameResult { winners, draw: false, reason });
        self.resolved(turn, None);
    }

    /// A bid, and with the last one of a round what comes of them.
    fn bid(&mut self, turn: Resolving, bid: &'static str) {
        if let Some(seat) = self.seats.get_mut(turn.place) {
            seat.bid = Some(bid);
        }
        let bids: Vec<&str> = self.seats.iter().filter_map(|seat| seat.bid).collect();
        if bids.len() == SEATS {
            let winner = self.winner(&bids);
            self.rounds += 1;
            for (place, seat) in self.seats.iter_mut().enumerate() {
                seat.bid = None;
                seat.points += u8::from(winner == Some(place));
            }
            let most = self.seats.iter().map(|seat| seat.points).max().unwrap_or(0);
            if self.rounds == 6 || most == 3 {
                let best = self.seats.iter().enumerate().filter(|(_, seat)| seat.points == most);
                let best: Vec<Player> = best.map(|(place, _)| player(place)).collect();
                let draw = best.len() == SEATS;
                let winners = if draw { Vec::new() } else { best };
                self.result = Some(GameResult { winners, draw, reason: Reason::of_game("most_points") });
            }
        }
        self.resolved(turn, Notation::parse(bid));
    }

    /// Who bid the most; a die decides among several, and nobody wins if all passed.
    fn winner(&mut self, bids: &[&str]) -> Option<usize> {
        let most = bids.iter().filter(|bid| **bid != "pass").max()?;
        let tied: Vec<usize> = (0..SEATS).filter(|place| bids.get(*place) == Some(most)).collect();
        let shown = if tied.len() > 1 { self.draw(6) } else { 0 };
        tied.get(usize::try_from(shown).ok()?.checked_rem(tied.len())?).copied()
    }

    /// A turn has ended, and where nobody is left to bid in the round, a new one begins.
    fn resolved(&mut self, turn: Resolving, notation: Option<Notation>) {
        let Resolving { place, forced, body, at, charged, now } = turn;
        let turn_index = self.turn_index();
        let brief =
            TurnBrief { turn_index, player: Some(player(place)), notation, forced, body_sha256: body };
        self.turns.push(Turn { brief, at });
        if let Some(seat) = self.seats.get_mut(place) {
            seat.last = Some(brief);
            if let (Some(clock), Some(left)) = (seat.clock.take(), seat.remaining.as_mut()) {
                let away = |(from, back): &(Timestamp, Timestamp)| {
                    (*back).min(charged).since((*from).max(clock.since))
                };
                let used = charged.since(clock.since);
                let used = self.away.iter().fold(used, |used, gap| used.saturating_sub(away(gap)));
                *left = left.saturating_sub(used);
            }
        }
        let all_have_bid = self.seats.iter().all(|seat| seat.clock.is_none());
        for seat in &mut self.seats {
            seat.illegal = 0;
            if self.result.is_some() {
                seat.clock = None;
            } else if all_have_bid {
                seat.clock = Some(Clock { since: now, until: now + MOVE_TIME, given_back: Span::ZERO });
            }
        }
        for (place, agent) in self.agents.iter().copied().enumerate() {
            self.effects.push(Effect::TurnsChanged { agent });
            let (game, turn_index) = (self.game, self.turn_index());
            let ring = self.deadline_of(place);
            let ring = ring.map(|deadline| Effect::RingDoorbell { agent, game, turn_index, deadline });
            self.effects.extend(ring);
        }
    }

    /// What the room does and answers.
    pub(super) fn ask(
        &mut self,
        wish: Wish,
        stamp: Timestamp,
        now: Timestamp,
        body: Digest,
    ) -> Result<Taken, Told> {
        let Wish { place, turn_index, choice, resign } = wish;
        if self.result.is_some() {
            return Err(Told::NotLive(Box::new(self.report(place))));
        }
        let late = self.deadline_of(place).is_none_or(|deadline| stamp > deadline);
        if late || turn_index != self.turn_index() {
            return Err(Told::WrongTurn(Box::new(self.report(place))));
        }
        let turn = Resolving { place, forced: None, body: Some(body), at: stamp, charged: stamp, now };
        if resign {
            self.lose(turn, Reason::RESIGNATION);
            return Ok(Taken { turn_index, notation: None, result: self.result.clone() });
        }
        let named = match choice {
            None => return Err(Told::MoveMissing),
            Some(Choice::Gibberish) => None,
            Some(Choice::Index(index)) => usize::try_from(index).ok().and_then(|index| BIDS.get(index)),
            Some(Choice::Notation(notation)) => BIDS.iter().find(|bid| **bid == notation.as_str()),
        };
        if let Some(bid) = named {
            self.bid(turn, bid);
            return Ok(Taken { turn_index, notation: Notation::parse(bid), result: self.result.clone() });
        }
        let Some(seat) = self.seats.get_mut(place) else { return Err(Told::MoveMissing) };
        seat.illegal += 1;
        let count = seat.illegal;
        if count == 3 {
            self.punish(Resolving { forced: Some(Forced::IllegalMoves), body: None, at: now, ..turn });
        }
        let legal = if self.deadline_of(place).is_some() { listed() } else { Vec::new() };
        let applied = self.turns.last().filter(|_| count == 3).map(|turn| turn.brief);
        let legal_moves = (count > 1).then_some(legal);
        Err(Told::Illegal(Box::new(Report { legal_moves, applied, ..self.report(place) })))
    }

    fn report(&self, place: usize) -> Report {
        let seat = self.seats.get(place);
        let to_move = (0..SEATS).filter(|place| self.deadline_of(*place).is_some()).map(player);
        Report {
            game: self.game,
            turn_index: self.turn_index(),
            to_move: to_move.fold(PlayerSet::EMPTY, PlayerSet::with),
            illegal_attempts: seat.map_or(0, |seat| seat.illegal),
            strikes: self.seats.iter().map(|seat| seat.strikes).collect(),
            last_move: self.turns.last().map(|turn| self.told(None, turn.brief)),
            your_last: seat.and_then(|seat| seat.last),
            result: self.result.clone(),
            legal_moves: None,
            applied: None,
            deadline: self.deadline(),
        }
    }

    /// What is told of a turn: neither a bid nor what gives it away, before the end, but to whoever made it.
    pub(super) fn told(&self, viewer: Option<Player>, brief: TurnBrief) -> TurnBrief {
        if self.result.is_some() || viewer == brief.player {
            return brief;
        }
        TurnBrief { notation: None, body_sha256: None, ..brief }
    }
}

/// What was taken.
#[derive(Debug, PartialEq)]
pub(super) struct Taken {
    pub(super) turn_index: u32,
    pub(super) notation: Option<Notation>,
    pub(super) result: Option<GameResult>,
}

/// What a refusal says.
#[derive(Debug, PartialEq)]
pub(super) enum Told {
    Illegal(Box<Report>),
    WrongTurn(Box<Report>),
    NotLive(Box<Report>),
    MoveMissing,
    /// What the table never says.
    Else(Box<Answer>),
}

fn listed() -> Vec<LegalMove> {
    let summary = |bid: &str| if bid == "pass" { bid.to_owned() } else { format!("bid {bid}") };
    let entry = |bid: &str| Some(LegalMove { notation: Notation::parse(bid)?, summary: summary(bid) });
    BIDS.iter().filter_map(|bid| entry(bid)).collect()
}

pub(super) fn player(place: usize) -> Player {
    Player::new(u8::try_from(place).unwrap_or(u8::MAX))
}
