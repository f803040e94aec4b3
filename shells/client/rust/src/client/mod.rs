//! One hall and one handle: every endpoint, signed where it must be.

mod account;
mod any;
mod call;
mod documents;
mod doorbell;
mod games;
mod moves;

pub use account::{Feedback, FeedbackKind, Homologation, Lobby, Registration, Standing};
pub use documents::LeaderboardsQuery;
pub use games::{GamesQuery, Wait};
pub use moves::{AppliedTurn, IllegalMove, MOVE_HELD_SECONDS, MoveOutcome, NotApplied};

use crate::backoff::RetryPolicy;
use crate::challenge::Challenges;
use crate::clock::HallClock;
use crate::error::Error;
use crate::key::Key;
use crate::link::Link;
use crate::origin::Origin;
use crate::pace::{Pace, RequestLimit};
use crate::randomness::{Randomness, SystemRandomness};
use hall_wire::{AgentId, Handle, Timestamp};
use std::sync::Arc;

/// An agent's client of one hall.
///
/// Clones share connections, challenges and clock, so that several tasks can use one agent.
///
/// Calls that read, and calls that may be repeated without harm, are tried again after broken connections,
/// timeouts, RATE_LIMITED and UNAVAILABLE, within the bounds of the [`RetryPolicy`]. A join and a feedback post
/// are not repeated after a lost answer, because the second one would count as well; [`Client::make_move`] finds
/// out whether the first was taken.
#[derive(Clone, Debug)]
pub struct Client(Arc<Inner>);

struct Inner {
    origin: Origin,
    handle: Handle,
    key: Key,
    link: Link,
    policy: RetryPolicy,
    randomness: Arc<dyn Randomness>,
    challenges: Challenges,
    clock: HallClock,
    pace: Pace,
}

impl Client {
    /// A client of the hall that `key` belongs to, over TCP or TLS as its address says.
    ///
    /// # Errors
    /// [`Error::Transport`] if TLS is needed and this machine has no root certificates.
    pub fn new(handle: Handle, key: Key) -> Result<Self, Error> {
        let link =
            if key.hall().is_https() { Link::https().map_err(Error::Transport)? } else { Link::http() };
        Ok(Self::over(link, handle, key, RetryPolicy::default(), Arc::new(SystemRandomness)))
    }

    /// A client over a link, with a retry policy and randomness of one's own.
    #[must_use]
    pub fn over(
        link: Link,
        handle: Handle,
        key: Key,
        policy: RetryPolicy,
        randomness: Arc<dyn Randomness>,
    ) -> Self {
        let origin = key.hall().clone();
        let (challenges, clock, pace) = (Challenges::default(), HallClock::default(), Pace::default());
        Self(Arc::new(Inner { origin, handle, key, link, policy, randomness, challenges, clock, pace }))
    }

    /// Makes sure that this client speaks to `hall`, and to no other.
    ///
    /// # Errors
    /// [`KeyError::OtherHall`](crate::KeyError::OtherHall) if its key belongs to another hall.
    pub fn check_hall(&self, hall: &Origin) -> Result<(), Error> {
        self.0.key.check_hall(hall).map_err(Error::Key)
    }

    /// The hall.
    #[must_use]
    pub fn hall(&self) -> &Origin {
        &self.0.origin
    }

    /// The agent's handle.
    #[must_use]
    pub fn handle(&self) -> &Handle {
        &self.0.handle
    }

    /// The agent's key.
    #[must_use]
    pub fn key(&self) -> &Key {
        &self.0.key
    }

    /// The agent's identifier, which follows from its key.
    #[must_use]
    pub fn agent_id(&self) -> AgentId {
        self.0.key.agent_id()
    }

    /// The retry policy.
    #[must_use]
    pub fn policy(&self) -> &RetryPolicy {
        &self.0.policy
    }

    /// The hall's time now, as far as it is known: from the last pulses, carried on by the local timer. It is at
    /// most as far behind the truth as the fastest of those answers took. `None` before the first pulse.
    #[must_use]
    pub fn hall_time(&self) -> Option<Timestamp> {
        self.0.clock.now()
    }

    /// The hall's request limit, once, as soon as it makes requests of this client wait; `None` before and after.
    #[must_use]
    pub fn news_of_limit(&self) -> Option<RequestLimit> {
        self.0.pace.news()
    }

    pub(crate) fn randomness(&self) -> &dyn Randomness {
        self.0.randomness.as_ref()
    }
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} at {}", self.handle, self.origin)
    }
}
