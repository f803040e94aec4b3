//! The bytes of a connection on their way, and what goes wrong with them.

use super::network::{Network, Way};
use crate::dice::Dice;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, ReadHalf, WriteHalf};
use tokio::sync::watch;
use tokio::time::sleep;

/// Bytes after which a connection that is to be reset or to fall silent does so, at most.
const MOST_BYTES_BEFORE_FAULT: u64 = 3_000;
/// How many bytes of a slow connection pass at a time, and the milliseconds between them at most.
const DROP: (usize, u64) = (96, 8);

/// What goes wrong with the bytes of a connection in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Trouble {
    /// Nothing.
    #[default]
    None,
    /// After so many bytes the connection is reset.
    Reset(usize),
    /// After so many bytes nothing arrives any more, and neither end notices.
    Silence(usize),
    /// They come a few at a time.
    Slow,
}

/// What goes wrong with a connection of a client: with its requests, and with the answers.
pub(super) type Troubles = [Trouble; 2];

/// Draws the troubles of a connection; so many of 1,000 have any.
pub(super) fn troubles(permille: u32, dice: &mut Dice) -> Troubles {
    let mut troubles = [Trouble::None; 2];
    if dice.permille(permille) {
        let bytes = usize::try_from(dice.between(1, MOST_BYTES_BEFORE_FAULT)).unwrap_or(1);
        let trouble = match dice.below(4) {
            0 => return [Trouble::Slow; 2],
            1 => Trouble::Silence(bytes),
            _ => Trouble::Reset(bytes),
        };
        let [asked, told] = &mut troubles;
        *(if dice.permille(500) { asked } else { told }) = trouble;
    }
    troubles
}

/// One direction of a connection.
pub(super) struct Flow {
    pub(super) from: ReadHalf<DuplexStream>,
    pub(super) to: WriteHalf<DuplexStream>,
    pub(super) way: Arc<Way>,
    pub(super) trouble: Trouble,
    /// The name of the trouble.
    pub(super) word: &'static str,
    /// Told to both directions when the connection is reset.
    pub(super) reset: watch::Sender<bool>,
    pub(super) is_reset: watch::Receiver<bool>,
    /// How many bytes pass at a time.
    pub(super) at_once: usize,
    pub(super) network: Network,
}

impl Flow {
    /// Carries bytes until an end is closed or the connection is reset.
    pub(super) async fn carry(mut self) {
        let (mut all_resets, mut is_reset) = (self.way.resets(), self.is_reset.clone());
        let is_noticed = tokio::select! {
            biased;
            _ = all_resets.changed() => true,
            _ = is_reset.changed() => true,
            is_noticed = self.pass() => is_noticed,
        };
        if is_noticed {
            // Who went away first does not matter.
            let _ = self.to.shutdown().await;
        }
    }

    /// Passes bytes on. Whether the reader notices that there are no more.
    async fn pass(&mut self) -> bool {
        let mut buffer = vec![0; self.at_once];
        let mut left = match self.trouble {
            Trouble::Reset(bytes) | Trouble::Silence(bytes) => bytes,
            Trouble::None | Trouble::Slow => usize::MAX,
        };
        if self.trouble == Trouble::Slow {
            self.network.note(self.word);
        }
        loop {
            let read = self.from.read(&mut buffer).await.unwrap_or(0);
            self.way.pass().await;
            let arrived = buffer.get(..read.min(left)).unwrap_or_default();
            if read == 0 {
                return left > 0;
            }
            let dripping = (self.trouble == Trouble::Slow).then_some(DROP.0);
            for drop in arrived.chunks(dripping.unwrap_or(self.at_once)) {
                if self.to.write_all(drop).await.is_err() {
                    return true;
                }
                if dripping.is_some() {
                    sleep(Duration::from_millis(DROP.1)).await;
                }
            }
            let before = left;
            left -= if left == usize::MAX { 0 } else { arrived.len() };
            if before > 0 && left == 0 {
                self.network.note(self.word);
            }
            if left == 0 && matches!(self.trouble, Trouble::Reset(_)) {
                self.reset.send_replace(true);
                return true;
            }
        }
    }
}
