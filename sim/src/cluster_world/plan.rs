//! What a world of several nodes is drawn with.

use super::database::StatementTrouble;
use super::faults::Fault;
use crate::crypto::Crypto;
use crate::dice::Dice;
use crate::plan::{Profile, WorldPlan, mixed_games};
use crate::report::WorldReport;
use hall_core::{BeaconChain, GameVariant, Timing, Word};
use hall_wire::{Digest, Span, Timestamp};

/// Agents that are never slow and never wrong: one that gets a strike has paid for something else.
const PROMPT: [&str; 6] = ["swift", "swift", "racer", "replayer", "hoarder", "drawish"];
/// Agents of mixed worlds. Only those that are late or make illegal moves bring strikes upon themselves.
const MIXED: [&str; 14] = [
    "swift", "swift", "swift", "racer", "replayer", "hoarder", "drawish", "illegal", "late", "refiler",
    "injector", "crowd", "planner", "early",
];

/// Something that is wrong in a world on purpose, so that it is seen that the judge finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weakness {
    /// The database appends for a leader that was replaced, wherever the journal ends.
    NoFence,
    /// The database gives everybody the same epoch.
    SameEpoch,
    /// The database acknowledges what no standby has.
    AcknowledgedAlone,
    /// The database says that everything is durable that it shows.
    AllIsDurable,
    /// A record changes when the standby is promoted.
    ChangedRecord,
    /// Nodes read before the challenge is spent.
    HastyReads,
    /// Nodes show what is not durable yet.
    UndurableReads,
    /// A node shows less than it did.
    StepsBack,
    /// Nodes say that a homologation stands that nobody has decided.
    HollowFilings,
    /// Nodes say that an agent waits in a lobby that it did not join.
    HollowJoins,
    /// Nodes say that an agent has left a lobby in which it still waits.
    HollowLeaves,
    /// Nodes say that a feedback post is kept that is not.
    HollowPosts,
    /// Nodes leave the first of its live games out of an agent's list.
    ShortLists,
    /// Nodes recognise challenges, and spend none.
    NothingSpent,
    /// Nodes take a challenge that was spent.
    SpentChallenges,
    /// A node shows another state than the others.
    OtherState,
    /// The journal gives another state than the nodes have.
    OtherJournal,
    /// The snapshots of the journal give another state than its records.
    OtherSnapshots,
    /// The log of a node has another root.
    OtherRoot,
    /// A node signs a leaf more than there are.
    LeafTooMany,
    /// Agents are away for longer than a turn lasts.
    SlowAgents,
    /// Agents give up for longer than a turn lasts when nobody leads.
    DiscouragedAgents,
    /// A lease lasts two minutes.
    LongLease,
    /// A lease lasts three times as long as the nodes know.
    LongerLease,
    /// After some time nobody can take the journal over.
    NobodyTakes,
    /// Nodes say that they lead for as long as they live.
    StubbornLeaders,
    /// Over HTTP nodes take the challenges of all of them, and know only what they have spent themselves.
    OwnChallenges,
    /// Leaders decide without the right to lead, and note no gap when it is back.
    ForgottenOutages,
    /// The service of a node never hears of a leader.
    NeverLed,
    /// A node that cannot serve says INTERNAL.
    InternalErrors,
    /// All nodes with a leader say that they lead.
    AllSayLeader,
    /// Nodes say that there are more records than there are.
    BoastedRecords,
    /// Spectators ask from the beginning when they come back.
    ForgetfulReaders,
    /// Spectators do not get every event.
    SwallowedEvents,
    /// An event is another one on its way.
    ChangedEvents,
    /// Requests on one connection reach other nodes.
    OtherNodes,
    /// The state of a node is taken to be older than it is.
    EarlyEnds,
    /// Nodes take the journal over as soon as its own clock says that the lease has passed.
    HastyTakers,
    /// Leaders ring whether they have the right to lead or not, and take every refusal of a report for its record.
    StubbornRingers,
    /// Leaders ring and report nothing.
    ForgetfulRingers,
    /// Leaders ring nobody.
    SilentRingers,
    /// Moves are taken to have arrived earlier than they have.
    OlderStamps,
    /// Every node is taken to show a turn less than it does.
    TurnsBehind,
}

/// The parameters of a world of several nodes.
#[derive(Clone, Debug)]
pub struct ClusterPlan {
    /// What it has in common with other worlds.
    pub base: WorldPlan,
    /// How many nodes it has.
    pub nodes: usize,
    /// What goes wrong in it.
    pub faults: Vec<Fault>,
    /// Time between two faults, on average.
    pub fault_every: Span,
    pub(super) trouble: StatementTrouble,
    /// Whether most agents have a doorbell.
    pub doorbells: bool,
    /// Whether agents send their requests over HTTP, and others read what is public.
    pub over_http: bool,
    /// How many of 1,000 connections of clients have faults.
    pub connection_troubles: u32,
    /// Time between two commands of the operator, on average; none for never.
    pub acts_every: Option<Span>,
    /// Whether the reference hall follows the decisions in the end.
    pub reference: bool,
    /// What is wrong in it on purpose.
    pub weakness: Option<Weakness>,
}

impl ClusterPlan {
    /// The plan of a seed. One world of six is quiet, the others are busy.
    #[must_use]
    pub fn draw(seed: u64) -> Self {
        let plan = Self::busy(seed);
        if Dice::of(seed, "quiet cluster plan", 0).below(6) == 0 { plan.quiet() } else { plan }
    }

