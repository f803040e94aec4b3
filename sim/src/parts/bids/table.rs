//! The room of the bidding game as plain values: what the pages say of turns, clocks, strikes and the beacon.

use super::draws::Draws;
use super::position::{BIDS, Position, SIDES};
use super::tale::{self, Tale};
use super::{MOVE_TIME, SEATS};
use crate::reference::text;
use hall_core::rooms::{
    BeaconStatus, BeaconTerms, BodyRecord, ForcedCause, OpenTurn, Phase, Resolution, RoomChange, Started,
};
use hall_core::{Effect, Rejection, RoomRejection, TurnBrief};
use hall_games::{GameResult, PlayerSet, Reason};
use hall_wire::draw::Seed;
use hall_wire::{AgentId, Digest, GameId, Notation, Player, Span, Timestamp};

/// How long a turn waits for the beacon at most (decision 6.3).
const WAIT: Span = Span::from_secs(10);

/// What the rules say of one seat.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Seat {
    /// The clock that runs while it is to move.
    pub(super) clock: Option<Clock>,
    pub(super) remaining: Option<Span>,
    pub(super) strikes: u8,
    pub(super) illegal: u8,
    pub(super) last: Option<TurnBrief>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Clock {
    since: Timestamp,
    until: Timestamp,
    given_back: Span,
}

/// A resolved turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Turn {
    pub(super) brief: TurnBrief,
    pub(super) at: Timestamp,
    /// The number of the fact that holds the words that came with it.
    pub(super) commentary_in: Option<u32>,
}

/// A penalty that waits for the beacon.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    place: usize,
    cause: ForcedCause,
    since: Timestamp,
    /// Until when the side clock is charged.
    charged: Timestamp,
    /// The deadline that stood before the wait.
    deadline: Option<Timestamp>,
}

/// The beacon as far as the game is concerned.
#[derive(Debug)]
pub(super) struct Beacon {
    pub(super) terms: Option<BeaconTerms>,
    pub(super) status: BeaconStatus,
    /// Randomness and signature, once they are known.
    pub(super) round: Option<(Digest, String)>,
}

/// What the rules say of the game.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) game: GameId,
    agents: Vec<AgentId>,
    pub(super) seats: [Seat; SEATS],
    pub(super) turns: Vec<Turn>,
    pub(super) position: Position,
    pub(super) result: Option<GameResult>,
    /// When the hall was away: the first and the last instants.
    away: Vec<(Timestamp, Timestamp)>,
    pub(super) seed: Seed,
    pub(super) beacon: Beacon,
    pub(super) held: Option<Held>,
    /// What must be told of it.
    pub(super) tale: Tale,
    /// What must be told to shells.
    pub(super) effects: Vec<Effect>,
}

/// How a turn is resolved.
#[derive(Clone, Debug)]
pub(super) struct Resolving {
    pub(super) place: usize,
    pub(super) forced: Option<ForcedCause>,
    /// What was signed.
    pub(super) body: Option<BodyRecord>,
    pub(super) commentary: Option<&'static str>,
    /// When it counts as resolved.
    pub(super) at: Timestamp,
    /// Until when the side clock is charged.
    pub(super) charged: Timestamp,
    /// Core time, from which new turns begin.
    pub(super) now: Timestamp,
}

impl Table {
    /// The game right after its start on these terms.
    pub(super) fn new(game: GameId, at: Timestamp, terms: Started) -> Self {
        let clock = Clock { since: at, until: at + MOVE_TIME, given_back: Span::ZERO };
        let seat = Seat { clock: Some(clock), remaining: terms.timing.side_time, ..Seat::default() };
        let status = if terms.beacon.is_some() { BeaconStatus::Waiting } else { BeaconStatus::Off };
        let mut table = Self {
            game,
            agents: terms.seats.iter().map(|seat| seat.agent).collect(),
            seats: [seat.clone(), seat.clone(), seat],
            turns: Vec::new(),
            position: Position::default(),
            result: None,
            away: Vec::new(),
            seed: terms.seed,
            beacon: Beacon { terms: terms.beacon, status, round: None },
            held: None,
            tale: Tale::default(),
            effects: Vec::new(),
        };
        let data = tale::started(&terms, table.deadline());
        table.tell(at, RoomChange::Started(terms), Some(("game_started", data)));
        table
    }

