//! Doorbells in the direct world: what agents do with theirs, and endpoints of every kind, from honest to hostile.
//!
//! The pure parts of the real ringer run here: the schedule, the rules for addresses, and the ring. Names and
//! connections are simulated. Requests about doorbells do not pass the gate.

use super::agenda::Event;
use super::host::{Host as Process, Observed};
use super::world::World;
use crate::crypto::KnownKey;
use crate::dice::Dice;
use crate::oracles::{Dialed, Observation, Rang};
use hall_core::desk::DoorbellState;
use hall_core::rooms::ChallengeText;
use hall_core::{
    Caller, Command, DoorbellCommand, DueRing, Effect, Reply, RingFailure, RingOutcome, RingReport,
};
use hall_driver::{PendingAnswer, Unavailable};
use hall_outbound::doorbell::{
    CallFailure, DoorbellUrl, Host, Policy, Ring, RingKey, RingLimits, RingSchedule, RingStep, Settled,
};
use hall_wire::message::{Challenge, doorbell_endpoint};
use hall_wire::{AgentId, Signature, Span, Timestamp};
use std::collections::{BTreeMap, VecDeque};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

/// How long the hall waits for an endpoint.
const ENDPOINT_TIMEOUT: Span = Span::from_secs(5);
/// How soon a report that the hall did not accept is offered again.
const REPORT_AGAIN: Span = Span::from_secs(1);
/// How often an agent whose endpoint failed moves its doorbell, in 1,000 failures.
const MOVES_PERMILLE: u32 = 50;
/// How late a ringer that is behind may come to each turn.
const BEHIND: Span = Span::from_secs(1);
/// How many turns it may be behind.
const MOST_BEHIND: usize = 8;

/// The behaviour of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EndpointKind {
    /// Proves itself and answers.
    Good,
    /// Answers late, or too late.
    Slow,
    /// Proves itself and is never reached again.
    Dead,
    /// Sometimes answers and sometimes fails.
    Flapping,
    /// Proves itself, and redirects rings.
    Redirecting,
    /// Its name resolves to a public and a private address in turn.
    Rebinding,
    /// A stranger's, which signs nothing.
    Victim,
    /// Declines further rings in the end.
    Leaving,
    /// At an address that can be seen not to be public.
    Private,
}

const ENDPOINT_KINDS: [EndpointKind; 9] = [
    EndpointKind::Good,
    EndpointKind::Slow,
    EndpointKind::Dead,
    EndpointKind::Flapping,
    EndpointKind::Redirecting,
    EndpointKind::Rebinding,
    EndpointKind::Victim,
    EndpointKind::Leaving,
    EndpointKind::Private,
];

/// Something that happens about a doorbell. What a process was about to do is told by the number of its start.
pub(super) enum BellEvent {
    /// An agent looks after its doorbell.
    Tend(usize),
    /// An agent whose endpoint failed immediately moves its doorbell to another address.
    Move(usize),
    /// An endpoint has signed a challenge.
    Proven(AgentId, u64, Challenge, Signature),
    /// A ringer that is behind comes to the next turn that it was told of.
    Hear(u64),
    /// It is time to ring.
    Ring,
    /// An attempt has ended.
    Rung(Box<DueRing>, u64, u8, Result<(), CallFailure>),
    /// The hall did not accept a report; it is offered again.
    Report(Box<Reported>, u64),
}

/// The result of an attempt, on its way into the hall.
pub(super) struct Reported {
    report: RingReport,
    /// The report to the schedule once the hall has accepted it.
    settled: Settled,
}

/// The doorbells of a world.
pub(super) struct Bells {
    dice: Dice,
    policy: Policy,
    schedule: RingSchedule,
    /// The longest wait that could be drawn before the next attempt, by turn.
    waits: BTreeMap<RingKey, Span>,
    /// Turns that a ringer that is behind was told of, and has not come to.
    calls: VecDeque<RingKey>,
    /// Reports that wait for the writer.
    reports: Vec<(PendingAnswer, Reported)>,
    /// How often names were looked up.
    look_ups: u64,
}

