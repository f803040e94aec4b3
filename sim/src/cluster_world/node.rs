//! A node as it is shipped, on a machine of the simulator: its roles, its link and its writer are those of the program.

use super::bells::{EndpointRegistry, RingerParts, ring_while_leading};
use super::database::Database;
use super::http::{NodeServer, ServerParts};
use super::network::{Network, address_of};
use super::plan::Weakness;
use super::process::{MachineClocks, Process};
use super::reached::Reached;
use crate::crypto::{Crypto, KnownKey};
use crate::dice::Dice;
use crate::direct::{
    Gated, Observed, Recorder, SignedRequest, answer_brief, carry_out, challenge_code, known_agent, my_games,
    refused, unavailable_brief, view,
};
use crate::protocol::{AgentRequest, AnswerBrief};
use futures_util::future::LocalBoxFuture;
use hall_cluster::{LeadWith, Leading, Node, NodeHandle, NodeOptions, NodeRole, NodeStatus, SharedJournal};
use hall_core::challenge::ChallengeProblem;
use hall_core::{HallKeys, HallSettings};
use hall_driver::{
    ChallengeRefused, Challenges, Driven, Engine, FollowOptions, Follower, LeadOptions, MonotonicClock,
    Pause, Unavailable,
};
use hall_games::CATALOG;
use hall_journal::{Journal, JournalError};
use hall_wire::message::Challenge;
use hall_wire::{AgentId, Handle, Span};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::sleep;

/// How long a challenge is valid.
const VALIDITY: Span = Span::from_secs(300);
/// The lease, as it is without settings.
pub(super) const LEASE: Duration = Duration::from_secs(4);

/// What all nodes have in common.
#[derive(Clone)]
pub(super) struct Hall {
    pub(super) seed: u64,
    pub(super) settings: HallSettings,
    pub(super) keys: HallKeys,
    pub(super) crypto: Crypto,
    pub(super) database: Database,
    pub(super) network: Network,
    /// Endpoints of agents, where agents have any.
    pub(super) endpoints: Option<EndpointRegistry>,
    /// Whether nodes serve HTTP.
    pub(super) over_http: bool,
    /// Processes so far.
    pub(super) processes: Arc<AtomicU64>,
    /// What each leader has decided, in the order in which they led.
    pub(super) decided: Arc<Mutex<Vec<Led>>>,
    /// What is wrong with the nodes on purpose.
    pub(super) weakness: Option<Weakness>,
}

/// What a process decided while it led once.
#[derive(Clone)]
pub(super) struct Led {
    /// As it calls itself in the journal.
    pub(super) owner: String,
    pub(super) decisions: Recorder,
}

impl Led {
    pub(super) fn all(&self) -> Vec<Observed> {
        self.decisions.read(<[Observed]>::to_vec)
    }
}

/// A process of the hall that runs.
#[derive(Clone)]
pub(super) struct Running {
    pub(super) machine: usize,
    pub(super) process: Arc<Process>,
    pub(super) engine: Engine,
    pub(super) challenges: Arc<Challenges>,
    handle: NodeHandle,
    server: Option<NodeServer>,
    weakness: Option<Weakness>,
    led: Arc<AtomicBool>,
    crypto: Crypto,
    known: Arc<Mutex<BTreeMap<Handle, (AgentId, KnownKey)>>>,
}

