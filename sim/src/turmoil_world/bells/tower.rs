//! The doorbells of one process of the hall: the client of production over this network.

use super::super::sockets::Sockets;
use super::village::Village;
use super::way::{Names, Way};
use crate::dice::Dice;
use hall_outbound::doorbell::{BellTower, Endpoints, Policy};
use std::sync::{Arc, Mutex, PoisonError};

/// The doorbells of the process with the number `start`, whose connections are these. The policy is that of a hall
/// without settings.
pub(in super::super) fn tower(village: &Village, seed: u64, start: u64, sockets: Sockets) -> Arc<BellTower> {
    village.started(start);
    let way = Way { village: village.clone(), sockets, start };
    let (names, roots) = (Names(village.clone()), &village.identity().roots);
    let endpoints = Endpoints::over(Policy::default(), roots, Box::new(names), Box::new(way));
    let dice = Mutex::new(Dice::of(seed, "waits of rings", start));
    let draw = move |most| dice.lock().unwrap_or_else(PoisonError::into_inner).between(0, most);
    Arc::new(BellTower::new(endpoints, village.ring_key(), Box::new(draw)))
}
