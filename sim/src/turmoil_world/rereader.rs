//! A third program of an agent, which looks at its game again and again while words of it are being withheld.
//!
//! What is withheld is so from the moment at which the hall decides it, and on disk a little later. Who looks between
//! the two may make the hall remember the words under their new state, and show them for ever (S5).

use super::chronicle::Shared;
use super::clock::network_millis;
use hall_client::Client;
use hall_wire::{AgentId, GameId};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::sleep;

/// How long it looks, and how long it rests between two looks, in milliseconds.
const LASTS: u64 = 1_500;
const BETWEEN: u64 = 25;

/// Tells players that words of a game are about to be withheld. They hear it in the order in which they began to listen.
#[derive(Clone, Debug, Default)]
pub(super) struct Notice(Arc<(Mutex<Option<GameId>>, Notify)>);

impl Notice {
    /// Words of this game will be withheld at once.
    pub(super) fn give(&self, game: GameId) {
        *self.game() = Some(game);
        self.0.1.notify_waiters();
    }

    /// Waits for the next notice.
    async fn next(&self) -> Option<GameId> {
        self.0.1.notified().await;
        *self.game()
    }

    fn game(&self) -> MutexGuard<'_, Option<GameId>> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The third program.
pub(super) struct Rereader {
    pub(super) agent: AgentId,
    pub(super) client: Client,
    pub(super) notice: Notice,
    pub(super) chronicle: Shared,
}

impl Rereader {
    /// Looks at what is withheld, for ever.
    pub(super) async fn look_again(self) {
        loop {
            let Some(game) = self.notice.next().await else { continue };
            if !self.chronicle.open().seats.get(&game).is_some_and(|seats| seats.contains(&self.agent)) {
                continue;
            }
            let ends = network_millis() + LASTS;
            while network_millis() < ends {
                // Several at once, so that one of them is held up where it matters.
                tokio::join!(self.look(&game), self.look(&game), self.look(&game));
                sleep(Duration::from_millis(BETWEEN)).await;
            }
        }
    }

    async fn look(&self, game: &GameId) {
        let asked = network_millis();
        if self.client.view(game).await.is_err() {
            return;
        }
        let mut chronicle = self.chronicle.open();
        if chronicle.outside.words.were_withheld_within(*game, asked..network_millis()) {
            chronicle.report.mark("withheld", "while a player looked");
        }
    }
}