impl Bells {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            dice: Dice::of(seed, "bells", 0),
            policy: Policy::default(),
            schedule: RingSchedule::new(RingLimits::default()),
            waits: BTreeMap::new(),
            calls: VecDeque::new(),
            reports: Vec::new(),
            look_ups: 0,
        }
    }

    /// The address of an agent's endpoint; a few agents share a host.
    fn url(&mut self, place: usize) -> String {
        let version = self.dice.below(3);
        match kind_of(place) {
            EndpointKind::Rebinding => format!("https://flip{place}.example/?v={version}"),
            EndpointKind::Victim => "https://victim.example/hook".to_owned(),
            EndpointKind::Private => format!("https://[::ffff:10.0.0.{}]/", place % 250),
            EndpointKind::Good
            | EndpointKind::Slow
            | EndpointKind::Dead
            | EndpointKind::Flapping
            | EndpointKind::Redirecting
            | EndpointKind::Leaving => format!("https://host{}.example/{place}?v={version}", place % 2),
        }
    }

    fn registration(&mut self, place: usize) -> Command {
        let url = self.url(place);
        let address = DoorbellUrl::parse(&url, &self.policy).is_ok().into();
        Command::Doorbell(DoorbellCommand::Register { url, address })
    }

    /// The addresses of a name.
    fn resolve(&mut self, name: &str) -> IpAddr {
        self.look_ups += 1;
        let private = name.starts_with("flip") && self.look_ups.is_multiple_of(2);
        IpAddr::V4(if private { Ipv4Addr::new(127, 0, 0, 1) } else { Ipv4Addr::new(93, 184, 216, 34) })
    }

    /// The address to connect to, as the guard of the real ringer finds it.
    fn guard(&mut self, url: &str) -> Result<(IpAddr, u16), CallFailure> {
        let url = DoorbellUrl::parse(url, &self.policy).map_err(|_| CallFailure::Refused)?;
        let address = match url.host() {
            Host::Address(address) => *address,
            Host::Name(name) => self.resolve(name),
        };
        if self.policy.permits(address) { Ok((address, url.port())) } else { Err(CallFailure::Refused) }
    }

    /// How an endpoint answers a ring, and after which time.
    fn answer(&mut self, kind: EndpointKind) -> (Result<(), CallFailure>, Span) {
        let quick = self.dice.span(Span::from_millis(5), Span::from_millis(400));
        match kind {
            EndpointKind::Slow if self.dice.permille(500) => (Err(CallFailure::Timeout), ENDPOINT_TIMEOUT),
            EndpointKind::Slow => (Ok(()), self.dice.span(Span::from_secs(1), ENDPOINT_TIMEOUT)),
            EndpointKind::Dead => (Err(CallFailure::Unreachable), quick),
            EndpointKind::Flapping if self.dice.permille(600) => (Err(CallFailure::BadStatus(500)), quick),
            EndpointKind::Redirecting => (Err(CallFailure::BadStatus(302)), quick),
            EndpointKind::Victim => (Err(CallFailure::BadStatus(404)), quick),
            EndpointKind::Leaving if self.dice.permille(100) => (Err(CallFailure::BadStatus(410)), quick),
            EndpointKind::Good
            | EndpointKind::Flapping
            | EndpointKind::Rebinding
            | EndpointKind::Leaving
            | EndpointKind::Private => (Ok(()), quick),
        }
    }
}

/// The kind of the endpoint of the agent in this place.
fn kind_of(place: usize) -> EndpointKind {
    ENDPOINT_KINDS.get(place % ENDPOINT_KINDS.len()).copied().unwrap_or(EndpointKind::Good)
}

