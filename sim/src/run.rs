//! One world as somebody asks for it: which seed and which profile, with what changed about the plan.

use crate::crypto::Crypto;
use crate::direct::World;
use crate::plan::{Plan, Profile};
use crate::report::Report;
use hall_wire::Span;
use std::fmt;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choices {
    /// The seed.
    pub seed: u64,
    /// What the plan is drawn for.
    pub profile: Profile,
    /// So many agents instead of those drawn.
    pub agents: Option<usize>,
    /// So many hours of virtual time with faults instead of those drawn.
    pub hours: Option<u64>,
    /// These signatures instead of those drawn.
    pub crypto: Option<Crypto>,
}

impl Choices {
    /// The world of a seed as it is drawn.
    #[must_use]
    pub const fn drawn(seed: u64, profile: Profile) -> Self {
        Self { seed, profile, agents: None, hours: None, crypto: None }
    }

    /// The plan of the world.
    #[must_use]
    pub fn plan(&self) -> Plan {
        let mut plan = Plan::draw(self.seed, self.profile);
        if let Some(agents) = self.agents {
            plan.set_agents(agents);
        }
        if let Some(hours) = self.hours {
            plan.lasts = Span::from_secs(hours.saturating_mul(3_600));
        }
        if let Some(crypto) = self.crypto {
            plan.crypto = crypto;
        }
        plan
    }

    /// Runs the direct world.
    #[must_use]
    pub fn run(&self) -> Report {
        World::new(self.plan()).run()
    }
}

/// The arguments that ask for the same world again.
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
            Some(Crypto::Real) => out.write_str(" --crypto real"),
            Some(Crypto::StandIn) => out.write_str(" --crypto stand-in"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_replaces_what_was_drawn_and_stands_in_the_command() {
        let mut choices = Choices::drawn(7, Profile::Swarm);
        assert_eq!(choices.to_string(), "--seed 7 --profile swarm");
        choices.agents = Some(3);
        choices.hours = Some(2);
        choices.crypto = Some(Crypto::Real);
        let plan = choices.plan();
        assert_eq!((plan.tempers.len(), plan.lasts, plan.crypto), (3, Span::from_secs(7_200), Crypto::Real));
        assert_eq!(choices.to_string(), "--seed 7 --profile swarm --agents 3 --hours 2 --crypto real");
    }
}
