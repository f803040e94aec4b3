//! A bound for slow readers: while bytes wait for a reader, it takes at least so many in each period.
//!
//! The timeout for a reader that takes nothing begins anew with each byte. So a reader that takes a few bytes every few
//! seconds would keep a whole answer in memory for as long as it likes.

use crate::settings::limits;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::time::{Instant, Sleep, sleep_until};

/// What waits on a connection for its reader.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    /// Whether anything waits.
    waits: bool,
    /// Bytes taken in this period.
    taken: usize,
    /// The end of this period; kept from one to the next.
    end: Option<Pin<Box<Sleep>>>,
}

impl Backlog {
    /// The reader has taken bytes.
    pub(super) const fn has_taken(&mut self, bytes: usize) {
        self.taken = self.taken.saturating_add(bytes);
    }

    /// Nothing waits any more.
    pub(super) const fn clear(&mut self) {
        self.waits = false;
    }

    /// Whether the reader, for whom something waits now, takes too little. The task is woken when that may change.
    pub(super) fn is_too_slow(&mut self, cx: &mut Context<'_>) -> bool {
        if !self.waits {
            self.waits = true;
            self.begin();
        }
        while self.has_ended(cx) {
            if self.taken < limits::READ_BYTES {
                return true;
            }
            self.begin();
        }
        false
    }

    /// Begins a period.
    fn begin(&mut self) {
        let end = Instant::now() + limits::READ_PERIOD;
        self.taken = 0;
        match &mut self.end {
            Some(sleep) => sleep.as_mut().reset(end),
            None => self.end = Some(Box::pin(sleep_until(end))),
        }
    }

    fn has_ended(&mut self, cx: &mut Context<'_>) -> bool {
        self.end.as_mut().is_some_and(|end| matches!(end.as_mut().poll(cx), Poll::Ready(())))
    }
}
