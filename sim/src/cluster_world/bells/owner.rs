//! An agent that looks after its doorbell: it registers one, proves it, and does so again when it was suspended.

use super::registry::{Endpoint, EndpointRegistry};
use crate::agents::Identity;
use crate::cluster_world::world::World;
use crate::dice::Dice;
use hall_core::desk::DoorbellState;
use hall_core::rooms::ChallengeText;
use hall_core::{AddressCheck, Answer, Caller, Command, DoorbellCommand, Reply};
use hall_wire::key::PrivateKey;
use hall_wire::message::doorbell_endpoint;
use hall_wire::{AgentId, Handle, PublicKey};
use std::rc::Rc;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// How long an answer is waited for.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);
/// Time between two looks at the doorbell, in milliseconds on average.
const LOOKS: u64 = 3_000;

struct Owner {
    world: Rc<World>,
    endpoint: Endpoint,
    handle: Handle,
    key: PrivateKey,
    public: PublicKey,
}

/// Lets the agent in this place have a doorbell, unless agents in its place have none.
pub(in super::super) fn tend(
    world: &Rc<World>,
    registry: &EndpointRegistry,
    place: usize,
    identity: &Identity,
) {
    let agent = AgentId::of_key(&identity.public);
    let Some(endpoint) = registry.add(place, agent) else { return };
    let dice = Dice::of(registry.seed(), "owner of a doorbell", u64::from(endpoint.number));
    let (handle, key, public) = (identity.handle.clone(), identity.key.clone(), identity.public);
    let owner = Owner { world: Rc::clone(world), endpoint, handle, key, public };
    drop(tokio::task::spawn_local(owner.live(dice)));
}

impl Owner {
    async fn live(self, mut dice: Dice) {
        let mut registered = 0;
        loop {
            sleep(Duration::from_millis(dice.about(LOOKS))).await;
            if self.world.is_over.get() {
                return;
            }
            match self.state() {
                Some(DoorbellState::None | DoorbellState::Suspended) => {
                    registered += 1;
                    let (url, address) = (self.endpoint.url(registered), AddressCheck::Permitted);
                    self.asks(DoorbellCommand::Register { url, address }).await;
                }
                Some(DoorbellState::Pending) => self.verify(&mut dice).await,
                Some(DoorbellState::Verified) | None => {}
            }
        }
    }

    /// The state of its doorbell; none if nobody leads, or the hall does not know the agent.
    fn state(&self) -> Option<DoorbellState> {
        let node = self.world.node(self.world.leader()?)?;
        let now = node.engine.now();
        node.engine.peek(|hall| {
            hall.desk().agent(&self.endpoint.agent)?;
            let doorbell = hall.desk().doorbell(&self.endpoint.agent);
            Some(doorbell.map_or(DoorbellState::None, |doorbell| doorbell.state_at(now)))
        })
    }

    async fn verify(&self, dice: &mut Dice) {
        let begun = self.asks(DoorbellCommand::BeginVerification).await;
        let Some(Ok(Reply::DoorbellVerifying { url, challenge })) = begun else { return };
        sleep(Duration::from_millis(dice.between(5, 200))).await;
        let signature = {
            let message = doorbell_endpoint(&self.handle, &challenge, &url);
            self.world.hall.crypto.sign(&self.key, &self.public, message.as_bytes())
        };
        let (agent, challenge) = (self.endpoint.agent, ChallengeText::from(challenge));
        let confirm = DoorbellCommand::Confirm { agent, challenge, signature };
        self.is_answered(Caller::Hall, confirm).await;
    }

    async fn asks(&self, what: DoorbellCommand) -> Option<Answer> {
        self.is_answered(Caller::Agent(self.endpoint.agent), what).await
    }

    /// What the leader answers, if it answers in time.
    async fn is_answered(&self, who: Caller, what: DoorbellCommand) -> Option<Answer> {
        let node = self.world.node(self.world.leader()?)?;
        let engine = node.engine.clone();
        let asking = node
            .process
            .hold(async move { engine.submit(engine.arrive(), who, Command::Doorbell(what)).await });
        timeout(ANSWER_TIMEOUT, asking).await.ok()??.ok()
    }
}
