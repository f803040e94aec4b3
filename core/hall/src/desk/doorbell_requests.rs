//! Requests of agents about their doorbells, and the invariants of all doorbells (specification 2.10, decision 9.1).

use crate::command::Caller;
use crate::decision::Decision;
use crate::desk::context::DeskContext;
use crate::desk::doorbells::{Doorbell, Ringing, is_counted};
use crate::desk::state::Desk;
use crate::doorbell::{AddressCheck, DoorbellChange, DoorbellFact};
use crate::entropy::Entropy;
use crate::limits;
use crate::rejection::Rejection;
use crate::reply::Reply;
use alloc::vec;
use alloc::vec::Vec;
use hall_rooms::ChallengeText;
use hall_wire::message::Challenge;
use hall_wire::{AgentId, GameId, Signature};

impl Desk {
    /// The doorbell of an agent, if it ever registered one.
    #[must_use]
    pub fn doorbell(&self, agent: &AgentId) -> Option<&Doorbell> {
        self.doorbells.find(agent)
    }

    /// Every doorbell, by agent.
    pub fn doorbells(&self) -> impl Iterator<Item = (&AgentId, &Doorbell)> {
        self.doorbells.iter()
    }

    /// Registers an address to be rung (specification 2.10).
    pub(super) fn register_doorbell(
        &self,
        context: &DeskContext<'_>,
        who: Caller,
        url: &str,
        address: AddressCheck,
        entropy: &mut dyn Entropy,
    ) -> Result<Decision, Rejection> {
        let agent = self.caller(who)?.id;
        if address == AddressCheck::Refused {
            return Err(Rejection::DoorbellUrlRefused);
        }
        let mut random = [0; 32];
        entropy.fill(&mut random);
        let challenge = Challenge::from_bytes(random);
        let expires = context.at + limits::DOORBELL_CHALLENGE_VALIDITY;
        let change = DoorbellChange::Registered { url: url.into(), challenge: challenge.into(), expires };
        let reply = Reply::DoorbellRegistered { challenge, expires };
        Ok(Decision::grant(reply, vec![DoorbellFact { at: context.at, agent, change }.into()]))
    }

    /// Begins a verification. The beginning is what counts, so that a crash before the end costs one, too.
    pub(super) fn begin_verification(
        &self,
        context: &DeskContext<'_>,
        who: Caller,
    ) -> Result<Decision, Rejection> {
        let agent = self.caller(who)?.id;
        let doorbell = self.doorbell(&agent).ok_or(Rejection::DoorbellNotRegistered)?;
        let pending = doorbell.pending_at(context.at).ok_or(Rejection::DoorbellNotRegistered)?;
        let challenge = Challenge::parse(&pending.challenge.0).ok_or(Rejection::DoorbellNotRegistered)?;
        let mut counted = doorbell.verifications.iter().filter(|begun| is_counted(**begun, context.at));
        if counted.clone().count() >= limits::DOORBELL_VERIFICATIONS {
            let oldest = counted.next().copied().unwrap_or(context.at);
            let retry_after = (oldest + limits::DOORBELL_VERIFICATION_WINDOW).since(context.at);
            return Err(Rejection::DoorbellVerifications { retry_after });
        }
        let reply = Reply::DoorbellVerifying { url: pending.url.clone(), challenge };
        Ok(Decision::grant(
            reply,
            vec![DoorbellFact { at: context.at, agent, change: DoorbellChange::VerificationBegun }.into()],
        ))
    }

    /// Records that the endpoint has signed the challenge. That the challenge had not expired was checked before the
    /// endpoint was asked.
    pub(super) fn confirm_doorbell(
        &self,
        context: &DeskContext<'_>,
        agent: AgentId,
        challenge: &ChallengeText,
        signature: &Signature,
    ) -> Result<Decision, Rejection> {
        let pending = self.doorbell(&agent).and_then(|doorbell| doorbell.pending.as_ref());
        let pending = pending.filter(|pending| pending.challenge == *challenge);
        let pending = pending.ok_or(Rejection::DoorbellNotRegistered)?;
        let change = DoorbellChange::Verified {
            url: (*pending.url).into(),
            challenge: challenge.clone(),
            signature: *signature,
        };
        Ok(Decision::grant(
            Reply::DoorbellVerified { at: context.at },
            vec![DoorbellFact { at: context.at, agent, change }.into()],
        ))
    }

    /// Disables the doorbell. Disabling a doorbell that does not exist is not an error (decision 3).
    pub(super) fn disable_doorbell(
        &self,
        context: &DeskContext<'_>,
        who: Caller,
    ) -> Result<Decision, Rejection> {
        let agent = self.caller(who)?.id;
        let there = |doorbell: &&Doorbell| doorbell.pending.is_some() || doorbell.bell.is_some();
        let facts = match self.doorbell(&agent).filter(there) {
            Some(_) => vec![DoorbellFact { at: context.at, agent, change: DoorbellChange::Disabled }.into()],
            None => Vec::new(),
        };
        Ok(Decision::grant(Reply::Done, facts))
    }

    /// The agents of a game in memory.
    pub(crate) fn seated(&self, game: &GameId) -> impl Iterator<Item = AgentId> {
        self.games.get(game).into_iter().flat_map(|seated| seated.seats.iter().map(|(agent, _)| *agent))
    }

    /// Asserts what must always be true of doorbells.
    pub(super) fn check_doorbells(&self) {
        for (agent, doorbell) in self.doorbells.iter() {
            assert!(self.registry.find(agent).is_some(), "{agent} has a doorbell and is registered");
            let times = &doorbell.verifications;
            assert!(times.len() <= limits::DOORBELL_VERIFICATIONS, "{agent} verified too often");
            assert!(times.is_sorted(), "{agent}'s verifications are in order");
            for known in &doorbell.ringing {
                let same =
                    |other: &&Ringing| (other.game, other.turn_index) == (known.game, known.turn_index);
                assert_eq!(doorbell.ringing.iter().filter(same).count(), 1, "a turn is remembered once");
                assert!(self.activities.live(agent).contains(&known.game), "{agent} plays {}", known.game);
                assert!((1..=limits::RING_ATTEMPTS).contains(&known.attempts), "five attempts at most");
            }
            if let Some(bell) = &doorbell.bell {
                assert!(
                    bell.failures_in_row <= limits::FAILED_TURNS_TO_SUSPEND,
                    "the doorbell of {agent} is suspended by then"
                );
            }
        }
    }
}