impl World {
    /// Every agent begins to look after its doorbell.
    pub(super) fn plan_bells(&mut self) {
        if !self.plan.doorbells {
            return;
        }
        for place in 0..self.actors.len() {
            let late = self.bells.dice.span(Span::from_secs(20), Span::from_secs(120));
            self.after(late, Event::Bell(BellEvent::Tend(place)));
        }
    }

    pub(super) fn bell(&mut self, event: BellEvent) {
        match event {
            BellEvent::Tend(place) => self.tend(place),
            BellEvent::Move(place) => self.move_elsewhere(place),
            BellEvent::Proven(agent, start, challenge, signature) if start == self.report.starts => {
                let challenge = ChallengeText::from(challenge);
                self.confirm(Command::Doorbell(DoorbellCommand::Confirm { agent, challenge, signature }));
            }
            BellEvent::Rung(due, start, attempt, outcome) if start == self.report.starts => {
                self.rung(*due, attempt, outcome);
            }
            BellEvent::Report(reported, start) if start == self.report.starts => self.report_ring(*reported),
            BellEvent::Hear(start) if start == self.report.starts => self.hear_of_a_turn(),
            BellEvent::Ring => self.ring_what_is_due(),
            // The process that asked is gone.
            BellEvent::Hear(_) | BellEvent::Proven(..) | BellEvent::Rung(..) | BellEvent::Report(..) => {}
        }
    }

    fn confirm(&mut self, what: Command) {
        if let Some(host) = &mut self.host {
            host.command_of_hall(what);
            self.step_at(self.now());
        }
    }

    /// An agent does something about its doorbell, or nothing.
    fn tend(&mut self, place: usize) {
        if self.calm {
            return;
        }
        let again = self.bells.dice.span(Span::from_secs(5), Span::from_secs(150));
        self.after(again, Event::Bell(BellEvent::Tend(place)));
        let Some((agent, state)) = self.owner(place) else { return };
        let what = match (state, self.bells.dice.below(100)) {
            (DoorbellState::Pending, 0..=84) => Command::Doorbell(DoorbellCommand::BeginVerification),
            (DoorbellState::Pending, _) | (DoorbellState::Verified, 5..=9) => self.bells.registration(place),
            (DoorbellState::None | DoorbellState::Suspended, 0..=79) => self.bells.registration(place),
            (DoorbellState::None | DoorbellState::Suspended, 80..=89)
            | (DoorbellState::Verified, 10..=13) => Command::Doorbell(DoorbellCommand::BeginVerification),
            (DoorbellState::None | DoorbellState::Suspended, _) | (DoorbellState::Verified, 0..=4) => {
                Command::Doorbell(DoorbellCommand::Disable)
            }
            (DoorbellState::Verified, _) => return,
        };
        self.owner_asks(agent, what);
    }

    /// An agent registers another address, and has it verified as soon as that is known.
    fn move_elsewhere(&mut self, place: usize) {
        if self.calm {
            return;
        }
        let Some((agent, state)) = self.owner(place) else { return };
        match state {
            DoorbellState::Verified => {
                let registration = self.bells.registration(place);
                self.owner_asks(agent, registration);
                self.after(Span::from_millis(100), Event::Bell(BellEvent::Move(place)));
            }
            DoorbellState::Pending => {
                self.owner_asks(agent, Command::Doorbell(DoorbellCommand::BeginVerification))
            }
            DoorbellState::None | DoorbellState::Suspended => {}
        }
    }

    /// The agent in a place and the state of its doorbell, if the hall runs and knows it.
    fn owner(&self, place: usize) -> Option<(AgentId, DoorbellState)> {
        let (host, actor) = (self.host.as_ref()?, self.actors.get(place)?);
        let agent = AgentId::of_key(&actor.identity().public);
        let now = host.now();
        let state = host.peek(|hall| {
            hall.desk().agent(&agent)?;
            let doorbell = hall.desk().doorbell(&agent);
            Some(doorbell.map_or(DoorbellState::None, |doorbell| doorbell.state_at(now)))
        })?;
        Some((agent, state))
    }