impl Running {
    /// Starts a process on a machine; `None` if it cannot reach the database.
    ///
    /// # Errors
    /// The journal is not what it must be.
    pub(super) fn start(
        hall: &Hall,
        machine: usize,
        clocks: &Arc<MachineClocks>,
    ) -> Result<Option<Self>, String> {
        let reached = hall.database.reached_by(machine);
        let Some(holder) = reached.holder_now() else { return Ok(None) };
        let number = hall.processes.fetch_add(1, Ordering::Relaxed);
        let process = Arc::new(Process::default());
        let follower = Follower::open(FollowOptions {
            catalog: CATALOG,
            reader: SharedJournal::reader(&reached),
            until: Some(holder.durable),
            clock: Arc::new(MonotonicClock::following(Shared(Arc::clone(clocks)))),
            signing: true,
        })
        .map_err(|error| format!("a process cannot start: {error}"))?;
        let engine = follower.engine();
        let challenges = Arc::new(Challenges::unled(VALIDITY));
        let ends = Arc::clone(&process);
        let spawner = Arc::clone(&process);
        let (name, address) = (format!("node-{machine}"), address_of(machine));
        let owner = format!("{name} {address} {number}");
        let (lead_sender, lead) = watch::channel(false);
        if let Some(registry) = hall.endpoints.clone() {
            let (owner, engine, weakness) = (owner.clone(), engine.clone(), hall.weakness);
            let parts = RingerParts { registry, process: number, owner, engine, weakness };
            drop(process.spawn(Box::pin(ring_while_leading(parts, lead))));
        }
        let leads = Leads {
            owner,
            lead_sender,
            hall: hall.clone(),
            dice: Dice::of(hall.seed, "process", number),
            reached: reached.clone(),
        };
        let node = Node::new(NodeOptions {
            name,
            address,
            incarnation: number.to_string(),
            transport: Arc::new(hall.network.link(machine)),
            journal: Arc::new(reached),
            lease: LEASE,
            clocks: Arc::<MachineClocks>::clone(clocks),
            spawn: Arc::new(move |task| spawner.spawn(task)),
            follower,
            challenges: Arc::clone(&challenges),
            leading: Box::new(leads),
            on_failure: Arc::new(move |why| ends.end(why)),
            epoch: Arc::default(),
        });
        let handle = node.handle();
        let running = process.hold_late(node.run());
        let stopped = Arc::clone(&process);
        drop(tokio::task::spawn_local(async move {
            if let Some(Ok(())) = running.await {
                stopped.end("stopped");
            }
        }));
        let (crypto, weakness) = (hall.crypto, hall.weakness);
        let server = hall.over_http.then(|| {
            NodeServer::start(ServerParts {
                seed: hall.seed,
                machine,
                number,
                process: Arc::clone(&process),
                engine: engine.clone(),
                challenges: Arc::clone(&challenges),
                validity: VALIDITY,
                node: handle.clone(),
                network: hall.network.clone(),
                has_beacon: hall.settings.beacon.is_some(),
                weakness,
            })
        });
        let (led, known) = Default::default();
        Ok(Some(Self { machine, process, engine, challenges, handle, server, weakness, led, crypto, known }))
    }

    pub(super) fn status(&self) -> NodeStatus {
        let mut status = self.handle.status();
        if self.weakness == Some(Weakness::StubbornLeaders) {
            let leads = status.role == NodeRole::Leader;
            if self.led.fetch_or(leads, Ordering::Relaxed) {
                status.role = NodeRole::Leader;
            }
        }
        status
    }

    pub(super) fn ask_for_lead(&self) {
        self.handle.ask_for_lead();
    }

    /// Stops in good order: first the service, then what is behind it.
    pub(super) fn stop(&self) {
        self.engine.announce_stop();
        let Some(server) = self.server.clone() else { return self.stop_node() };
        let node = self.clone();
        drop(tokio::task::spawn_local(self.process.hold(async move {
            server.stop().await;
            node.stop_node();
        })));
    }

    fn stop_node(&self) {
        self.engine.close_queue();
        self.handle.stop();
        self.engine.wake_writer();
    }

    /// Answers a request, as the service does. Also says whether its challenge was spent, and the next one.
    pub(super) async fn serve(&self, request: &SignedRequest) -> Served {
        let arrival = self.engine.arrive();
        let Some(challenge) = &request.challenge else {
            return match self.issue(&request.handle) {
                Ok(next) => Served { answer: AnswerBrief::Challenged, next: Some(next), spent: false },
                Err(why) => unavailable_brief(why).into(),
            };
        };
        let (agent, key) = match self.caller(request).await {
            Ok(Some(caller)) => caller,
            Ok(None) => return refused("AUTH_UNKNOWN_AGENT").into(),
            Err(code) => return refused(code).into(),
        };
        let early = match &*request.what {
            AgentRequest::View(game) if self.weakness == Some(Weakness::HastyReads) => {
                Some(self.engine.peek(|hall| view(hall, &agent, game)))
            }
            _ => None,
        };
        match self.authenticate(&arrival, challenge, &key, request).await {
            Ok(_) if early.is_some() => {
                Served { answer: early.unwrap_or(AnswerBrief::Lost), next: None, spent: true }
            }
            Ok(seq) => {
                let answer = self.answer(seq, arrival, agent, &key, request).await;
                Served { answer, next: self.issue(&request.handle).ok(), spent: true }
            }
            Err(code) => refused(code).into(),
        }
    }

