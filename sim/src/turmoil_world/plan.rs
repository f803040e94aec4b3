//! What one world over the simulated network is made of.

use crate::dice::Dice;
use crate::plan::{Profile, mixed_games, settings};
use hall_core::{GameVariant, HallSettings, Timing};
use hall_wire::{Span, Timestamp};

/// Friday 2026-11-20T22:00:00Z.
const BEGINS: i64 = 1_795_212_000_000;

/// Faults and how often: the mean time between two of a kind; none for never.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NetworkFaults {
    /// The hall's process is killed, and started again a little later.
    pub kills: Option<Span>,
    /// Its machine loses its power, and is started again a little later.
    pub power_cuts: Option<Span>,
    /// A write or a sync fails.
    pub disk_faults: Option<Span>,
    /// Its disk runs full, and has room again a little later.
    pub full_disks: Option<Span>,
    /// It is shut down cleanly, and restarted a little later.
    pub restarts: Option<Span>,
    /// Its machine sleeps for a while.
    pub suspensions: Option<Span>,
    /// Its disk is slow for a while.
    pub slow_disks: Option<Span>,
    /// The system clock of its machine is set.
    pub clock_steps: Option<Span>,
    /// A site and the hall do not reach each other for a while, in both directions or in one.
    pub partitions: Option<Span>,
    /// What a site and the hall send each other stays on the way for a while, and arrives then.
    pub holds: Option<Span>,
    /// The way between a site and the hall is slow for a while.
    pub slow_links: Option<Span>,
    /// The way between a site and the hall loses what is on it, now and then, for a while.
    pub losses: Option<Span>,
    /// The programs of some agents of a site are killed and forget all but their keys.
    pub agent_kills: Option<Span>,
    /// A relay of the beacon answers badly for a while, or cannot be reached.
    pub relays: Option<Span>,
    /// So many of 1,000 connections are reset, after some number of bytes.
    pub resets_permille: u32,
    /// So many of 1,000 connections drip: a few bytes pass at a time, in both directions.
    pub drips_permille: u32,
    /// On so many of 1,000 connections nothing arrives any more from some byte on, in one direction, and nobody is told.
    pub half_open_permille: u32,
    /// So many of 10,000 reads of the journal fail: half of them with an error, half with a panic of the reader.
    pub frail_reads: u32,
}

impl NetworkFaults {
    /// Whether there are none.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// Limits of the hall on its clients; 0 for none, or for what a hall has without settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Requests of one client in a minute.
    pub per_minute: u32,
    /// Connections of one client at the same time.
    pub connections: usize,
    /// Event streams of one client at the same time.
    pub streams: usize,
    /// How long a challenge is valid, in seconds.
    pub challenge_seconds: u64,
}

/// What one world is made of.
#[derive(Clone, Debug)]
pub struct NetworkPlan {
    /// The seed.
    pub seed: u64,
    /// The name of the recipe, for the report.
    pub profile: Profile,
    /// How many agents.
    pub agents: usize,
    /// What agents play by turns, each agent one of these; empty for chess alone.
    pub games: Vec<GameVariant>,
    /// On how many client machines. The network's cost grows with the cube of their number: keep to ten.
    pub sites: usize,
    /// What the hall's system clock shows when the world begins.
    pub begins: Timestamp,
    /// How long new games are begun, and faults occur.
    pub lasts: Span,
    /// How long it may take after that until every game has ended.
    pub calm: Span,
    /// After how many games an agent has had enough; `None` for never.
    pub games_each: Option<u64>,
    /// Own moves after which an agent resigns or offers a draw: at least and at most.
    pub moves: (u64, u64),
    /// How long an agent thinks about a move: at least and at most.
    pub thinking: (Span, Span),
    /// The agents come in at random over this time.
    pub arriving: Span,
    /// Messages are delivered at multiples of this.
    pub tick: Span,
    /// How long a message is on its way: at least and at most.
    pub latency: (Span, Span),
    /// So many of 1,000 agents are hostile: they misuse the interface in one of several ways while they play.
    pub hostile: u32,
    /// How many watch games as event streams.
    pub spectators: usize,
    /// Whether the first two agents play a game that is long and fast, which a slow reader follows.
    pub marathon: bool,
    /// How many read what is public and verify it.
    pub researchers: usize,
    /// Whether somebody visits who tries the limits.
    pub visitor: bool,
    /// The limits.
    pub traffic: Traffic,
    /// Relays of the hall's beacon; 0 for no beacon.
    pub relays: usize,
    /// Whether most agents have a doorbell, with endpoints of every kind.
    pub bells: bool,
    /// The mean time between two redactions of an agent's words; none for never.
    pub redactions: Option<Span>,
    /// The hall's settings except for the beacon.
    pub settings: HallSettings,
    /// Records between two snapshots; 0 for none.
    pub snapshot_every: u64,
    /// Whether the reference hall follows every decision.
    pub reference: bool,
    /// The faults.
    pub faults: NetworkFaults,
}

