//! The request for one world: which kind, which seed, which profile, and overrides of the plan.

use crate::cluster_world::{self, ClusterPlan};
use crate::crypto::Crypto;
use crate::direct::World;
use crate::plan::{Profile, WorldPlan};
use crate::report::WorldReport;
use crate::turmoil_world;
use hall_wire::Span;
use std::fmt;

/// How many agents a turmoil world has by default.
const TURMOIL_AGENTS: usize = 100;

/// How long a turmoil world runs with its faults by default.
const TURMOIL_LASTS: Span = Span::from_secs(240);

/// Which kind of world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// The core and the writer with a virtual network and disk: fast.
    #[default]
    Direct,
    /// The real service and the real client over simulated HTTP: everything as it is shipped, except the disk.
    Turmoil,
    /// Several nodes as they are shipped over one simulated database, in one world of four with HTTP.
    Cluster,
}

impl Kind {
    /// Its word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Turmoil => "turmoil",
            Self::Cluster => "cluster",
        }
    }

    /// The world with this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Direct, Self::Turmoil, Self::Cluster].into_iter().find(|kind| kind.word() == word)
    }
}

/// The request for one world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choices {
    /// The world.
    pub world: Kind,
    /// The seed.
    pub seed: u64,
    /// The profile that the plan is drawn for.
    pub profile: Profile,
    /// The number of agents, instead of the one drawn.
    pub agents: Option<usize>,
    /// The hours of virtual time with faults, instead of those drawn.
    pub hours: Option<u64>,
    /// The kind of signatures instead of the one drawn, in the direct world; those of the turmoil world are real.
    pub crypto: Option<Crypto>,
    /// Whether only named invariants are checked: no reference hall follows, and nothing is tried on copies of the hall
    /// (R1, R2). The world is the same.
    pub named_only: bool,
}

impl Choices {
    /// The direct world of a seed as it is drawn.
    #[must_use]
    pub const fn drawn(seed: u64, profile: Profile) -> Self {
        Self {
            world: Kind::Direct,
            seed,
            profile,
            agents: None,
            hours: None,
            crypto: None,
            named_only: false,
        }
    }

    /// The plan of the direct world.
    #[must_use]
    pub fn plan(&self) -> WorldPlan {
        let mut plan = WorldPlan::draw(self.seed, self.profile);
        if let Some(agents) = self.agents {
            plan.set_agents(agents);
        }
        if let Some(hours) = self.hours {
            plan.lasts = Span::from_secs(hours.saturating_mul(3_600));
        }
        if let Some(crypto) = self.crypto {
            plan.crypto = crypto;
        }
        if self.named_only {
            plan.compare_every = 0;
        }
        plan
    }

    /// The plan of the turmoil world. With profile `bench` each agent plays one short game as fast as it can.
    #[must_use]
    pub fn turmoil_plan(&self) -> turmoil_world::NetworkPlan {
        let agents = self.agents.unwrap_or(TURMOIL_AGENTS);
        let mut plan = if self.profile == Profile::Bench {
            turmoil_world::NetworkPlan::one_game_each(self.seed, agents)
        } else {
            turmoil_world::NetworkPlan::new(self.seed, agents, TURMOIL_LASTS, self.profile)
        };
        if let Some(hours) = self.hours {
            plan.lasts = Span::from_secs(hours.saturating_mul(3_600));
        }
        plan.reference = !self.named_only;
        plan
    }

    /// The plan of the world of several nodes, which has two profiles: `mixed`, and any other one is `swarm`.
    #[must_use]
    pub fn cluster_plan(&self) -> ClusterPlan {
        let plan = ClusterPlan::draw(self.seed);
        let mut plan = if self.profile == Profile::Mixed { plan.mixed() } else { plan };
        plan.reference = !self.named_only;
        plan
    }

    /// Runs the world.
    #[must_use]
    pub fn run(&self) -> WorldReport {
        self.run_while(&|| true)
    }

    /// Runs the world, and cuts it off at the first step at which it may not go on any more. One that is not cut off
    /// is the same as ever.
    #[must_use]
    pub fn run_while(&self, goes_on: &dyn Fn() -> bool) -> WorldReport {
        match self.world {
            Kind::Direct => World::new(self.plan()).run_while(goes_on),
            Kind::Turmoil => turmoil_world::run_while(&self.turmoil_plan(), goes_on),
            Kind::Cluster => cluster_world::run_while(&self.cluster_plan(), goes_on),
        }
    }
}

/// The worlds that many seeds run.
#[derive(Clone, Copy, Debug)]
pub enum Worlds {
    /// All of one kind and profile.
    Alike(Choices),
    /// A standard run: direct and turmoil worlds of several profiles by turns, the same for a seed in every run. Kind and
    /// profile of the choices do not count.
    Standard(Choices),
}

