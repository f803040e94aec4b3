//! What was seen of a world while it ran: by the hall's observer, and by the clients of the hall.
//!
//! A decision is seen before it is durable. What a crash has taken back never happened, so the oracles see a decision
//! only when it is known to be kept: when the hall says so, or when the next start finds it. What clients were told is
//! kept until the end, when all decisions are known.

use super::bells::{GotRing, OpenedTurn, PlayerTurn, Turns};
use super::clock::network_millis;
use super::hostile::IllegalCount;
use super::onlooker::{EndSeen, Poll};
use super::outside::{Outside, WordsPlace};
use super::tokens;
use crate::crypto::Crypto;
use crate::direct::Observed;
use crate::oracles::{CHECKS, ClientRecord, Death, Observation, Oracles, Terms, ToldOutcome};
use crate::report::{Violation, WorldReport};
use crate::trace::TraceHasher;
use hall_core::rooms::{BeaconStatus, OpenTurn, RoomChange, RoomFact};
use hall_core::{
    Caller, Command, DeskFact, DoorbellChange, Fact, GovernanceFact, HallCommand, HallSettings, Withheld,
};
use hall_driver::{Decided, Observer};
use hall_wire::{AgentId, Digest, GameId, Player, Span, Timestamp};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::{self, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A client got the outcome of a move.
#[derive(Clone, Debug)]
pub(super) struct ToldMove {
    /// The agent, by its place in the plan.
    pub(super) agent: usize,
    /// The game.
    pub(super) game: GameId,
    /// The turn that was meant.
    pub(super) turn_index: u32,
    /// The hash of what was signed.
    pub(super) body: Digest,
    /// What became of it.
    pub(super) outcome: ToldOutcome,
    /// When it was chosen and when that was told, in milliseconds since the world began.
    pub(super) asked: u64,
    /// See `asked`.
    pub(super) told: u64,
}

/// A decision of which it is not known whether it is durable.
#[derive(Debug)]
struct Pending {
    observed: Observed,
    /// When it was made, in milliseconds since the world began.
    now: u64,
    /// The number of the process that made it.
    start: u64,
}

/// A strike, with the network's time over which the turn stood open.
#[derive(Clone, Copy, Debug)]
pub(super) struct StrikeSeen {
    /// Since when the turn was open, in milliseconds since the world began.
    pub(super) opened: u64,
    /// When the strike was given.
    pub(super) struck: u64,
}

/// Everything that was seen.
pub(super) struct Chronicle {
    /// The judges, which see what is durable.
    pub(super) oracles: Oracles,
    /// Decisions that are not known to be durable, oldest first.
    pending: VecDeque<Pending>,
    /// The hall's time at the last decision.
    last_at: Option<Timestamp>,
    /// Who sits where in each game.
    pub(super) seats: BTreeMap<GameId, Vec<AgentId>>,
    /// Where agents have proven to be.
    pub(super) verified: BTreeSet<(AgentId, String)>,
    /// Over every decision and every byte that a client read.
    pub(super) trace: TraceHasher,
    /// Counts, marks and violations so far.
    pub(super) report: WorldReport,
    /// The outcomes of moves that clients got.
    pub(super) moves: Vec<ToldMove>,
    /// Illegal moves that hostile agents have sent.
    pub(super) illegal: BTreeMap<PlayerTurn, IllegalCount>,
    /// Other answers to and acts of clients.
    pub(super) records: Vec<ClientRecord>,
    /// Event streams as they were read: numbers and texts.
    pub(super) streams: BTreeMap<(usize, GameId), Vec<(u64, String)>>,
    /// Strikes.
    pub(super) strikes: BTreeMap<PlayerTurn, StrikeSeen>,
    /// Rings as endpoints got them.
    pub(super) rings: Vec<GotRing>,
    /// Since when agents know that they are rung where.
    pub(super) told_verified: BTreeMap<(AgentId, String), u64>,
    /// The same for those whose endpoints are good.
    pub(super) good: BTreeMap<AgentId, u64>,
    /// When an agent, by its place in the plan, saw a turn of its own first, in milliseconds since the world began.
    pub(super) woken: BTreeMap<PlayerTurn, (usize, u64)>,
    /// When agents asked for their turns and did nothing else.
    pub(super) polls: Vec<Poll>,
    /// When games ended.
    pub(super) ends: BTreeMap<GameId, EndSeen>,
    /// The rounds of the beacon that games got, and when, by the hall's clock.
    pub(super) rounds: Vec<(GameId, u64, Timestamp)>,
    /// The rounds that games are bound to.
    bound: BTreeMap<GameId, u64>,
    /// When the hall's disk was slow, in milliseconds since the world began.
    pub(super) slow_disks: Vec<(u64, u64)>,
    /// When turns stood open.
    pub(super) turns: Turns,
    /// The newest turn of each game.
    newest: BTreeMap<GameId, u32>,
    /// Reads of the journal that failed.
    pub(super) failed_reads: u64,
    /// What clients sent and got.
    pub(super) outside: Outside,
    /// When the world began, by the clock of the hall as it was then.
    pub(super) begins: Timestamp,
    /// The number of the process of the hall that runs.
    pub(super) start: u64,
    /// The state in which the hall shut down cleanly, if that was its last act.
    pub(super) stopped_in: Option<Digest>,
    /// When a penalty began to wait for the beacon, by game: meanwhile no player can move.
    held: BTreeMap<GameId, u64>,
    /// Answers that report a fault of the hall.
    faults_told: u64,
    text: String,
}

impl Default for Chronicle {
    fn default() -> Self {
        Self {
            oracles: Oracles::new(1),
            pending: VecDeque::new(),
            last_at: None,
            seats: BTreeMap::new(),
            verified: BTreeSet::new(),
            trace: TraceHasher::default(),
            report: WorldReport::default(),
            moves: Vec::new(),
            illegal: BTreeMap::new(),
            records: Vec::new(),
            streams: BTreeMap::new(),
            strikes: BTreeMap::new(),
            rings: Vec::new(),
            told_verified: BTreeMap::new(),
            good: BTreeMap::new(),
            woken: BTreeMap::new(),
            polls: Vec::new(),
            ends: BTreeMap::new(),
            rounds: Vec::new(),
            bound: BTreeMap::new(),
            slow_disks: Vec::new(),
            turns: Turns::new(),
            newest: BTreeMap::new(),
            failed_reads: 0,
            outside: Outside::default(),
            begins: Timestamp::default(),
            start: 0,
            stopped_in: None,
            held: BTreeMap::new(),
            faults_told: 0,
            text: String::new(),
        }
    }
}

/// The chronicle, as all hosts of a world share it. One thread runs them all.
#[derive(Clone, Default)]
pub(super) struct Shared(Arc<Mutex<Chronicle>>);

impl fmt::Debug for Shared {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl Shared {
    /// Opens the chronicle.
    pub(super) fn open(&self) -> MutexGuard<'_, Chronicle> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An observer that writes into it.
    pub(super) fn observer(&self) -> Box<dyn Observer> {
        Box::new(self.clone())
    }

    /// Notes something that must never be so.
    pub(super) fn violation(&self, invariant: &'static str, text: impl Into<String>) {
        let at = network_millis();
        self.open().violation(invariant, at, text);
    }

    /// A client was shown a live game in this turn, which must be durable by now.
    pub(super) fn shown(&self, game: GameId, turn_index: u32) {
        let at = network_millis();
        self.open().shown(at, game, turn_index);
    }

    /// Marks an interesting state as reached.
    pub(super) fn mark(&self, kind: &str, name: &str) {
        self.open().report.mark(kind, name);
    }
}

/// Whether the table of all checks says what this name means.
fn is_named(invariant: &str) -> bool {
    CHECKS.iter().any(|check| check.name == invariant)
}

impl Observer for Shared {
    fn decided(&mut self, decided: &Decided<'_>) {
        self.open().decided(decided);
    }
}

impl Chronicle {
    /// An answer reports a fault of the hall. Returns whether a failed read explains it; each explains one.
    pub(super) fn explains_fault(&mut self) -> bool {
        self.faults_told += 1;
        self.report.mark("answered", "INTERNAL");
        self.faults_told <= self.failed_reads
    }

    /// Notes something that must never be so; `at` in milliseconds since the world began.
    pub(super) fn violation(&mut self, invariant: &'static str, at: u64, text: impl Into<String>) {
        assert!(is_named(invariant), "{invariant} is in no table");
        let at = self.begins + Span::from_millis(at);
        self.report.violations.push(Violation::new(invariant, at, text));
    }

    /// Notes activity that has not ended.
    pub(super) fn unrest(&mut self, invariant: &'static str, at: u64, text: impl Into<String>) {
        assert!(is_named(invariant), "{invariant} is in no table");
        let at = self.begins + Span::from_millis(at);
        self.report.unrest.push(Violation::new(invariant, at, text));
    }

    /// The world begins: with these settings, and with a beacon that has signed these rounds.
    pub(super) fn begin(&mut self, settings: HallSettings, rounds: &[(u64, &str)]) {
        let (at, crypto, unharmed) = (self.begins, Crypto::Real, BTreeSet::new());
        self.oracles.see(Observation::Began(Terms { at, crypto, settings, rings: false, unharmed }));
        self.oracles.see(Observation::Secret(tokens::common()));
        self.oracles.see(Observation::Client(ClientRecord::Listening));
        for (round, signature) in rounds {
            let (round, signature) = (*round, (*signature).to_owned());
            self.oracles.see(Observation::Client(ClientRecord::Round { round, signature }));
        }
    }

    /// Everything up to this record is durable, and it became known when this many milliseconds of the world had
    /// passed, unless nobody was told.
    pub(super) fn durable(&mut self, seq: u64, known: Option<u64>) {
        while let Some(Pending { observed, now, start }) =
            self.pending.pop_front_if(|pending| pending.observed.seq <= seq)
        {
            let now = known.unwrap_or(now);
            for fact in &observed.decision.facts {
                match fact {
                    Fact::Room(fact) => self.happened(fact, (now, start)),
                    Fact::Doorbell(fact) => self.at_the_door(fact.agent, &fact.change),
                    Fact::Desk(DeskFact::FeedbackPosted { id, subject, .. }) => {
                        self.outside.words.said(subject, WordsPlace::Post(*id));
                    }
                    Fact::Desk(DeskFact::AgentRegistered { agent, model_id, .. }) => {
                        self.outside.words.said(model_id, WordsPlace::Agent(*agent));
                    }
                    Fact::Governance(GovernanceFact::TextWithheld { what, .. }) => self.withheld(*what),
                    Fact::Hall(_) | Fact::Desk(_) | Fact::Governance(_) => {}
                }
            }
            self.oracles.see(Observation::Decided(Arc::new(observed)));
        }
        self.report.take_over(self.oracles.take());
    }

    /// The process is gone. The journal reaches as far as this record; what was decided beyond it never happened.
    pub(super) fn died(&mut self, seq: u64) {
        self.pending.retain(|pending| pending.observed.seq <= seq);
        self.durable(seq, None);
        if let Some(at) = self.last_at {
            let digest = self.stopped_in;
            self.oracles.see(Observation::Died(Death { at, durable: seq, digest }));
        }
    }

    fn decided(&mut self, decided: &Decided<'_>) {
        if matches!(decided.what, Command::Hall(HallCommand::Start { .. })) {
            let changed = !decided.decision.facts.is_empty();
            self.died(decided.seq - u64::from(changed));
        }
        self.stopped_in =
            matches!(decided.what, Command::Hall(HallCommand::Stop)).then(|| decided.hall.digest());
        self.text.clear();
        let Decided { at, stamp, who, what, drawn, decision, seq, .. } = decided;
        for fact in &decision.facts {
            if let Fact::Governance(GovernanceFact::TextWithheld { what, .. }) = fact
                && let Withheld::Turn { game, turn_index } = what
            {
                self.outside.words.redact(*game, *turn_index);
            }
        }
        // Writing into a string cannot fail.
        let _ = write!(self.text, "{what:?} {at} {stamp} {seq} {who:?} {drawn:?} {decision:?}");
        self.trace.take(&self.text.as_str());
        if let Caller::Agent(agent) = who {
            self.outside.decided(*agent, network_millis(), *stamp);
        }
        let name = self.text.split(|letter: char| !letter.is_ascii_alphanumeric()).next();
        self.report.mark("command", name.unwrap_or_default());
        self.last_at = Some(*at);
        let (what, drawn, decision) = ((*what).clone(), drawn.to_vec(), (*decision).clone());
        let observed = Observed { at: *at, stamp: *stamp, who: *who, what, drawn, decision, seq: *seq };
        self.pending.push_back(Pending { observed, now: network_millis(), start: self.start });
    }

    /// An agent that waited for its turn was shown it.
    pub(super) fn woken(&mut self, at: u64, agent: usize, turn: PlayerTurn) {
        self.woken.entry(turn).or_insert((agent, at));
    }

    /// A client was shown a game in this turn: it must have begun in the journal by now.
    pub(super) fn shown(&mut self, at: u64, game: GameId, turn_index: u32) {
        if self.newest.get(&game).is_none_or(|newest| *newest < turn_index) {
            let text = format!("turn {turn_index} of {game} was shown before it was durable");
            self.violation("D3", at, text);
        }
    }

    fn at_the_door(&mut self, agent: AgentId, change: &DoorbellChange) {
        if let DoorbellChange::Verified { url, .. } = change {
            self.verified.insert((agent, url.clone()));
        }
        let (kind, name) = match change {
            DoorbellChange::AttemptFailed { reason, .. } => ("attempt failed", reason.as_str()),
            DoorbellChange::Registered { .. } => ("doorbell", "registered"),
            DoorbellChange::VerificationBegun => ("doorbell", "verification begun"),
            DoorbellChange::Verified { .. } => ("doorbell", "verified"),
            DoorbellChange::Disabled => ("doorbell", "disabled"),
            DoorbellChange::Rung { .. } => ("doorbell", "rung at another attempt"),
            DoorbellChange::TurnMissed { .. } => ("doorbell", "turn missed"),
            DoorbellChange::Suspended { .. } => ("doorbell", "suspended"),
        };
        self.report.mark(kind, name);
    }

    /// The operator withholds a text.
    fn withheld(&mut self, what: Withheld) {
        let name = match what {
            Withheld::Turn { .. } => "commentary",
            Withheld::Feedback(_) => "feedback",
            Withheld::Agent(_) => "agent",
        };
        let covers = |place| match (what, place) {
            (
                Withheld::Turn { game, turn_index },
                WordsPlace::Turn(of, turn, _) | WordsPlace::Attempt(of, turn),
            ) => (game, turn_index) == (of, turn),
            (Withheld::Feedback(id), WordsPlace::Post(post)) => id == post,
            (Withheld::Agent(agent), WordsPlace::Agent(of)) => agent == of,
            _ => false,
        };
        if self.outside.words.withhold(covers, self.outside.millis) {
            self.report.mark("withheld", name);
        }
    }

    /// A player has acted, or no longer needs to.
    fn turn_ends(&mut self, turn: PlayerTurn, when: (u64, u64)) {
        if let Some(turn) = self.turns.get_mut(&turn) {
            turn.resolved.get_or_insert(when);
        }
    }

    /// A turn begins for those whose clocks begin to run. There are none before nature or a vacant seat has acted.
    fn turn_opens(&mut self, game: GameId, turn_index: u32, clocks: &[OpenTurn], when: (u64, u64)) {
        self.newest.insert(game, turn_index);
        for clock in clocks {
            let turn = (game, turn_index, clock.player);
            self.turns.insert(turn, OpenedTurn { opened: when, resolved: None });
        }
    }

    /// A fact of a room is durable that came about at this time, under that process of the hall.
    fn happened(&mut self, fact: &RoomFact, when: (u64, u64)) {
        let now = when.0;
        self.report.turns += u64::from(fact.change.resolution().is_some());
        let game = fact.game;
        let kind = match &fact.change {
            RoomChange::Started(terms) => {
                self.seats.insert(game, terms.seats.iter().map(|seat| seat.agent).collect());
                self.bound.extend(terms.beacon.map(|beacon| (game, beacon.round)));
                self.report.games_begun += 1;
                self.turn_opens(game, 0, &terms.turns, when);
                "started"
            }
            RoomChange::MovePlayed(resolution) => {
                let said = fact.event.as_ref().and_then(|event| event.commentary.as_deref());
                if let Some(player) = resolution.player {
                    let place = WordsPlace::Turn(game, resolution.turn_index, player);
                    said.into_iter().for_each(|text| self.outside.words.said(text, place));
                    self.turn_ends((game, resolution.turn_index, player), when);
                }
                self.turn_opens(game, resolution.turn_index + 1, &resolution.turns, when);
                self.held.remove(&game);
                "move"
            }
            RoomChange::StrikeGiven { turn_index, player, .. } => {
                let turn = (game, *turn_index, *player);
                let opened = self.turns.get(&turn).map_or(0, |turn| turn.opened.0);
                let struck = self.held.get(&game).copied().unwrap_or(now);
                self.report.strikes += 1;
                self.strikes.insert(turn, StrikeSeen { opened, struck });
                "strike"
            }
            RoomChange::DeadlineExtended { .. } => "deadline_extended",
            RoomChange::IllegalAttempted { turn_index, attempt, .. } => {
                self.outside.words.said(&attempt.body.text, WordsPlace::Attempt(game, *turn_index));
                "illegal_attempt"
            }
            RoomChange::DrawOffered { .. } => "draw_offered",
            RoomChange::MoveSealed { turn_index, player, turns, .. } => {
                self.turn_ends((game, *turn_index, *player), when);
                self.turn_opens(game, *turn_index, turns, when);
                "move_sealed"
            }
            RoomChange::NatureActed { turn_index, turns, .. } => {
                self.turn_opens(game, *turn_index, turns, when);
                "chance"
            }
            RoomChange::HallDeferred { .. } => "hall_deferred",
            RoomChange::Shown { .. } => "shown",
            RoomChange::SeatVacated { turn_index, player, .. } => {
                self.turn_ends((game, *turn_index, *player), when);
                "seat_vacated"
            }
            RoomChange::DrawDeclined { .. } => "draw_declined",
            RoomChange::PenaltyDeferred { .. } => {
                self.held.entry(game).or_insert(now);
                "penalty_held"
            }
            RoomChange::BeaconSettled { status, .. } => {
                self.report.mark("beacon", status.as_str());
                let round = self.bound.get(&game).filter(|_| *status == BeaconStatus::Verified);
                self.rounds.extend(round.map(|round| (game, *round, fact.at)));
                "beacon"
            }
            RoomChange::Ended { result, .. } => {
                let of_game = |turn: &PlayerTurn| turn.0 == game;
                let from = (game, 0, Player::new(0));
                for (_, turn) in self.turns.range_mut(from..).take_while(|(turn, _)| of_game(turn)) {
                    turn.resolved.get_or_insert(when);
                }
                self.ends.insert(game, EndSeen { when: now, at: fact.at });
                self.report.games_ended += 1;
                self.held.remove(&game);
                self.report.mark("end", &format!("{:?}", result.reason));
                "ended"
            }
        };
        self.report.mark("fact", kind);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_core::{Decision, Hall, HallFact, Reply};
    use hall_wire::OperatorId;

    #[test]
    #[should_panic(expected = "is in no table")]
    fn a_violation_needs_a_name_in_the_table() {
        Chronicle::default().violation("reference", 0, "it differs");
    }

    #[test]
    #[should_panic(expected = "is in no table")]
    fn a_report_of_unrest_needs_a_name_in_the_table() {
        Chronicle::default().unrest("rest", 0, "none");
    }

    #[test]
    fn a_decision_that_differs_from_the_reference_is_reported_once_durable() {
        let shared = Shared::default();
        let at = Timestamp::from_millis(7);
        let decision = Decision {
            answer: Ok(Reply::Registered {
                agent: AgentId::from_bytes([1; 16]),
                operator: OperatorId::from_bytes([1; 16]),
            }),
            facts: vec![Fact::Hall(HallFact::Stopped { at })],
            effects: Vec::new(),
        };
        let hall = Hall::new(hall_games::CATALOG, hall_driver::docket_wording);
        let (who, what) = (Caller::Hall, Command::Hall(HallCommand::Stop));
        let decided =
            Decided { at, stamp: at, who, what: &what, drawn: &[], decision: &decision, seq: 1, hall: &hall };
        shared.clone().decided(&decided);
        assert!(shared.open().report.violations.is_empty());
        shared.open().durable(1, None);
        let found = shared.open().report.violations.first().map(|violation| violation.invariant);
        assert_eq!(found, Some("R1"));
    }
}
