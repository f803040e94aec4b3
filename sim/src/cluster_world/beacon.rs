//! The beacon of a world of several nodes: its rounds come to the leader, mostly in time, some late, some never.

use super::world::World;
use crate::dice::Dice;
use hall_core::rooms::BeaconStatus;
use hall_core::{BeaconChain, Caller, Command, RoomCommand};
use hall_wire::{Digest, Span, Timestamp};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// How often the leader asks for rounds.
const POLL_INTERVAL: Duration = Duration::from_millis(300);
/// How long it waits until one is entered.
const ENTRY_TIMEOUT: Duration = Duration::from_secs(2);

/// Publishes rounds until the world is over.
pub(super) async fn publish(world: Rc<World>, chain: BeaconChain, seed: u64) {
    while !world.is_over.get() {
        sleep(POLL_INTERVAL).await;
        let Some(node) = world.leader().and_then(|machine| world.node(machine)) else { continue };
        let now = node.engine.now();
        let waited_for: BTreeSet<u64> = node.engine.peek(|hall| {
            let waits = hall.rooms().iter().filter(|room| room.beacon_status() == BeaconStatus::Waiting);
            waits.filter_map(|room| room.beacon_terms()).map(|terms| terms.round).collect()
        });
        let is_there = |round: &u64| comes_at(seed, &chain, *round).is_some_and(|at| at <= now);
        for round in waited_for.into_iter().filter(is_there) {
            let signature = Digest::of_parts(&[b"round", &round.to_be_bytes()]);
            let what = Command::Room(RoomCommand::ReceiveBeacon {
                chain_hash: chain.chain_hash,
                round,
                randomness: Digest::of(signature.as_bytes()),
                signature: signature.to_hex(),
                after: None,
            });
            let engine = node.engine.clone();
            let telling =
                node.process.hold(async move { engine.submit(engine.arrive(), Caller::Hall, what).await });
            // One that was not entered comes again.
            drop(timeout(ENTRY_TIMEOUT, telling).await);
            world.judge().report.mark("beacon", "round");
        }
    }
}

/// When a round can be had, by the clock of the hall; some never can.
fn comes_at(seed: u64, chain: &BeaconChain, round: u64) -> Option<Timestamp> {
    let mut dice = Dice::of(seed, "beacon round", round);
    let late = match dice.below(16) {
        0 => return None,
        1 => dice.span(Span::from_secs(5), Span::from_secs(14)),
        _ => dice.span(Span::from_millis(100), Span::from_secs(2)),
    };
    Some(chain.genesis + Span::from_millis(chain.period.as_millis() * round.saturating_sub(1)) + late)
}
