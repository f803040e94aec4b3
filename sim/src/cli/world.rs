//! The arguments that choose a world.

use clap::Args;
use hall_sim::crypto::Crypto;
use hall_sim::plan::Profile;
use hall_sim::run::{Choices, Kind};

/// Agents that a world can have: some five times as many as fit in 4 GiB.
const MOST_AGENTS: usize = 1_000_000;

/// What changes about the worlds that are drawn.
#[derive(Clone, Debug, Args)]
pub(super) struct WorldArgs {
    /// What kind of world: swarm (a random part of everything), calm (no faults), storm (every agent profile and trouble), flood
    /// (far more hostile agents than honest ones), bells (agents with doorbells of every kind), long (games to
    /// every end that the rules have), crowded (more live games than one command gives time back to after a gap), mixed (several
    /// games at tables of two to four, and an operator who vacates seats) or bench (agents that play as fast as they can); a
    /// cluster world has only swarm (chess, and agents that are never slow) and mixed (several games, agents of most kinds, an
    /// operator) [default: swarm; of `check` without --world, several by turns]
    #[arg(long, value_name = "PROFILE", value_parser = profile)]
    pub(super) profile: Option<Profile>,
    /// This many agents instead of those drawn
    #[arg(long, value_name = "A", value_parser = agents)]
    agents: Option<usize>,
    /// This many hours of virtual time instead of those drawn
    #[arg(long, value_name = "H")]
    hours: Option<u64>,
    /// Signatures instead of those drawn: real (Ed25519) or stand-in (a hash, cheap)
    #[arg(long, value_name = "KIND", value_parser = crypto)]
    crypto: Option<Crypto>,
    /// Check named invariants alone, without the reference hall and what is tried on copies of the hall (R1, R2), to see
    /// what they find by themselves
    #[arg(long)]
    named_only: bool,
}

impl WorldArgs {
    /// The direct world of a seed.
    pub(super) const fn choices(&self, seed: u64) -> Choices {
        Choices {
            world: Kind::Direct,
            seed,
            profile: match self.profile {
                Some(profile) => profile,
                None => Profile::Swarm,
            },
            agents: self.agents,
            hours: self.hours,
            crypto: self.crypto,
            named_only: self.named_only,
        }
    }
}

/// The world of one seed.
#[derive(Clone, Debug, Args)]
pub(super) struct SeedArgs {
    /// The seed of the world
    #[arg(long, value_name = "N")]
    pub(super) seed: u64,
    #[command(flatten)]
    world: WorldArgs,
}

impl SeedArgs {
    /// It, as a direct world.
    pub(super) const fn choices(&self) -> Choices {
        self.world.choices(self.seed)
    }
}

/// The world of one seed, of which each step is kept.
#[derive(Clone, Debug, Args)]
pub(super) struct StepsArgs {
    #[command(flatten)]
    pub(super) seed: SeedArgs,
    /// Only there to say what to do instead.
    #[arg(long, value_name = "WORLD", default_value = "direct", value_parser = kind, hide = true)]
    world: Kind,
}

impl StepsArgs {
    /// It, as a direct world.
    ///
    /// # Errors
    /// A text for people: it is asked for in another world.
    pub(super) const fn choices_in_steps(&self) -> Result<Choices, &'static str> {
        match self.world {
            Kind::Direct => Ok(self.seed.choices()),
            Kind::Turmoil => Err(
                "a turmoil world is not kept step by step; look at it with `hall-sim run`, and make it smaller with fewer \
                 --agents",
            ),
            Kind::Cluster => {
                Err("a world of several nodes is not kept step by step; look at it with `hall-sim run`")
            }
        }
    }
}

/// Which kind of world.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct KindArgs {
    /// Which world: direct (virtual network and disk, fast), turmoil (the real service and the real client over
    /// simulated HTTP) or cluster (several nodes over one database, one world of four over HTTP) [default: direct; of `check`
    /// without --profile, direct and turmoil by turns]
    #[arg(long, value_name = "WORLD", value_parser = kind)]
    pub(super) world: Option<Kind>,
}

impl KindArgs {
    /// The choices for this world.
    ///
    /// # Errors
    /// A text for people: this world has no such choice.
    pub(super) fn apply(self, mut choices: Choices) -> Result<Choices, &'static str> {
        let world = self.world.unwrap_or_default();
        if world == Kind::Turmoil && choices.crypto == Some(Crypto::StandIn) {
            return Err("the signatures of the turmoil world are real; leave out --crypto");
        }
        if world == Kind::Cluster && (choices.agents, choices.hours, choices.crypto) != (None, None, None) {
            return Err(
                "a world of several nodes is drawn from its seed alone; leave out --agents, --hours and --crypto",
            );
        }
        if world == Kind::Cluster && !matches!(choices.profile, Profile::Swarm | Profile::Mixed) {
            return Err("a world of several nodes has the profile swarm or mixed");
        }
        choices.world = world;
        Ok(choices)
    }
}

fn agents(text: &str) -> Result<usize, String> {
    let agents = text.parse().ok().filter(|agents| (1..=MOST_AGENTS).contains(agents));
    agents.ok_or_else(|| format!("a number from 1 to {MOST_AGENTS}"))
}

fn kind(word: &str) -> Result<Kind, String> {
    Kind::parse(word).ok_or_else(|| "one of direct, turmoil, cluster".to_owned())
}

fn profile(word: &str) -> Result<Profile, String> {
    Profile::parse(word).ok_or_else(|| {
        let words: Vec<&str> = Profile::ALL.into_iter().map(Profile::word).collect();
        format!("one of {}", words.join(", "))
    })
}

fn crypto(word: &str) -> Result<Crypto, String> {
    match word {
        "real" => Ok(Crypto::Real),
        "stand-in" => Ok(Crypto::StandIn),
        _ => Err("one of real, stand-in".to_owned()),
    }
}
