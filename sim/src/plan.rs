//! Plans: the parameters of one world. A seed and a profile determine a plan, and a plan determines the world.

mod mixed;
mod profile;

pub(crate) use mixed::{mixed_games, seats};
pub use profile::Profile;

use crate::agents::MENU;
use crate::crypto::Crypto;
use crate::dice::Dice;
use crate::direct::NetworkConditions;
use hall_core::{BeaconChain, GameVariant, HallSettings, SeasonId, Timing, Word};
use hall_games::{CATALOG, Game, STANDARD};
use hall_wire::{Digest, Span, Timestamp};
use serde::{Deserialize, Deserializer, Serialize, de};
use std::collections::BTreeMap;

/// Faults and how often: the mean time between two of a kind; none for never.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Faults {
    /// The process is killed.
    pub kills: Option<Span>,
    /// The machine loses its power: what is not synced may be lost or torn.
    pub power_cuts: Option<Span>,
    /// The process shuts down cleanly and starts again.
    pub restarts: Option<Span>,
    /// The process is suspended for a while.
    pub pauses: Option<Span>,
    /// A group of agents is cut off for a while.
    pub partitions: Option<Span>,
    /// The system clock jumps.
    pub clock_steps: Option<Span>,
    /// Half of its jumps are of at most two seconds; else all are of up to a day.
    pub small_clock_steps: bool,
    /// The system clock stands still for a while.
    pub clock_freezes: Option<Span>,
    /// By how much the system clock is fast, in millionths; negative where it is slow. A smeared leap second is one of
    /// 12.
    pub clock_drift_ppm: i64,
    /// A commit fails or is slow.
    pub disk_faults: Option<Span>,
    /// The disk fails in a way that no journal has to survive: the hall must refuse to continue, or show no trace of
    /// it.
    pub corruption: Option<Span>,
    /// The disk runs full for a while.
    pub full_disks: Option<Span>,
    /// The hall's operator intervenes.
    pub operator_acts: Option<Span>,
    /// A hall that starts again may have other settings: caps and quotas where its operator steps in, and with this also
    /// times for moves, times of sweeps and another beacon or none.
    pub new_settings: bool,
    /// Some starts are at the millisecond at which something is due, or one beside it.
    pub aimed_starts: bool,
    /// The hall often goes down while a gap is not noted yet: after a slow commit, and while the disk is full.
    #[serde(skip_serializing_if = "is_not")]
    pub stops_in_gaps: bool,
    /// Some faults of the disk come when they hurt most: it runs full in the append of a game's end, and fails while the
    /// hall stops.
    #[serde(skip_serializing_if = "is_not")]
    pub aimed_disk_faults: bool,
    /// Before some starts another build was there, which has left a snapshot that this one cannot read.
    pub other_builds: bool,
    /// The hall's operator maintains the log: replaces a key of the hall, or withholds texts.
    pub log_acts: Option<Span>,
    /// The hall's operator takes a player out of a game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vacated_seats: Option<Span>,
}

/// The parameters of one world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorldPlan {
    /// The seed.
    pub seed: u64,
    /// The profile.
    pub profile: Profile,
    /// The profile of each agent.
    #[serde(rename = "tempers", deserialize_with = "agent_profiles")]
    pub agent_profiles: Vec<&'static str>,
    /// When the world begins.
    pub begins: Timestamp,
    /// How long it runs with its faults.
    pub lasts: Span,
    /// How long it then runs without faults, so that everything settles.
    pub calm: Span,
    /// The game that agents play.
    #[serde(default = "first_game", skip_serializing_if = "is_first_game")]
    pub game: Word,
    /// What agents play where they play several games, each with its variant; empty where they play the one game.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub games: Vec<GameVariant>,
    /// Which signatures.
    pub crypto: Crypto,
    /// The hall's settings.
    #[serde(rename = "rules")]
    pub settings: HallSettings,
    /// The network.
    pub network: NetworkConditions,
    /// The faults.
    pub faults: Faults,
    /// Records between two snapshots; 0 for none.
    pub snapshot_every: u64,
    /// The reference hall is compared in full after so many steps; in part after each. 0 for no reference hall.
    pub compare_every: u64,
    /// Whether the named checks follow everything; without them the state is only checked now and then.
    #[serde(default = "checks")]
    pub checks: bool,
    /// Whether agents have doorbells.
    #[serde(default)]
    pub doorbells: bool,
    /// Whether the ringer comes late to the turns that it is told of.
    #[serde(default, skip_serializing_if = "is_not")]
    pub ringer_lags: bool,
    /// How many readers follow games as event streams. A world is the same for any number of them.
    #[serde(default)]
    pub readers: usize,
    /// The longest downtime of a hall that died.
    #[serde(default = "longest_down")]
    pub longest_down: Span,
    /// The most copies of a move that a racer sends.
    #[serde(default = "widest_race")]
    pub widest_race: u8,
    /// How many agents share an operator, of those that do.
    #[serde(default = "ring_size")]
    pub ring_size: u32,
    /// Whether some requests arrive in the millisecond in which their challenge ends, or in the one before or after.
    #[serde(default, skip_serializing_if = "is_not")]
    pub last_moments: bool,
}

