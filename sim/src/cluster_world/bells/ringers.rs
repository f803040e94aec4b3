//! The ringing of one process: that of the shipped program, for as long as the process leads.

use super::connector::Connector;
use super::registry::EndpointRegistry;
use super::weak;
use crate::cluster_world::plan::Weakness;
use crate::dice::Dice;
use hall_driver::Engine;
use hall_outbound::doorbell::{Endpoints, Policy, RingNotifier, TlsRoots, ring_turns};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;

/// What the ringing of a process needs.
pub(in super::super) struct RingerParts {
    pub(in super::super) registry: EndpointRegistry,
    pub(in super::super) process: u64,
    /// As it calls itself in the journal.
    pub(in super::super) owner: String,
    pub(in super::super) engine: Engine,
    pub(in super::super) weakness: Option<Weakness>,
}

impl RingerParts {
    /// Endpoints as this process reaches them. The policy is that of a hall without settings.
    fn endpoints(&self) -> Endpoints {
        let (registry, process, owner) = (self.registry.clone(), self.process, self.owner.clone());
        let roots = TlsRoots::of(registry.identity().roots.clone());
        let roots =
            roots.unwrap_or_else(|error| unreachable!("the provider has the default versions: {error}"));
        let connector = Connector { registry, process, owner };
        Endpoints::over(Policy::default(), &roots, Box::new(connector.clone()), Box::new(connector))
    }

    fn notifier(&self) -> Arc<RingNotifier> {
        let dice = Mutex::new(Dice::of(self.registry.seed(), "waits of rings", self.process));
        let jitter = move |most| dice.lock().unwrap_or_else(PoisonError::into_inner).between(0, most);
        Arc::new(RingNotifier::new(self.endpoints(), self.registry.ring_key(), Box::new(jitter)))
    }
}

/// Rings whenever the process leads, until it ends or the world is over; attempts under way are abandoned when it leads no
/// longer.
pub(in super::super) async fn ring_while_leading(parts: RingerParts, mut leads: watch::Receiver<bool>) {
    let notifier = parts.notifier();
    loop {
        let ringing = async {
            match parts.weakness {
                Some(Weakness::SilentRingers) => {}
                Some(weakness @ (Weakness::StubbornRingers | Weakness::ForgetfulRingers)) => {
                    weak::ring(&parts.engine, &parts.endpoints(), parts.registry.ring_key(), weakness).await;
                }
                _ => ring_turns(parts.engine.clone(), Arc::clone(&notifier)).await,
            }
            // The hall has ended.
            std::future::pending::<()>().await;
        };
        let changed = if *leads.borrow_and_update() {
            tokio::select! {
                biased;
                changed = leads.changed() => changed,
                () = parts.registry.ended() => return,
                () = ringing => return,
            }
        } else {
            leads.changed().await
        };
        if changed.is_err() {
            return;
        }
    }
}