/// The turns of a standard run. A turmoil world of so few agents takes about as long as a direct one.
const TURNS: [(Kind, Profile); 16] = [
    (Kind::Direct, Profile::Swarm),
    (Kind::Turmoil, Profile::Storm),
    (Kind::Direct, Profile::Storm),
    (Kind::Direct, Profile::Mixed),
    (Kind::Turmoil, Profile::Bells),
    (Kind::Direct, Profile::Swarm),
    (Kind::Direct, Profile::Bells),
    (Kind::Turmoil, Profile::Flood),
    (Kind::Direct, Profile::Storm),
    (Kind::Direct, Profile::Swarm),
    (Kind::Turmoil, Profile::Mixed),
    (Kind::Direct, Profile::Crowded),
    (Kind::Direct, Profile::Storm),
    (Kind::Turmoil, Profile::Swarm),
    (Kind::Direct, Profile::Mixed),
    (Kind::Direct, Profile::Flood),
];

/// How many agents a turmoil world of a standard run has.
const STANDARD_AGENTS: usize = 40;

impl Worlds {
    /// The world of a seed.
    #[must_use]
    pub fn of(&self, seed: u64) -> Choices {
        match *self {
            Self::Alike(choices) => Choices { seed, ..choices },
            Self::Standard(choices) => {
                let turn = usize::try_from(seed).unwrap_or(0) % TURNS.len();
                let (world, profile) = TURNS.get(turn).copied().unwrap_or((Kind::Direct, Profile::Swarm));
                let agents = choices.agents.or((world == Kind::Turmoil).then_some(STANDARD_AGENTS));
                // The signatures of turmoil worlds are real.
                let crypto = choices.crypto.filter(|_| world == Kind::Direct);
                Choices { world, seed, profile, agents, crypto, ..choices }
            }
        }
    }
}

/// The command-line arguments that reproduce the same world.
impl fmt::Display for Choices {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "--seed {} --profile {}", self.seed, self.profile.word())?;
        if let Some(agents) = self.agents {
            write!(out, " --agents {agents}")?;
        }
        if let Some(hours) = self.hours {
            write!(out, " --hours {hours}")?;
        }
        match self.crypto {
            Some(Crypto::Real) => out.write_str(" --crypto real")?,
            Some(Crypto::StandIn) => out.write_str(" --crypto stand-in")?,
            None => {}
        }
        if self.named_only {
            out.write_str(" --named-only")?;
        }
        match self.world {
            Kind::Direct => Ok(()),
            Kind::Turmoil => out.write_str(" --world turmoil"),
            Kind::Cluster => out.write_str(" --world cluster"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turmoil_world_takes_the_same_choices() {
        let mut choices =
            Choices { world: Kind::Turmoil, agents: Some(7), ..Choices::drawn(3, Profile::Storm) };
        assert_eq!(choices.to_string(), "--seed 3 --profile storm --agents 7 --world turmoil");
        assert_eq!((choices.turmoil_plan().agents, choices.turmoil_plan().lasts), (7, TURMOIL_LASTS));
        choices.hours = Some(1);
        assert_eq!(choices.turmoil_plan().lasts, Span::from_secs(3_600));
        assert_eq!(Kind::parse("turmoil"), Some(Kind::Turmoil));
    }

    #[test]
    fn a_world_of_several_nodes_takes_its_profile_and_leaves_out_the_reference_hall() {
        let choices = Choices { world: Kind::Cluster, ..Choices::drawn(3, Profile::Swarm) };
        let plan = choices.cluster_plan();
        assert!(plan.base.games.is_empty() && plan.reference);
        let plan = Choices { profile: Profile::Mixed, named_only: true, ..choices }.cluster_plan();
        assert!(plan.base.games.len() > 1 && !plan.reference);
    }

    #[test]
    fn a_standard_run_has_both_kinds_of_worlds_and_the_profiles_with_trouble() {
        let worlds = Worlds::Standard(Choices::drawn(0, Profile::Swarm));
        let kinds: std::collections::BTreeSet<(&str, &str)> = (100..116)
            .map(|seed| worlds.of(seed))
            .map(|choices| (choices.world.word(), choices.profile.word()))
            .collect();
        for profile in ["swarm", "storm", "bells", "flood"] {
            assert!(
                kinds.contains(&("direct", profile)) && kinds.contains(&("turmoil", profile)),
                "{profile}"
            );
        }
        assert_eq!(worlds.of(1).to_string(), "--seed 1 --profile storm --agents 40 --world turmoil");
    }

    #[test]
    fn options_replace_drawn_values_and_appear_in_the_command() {
        let mut choices = Choices::drawn(7, Profile::Swarm);
        assert_eq!(choices.to_string(), "--seed 7 --profile swarm");
        choices.agents = Some(3);
        choices.hours = Some(2);
        choices.crypto = Some(Crypto::Real);
        let plan = choices.plan();
        assert_eq!(
            (plan.agent_profiles.len(), plan.lasts, plan.crypto),
            (3, Span::from_secs(7_200), Crypto::Real)
        );
        assert_eq!(choices.to_string(), "--seed 7 --profile swarm --agents 3 --hours 2 --crypto real");
    }
}