    fn owner_asks(&mut self, agent: AgentId, what: Command) {
        let Some(host) = &self.host else { return };
        let engine = host.engine();
        // Its result is observed.
        drop(engine.enqueue(engine.arrive(), Caller::Agent(agent), what));
        self.step_at(self.now());
    }

    /// The consequences of a durable decision for the ringer.
    pub(super) fn bells_observe(&mut self, observed: &Observed) {
        if !self.plan.doorbells || self.host.is_none() {
            return;
        }
        if let (Caller::Agent(agent), Ok(Reply::DoorbellVerifying { url, challenge })) =
            (observed.who, &observed.decision.answer)
        {
            self.verify(agent, url, *challenge);
        }
        for effect in &observed.decision.effects {
            if let Effect::RingDoorbell { agent, game, turn_index, .. } = effect {
                let key = RingKey { agent: *agent, game: *game, turn_index: *turn_index };
                if self.plan.ringer_lags { self.call_later(key) } else { self.call(&key) }
            }
        }
    }

    /// The ringer comes to a turn that it was told of.
    fn call(&mut self, RingKey { agent, game, turn_index }: &RingKey) {
        let Some(host) = &self.host else { return };
        match host.peek(|hall| hall.due_ring(agent, game, *turn_index)) {
            Some(due) => self.add_ring(&due),
            None => self.report.mark("doorbell", "nothing_to_ring_for"),
        }
    }

    /// The ringer is behind. If it is too far behind, it forgets what it was told and reads all turns that wait.
    fn call_later(&mut self, key: RingKey) {
        self.bells.calls.push_back(key);
        if self.bells.calls.len() == 1 {
            self.hear_later();
        }
        if self.bells.calls.len() > MOST_BEHIND {
            self.report.mark("doorbell", "ringer_lagged");
            self.oracles.see(Observation::RingerLagged { at: self.now() });
            self.bells.calls.truncate(1);
            self.add_all_rings();
        }
    }

    fn hear_later(&mut self) {
        let late = self.bells.dice.span(Span::ZERO, BEHIND);
        self.after(late, Event::Bell(BellEvent::Hear(self.report.starts)));
    }

    fn hear_of_a_turn(&mut self) {
        if let Some(key) = self.bells.calls.pop_front() {
            self.call(&key);
        }
        if !self.bells.calls.is_empty() {
            self.hear_later();
        }
    }

    /// The hall has just started: the turns that wait are rung for, and nothing of the last process continues.
    pub(super) fn bells_restart(&mut self) {
        if !self.plan.doorbells {
            return;
        }
        self.bells.schedule = RingSchedule::new(RingLimits::default());
        self.bells.waits.clear();
        self.bells.reports.clear();
        self.bells.calls.clear();
        self.add_all_rings();
    }

    /// Rings for every turn that waits.
    fn add_all_rings(&mut self) {
        let due: Vec<DueRing> =
            self.host.as_ref().map_or_else(Vec::new, |host| host.peek(|hall| hall.due_rings().collect()));
        due.iter().for_each(|due| self.add_ring(due));
    }

    fn add_ring(&mut self, due: &DueRing) {
        let key = RingKey { agent: due.agent, game: due.game, turn_index: due.turn_index };
        let (url, host) = (Arc::from(&*due.url), self.host_of(&due.url));
        let _ = self.bells.schedule.add(key, &url, &host, due.attempts, self.clock.now());
        // Later in this same instant: what else became durable with it is known then.
        self.after(Span::ZERO, Event::Bell(BellEvent::Ring));
    }

    fn host_of(&self, url: &str) -> Arc<str> {
        let parsed = DoorbellUrl::parse(url, &self.bells.policy);
        parsed.map_or_else(|_| Arc::from(url), |parsed| parsed.authority().into())
    }