    fn issue(&self, handle: &Handle) -> Result<Challenge, Unavailable> {
        self.challenges.issue(|| self.engine.now(), handle).map(|(challenge, _)| challenge)
    }

    /// Who asks. Somebody who is not known here may have been registered at another node just now.
    async fn caller(&self, request: &SignedRequest) -> Result<Option<(AgentId, KnownKey)>, &'static str> {
        if let AgentRequest::Register(new) = &*request.what {
            return Ok(Some((AgentId::of_key(&new.key), KnownKey::new(self.crypto, new.key))));
        }
        let look = || {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            known_agent(&mut known, self.crypto, &self.engine, &request.handle).cloned()
        };
        if let Some(known) = look() {
            return Ok(Some(known));
        }
        let seq = self.challenges.ask_leader().await.map_err(|_| "NO_LEADER")?;
        self.engine.reaches(seq).await.map_err(|_| "UNKNOWN")?;
        Ok(look())
    }

    /// Spends the challenge; the record that what is shown must contain.
    async fn authenticate(
        &self,
        arrival: &hall_driver::Arrival,
        challenge: &Challenge,
        key: &KnownKey,
        request: &SignedRequest,
    ) -> Result<u64, &'static str> {
        let code = |refused| match refused {
            ChallengeRefused::Invalid(problem) => challenge_code(problem),
            ChallengeRefused::Full => "UNAVAILABLE",
            ChallengeRefused::Unavailable(_) => "NO_LEADER",
        };
        let stamp = arrival.stamp();
        let recognised = self.challenges.recognise(stamp, &request.handle, challenge).map_err(code)?;
        let message =
            SignedRequest::message(&request.handle, challenge, &request.path, request.body.as_deref());
        if !self.crypto.verifies(key, message.as_bytes(), &request.signature) {
            return Err("AUTH_SIGNATURE_INVALID");
        }
        if self.weakness == Some(Weakness::NothingSpent) {
            return Ok(0);
        }
        match self.challenges.spend(stamp, recognised).await {
            Err(ChallengeRefused::Invalid(ChallengeProblem::Spent))
                if self.weakness == Some(Weakness::SpentChallenges) =>
            {
                Ok(0)
            }
            spent => spent.map_err(code),
        }
    }

    async fn answer(
        &self,
        seq: u64,
        arrival: hall_driver::Arrival,
        agent: AgentId,
        key: &KnownKey,
        request: &SignedRequest,
    ) -> AnswerBrief {
        let read = match &*request.what {
            AgentRequest::MyGames | AgentRequest::View(_) => self.engine.reaches(seq).await,
            _ => {
                if let Some(hollow) = self.hollow(&request.what) {
                    return hollow;
                }
                return match carry_out(self.crypto, &self.engine, arrival, (agent, key), request) {
                    Gated::Answered(answer) => answer,
                    Gated::Waiting(pending) => {
                        pending.answered().await.map_or_else(unavailable_brief, answer_brief)
                    }
                };
            }
        };
        let shown = match (read, &*request.what) {
            (Err(why), _) => Err(why),
            (Ok(()), what) if self.weakness == Some(Weakness::UndurableReads) => {
                Ok(self.engine.peek(|hall| match what {
                    AgentRequest::View(game) => view(hall, &agent, game),
                    _ => my_games(hall, &agent),
                }))
            }
            (Ok(()), AgentRequest::View(game)) => self.engine.read(|hall| view(hall, &agent, game)).await,
            (Ok(()), _) => self.engine.read(|hall| my_games(hall, &agent)).await,
        };
        match shown {
            Ok(AnswerBrief::Games(games)) if self.is_weak(Weakness::ShortLists) => {
                AnswerBrief::Games(games.into_iter().skip(1).collect())
            }
            shown => shown.unwrap_or_else(unavailable_brief),
        }
    }

    /// Whether it has this weakness, where one of the nodes has it.
    fn is_weak(&self, weakness: Weakness) -> bool {
        self.machine == 1 && self.weakness == Some(weakness)
    }

    /// An answer that says what nobody has decided.
    fn hollow(&self, what: &AgentRequest) -> Option<AnswerBrief> {
        match what {
            AgentRequest::File(_) if self.is_weak(Weakness::HollowFilings) => {
                Some(AnswerBrief::Filed { unchanged: false })
            }
            AgentRequest::Join(_) if self.is_weak(Weakness::HollowJoins) => {
                Some(AnswerBrief::Joined { game: None })
            }
            AgentRequest::Leave(_) if self.is_weak(Weakness::HollowLeaves) => Some(AnswerBrief::Left),
            AgentRequest::Post(..) if self.is_weak(Weakness::HollowPosts) => Some(AnswerBrief::Posted),
            _ => None,
        }
    }
}

