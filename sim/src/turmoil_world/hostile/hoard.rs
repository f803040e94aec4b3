//! Requests and challenges that an agent keeps until the hall has restarted, and sends then.
//!
//! What a hall remembers of spent challenges dies with its process. So every challenge must die with it, too: one that
//! did not could be spent twice.

use super::gate::{DISABLE, UNSPENT};
use super::rules::Allowed;
use super::wire::{HostileAction, Request, moves_of};
use super::{Mischief, Scene};
use hall_client::wire::message::Challenge;
use std::sync::{Arc, Mutex, PoisonError};

/// The earlier process is gone, and the current one has not issued it.
const UNKNOWN: Allowed = &[(401, "CHALLENGE_UNKNOWN")];
const USED: HostileAction = HostileAction("used_before_restart", "A2", UNKNOWN);
const UNSENT: HostileAction = HostileAction("unsent_before_restart", "A2", UNKNOWN);
const BARE: HostileAction = HostileAction("challenge_before_restart", "A2", UNKNOWN);

/// How many of them an agent keeps.
const MOST_ITEMS: usize = 12;

/// Something that was kept.
enum Item {
    /// A request that was carried out.
    Used(Request),
    /// One that was signed and never sent.
    Unsent(Request),
    /// A challenge that nothing was signed with.
    Bare(Challenge),
}

/// What an agent has kept, with the number of the process of the hall that may have issued it. It outlives the agent's
/// program: an attacker that keeps requests to misuse them stores them.
#[derive(Clone, Default)]
pub(in super::super) struct Hoard(Arc<Mutex<Vec<(u64, Item)>>>);

impl Hoard {
    fn keep(&self, start: u64, item: Item) {
        let mut items = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if items.len() < MOST_ITEMS {
            items.push((start, item));
        }
    }

    /// Takes out what was kept before this start of the hall.
    fn take_from_before(&self, start: u64) -> Vec<Item> {
        let mut items = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        items.extract_if(.., |(kept, _)| *kept < start).map(|(_, item)| item).collect()
    }
}

impl Mischief {
    /// Keeps a request that was carried out, one that is never sent, and a challenge.
    pub(super) async fn hoard(&self, scene: Scene<'_>) -> Option<()> {
        let used = self.wire.fresh(DISABLE, b"{}").await?;
        self.wire.dare(UNSPENT, &used).await?;
        self.keep(Item::Used(used));
        let game = scene.view.game_id;
        let unsent = self.marked(&game, scene.view.turn_index, UNSENT);
        self.keep(Item::Unsent(self.wire.fresh(&moves_of(&game), &unsent.body).await?));
        self.keep(Item::Bare(self.wire.challenge(&self.wire.handle).await?));
        Some(())
    }

    /// Keeps something whose challenge was issued by the process of the hall that runs now, or by an earlier one.
    fn keep(&self, item: Item) {
        self.hoard.keep(self.start(), item);
    }

    /// Sends what it kept under an earlier process of the hall, twice.
    pub(super) async fn send_hoard(&self) {
        for item in self.hoard.take_from_before(self.start()) {
            let (action, request) = match item {
                Item::Used(request) => (USED, request),
                Item::Unsent(request) => (UNSENT, request),
                Item::Bare(challenge) => (BARE, self.wire.signed(&challenge, DISABLE, b"{}")),
            };
            for _ in 0..2 {
                self.wire.dare(action, &request).await;
            }
        }
    }

    /// The number of the process of the hall that runs.
    fn start(&self) -> u64 {
        self.wire.chronicle.open().start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hoard_returns_only_requests_of_earlier_processes_and_is_bounded() {
        let hoard = Hoard::default();
        let item = || Item::Bare(Challenge::from_bytes([1; 32]));
        hoard.keep(1, item());
        hoard.keep(2, item());
        assert_eq!(hoard.take_from_before(1).len(), 0);
        assert_eq!(hoard.take_from_before(2).len(), 1);
        assert_eq!(hoard.take_from_before(2).len(), 0, "it is sent once");
        (0..2 * MOST_ITEMS).for_each(|_| hoard.keep(3, item()));
        assert_eq!(hoard.take_from_before(4).len(), MOST_ITEMS);
    }
}