    /// The endpoint is asked to sign; whether it did is checked before the core gets the result.
    fn verify(&mut self, agent: AgentId, url: &str, challenge: Challenge) {
        let Some(place) = self.by_agent.get(&agent).copied() else { return };
        let guarded = self.bells.guard(url);
        self.report.mark("doorbell", if guarded.is_ok() { "asked" } else { "refused_at_verification" });
        let Ok((address, port)) = guarded else { return };
        self.see_dialed(url, address, port);
        let Some(actor) = self.actors.get(place) else { return };
        let (identity, crypto) = (actor.identity(), self.plan.crypto);
        // Of several that share a key the hall knows one, and writes to its endpoint by its name.
        let known =
            |host: &Process| host.peek(|hall| hall.desk().agent(&agent).map(|agent| agent.handle.clone()));
        let Some(handle) = self.host.as_ref().and_then(known) else { return };
        let message = doorbell_endpoint(&handle, &challenge, url);
        // An endpoint that does not know the agent's key signs with another one.
        let signature = if kind_of(place) == EndpointKind::Victim {
            Signature::from_bytes([0x5a; 64])
        } else {
            crypto.sign(&identity.key, &identity.public, message.as_bytes())
        };
        let key = KnownKey::new(crypto, identity.public);
        if !crypto.verifies(&key, message.as_bytes(), &signature) {
            return self.report.mark("doorbell", "unverified");
        }
        let delay = self.bells.dice.span(Span::from_millis(5), ENDPOINT_TIMEOUT);
        let proven = BellEvent::Proven(agent, self.report.starts, challenge, signature);
        self.after(delay, Event::Bell(proven));
    }

    fn see_dialed(&mut self, url: &str, address: IpAddr, port: u16) {
        let (at, url) = (self.now(), url.to_owned());
        self.trace.take(&(&url, port));
        self.oracles.see(Observation::Dialed(Dialed { at, url, address, port }));
    }

    fn ring_what_is_due(&mut self) {
        if self.host.is_none() {
            return;
        }
        loop {
            let now = self.now();
            match self.bells.schedule.next(now) {
                RingStep::Attempt { key, attempt, url } => self.attempt(&key, attempt, &url),
                RingStep::Wait(None) => return,
                RingStep::Wait(Some(until)) => return self.at(until, Event::Bell(BellEvent::Ring)),
            }
        }
    }

    fn attempt(&mut self, key: &RingKey, attempt: u8, url: &Arc<str>) {
        let RingKey { agent, game, turn_index } = *key;
        let due =
            self.host.as_ref().and_then(|host| host.peek(|hall| hall.due_ring(&agent, &game, turn_index)));
        let Some(due) = due else {
            self.report.mark("doorbell", "turn_was_over");
            return self.settle(key, Settled::Over);
        };
        if *due.url != **url {
            self.report.mark("doorbell", "moved");
            let (url, host) = (Arc::from(&*due.url), self.host_of(&due.url));
            return self.settle(key, Settled::Moved { url, host });
        }
        let kind = self.by_agent.get(&agent).map_or(EndpointKind::Dead, |place| kind_of(*place));
        let guarded = self.bells.guard(url);
        let (outcome, delay) = match guarded {
            Ok((address, port)) => {
                self.see_dialed(url, address, port);
                self.bells.answer(kind)
            }
            Err(refused) => (Err(refused), Span::from_millis(1)),
        };
        let ring = Ring { id: due.id, game, turn_index, deadline: due.deadline };
        let (turns, hosts) = (self.bells.schedule.turns(), self.bells.schedule.hosts());
        let at = self.now();
        let url = url.to_string();
        let host = self.host_of(&url).to_string();
        let (id, body, longest_wait) = (due.id, ring.body(), self.bells.waits.get(key).copied());
        let rang =
            Rang { at, agent, game, turn_index, id, attempt, longest_wait, url, host, body, turns, hosts };
        self.trace.take(&(&rang.url, &rang.body, attempt));
        self.oracles.see(Observation::Rang(Box::new(rang)));
        let rung = BellEvent::Rung(Box::new(due), self.report.starts, attempt, outcome);
        self.after(delay, Event::Bell(rung));
    }