    pub(super) fn tell(
        &mut self,
        at: Timestamp,
        change: RoomChange,
        event: Option<(&str, serde_json::Value)>,
    ) {
        self.tale.tell(self.game, at, change, event, None);
    }

    pub(super) fn turn_index(&self) -> u32 {
        u32::try_from(self.turns.len()).unwrap_or(u32::MAX)
    }

    pub(super) fn agent(&self, place: usize) -> AgentId {
        self.agents.get(place).copied().unwrap_or(AgentId::from_bytes([0; 16]))
    }

    pub(super) const fn phase(&self) -> Phase {
        match (&self.result, &self.held) {
            (Some(_), _) => Phase::Ended,
            (None, Some(_)) => Phase::AwaitingBeacon,
            (None, None) => Phase::Playing,
        }
    }

    /// Nobody has a deadline while a turn waits and after the end.
    pub(super) fn deadline_of(&self, place: usize) -> Option<Timestamp> {
        let seat = self.seats.get(place).filter(|_| self.held.is_none())?;
        let clock = seat.clock?;
        let side = seat.remaining.map(|left| clock.since + clock.given_back + left);
        Some(side.map_or(clock.until, |side| side.min(clock.until)))
    }

    pub(super) fn deadline(&self) -> Option<Timestamp> {
        (0..SEATS).filter_map(|place| self.deadline_of(place)).min()
    }

    pub(super) fn to_move(&self) -> impl Iterator<Item = usize> {
        (0..SEATS).filter(|place| self.deadline_of(*place).is_some())
    }

    /// Everything that is due, in order: a penalty that has waited long enough, and whoever has missed a deadline.
    pub(super) fn pass_time(&mut self, now: Timestamp) {
        loop {
            if let Some(held) = self.held {
                let waits = self.beacon.status == BeaconStatus::Waiting;
                if waits && now < held.since + WAIT {
                    return;
                }
                if waits {
                    self.settle(now, BeaconStatus::Missed, None);
                }
                self.end_wait(held, now);
                continue;
            }
            let missed = (0..SEATS).filter_map(|place| Some((self.deadline_of(place)?, place))).min();
            let Some((deadline, place)) = missed.filter(|(deadline, _)| *deadline < now) else { return };
            let Some(seat) = self.seats.get(place) else { return };
            let side = seat.remaining.zip(seat.clock);
            let out_of_time =
                side.is_some_and(|(left, clock)| clock.since + clock.given_back + left <= clock.until);
            let turn = forced(place, ForcedCause::Deadline, deadline, now);
            if out_of_time {
                self.lose(turn, Reason::CLOCK);
            } else {
                self.punish(turn, ForcedCause::Deadline);
            }
        }
    }

    /// Full time for everybody again after the hall was away. A wait for the beacon begins again.
    pub(super) fn give_back(&mut self, from: Timestamp, until: Timestamp, now: Timestamp, reason: &str) {
        let turn_index = self.turn_index();
        if let Some(held) = &mut self.held {
            held.since = now;
            let Held { place, cause, charged, .. } = *held;
            let player = player(place);
            return self.tell(
                now,
                RoomChange::PenaltyDeferred { turn_index, player, cause, charged_until: charged },
                None,
            );
        }
        self.away.push((from, until));
        for clock in self.seats.iter_mut().filter_map(|seat| seat.clock.as_mut()) {
            clock.until = clock.until.max(now + MOVE_TIME);
            clock.given_back = clock.given_back + until.since(from.max(clock.since));
        }
        if self.result.is_none() {
            let data = self.extension_data(reason);
            let (turns, reason) = (self.open_turns(), reason.to_owned());
            let gap = Some((from, until));
            let change = RoomChange::DeadlineExtended { turn_index, turns, gap, reason };
            self.tell(now, change, Some(("deadline_extended", data)));
        }
    }

    /// A round of some chain has come.
    pub(super) fn receive(&mut self, now: Timestamp, terms: BeaconTerms, proof: (Digest, String)) {
        let waits = self.result.is_none() && self.beacon.status == BeaconStatus::Waiting;
        if waits && self.beacon.terms == Some(terms) {
            self.settle(now, BeaconStatus::Verified, Some(proof));
        }
    }