// What these are in plans that were written down before there was a choice.

/// The game that is first in the catalog.
fn first_game() -> Word {
    let first = CATALOG.iter().next().and_then(|game| Word::parse(game.describe().id));
    first.unwrap_or_else(|| unreachable!("the catalog has a game"))
}

/// Whether it goes without saying.
fn is_first_game(game: &Word) -> bool {
    *game == first_game()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
const fn is_not(it: &bool) -> bool {
    !*it
}

const fn checks() -> bool {
    true
}

const fn longest_down() -> Span {
    Span::from_secs(7_200)
}

const fn widest_race() -> u8 {
    8
}

const fn ring_size() -> u32 {
    6
}

/// Profiles of which a world has one, or a few, or none.
const RARE: [&str; 7] = ["injector", "sharer", "hoarder", "guesser", "colluder", "busy", "planner"];

/// How many follow games as event streams: some of each pace.
const READERS: usize = 6;

/// Friday 2026-11-20T22:00:00Z.
const EPOCH: i64 = 1_795_212_000_000;

/// Midnights: of 2026-11-21 (three times as often as the others), of new year 2027, at the end of a February of 28
/// days, at the beginning and the end of a leap day, and at the end of the February of 2100, which has none.
const MIDNIGHTS: [i64; 8] = [
    EPOCH + 7_200_000,
    EPOCH + 7_200_000,
    EPOCH + 7_200_000,
    1_798_761_600_000,
    1_803_859_200_000,
    1_835_395_200_000,
    1_835_481_600_000,
    4_107_542_400_000,
];

impl WorldPlan {
    /// The plan of a seed.
    #[must_use]
    pub fn draw(seed: u64, profile: Profile) -> Self {
        let mut dice = Dice::of(seed, "plan", 0);
        let mut plan = Self::calm(seed, 4 + usize::try_from(dice.below(20)).unwrap_or(0));
        plan.profile = profile;
        match profile {
            Profile::Calm => {}
            Profile::Bench => {
                plan.agent_profiles = vec!["swift"; 1_000];
                // As often as a hall does it unless it is told otherwise.
                plan.snapshot_every = 50_000;
                (plan.compare_every, plan.checks) = (0, false);
                plan.readers = 0;
            }
            Profile::Flood => plan.flood(),
            Profile::Long => plan.long(),
            Profile::Crowded => plan.crowded(),
            Profile::Bells => {
                plan.swarm(&mut dice);
                plan.doorbells = true;
            }
            Profile::Swarm => {
                plan.swarm(&mut dice);
                // From separate dice, so that everything else in a seed's world is unchanged.
                plan.doorbells = Dice::of(seed, "doorbells of a plan", 0).permille(250);
            }
            Profile::Storm => plan.storm(&mut dice),
            Profile::Mixed => {
                plan.swarm(&mut dice);
                plan.mix();
            }
        }
        plan
    }

    /// Honest agents and no faults.
    #[must_use]
    pub fn calm(seed: u64, agents: usize) -> Self {
        Self {
            seed,
            profile: Profile::Calm,
            agent_profiles: vec!["swift"; agents],
            begins: Timestamp::from_millis(EPOCH),
            lasts: Span::from_secs(1_800),
            calm: Span::from_secs(3_600),
            game: first_game(),
            games: Vec::new(),
            crypto: Crypto::StandIn,
            settings: settings(),
            network: NetworkConditions::calm(),
            faults: Faults::default(),
            snapshot_every: 200,
            compare_every: 50,
            checks: true,
            doorbells: false,
            ringer_lags: false,
            readers: READERS,
            longest_down: longest_down(),
            widest_race: widest_race(),
            ring_size: ring_size(),
            last_moments: false,
        }
    }

    /// Has the agents play this game, as long as it wants to be played.
    pub fn set_game(&mut self, game: &dyn Game) {
        let described = game.describe();
        let side_time = (described.side_time > Span::ZERO).then_some(described.side_time);
        let timing = Timing { move_time: described.move_time, side_time };
        self.game = Word::parse(described.id).unwrap_or_else(|| unreachable!("a game has a short id"));
        self.settings.timing = BTreeMap::from([(self.game, timing)]);
    }

    /// What agents play.
    #[must_use]
    pub fn played(&self) -> Vec<GameVariant> {
        if !self.games.is_empty() {
            return self.games.clone();
        }
        let variant = Word::parse(STANDARD).unwrap_or_else(|| unreachable!("a short word"));
        vec![GameVariant { game: self.game, variant }]
    }

    /// Sets how many agents there are, keeping the mix.
    pub fn set_agents(&mut self, count: usize) {
        let mix = std::mem::take(&mut self.agent_profiles);
        self.agent_profiles =
            mix.iter().copied().cycle().take(if mix.is_empty() { 0 } else { count }).collect();
    }

    fn flood(&mut self) {
        let hostile = ["flooder", "racer", "replayer", "forger"];
        self.agent_profiles = vec!["swift"; 4];
        self.agent_profiles.extend(hostile.into_iter().cycle().take(40));
        self.lasts = Span::from_secs(600);
        self.widest_race = 64;
    }

    fn long(&mut self) {
        self.agent_profiles = ["marathon", "marathon", "shuffler"].into_iter().cycle().take(15).collect();
        // These wait in two lobbies while they play, so that a sweep finds many who are free again.
        self.agent_profiles.extend(["crowd"; 8]);
        // Shortly before midnight, with caps at which several can be paired at the same time.
        self.begins = Timestamp::from_millis(EPOCH + 7_200_000 - 600_000);
        self.settings.concurrent_games = 1;
        let timing = Timing { move_time: Span::from_secs(60), side_time: None };
        self.settings.timing = BTreeMap::from([(self.game, timing)]);
        self.settings.sweep_every = Span::from_secs(20);
        self.lasts = Span::from_secs(2_000);
    }

    fn crowded(&mut self) {
        self.agent_profiles = vec!["busy"; 28];
        self.settings.joins_per_day = 0;
        self.lasts = Span::from_secs(240);
        self.faults.pauses = Some(Span::from_secs(60));
        self.faults.kills = Some(Span::from_secs(120));
    }

    fn swarm(&mut self, dice: &mut Dice) {
        // The others are drawn with the extremes.
        let drawn = MENU.into_iter().filter(|name| !RARE.contains(name));
        let kinds: Vec<&'static str> = drawn.filter(|_| dice.permille(350)).collect();
        for profile in &mut self.agent_profiles {
            *profile = dice.pick(&kinds).copied().unwrap_or("swift");
        }
        if dice.permille(200) {
            // Many of few operators, who must not meet, also where all others have as many games as they may have.
            for (profile, kind) in
                self.agent_profiles.iter_mut().zip(["ring", "ring", "refiler", "crowd"].into_iter().cycle())
            {
                *profile = kind;
            }
        }
        self.lasts = Span::from_secs(dice.between(600, 5_400));
        // Some worlds begin shortly before midnight UTC, on a day like others or a special one.
        if dice.permille(300) {
            let midnight = dice.pick(&MIDNIGHTS).copied().unwrap_or(EPOCH);
            self.begins = Timestamp::from_millis(midnight - i64::try_from(dice.below(900_000)).unwrap_or(0));
        }
        if dice.permille(150) {
            self.crypto = Crypto::Real;
        }
        self.draw_rules(dice);
        self.draw_network(dice);
        let mut sometimes = |chance: u32| {
            let mean = Span::from_secs(dice.between(60, 1_200));
            dice.permille(chance).then_some(mean)
        };
        self.faults = Faults {
            kills: sometimes(400),
            power_cuts: sometimes(400),
            restarts: sometimes(300),
            pauses: sometimes(300),
            partitions: sometimes(300),
            clock_steps: sometimes(250),
            small_clock_steps: true,
            clock_freezes: None,
            clock_drift_ppm: 0,
            disk_faults: sometimes(300),
            corruption: sometimes(100),
            full_disks: sometimes(150),
            operator_acts: sometimes(250),
            new_settings: false,
            aimed_starts: false,
            stops_in_gaps: self.draw_stops_in_gaps(),
            aimed_disk_faults: self.draw_aimed_disk_faults(),
            other_builds: self.draw_other_builds(),
            log_acts: self.draw_log_acts(),
            vacated_seats: None,
        };
        if dice.permille(200) {
            self.faults.operator_acts = Some(Span::from_secs(dice.between(15, 60)));
        }
        self.snapshot_every = *dice.pick(&[0, 7, 50, 400]).unwrap_or(&0);
        self.draw_extremes();
    }

    /// Draws from separate dice, so that everything else in a seed's world is unchanged.
    fn draw_extremes(&mut self) {
        let mut dice = Dice::of(self.seed, "extremes of a plan", 0);
        if dice.permille(500) {
            self.longest_down = Span::from_secs(300);
        }
        if dice.permille(300) {
            self.widest_race = 64;
        }
        self.ring_size = u32::try_from(dice.between(2, 10)).unwrap_or(2);
        if dice.permille(300) {
            self.faults.clock_drift_ppm = i64::try_from(dice.between(0, 1_000)).unwrap_or(0) - 500;
        }
        let mean = Span::from_secs(dice.between(60, 1_200));
        self.faults.clock_freezes = dice.permille(200).then_some(mean);
        if dice.permille(200)
            && let Some(one) = self.agent_profiles.last_mut()
        {
            *one = "injector";
        }
        if dice.permille(200)
            && let Some(one) = self.agent_profiles.get_mut(1)
        {
            *one = "sharer";
        }
        self.faults.new_settings = dice.permille(250);
        self.faults.aimed_starts = dice.permille(300);
        for rare in ["hoarder", "guesser"] {
            let place = usize::try_from(dice.below(8)).unwrap_or(0);
            if dice.permille(150)
                && let Some(one) = self.agent_profiles.get_mut(place)
            {
                *one = rare;
            }
        }
        if dice.permille(100) {
            self.agent_profiles.iter_mut().rev().take(4).for_each(|one| *one = "colluder");
        }
        self.draw_odd_terms();
        self.draw_odd_times();
    }

    /// Agents that move before their turn or in many games, requests at the end of their challenges, rings that are late.
    fn draw_odd_times(&mut self) {
        let mut dice = Dice::of(self.seed, "odd times of a plan", 0);
        for rare in ["planner", "busy"] {
            let place = usize::try_from(dice.below(8)).unwrap_or(0);
            if dice.permille(150)
                && let Some(one) = self.agent_profiles.get_mut(place)
            {
                *one = rare;
            }
        }
        self.last_moments = dice.permille(300);
        self.ringer_lags = dice.permille(400);
    }

    /// Halls that leave the clocks to the game, and beacons of other periods, or that have not begun yet.
    fn draw_odd_terms(&mut self) {
        let mut dice = Dice::of(self.seed, "odd terms of a plan", 0);
        if dice.permille(100) {
            self.settings.timing.clear();
        }
        let Some(chain) = self.settings.beacon.as_mut().filter(|_| dice.permille(400)) else { return };
        let millis = dice.pick(&[1_000, 2_500, 3_001, 30_000]).copied().unwrap_or(3_000);
        chain.period = Span::from_millis(millis);
        chain.genesis = chain.genesis + Span::from_millis(dice.below(millis));
        if dice.permille(300) {
            chain.genesis = self.begins + dice.span(Span::ZERO, Span::from_secs(1_200));
        }
    }

    fn storm(&mut self, dice: &mut Dice) {
        self.swarm(dice);
        let count = self.agent_profiles.len().max(MENU.len());
        self.agent_profiles = MENU.into_iter().cycle().take(count).collect();
        // A hall that is down is not much of a storm.
        self.longest_down = Span::from_secs(120);
        let often = |least: u64| Some(Span::from_secs(least));
        self.faults = Faults {
            kills: often(300),
            power_cuts: often(400),
            restarts: often(500),
            pauses: often(350),
            partitions: often(300),
            clock_steps: often(300),
            small_clock_steps: true,
            clock_freezes: often(600),
            clock_drift_ppm: self.faults.clock_drift_ppm,
            disk_faults: often(150),
            corruption: None,
            full_disks: often(900),
            operator_acts: often(60),
            new_settings: true,
            aimed_starts: true,
            stops_in_gaps: self.draw_stops_in_gaps(),
            aimed_disk_faults: self.draw_aimed_disk_faults(),
            other_builds: self.draw_other_builds(),
            log_acts: often(90),
            vacated_seats: None,
        };
    }

    /// Drawn from separate dice, so that everything else in a seed's world is as it was before such acts existed.
    fn draw_log_acts(&self) -> Option<Span> {
        let mut dice = Dice::of(self.seed, "log acts of a plan", 0);
        let mean = Span::from_secs(dice.between(30, 600));
        dice.permille(300).then_some(mean)
    }

    /// From separate dice too.
    fn draw_stops_in_gaps(&self) -> bool {
        Dice::of(self.seed, "stops in gaps of a plan", 0).permille(500)
    }

    /// From separate dice too.
    fn draw_aimed_disk_faults(&self) -> bool {
        Dice::of(self.seed, "aimed disk faults of a plan", 0).permille(700)
    }

    /// From separate dice too.
    fn draw_other_builds(&self) -> bool {
        Dice::of(self.seed, "other builds of a plan", 0).permille(300)
    }

    fn draw_rules(&mut self, dice: &mut Dice) {
        self.settings.joins_per_day = *dice.pick(&[0, 3, 8, 50]).unwrap_or(&50);
        self.settings.concurrent_games = *dice.pick(&[1, 2, 5, 20]).unwrap_or(&20);
        self.settings.feedback_per_day = *dice.pick(&[1, 3, 20]).unwrap_or(&20);
        self.settings.sweep_every =
            *dice.pick(&[Span::from_secs(20), Span::from_secs(300)]).unwrap_or(&Span::from_secs(300));
        let move_time = *dice
            .pick(&[Span::from_secs(5), Span::from_secs(60), Span::from_secs(60)])
            .unwrap_or(&Span::from_secs(60));
        let side_time =
            *dice.pick(&[None, Some(Span::from_secs(60)), Some(Span::from_secs(2_400))]).unwrap_or(&None);
        self.settings.timing = BTreeMap::from([(self.game, Timing { move_time, side_time })]);
        if dice.permille(300) {
            let genesis = Timestamp::from_millis(EPOCH - 30 * 86_400_000);
            let chain_hash = Digest::of(b"a chain of the simulator");
            self.settings.beacon = Some(BeaconChain { chain_hash, genesis, period: Span::from_secs(3) });
        }
    }

    fn draw_network(&mut self, dice: &mut Dice) {
        if dice.permille(200) {
            // No delay at all, so that things happen in the same millisecond.
            (self.network.least, self.network.usual) = (Span::from_millis(0), Span::from_millis(0));
        }
        let mut sometimes = |chance: u32, most: u64| {
            let strength = u32::try_from(dice.between(1, most)).unwrap_or(0);
            if dice.permille(chance) { strength } else { 0 }
        };
        self.network.heavy_tail = sometimes(400, 100);
        self.network.loses_requests = sometimes(400, 300);
        self.network.loses_answers = sometimes(400, 300);
        self.network.repeats = sometimes(300, 500);
        self.network.lingers = sometimes(400, 300);
    }
}

/// The settings of a hall as it is shipped, without a beacon.
#[must_use]
pub fn settings() -> HallSettings {
    let timing = Timing { move_time: Span::from_secs(60), side_time: Some(Span::from_secs(2_400)) };
    HallSettings {
        timing: BTreeMap::from([(first_game(), timing)]),
        first_season: SeasonId::parse("2026-q4").unwrap_or_else(|| unreachable!("a well-formed season")),
        ..HallSettings::default()
    }
}

fn agent_profiles<'de, D: Deserializer<'de>>(read: D) -> Result<Vec<&'static str>, D::Error> {
    let words = Vec::<String>::deserialize(read)?;
    let known = |word: &String| {
        let found = MENU.into_iter().find(|name| name == word);
        found.ok_or_else(|| de::Error::custom(format!("no agent profile is called {word}")))
    };
    words.iter().map(known).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_written_plan_reads_back_unchanged() {
        for (seed, profile) in (0..).zip(Profile::ALL.into_iter().cycle()).take(40) {
            let plan = WorldPlan::draw(seed, profile);
            let read: WorldPlan = serde_json::from_str(&serde_json::to_string(&plan).unwrap()).unwrap();
            assert_eq!(read, plan);
        }
    }

    #[test]
    fn a_swarm_draws_a_different_mix_for_each_seed_and_every_fault_in_some() {
        let plans: Vec<WorldPlan> = (0..200).map(|seed| WorldPlan::draw(seed, Profile::Swarm)).collect();
        let kinds: BTreeSet<&str> =
            plans.iter().flat_map(|plan| plan.agent_profiles.iter().copied()).collect();
        assert_eq!(kinds.len(), MENU.len());
        let some =
            |has: fn(&WorldPlan) -> bool| (20..=180).contains(&plans.iter().filter(|plan| has(plan)).count());
        assert!(some(|plan| plan.faults.kills.is_some()));
        assert!(some(|plan| plan.faults.power_cuts.is_some()));
        assert!(some(|plan| plan.faults.operator_acts.is_some()));
        assert!(some(|plan| plan.faults.log_acts.is_some()));
        assert!(some(|plan| plan.faults.other_builds));
        assert!(some(|plan| plan.network.repeats > 0));
        assert!(some(|plan| plan.settings.beacon.is_some()));
    }
}