/// What a node answered.
#[derive(Debug)]
pub(super) struct Served {
    pub(super) answer: AnswerBrief,
    pub(super) next: Option<Challenge>,
    pub(super) spent: bool,
}

impl From<AnswerBrief> for Served {
    fn from(answer: AnswerBrief) -> Self {
        Self { answer, next: None, spent: false }
    }
}

/// The clocks of a machine, for the hall's clock.
struct Shared(Arc<MachineClocks>);

impl hall_driver::RawClocks for Shared {
    fn wall_millis(&self) -> i64 {
        self.0.wall_millis()
    }

    fn monotonic_millis(&self) -> i64 {
        self.0.monotonic_millis()
    }
}

/// What a process needs to lead.
struct Leads {
    owner: String,
    /// Tells what acts once per hall whether this process leads.
    lead_sender: watch::Sender<bool>,
    hall: Hall,
    dice: Dice,
    reached: Reached,
}

impl Leads {
    /// Lets a moment of a step take its time.
    async fn pause(&mut self, at: Pause) {
        let is_slow = self.dice.permille(self.hall.database.slow_commits());
        let millis = match at {
            _ if is_slow => self.dice.between(200, 6_000),
            Pause::BeforeAppend | Pause::AfterAppend => self.dice.between(0, 3),
            Pause::BeforeRelease => self.dice.between(0, 1),
        };
        if is_slow {
            self.hall.database.disturb();
        }
        sleep(Duration::from_millis(millis)).await;
        if is_slow {
            self.hall.database.disturb();
        }
        if at == Pause::BeforeAppend {
            self.reached.wait_for_answer().await;
        }
    }
}

impl Leading for Leads {
    fn options(&mut self, journal: Box<dyn Journal>) -> Result<LeadWith, String> {
        let decisions = Recorder::default();
        let led = Led { owner: self.owner.clone(), decisions: decisions.clone() };
        self.hall.decided.lock().unwrap_or_else(PoisonError::into_inner).push(led);
        let options = LeadOptions {
            settings: self.hall.settings.clone(),
            keys: self.hall.keys.clone(),
            journal,
            entropy: Box::new(Dice::of(self.dice.below(u64::MAX), "entropy", 0)),
            reserve_bytes: 0,
            snapshot_every: 300,
        };
        Ok(LeadWith { options, secret: self.dice.bytes(), observer: Some(Box::new(decisions)) })
    }

    fn write<'a>(
        &'a mut self,
        driven: &'a mut Driven,
        over: &'a dyn Fn() -> bool,
    ) -> LocalBoxFuture<'a, Result<(), JournalError>> {
        if self.hall.weakness == Some(Weakness::ForgottenOutages) {
            driven.lead_by(Arc::new(|| true));
        }
        Box::pin(driven.work_until(over, async |at| self.pause(at).await))
    }

    fn hand_over<'a>(&'a mut self, driven: &'a mut Driven) -> LocalBoxFuture<'a, Result<(), JournalError>> {
        Box::pin(driven.hand_over_with(async |at| self.pause(at).await))
    }

    fn begin(&mut self) {
        self.lead_sender.send_replace(true);
    }

    fn end(&mut self) {
        self.lead_sender.send_replace(false);
    }
}