    fn rung(&mut self, due: DueRing, attempt: u8, outcome: Result<(), CallFailure>) {
        let at: Timestamp = self.now();
        self.oracles.see(Observation::RingEnded { at, url: due.url.to_string() });
        let told = match outcome {
            Ok(()) => RingOutcome::Answered,
            Err(CallFailure::Refused) => RingOutcome::Failed(RingFailure::Refused),
            Err(CallFailure::Unreachable) => RingOutcome::Failed(RingFailure::Unreachable),
            Err(CallFailure::Timeout) => RingOutcome::Failed(RingFailure::Timeout),
            Err(CallFailure::BadStatus(410)) => RingOutcome::Failed(RingFailure::Gone),
            Err(CallFailure::BadStatus(_)) => RingOutcome::Failed(RingFailure::BadStatus),
        };
        self.report.mark(
            "ring",
            match told {
                RingOutcome::Answered => "answered",
                RingOutcome::Failed(failure) => failure.as_str(),
            },
        );
        let DueRing { agent, challenge, game, turn_index, .. } = due;
        if told != RingOutcome::Answered && self.bells.dice.permille(MOVES_PERMILLE) {
            let soon = self.bells.dice.span(Span::from_millis(50), Span::from_secs(2));
            if let Some(place) = self.by_agent.get(&agent).copied() {
                self.after(soon, Event::Bell(BellEvent::Move(place)));
            }
        }
        let settled = match told {
            RingOutcome::Answered => Settled::Answered,
            RingOutcome::Failed(RingFailure::Gone) => Settled::Over,
            RingOutcome::Failed(_) => Settled::Failed,
        };
        let report = RingReport { agent, challenge, game, turn_index, attempt, outcome: told };
        self.report_ring(Reported { report, settled });
    }

    fn report_ring(&mut self, reported: Reported) {
        let Some(host) = &self.host else { return };
        let engine = host.engine();
        let command = Command::Doorbell(DoorbellCommand::ReportRing(reported.report.clone()));
        match engine.enqueue(engine.arrive(), Caller::Hall, command) {
            Ok(pending) => {
                self.bells.reports.push((pending, reported));
                self.step_at(self.now());
            }
            Err(_) => self.report_again(reported),
        }
    }

    /// As the real ringer: no attempt follows one that the hall does not know of.
    fn report_again(&mut self, reported: Reported) {
        self.report.mark("doorbell", "report_not_taken");
        self.after(REPORT_AGAIN, Event::Bell(BellEvent::Report(Box::new(reported), self.report.starts)));
    }

    /// Continues after a report was answered.
    pub(super) fn bells_settle(&mut self) {
        for (mut pending, reported) in std::mem::take(&mut self.bells.reports) {
            match pending.take() {
                None => self.bells.reports.push((pending, reported)),
                Some(Err(Unavailable::LowDisk | Unavailable::Overloaded | Unavailable::Draining)) => {
                    self.report_again(reported)
                }
                Some(Ok(_) | Err(Unavailable::Stopping | Unavailable::NoLeader | Unavailable::Unknown)) => {
                    let RingReport { agent, game, turn_index, .. } = reported.report;
                    self.settle(&RingKey { agent, game, turn_index }, reported.settled);
                    self.after(Span::ZERO, Event::Bell(BellEvent::Ring));
                }
            }
        }
    }

    fn settle(&mut self, key: &RingKey, settled: Settled) {
        let now = self.now();
        let Bells { schedule, waits, dice, .. } = &mut self.bells;
        if matches!(settled, Settled::Answered | Settled::Over) {
            waits.remove(key);
        }
        schedule.settle(key, settled, now, &mut |most| {
            waits.insert(*key, Span::from_millis(most));
            dice.between(0, most)
        });
    }
}