    fn settle(&mut self, now: Timestamp, status: BeaconStatus, round: Option<(Digest, String)>) {
        self.beacon.status = status;
        self.beacon.round.clone_from(&round);
        let data = self.beacon_data(status);
        let (randomness, signature) = round.unzip();
        let change = RoomChange::BeaconSettled { status, randomness, signature };
        self.tell(now, change, Some(("beacon", data)));
    }

    /// The penalty that waited, and the answer that somebody waits for.
    fn end_wait(&mut self, held: Held, now: Timestamp) {
        let turn_index = self.turn_index();
        self.punish(forced(held.place, held.cause, held.charged, now), held.cause);
        if held.cause == ForcedCause::IllegalMoves {
            let answer = Box::new(Err(Rejection::Room(RoomRejection::IllegalMove(Box::new(
                self.report_of_penalty(held.place),
            )))));
            self.effects.push(Effect::DeferredAnswer { game: self.game, turn_index, answer });
        }
    }

    /// A strike, and what goes with it: a pass for a missed deadline, else a random bid, and the end with the third. What
    /// needs a draw waits for the beacon; the end needs none (decisions 5.5 and 6.3).
    pub(super) fn punish(&mut self, turn: Resolving, cause: ForcedCause) {
        let Resolving { place, charged, now, .. } = turn;
        let (turn_index, player) = (self.turn_index(), player(place));
        let Some(seat) = self.seats.get_mut(place) else { return };
        let count = seat.strikes + 1;
        let passes = cause == ForcedCause::Deadline;
        let draws = !passes || self.position.needs_die(place, "pass");
        if count < 3 && draws && self.beacon.status == BeaconStatus::Waiting {
            return self.hold(Held { place, cause, since: now, charged, deadline: None });
        }
        seat.strikes = count;
        let data = tale::strike(turn_index, player, cause, count);
        self.tell(now, RoomChange::StrikeGiven { turn_index, player, cause, count }, Some(("strike", data)));
        if count == 3 {
            return self.lose(turn, Reason::STRIKES);
        }
        let mut draws = self.draws();
        let bid = if passes {
            "pass"
        } else {
            let drawn = usize::try_from(draws.below(4)).unwrap_or(usize::MAX);
            BIDS.get(drawn).copied().unwrap_or("nothing drawn")
        };
        self.bid(turn, bid, draws);
    }

    /// A penalty waits, and nobody is to move. The deadlines of the others who have yet to bid stay (decision 5.4), so that
    /// they may have passed when the wait is over.
    fn hold(&mut self, held: Held) {
        let Held { place, cause, since, charged, .. } = held;
        let (turn_index, player) = (self.turn_index(), player(place));
        let agents = self.to_move().map(|place| self.agent(place));
        let told: Vec<Effect> = agents.map(|agent| Effect::TurnsChanged { agent }).collect();
        self.effects.extend(told);
        self.held = Some(Held { deadline: self.deadline_of(place), ..held });
        let change = RoomChange::PenaltyDeferred { turn_index, player, cause, charged_until: charged };
        self.tell(since, change, None);
    }

    pub(super) fn draws(&self) -> Draws {
        let randomness = self.beacon.round.as_ref().map(|(randomness, _)| randomness);
        Draws::new(&self.game, self.turn_index(), &self.seed, randomness)
    }

    pub(super) fn lose(&mut self, turn: Resolving, reason: Reason) {
        let winners = (0..SEATS).filter(|other| *other != turn.place).map(player).collect();
        let result = GameResult { winners, draw: false, reason };
        self.resolved(turn, None, (false, Vec::new()), Some(result));
    }

    /// A bid, and with the last one of a round what comes of them.
    pub(super) fn bid(&mut self, turn: Resolving, bid: &'static str, mut draws: Draws) {
        let chosen_by_draw = !draws.is_empty();
        let die = self.position.needs_die(turn.place, bid).then(|| draws.below(SIDES));
        self.position.bid(turn.place, bid, die);
        let result = self.position.outcome();
        self.resolved(turn, Notation::parse(bid), (chosen_by_draw, draws.into_taken()), result);
    }

