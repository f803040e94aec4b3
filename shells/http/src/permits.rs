//! Bounds on work that only readers wait for, so that it never disturbs play.

use crate::errors::ApiCode;
use crate::response::Failure;
use crate::settings::limits;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Seconds after which a refused reader may try again.
const RETRY_AFTER: u64 = 2;

/// A permit, which is free again when it is dropped.
pub(crate) type Permit = OwnedSemaphorePermit;

/// Permits for work of one kind. Few wait for one, and none of them for long: a reader that is refused comes back, and
/// holds nothing until then.
#[derive(Debug)]
pub(crate) struct Permits {
    free: Arc<Semaphore>,
    queue: Queue,
}

impl Permits {
    /// Permits for so much work at the same time.
    pub(crate) fn new(at_once: usize) -> Self {
        Self { free: Arc::new(Semaphore::new(at_once)), queue: Queue::new(limits::WAITING_READERS) }
    }

    /// The same for work that is short, so that many may wait for it.
    pub(crate) fn short(at_once: usize) -> Self {
        Self { queue: Queue::new(limits::WAITING_SHORT_READERS), ..Self::new(at_once) }
    }

    /// A permit, which is free again when it is dropped.
    ///
    /// # Errors
    /// UNAVAILABLE if too many wait already, or none is free for [`limits::LONGEST_WAIT_FOR_PERMIT`].
    pub(crate) async fn permit(&self) -> Result<Permit, Failure> {
        if let Ok(permit) = Arc::clone(&self.free).try_acquire_owned() {
            return Ok(permit);
        }
        let _place = self.queue.join().ok_or_else(busy)?;
        let permit = timeout(limits::LONGEST_WAIT_FOR_PERMIT, Arc::clone(&self.free).acquire_owned());
        permit.await.ok().and_then(Result::ok).ok_or_else(busy)
    }
}

fn busy() -> Failure {
    let message = "Too many clients are reading this now. Try again when Retry-After seconds have passed.";
    Failure::saying(ApiCode::Unavailable, message).retry_after(RETRY_AFTER)
}

/// A queue that counts how many are in it.
#[derive(Debug)]
pub(crate) struct Queue {
    most: usize,
    waiting: AtomicUsize,
}

impl Queue {
    /// An empty queue with so many places.
    pub(crate) const fn new(most: usize) -> Self {
        Self { most, waiting: AtomicUsize::new(0) }
    }

    /// A place, which is free again when it is dropped; `None` if there is none.
    pub(crate) fn join(&self) -> Option<Queued<'_>> {
        let before = self.waiting.fetch_add(1, Ordering::Relaxed);
        let place = Queued(&self.waiting);
        (before < self.most).then_some(place)
    }
}

/// A place in a queue.
pub(crate) struct Queued<'a>(&'a AtomicUsize);

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;
    use futures_util::future::join_all;
    use tokio::time::Instant;

    fn is_busy(refused: &Failure) -> bool {
        (refused.code, refused.retry_after) == (ApiCode::Unavailable, Some(RETRY_AFTER))
    }

    #[tokio::test(start_paused = true)]
    async fn a_reader_waits_for_a_permit_and_not_for_long() {
        let permits = Permits::new(1);
        let held = permits.permit().await.ok().unwrap();
        let began = Instant::now();
        assert!(is_busy(&permits.permit().await.unwrap_err()));
        assert_eq!(began.elapsed().as_secs(), limits::LONGEST_WAIT_FOR_PERMIT.as_secs());
        let (permit, ()) = tokio::join!(permits.permit(), async { drop(held) });
        assert!(permit.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn few_readers_wait_for_a_permit_and_others_are_refused_at_once() {
        let permits = Permits::new(1);
        let held = permits.permit().await.ok().unwrap();
        let waits = async |_| permits.permit().await.map(drop);
        let waiting = join_all((0..limits::WAITING_READERS).map(waits));
        let one_more = async {
            let refused = permits.permit().now_or_never().expect("it does not wait");
            drop(held);
            refused
        };
        let (served, refused) = tokio::join!(biased; waiting, one_more);
        assert!(is_busy(&refused.unwrap_err()));
        assert!(served.iter().all(Result::is_ok));
        assert!(permits.permit().now_or_never().is_some_and(|permit| permit.is_ok()), "all is free again");
    }
}
