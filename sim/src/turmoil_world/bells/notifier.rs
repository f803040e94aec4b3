//! The doorbells of one process of the hall: the client of production over this network.

use super::super::sockets::Sockets;
use super::connector::{Connector, Names};
use super::registry::EndpointRegistry;
use crate::dice::Dice;
use hall_outbound::doorbell::{Endpoints, Policy, RingNotifier, TlsRoots};
use std::sync::{Arc, Mutex, PoisonError};

/// The doorbells of the process with the number `start`, whose connections are these. The policy is that of a hall
/// without settings.
pub(in super::super) fn notifier(
    registry: &EndpointRegistry,
    seed: u64,
    start: u64,
    sockets: Sockets,
) -> Arc<RingNotifier> {
    registry.started(start);
    let connector = Connector { registry: registry.clone(), sockets, start };
    let names = Names(registry.clone());
    let roots =
        TlsRoots::of(registry.identity().roots.clone()).expect("the provider has the default versions");
    let endpoints = Endpoints::over(Policy::default(), &roots, Box::new(names), Box::new(connector));
    let dice = Mutex::new(Dice::of(seed, "waits of rings", start));
    let draw = move |most| dice.lock().unwrap_or_else(PoisonError::into_inner).between(0, most);
    Arc::new(RingNotifier::new(endpoints, registry.ring_key(), Box::new(draw)))
}
