//! The doorbells of one process of the hall: the client of production over this network.

use super::super::sockets::Sockets;
use super::village::Village;
use super::way::{Names, Way};
use crate::dice::Dice;
use hall_core::desk::LastAttempt;
use hall_driver::Engine;
use hall_http::{Doorbells, RingCounts, Unverified, Verifying};
use hall_outbound::doorbell::{
    BellTower, CallFailure, DoorbellUrl, Endpoints, Policy, VerifyFailure, ring_turns,
};
use hall_wire::message::Challenge;
use hall_wire::{AgentId, Handle};
use std::sync::{Arc, Mutex, PoisonError};

/// The doorbells of one process of the hall.
#[derive(Clone)]
pub(in super::super) struct Tower(Arc<BellTower>);

impl Tower {
    /// Those of the process with this number, whose connections are these. The policy is that of a hall without settings.
    pub(in super::super) fn new(village: &Village, seed: u64, start: u64, sockets: Sockets) -> Self {
        village.started(start);
        let way = Way { village: village.clone(), sockets, start };
        let (names, roots) = (Names(village.clone()), &village.identity().roots);
        let endpoints = Endpoints::over(Policy::default(), roots, Box::new(names), Box::new(way));
        let dice = Mutex::new(Dice::of(seed, "waits of rings", start));
        let draw = move |most| dice.lock().unwrap_or_else(PoisonError::into_inner).between(0, most);
        Self(Arc::new(BellTower::new(endpoints, village.ring_key(), Box::new(draw))))
    }

    /// Rings for the turns of a hall until it ends.
    pub(in super::super) async fn ring(self, engine: Engine) {
        ring_turns(engine, self.0).await;
    }
}

/// As the binary has it.
impl Doorbells for Tower {
    fn permits(&self, url: &str) -> bool {
        DoorbellUrl::parse(url, self.0.endpoints().policy()).is_ok()
    }

    fn verify<'a>(&'a self, url: &'a str, handle: &'a Handle, challenge: &'a Challenge) -> Verifying<'a> {
        Box::pin(async move {
            self.0.endpoints().verify(url, handle, challenge).await.map_err(|failure| match failure {
                VerifyFailure::Call(CallFailure::Refused) => Unverified::Refused,
                VerifyFailure::Call(CallFailure::Unreachable) => Unverified::Unreachable,
                VerifyFailure::Call(CallFailure::Timeout) => Unverified::Timeout,
                VerifyFailure::Call(CallFailure::BadStatus(_)) => Unverified::BadStatus,
                VerifyFailure::TooOften(wait) => Unverified::TooOften(wait),
                VerifyFailure::NoSignature => Unverified::NoSignature,
                VerifyFailure::BadSignature => Unverified::BadSignature,
            })
        })
    }

    fn last(&self, agent: &AgentId) -> Option<LastAttempt> {
        self.0.last(agent)
    }

    fn counts(&self) -> RingCounts {
        let tally = self.0.tally();
        RingCounts {
            answered: tally.answered(),
            failed: tally.failed(),
            dropped: tally.dropped(),
            turns: tally.turns(),
            under_way: tally.under_way(),
        }
    }
}