    /// The plan of a busy world: a part of everything that may go wrong, and agents that play chess, in time and by the
    /// rules, without a beacon and without an operator who acts. In one world of two most of them have a doorbell, and in
    /// one of four they play over HTTP.
    #[must_use]
    pub fn busy(seed: u64) -> Self {
        let mut dice = Dice::of(seed, "cluster plan", 0);
        let mut base = WorldPlan::draw(seed, Profile::Swarm);
        let agents = dice.between(3, 8);
        base.agent_profiles = (0..agents).filter_map(|_| dice.pick(&PROMPT).copied()).collect();
        base.crypto = Crypto::StandIn;
        base.lasts = Span::from_secs(dice.between(120, 420));
        base.calm = Span::from_secs(30);
        let timing = Timing { move_time: Span::from_secs(60), side_time: Some(Span::from_secs(2_400)) };
        base.settings.timing.values_mut().for_each(|of_game| *of_game = timing);
        base.settings.sweep_every = Span::from_secs(5);
        (base.settings.joins_per_day, base.settings.concurrent_games) = (5_000, 20);
        base.settings.beacon = None;
        let faults: Vec<Fault> = Fault::ALL.into_iter().filter(|_| dice.permille(450)).collect();
        let mut chance = |most: u64| {
            let chance = if dice.permille(400) { dice.between(1, most) } else { 0 };
            u32::try_from(chance).unwrap_or(0)
        };
        let trouble =
            StatementTrouble { lost: chance(8), unanswered: chance(8), late: chance(8), slow: chance(6) };
        let fault_every = Span::from_millis(dice.between(4_000, 30_000));
        let nodes = usize::try_from(dice.between(2, 5)).unwrap_or(3);
        let over_http = Dice::of(seed, "cluster plan over HTTP", 0).below(4) == 0;
        let plan = Self {
            base,
            nodes,
            faults,
            fault_every,
            trouble,
            doorbells: Dice::of(seed, "cluster plan with doorbells", 0).permille(500),
            over_http: false,
            connection_troubles: 0,
            acts_every: None,
            reference: true,
            weakness: None,
        };
        if over_http { plan.with_http() } else { plan }
    }

    /// The same world with few agents, which think for long: its leaders have nothing to make durable for longer than an
    /// outage lasts.
    #[must_use]
    pub fn quiet(mut self) -> Self {
        let agents = Dice::of(self.base.seed, "quiet cluster plan", 1).between(2, 3);
        self.base.agent_profiles = (0..agents).map(|_| "slow").collect();
        let timings = self.base.settings.timing.values_mut();
        timings.for_each(|timing| timing.move_time = Span::from_secs(240));
        self.base.settings.sweep_every = Span::from_secs(60);
        self
    }

    /// The same world with agents that play over HTTP.
    #[must_use]
    pub fn with_http(mut self) -> Self {
        let mut dice = Dice::of(self.base.seed, "cluster plan over HTTP", 1);
        self.over_http = true;
        // The service verifies signatures as it is shipped.
        self.base.crypto = Crypto::Real;
        self.base.lasts = Span::from_secs(dice.between(60, 200));
        let odds = if dice.permille(700) { dice.between(5, 100) } else { 0 };
        self.connection_troubles = u32::try_from(odds).unwrap_or(0);
        self
    }

    /// The same world with several games and variants, in most cases one with chance and one whose turns are shared. Some
    /// agents are late, make illegal moves, wait in many lobbies, file again and leave, or write. Some worlds have a
    /// beacon, and some an operator who acts.
    #[must_use]
    pub fn mixed(mut self) -> Self {
        let mut dice = Dice::of(self.base.seed, "mixed cluster plan", 0);
        self.base.profile = Profile::Mixed;
        let agents = dice.between(6, 10);
        self.base.agent_profiles = (0..agents).filter_map(|_| dice.pick(&MIXED).copied()).collect();
        let timing = self.base.settings.timing.values().next().copied();
        let mut games = mixed_games(self.base.seed);
        // Each of the two is in half of the worlds that would be without it.
        for (game, variant) in [("goofspiel", "standard"), ("backgammon", "standard")] {
            let parsed = Word::parse(game).zip(Word::parse(variant));
            games.extend(
                parsed.filter(|_| dice.permille(500)).map(|(game, variant)| GameVariant { game, variant }),
            );
        }
        games.sort_unstable();
        games.dedup();
        let timing = games.iter().filter_map(|played| Some((played.game, timing?)));
        self.base.settings.timing = timing.collect();
        self.base.games = games;
        self.base.settings.beacon = dice.permille(600).then(|| BeaconChain {
            chain_hash: Digest::of(b"a chain of the simulator"),
            genesis: Timestamp::from_millis(self.base.begins.as_millis() - 86_400_000),
            period: Span::from_secs(3),
        });
        self.acts_every = dice.permille(600).then(|| Span::from_secs(dice.between(5, 60)));
        self
    }

    pub(super) fn report(&self) -> WorldReport {
        WorldReport {
            seed: self.base.seed,
            world: "cluster",
            profile: self.base.profile.word().to_owned(),
            crypto: self.base.crypto.word(),
            agents: self.base.agent_profiles.len(),
            ..WorldReport::default()
        }
    }
}