impl NetworkPlan {
    /// A world of so many agents that play for `lasts`, with the faults of a recipe.
    #[must_use]
    pub fn new(seed: u64, agents: usize, lasts: Span, profile: Profile) -> Self {
        let bells = profile == Profile::Bells;
        // Agents that sleep until they are rung play slowly, so the games are short.
        let thinking = Span::from_secs(if bells { 5 } else { 20 });
        let games = if profile == Profile::Mixed { mixed_games(seed) } else { Vec::new() };
        let settings = timed(seed, &games);
        Self {
            seed,
            profile,
            agents,
            games,
            sites: sites(agents),
            begins: Timestamp::from_millis(BEGINS),
            lasts,
            calm: Span::from_secs(1_800),
            games_each: None,
            moves: if bells { (2, 6) } else { (2, 12) },
            thinking: (Span::from_millis(100), thinking),
            arriving: Span::from_secs(20),
            tick: Span::from_millis(5),
            latency: (Span::from_millis(1), Span::from_millis(60)),
            hostile: hostile(profile),
            spectators: 4,
            marathon: marathon(seed, profile),
            researchers: researchers(profile),
            visitor: Traffic::of(seed, profile).is_some(),
            traffic: Traffic::of(seed, profile).unwrap_or_default(),
            // The network's cost grows with the cube of its hosts, and endpoints are some.
            relays: if !bells && Dice::of(seed, "beacon", 0).permille(500) { 2 } else { 0 },
            bells,
            redactions: redactions(seed, profile),
            settings,
            snapshot_every: 300,
            reference: true,
            faults: NetworkFaults::of(seed, profile),
        }
    }

    /// What the agent in this place plays, if that is not chess.
    pub(super) fn played_by(&self, number: usize) -> Option<GameVariant> {
        number.checked_rem(self.games.len()).and_then(|turn| self.games.get(turn)).copied()
    }

    /// A world in which each agent plays one short game as fast as it can.
    #[must_use]
    pub fn one_game_each(seed: u64, agents: usize) -> Self {
        let mut plan = Self::new(seed, agents, Span::from_secs(60), Profile::Calm);
        plan.games_each = Some(1);
        plan.relays = 0;
        plan.moves = (2, 3);
        plan.thinking = (Span::from_millis(0), Span::from_millis(200));
        plan
    }
}

impl Traffic {
    /// Whether all but the visitor are behind proxies that are trusted: the agents of a site have one address, and would share
    /// these limits.
    #[must_use]
    pub const fn has_proxies(self) -> bool {
        self.per_minute > 0 || self.connections > 0
    }

    /// The limits that a seed draws by a recipe; none for a world without a visitor.
    #[must_use]
    pub fn of(seed: u64, profile: Profile) -> Option<Self> {
        let mut dice = Dice::of(seed, "traffic", 0);
        if !has_everything(profile) || !dice.permille(400) {
            return None;
        }
        let mut some = |least: u64, most: u64| {
            let drawn = dice.between(least, most);
            if dice.permille(700) { drawn } else { 0 }
        };
        let per_minute = u32::try_from(some(240, 360)).unwrap_or(0);
        let mut small = |least, most| usize::try_from(some(least, most)).unwrap_or(0);
        let (connections, streams) = (small(24, 40), small(6, 10));
        Some(Self { per_minute, connections, streams, challenge_seconds: some(45, 75) })
    }
}

