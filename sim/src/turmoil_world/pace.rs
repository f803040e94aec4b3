//! Time that passes inside the hall: its disk takes a while, and its tasks are held up at their awaits.
//!
//! Without it a step of the writer and a handler of a request are instants: nobody ever reads while memory is ahead of
//! the disk, and nothing happens between two awaits.

use crate::dice::Dice;
use hall_driver::{Holds, Pause};
use hall_wire::Span;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::clock::network_millis;

/// In so many of 1,000 cases something takes time that mostly takes none.
const SOMETIMES: u32 = 250;
/// The most ticks that it takes then, and on a machine that is busy with other things: in so many of 1,000 worlds.
const TICKS: u64 = 3;
const BUSY_TICKS: u64 = 24;
const BUSY: u32 = 350;

/// How fast a hall's machine is.
#[derive(Clone, Debug)]
pub(super) struct Pace(Arc<Mutex<Drawn>>);

#[derive(Debug)]
struct Drawn {
    writer: Dice,
    tasks: Dice,
    tick: Duration,
    /// The most ticks that anything takes.
    ticks: u64,
    /// Until when the disk is slow, in milliseconds since the world began, and how many milliseconds it then takes at
    /// most.
    slow: (u64, u64),
}

impl Pace {
    /// The pace of a world of this seed, in ticks of the network.
    pub(super) fn new(seed: u64, tick: Span) -> Self {
        let (writer, tasks) = (Dice::of(seed, "pace of the writer", 0), Dice::of(seed, "pace of tasks", 0));
        let tick = Duration::from_millis(tick.as_millis());
        let ticks = if Dice::of(seed, "pace", 0).permille(BUSY) { BUSY_TICKS } else { TICKS };
        Self(Arc::new(Mutex::new(Drawn { writer, tasks, tick, ticks, slow: (0, 0) })))
    }

    /// Until then an append takes up to `most` milliseconds.
    pub(super) fn slow_disk(&self, until: u64, most: u64) {
        self.with(|drawn| drawn.slow = (until, most));
    }

    /// The disk is slow no more.
    pub(super) fn calm_down(&self) {
        self.slow_disk(0, 0);
    }

    /// Holds up the writer within a step.
    pub(super) async fn pause(&self, pause: Pause) {
        let span = self.with(|drawn| {
            let (until, most) = drawn.slow;
            if pause == Pause::BeforeAppend && network_millis() < until {
                Duration::from_millis(drawn.writer.between(0, most))
            } else {
                drawn.span_of_writer()
            }
        });
        sleep(span).await;
    }

    /// A process whose journal has failed takes a moment to end.
    pub(super) async fn linger(&self) {
        let span = self.with(|drawn| drawn.span_of_writer() + drawn.tick);
        sleep(span).await;
    }

    /// What holds up the tasks of a hall.
    pub(super) fn holds(&self) -> Arc<dyn Holds> {
        Arc::new(self.clone())
    }

    fn with<R>(&self, draw: impl FnOnce(&mut Drawn) -> R) -> R {
        draw(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Holds for Pace {
    fn hold(&self) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let span = self.with(|drawn| span(&mut drawn.tasks, drawn.ticks, drawn.tick));
        Box::pin(sleep(span))
    }
}

impl Drawn {
    fn span_of_writer(&mut self) -> Duration {
        span(&mut self.writer, self.ticks, self.tick)
    }
}

/// Mostly none, else a few ticks.
fn span(dice: &mut Dice, most: u64, tick: Duration) -> Duration {
    if !dice.permille(SOMETIMES) {
        return Duration::ZERO;
    }
    tick * u32::try_from(dice.between(1, most)).unwrap_or(1)
}

/// Does not even give way for no time at all.
async fn sleep(span: Duration) {
    if !span.is_zero() {
        tokio::time::sleep(span).await;
    }
}
