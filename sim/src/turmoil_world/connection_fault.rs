//! A fault of one connection: it is reset, it drips, or it is half-open.

use crate::dice::Dice;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep};

/// Bytes after which a connection that is to be reset or to be half-open is so, at most.
const MOST_BYTES_BEFORE_FAULT: u64 = 3_000;
/// How many bytes pass at a time where a connection drips, at least and at most.
const DROP: (u64, u64) = (1, 24);
/// Milliseconds between them.
const PAUSE: (u64, u64) = (1, 8);

/// How often new connections have faults: so many of 1,000 each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Odds {
    /// They are reset.
    pub(super) resets: u32,
    /// They drip.
    pub(super) drips: u32,
    /// They are half-open.
    pub(super) half_open: u32,
}

/// The fault of a connection.
pub(super) enum ConnectionFault {
    /// Nothing.
    None,
    /// It is reset.
    Reset(End),
    /// After some byte nothing arrives in one direction, and neither side notices.
    HalfOpen(End),
    /// Its bytes come a few at a time, in both directions.
    Drip(Drip),
}

/// The end of what arrives in one direction.
pub(super) struct End {
    /// Whether it is what the client reads.
    pub(super) reading: bool,
    /// Bytes that still arrive.
    pub(super) left: u64,
}

impl ConnectionFault {
    /// Draws one. Resets have a separate random stream.
    pub(super) fn draw(odds: Odds, of_resets: &mut Dice, of_others: &mut Dice) -> Self {
        if odds.resets > 0 && of_resets.permille(odds.resets) {
            return Self::Reset(End::draw(of_resets));
        }
        if of_others.permille(odds.drips) {
            return Self::Drip(Drip::draw(of_others));
        }
        if of_others.permille(odds.half_open) {
            return Self::HalfOpen(End::draw(of_others));
        }
        Self::None
    }

    /// Counts bytes that pass in one direction. Returns whether the fault has occurred, with them or before.
    pub(super) fn pass(&mut self, reading: bool, bytes: usize) -> bool {
        match self {
            Self::None => false,
            Self::Drip(drip) => {
                drip.has_passed(reading);
                true
            }
            Self::Reset(end) | Self::HalfOpen(end) => end.pass(reading, bytes),
        }
    }

    /// Its name.
    pub(super) const fn word(&self) -> &'static str {
        match self {
            Self::None => "connection well",
            Self::Drip(_) => "connection drips",
            Self::Reset(end) if end.reading => "connection reset in an answer",
            Self::Reset(_) => "connection reset in a request",
            Self::HalfOpen(end) if end.reading => "connection half-open in an answer",
            Self::HalfOpen(_) => "connection half-open in a request",
        }
    }

    /// Whether it is a reset, which both sides notice immediately.
    pub(super) const fn is_reset(&self) -> bool {
        matches!(self, Self::Reset(_))
    }
}

impl End {
    fn draw(dice: &mut Dice) -> Self {
        Self { reading: dice.below(2) == 0, left: dice.between(1, MOST_BYTES_BEFORE_FAULT) }
    }

    /// Counts bytes that pass in one direction. Whether all have passed.
    fn pass(&mut self, reading: bool, bytes: usize) -> bool {
        if self.reading == reading {
            self.left = self.left.saturating_sub(u64::try_from(bytes).unwrap_or(u64::MAX));
        }
        self.left == 0
    }

    /// How many of so many bytes may still pass in a direction.
    pub(super) fn room(&self, reading: bool, bytes: usize) -> usize {
        if self.reading == reading { usize::try_from(self.left).unwrap_or(bytes).min(bytes) } else { bytes }
    }
}

/// A few bytes at a time.
pub(super) struct Drip {
    /// How many at a time.
    pub(super) bytes: usize,
    pause: Duration,
    taps: [Option<Pin<Box<Sleep>>>; 2],
    /// What has arrived and does not pass yet.
    pub(super) arrived: Vec<u8>,
}

impl Drip {
    fn draw(dice: &mut Dice) -> Self {
        let bytes = usize::try_from(dice.between(DROP.0, DROP.1)).unwrap_or(1);
        let pause = Duration::from_millis(dice.between(PAUSE.0, PAUSE.1));
        Self { bytes, pause, taps: [None, None], arrived: Vec::new() }
    }

    fn tap(&mut self, reading: bool) -> &mut Option<Pin<Box<Sleep>>> {
        let [written, read] = &mut self.taps;
        if reading { read } else { written }
    }

    /// Waits until the next bytes may pass in a direction.
    pub(super) fn poll_ready(&mut self, reading: bool, cx: &mut Context<'_>) -> Poll<()> {
        self.tap(reading).as_mut().map_or(Poll::Ready(()), |sleep| sleep.as_mut().poll(cx))
    }

    /// Bytes have passed in a direction, and the next ones take a while.
    pub(super) fn has_passed(&mut self, reading: bool) {
        let pause = self.pause;
        match self.tap(reading) {
            Some(sleep) => sleep.as_mut().reset(Instant::now() + pause),
            none => *none = Some(Box::pin(sleep(pause))),
        }
    }
}