impl NetworkFaults {
    /// The faults that a seed draws by a recipe.
    #[must_use]
    pub fn of(seed: u64, profile: Profile) -> Self {
        let mut dice = Dice::of(seed, "faults", 0);
        let chance = match profile {
            Profile::Calm | Profile::Flood | Profile::Long | Profile::Crowded | Profile::Bench => {
                return Self::default();
            }
            Profile::Swarm | Profile::Bells | Profile::Mixed => 450,
            Profile::Storm => 1_000,
        };
        let mut sometimes = |least: u64, most: u64| {
            let mean = Span::from_secs(dice.between(least, most));
            dice.permille(chance).then_some(mean)
        };
        let mut of_disks = Dice::of(seed, "slow disks of a plan", 0);
        let slow_disks = Span::from_secs(of_disks.between(30, 240));
        let slow_disks = of_disks.permille(chance).then_some(slow_disks);
        // A separate stream, so that the other faults are the same with and without these.
        let mut of_connections = Dice::of(seed, "connections of a plan", 0);
        let mut some_of = |least: u64, most: u64| {
            let permille = u32::try_from(of_connections.between(least, most)).unwrap_or(0);
            if of_connections.permille(chance) { permille } else { 0 }
        };
        let mut of_disks = Dice::of(seed, "full disks of a plan", 0);
        let full_disks = Span::from_secs(of_disks.between(60, 240));
        Self {
            full_disks: of_disks.permille(chance).then_some(full_disks),
            kills: sometimes(60, 300),
            power_cuts: sometimes(90, 300),
            disk_faults: sometimes(90, 300),
            restarts: sometimes(90, 400),
            suspensions: sometimes(90, 400),
            slow_disks,
            clock_steps: sometimes(60, 400),
            partitions: sometimes(40, 300),
            holds: sometimes(40, 300),
            slow_links: sometimes(40, 300),
            losses: sometimes(60, 400),
            agent_kills: sometimes(20, 200),
            resets_permille: sometimes(5, 120)
                .map_or(0, |strength| u32::try_from(strength.as_millis() / 1_000).unwrap_or(0)),
            relays: sometimes(10, 60),
            drips_permille: some_of(5, 60),
            half_open_permille: some_of(5, 40),
            frail_reads: some_of(5, 100),
        }
    }
}

/// Some in swarms and storms; in a flood three of four. Where agents wait for doorbells the endpoints are hostile.
const fn hostile(profile: Profile) -> u32 {
    match profile {
        Profile::Swarm | Profile::Mixed => 150,
        Profile::Storm => 250,
        Profile::Flood => 750,
        Profile::Calm | Profile::Bells | Profile::Long | Profile::Crowded | Profile::Bench => 0,
    }
}

/// Some where there is something to be found.
const fn researchers(profile: Profile) -> usize {
    match profile {
        Profile::Swarm | Profile::Storm | Profile::Flood | Profile::Mixed => 2,
        Profile::Calm | Profile::Bells | Profile::Long | Profile::Crowded | Profile::Bench => 0,
    }
}

/// In one of five worlds that have everything, unless requests are limited or agents wait for their doorbells.
fn marathon(seed: u64, profile: Profile) -> bool {
    let is_limited = Traffic::of(seed, profile).is_some_and(|traffic| traffic.per_minute > 0);
    let may_be = has_everything(profile) && profile != Profile::Bells && !is_limited;
    may_be && Dice::of(seed, "marathon", 0).permille(200)
}

/// In half of the worlds that have everything.
fn redactions(seed: u64, profile: Profile) -> Option<Span> {
    let mut dice = Dice::of(seed, "redactions", 0);
    let mean = Span::from_secs(dice.between(10, 40));
    (has_everything(profile) && dice.permille(500)).then_some(mean)
}

/// In half of the worlds of several games each side has a clock, so that those who share a turn have deadlines of their
/// own.
fn timed(seed: u64, games: &[GameVariant]) -> HallSettings {
    let (move_time, side_time) = (Span::from_secs(300), Some(Span::from_secs(240)));
    let mut settings = settings();
    for played in games.iter().filter(|_| Dice::of(seed, "clocks of a network", 0).permille(500)) {
        settings.timing.entry(played.game).or_insert(Timing { move_time, side_time });
    }
    settings
}

/// Whether the worlds of a recipe have a part of everything that happens to a hall besides play.
const fn has_everything(profile: Profile) -> bool {
    matches!(profile, Profile::Swarm | Profile::Storm | Profile::Flood | Profile::Bells | Profile::Mixed)
}

/// Between four and eight sites, as many as there are agents for.
fn sites(agents: usize) -> usize {
    (agents / 50).clamp(4, 8)
}
