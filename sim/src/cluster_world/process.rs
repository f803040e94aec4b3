//! A process that can be stopped in its tracks: everything that it runs stands still while it is paused, and is gone at
//! once when it ends.

use futures_util::future::BoxFuture;
use hall_driver::RawClocks;
use hall_wire::Timestamp;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// A process.
#[derive(Default)]
pub(super) struct Process(Mutex<State>);

#[derive(Default)]
struct State {
    ended: Option<String>,
    paused: bool,
    /// What may be late in it stands still.
    is_late: bool,
    /// Everything that it runs, to be woken when this changes.
    tasks: BTreeMap<u64, Waker>,
    started: u64,
}

impl Process {
    pub(super) fn is_alive(&self) -> bool {
        self.lock().ended.is_none()
    }

    pub(super) fn is_paused(&self) -> bool {
        self.lock().paused
    }

    /// Why it ended, once it has.
    pub(super) fn ended(&self) -> Option<String> {
        self.lock().ended.clone()
    }

    /// It ends here and now. The first reason counts.
    pub(super) fn end(&self, why: &str) {
        self.change(|state| {
            state.ended.get_or_insert_with(|| why.to_owned());
        });
    }

    pub(super) fn pause(&self) {
        self.change(|state| state.paused = true);
    }

    pub(super) fn resume(&self) {
        self.change(|state| state.paused = false);
    }

    /// What may be late in it stands still for now, and everything else runs on.
    pub(super) fn be_late(&self) {
        self.change(|state| state.is_late = true);
    }

    /// What was late runs again.
    pub(super) fn be_in_time(&self) {
        self.change(|state| state.is_late = false);
    }

    /// Begins a task of this process.
    pub(super) fn spawn(self: &Arc<Self>, task: BoxFuture<'static, ()>) -> JoinHandle<()> {
        let held = self.hold(task);
        tokio::spawn(async move { held.await.unwrap_or(()) })
    }

    /// What the process runs; `None` when it ended before it was done.
    pub(super) fn hold<F: Future>(self: &Arc<Self>, work: F) -> Held<F> {
        Held {
            process: Arc::clone(self),
            number: self.number(),
            may_be_late: false,
            work: Some(Box::pin(work)),
        }
    }

    /// The same of what is now and then late while everything else runs.
    pub(super) fn hold_late<F: Future>(self: &Arc<Self>, work: F) -> Held<F> {
        let mut held = self.hold(work);
        held.may_be_late = true;
        held
    }

    /// Whether it runs now, for something of it with this number, which is woken when that changes.
    pub(super) fn poll_runs(&self, number: u64, context: &Context<'_>) -> Poll<Result<(), Ended>> {
        let mut state = self.lock();
        if state.ended.is_some() {
            return Poll::Ready(Err(Ended));
        }
        state.tasks.insert(number, context.waker().clone());
        if state.paused { Poll::Pending } else { Poll::Ready(Ok(())) }
    }

    /// A number for something of it.
    pub(super) fn number(&self) -> u64 {
        let mut state = self.lock();
        state.started += 1;
        state.started
    }

    /// Nothing with this number is to be woken any more.
    pub(super) fn forget(&self, number: u64) {
        self.lock().tasks.remove(&number);
    }

    /// Returns when it has ended.
    pub(super) async fn has_ended(self: &Arc<Self>) {
        let _ = self.hold(std::future::pending::<()>()).await;
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let tasks = {
            let mut state = self.lock();
            change(&mut state);
            std::mem::take(&mut state.tasks)
        };
        tasks.into_values().for_each(Waker::wake);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The process has ended.
pub(super) struct Ended;

/// Work of a process.
pub(super) struct Held<F> {
    process: Arc<Process>,
    number: u64,
    may_be_late: bool,
    work: Option<Pin<Box<F>>>,
}

impl<F: Future> Future for Held<F> {
    type Output = Option<F::Output>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let (process, number) = (Arc::clone(&self.process), self.number);
        let stands_still = process.is_paused() || self.may_be_late && process.lock().is_late;
        if process.is_alive() && !stands_still {
            let Some(work) = self.work.as_mut() else { return Poll::Ready(None) };
            let done = work.as_mut().poll(context);
            // What it did may have ended the process: then nothing of it counts.
            if process.is_alive()
                && let Poll::Ready(done) = done
            {
                process.lock().tasks.remove(&number);
                return Poll::Ready(Some(done));
            }
        }
        if !process.is_alive() {
            self.work = None;
            return Poll::Ready(None);
        }
        process.lock().tasks.insert(number, context.waker().clone());
        Poll::Pending
    }
}

impl<F> Drop for Held<F> {
    fn drop(&mut self) {
        self.process.forget(self.number);
    }
}

/// The clocks of a machine, whose rates differ a little, and whose system clock may be set.
#[derive(Debug)]
pub(super) struct MachineClocks {
    begun: Instant,
    at: Timestamp,
    /// How much faster they are, in millionths.
    drift_ppm: i64,
    wall_ahead: AtomicI64,
}

impl MachineClocks {
    /// Clocks that show `at` now.
    pub(super) fn new(at: Timestamp, drift_ppm: i64) -> Self {
        Self { begun: Instant::now(), at, drift_ppm, wall_ahead: AtomicI64::new(0) }
    }

    /// Sets the system clock, by so many milliseconds.
    pub(super) fn step_wall(&self, millis: i64) {
        self.wall_ahead.fetch_add(millis, Ordering::Relaxed);
    }
}

impl RawClocks for MachineClocks {
    fn wall_millis(&self) -> i64 {
        self.monotonic_millis() + self.wall_ahead.load(Ordering::Relaxed)
    }

    fn monotonic_millis(&self) -> i64 {
        let elapsed = i64::try_from(self.begun.elapsed().as_millis()).unwrap_or(0);
        self.at.as_millis() + elapsed + elapsed * self.drift_ppm / 1_000_000
    }
}