    /// A turn has ended, and where nobody is left to bid in the round, a new one begins.
    fn resolved(
        &mut self,
        turn: Resolving,
        notation: Option<Notation>,
        (chosen_by_draw, draws): (bool, Vec<hall_wire::draw::Draw>),
        result: Option<GameResult>,
    ) {
        let Resolving { place, forced, body, commentary, at, charged, now } = turn;
        let deadline = self.held.map_or_else(|| self.deadline_of(place), |held| held.deadline);
        let (turn_index, player) = (self.turn_index(), Some(player(place)));
        let body_sha256 = body.as_ref().map(|body| body.sha256);
        let brief = TurnBrief { turn_index, player, notation, forced, body_sha256 };
        let commentary = commentary.filter(|_| notation.is_some());
        let commentary_in = commentary.map(|_| self.tale.facts() + 1);
        self.turns.push(Turn { brief, at, commentary_in });
        self.held = None;
        let started_at = self.seats.get(place).and_then(|seat| seat.clock).map_or(now, |clock| clock.since);
        self.move_clocks(place, charged, now, result.is_some());
        self.seats.get_mut(place).into_iter().for_each(|seat| seat.last = Some(brief));
        let (game, next) = (text::id('g', self.game.as_bytes()), self.turn_index());
        let state = format!("svc.state.v1:{game}:{next}:{}", self.position.state_string());
        let resolution = Resolution {
            turn_index,
            player,
            notation,
            san: None,
            forced,
            started_at,
            deadline,
            at,
            body,
            chosen_by_draw,
            draws,
            state_hash: text::sha256(&state),
            clocks: self.seats.iter().map(|seat| seat.remaining).collect(),
            to_move: player_set(self.to_move()),
            turns: self.open_turns(),
        };
        if notation.is_some() {
            let data = self.move_data(&resolution, commentary);
            let change = RoomChange::MovePlayed(resolution.clone());
            self.tale.tell(self.game, now, change, Some(("move", data)), commentary.map(str::to_owned));
        }
        if let Some(result) = result {
            let data = self.end_data(&resolution, &result);
            self.result = Some(result.clone());
            let resolution = notation.is_none().then_some(resolution);
            self.tell(now, RoomChange::Ended { result, resolution }, Some(("game_ended", data)));
        }
        self.ring();
    }

    /// The clock of whoever has moved stands and is charged; the others' run on. When all have bid, everybody's begins
    /// anew. At the end all stand.
    fn move_clocks(&mut self, place: usize, charged: Timestamp, now: Timestamp, over: bool) {
        if let Some(seat) = self.seats.get_mut(place)
            && let (Some(clock), Some(left)) = (seat.clock.take(), seat.remaining.as_mut())
        {
            let mut used = charged.since(clock.since);
            for (from, until) in &self.away {
                used = used.saturating_sub((*until).min(charged).since((*from).max(clock.since)));
            }
            *left = left.saturating_sub(used);
        }
        let all_have_bid = self.seats.iter().all(|seat| seat.clock.is_none());
        for seat in &mut self.seats {
            seat.illegal = 0;
            if over {
                seat.clock = None;
            } else if all_have_bid {
                seat.clock = Some(Clock { since: now, until: now + MOVE_TIME, given_back: Span::ZERO });
            }
        }
    }

    fn open_turns(&self) -> Vec<OpenTurn> {
        let clocks = (0..).zip(&self.seats).filter_map(|(place, seat)| Some((place, seat.clock?)));
        let open = clocks.map(|(place, clock)| OpenTurn {
            player: player(place),
            started_at: clock.since,
            move_deadline: clock.until,
            credit: clock.given_back,
        });
        open.collect()
    }

    /// Everybody is told that the turns have changed, and whoever is to move is rung.
    fn ring(&mut self) {
        for place in 0..SEATS {
            let (agent, game, turn_index) = (self.agent(place), self.game, self.turn_index());
            self.effects.push(Effect::TurnsChanged { agent });
            let ring = self.deadline_of(place);
            let ring = ring.map(|deadline| Effect::RingDoorbell { agent, game, turn_index, deadline });
            self.effects.extend(ring);
        }
    }
}

/// What the hall does in a player's place.
pub(super) const fn forced(
    place: usize,
    cause: ForcedCause,
    charged: Timestamp,
    now: Timestamp,
) -> Resolving {
    Resolving { place, forced: Some(cause), body: None, commentary: None, at: now, charged, now }
}

pub(super) fn player(place: usize) -> Player {
    Player::new(u8::try_from(place).unwrap_or(u8::MAX))
}

pub(super) fn player_set(places: impl Iterator<Item = usize>) -> PlayerSet {
    places.map(player).fold(PlayerSet::EMPTY, PlayerSet::with)
}
