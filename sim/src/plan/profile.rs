//! Profiles: the recipes by which plans are drawn.

use serde::{Deserialize, Serialize};

/// The kind of world that a plan is drawn for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// Honest agents and no faults.
    Calm,
    /// A random selection of everything, in random strength.
    Swarm,
    /// Everything at the same time.
    Storm,
    /// Honest agents and ten times as many that flood the hall, and nothing else that goes wrong.
    Flood,
    /// As a swarm, and every agent has a doorbell, with an endpoint of one kind or another.
    Bells,
    /// Games without a resignation, so that they come to every end that the rules have.
    Long,
    /// Agents that play as many slow games as they may, and a hall that stands still: more games than one command gives
    /// time back to.
    Crowded,
    /// As a swarm, and agents play several games and variants, at tables of two, three and four.
    Mixed,
    /// Honest agents that play as fast as they can: for measuring.
    Bench,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Self; 9] = [
        Self::Calm,
        Self::Swarm,
        Self::Storm,
        Self::Flood,
        Self::Bells,
        Self::Long,
        Self::Crowded,
        Self::Mixed,
        Self::Bench,
    ];

    /// Its word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Calm => "calm",
            Self::Swarm => "swarm",
            Self::Storm => "storm",
            Self::Flood => "flood",
            Self::Bells => "bells",
            Self::Long => "long",
            Self::Crowded => "crowded",
            Self::Mixed => "mixed",
            Self::Bench => "bench",
        }
    }

    /// The profile with this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.word() == word)
    }
}
