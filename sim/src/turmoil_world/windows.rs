//! How much a slow reader lets the hall send before it reads: the network of the simulator has room for everything, and
//! that of a machine has not.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// Bytes that may be on the way to a slow reader, or wait there.
const ROOM: usize = 1_024;

/// The windows of all slow readers, by their ends of the connections. All other readers have room for everything.
#[derive(Clone, Debug, Default)]
pub(super) struct Windows(Arc<Mutex<BTreeMap<SocketAddr, ReadWindow>>>);

#[derive(Debug, Default)]
struct ReadWindow {
    unread: usize,
    /// The sender, which waits until something is read.
    sender: Option<Waker>,
}

impl Windows {
    /// The reader at this address is slow until it is dropped.
    pub(super) fn open(&self, reader: SocketAddr) -> SlowReader {
        self.all().insert(reader, ReadWindow::default());
        SlowReader { windows: self.clone(), reader }
    }

    /// So many of `bytes` may be sent to a reader now, which then are on their way.
    pub(super) fn poll_room(&self, reader: SocketAddr, bytes: usize, cx: &Context<'_>) -> Poll<usize> {
        let mut all = self.all();
        let Some(window) = all.get_mut(&reader) else { return Poll::Ready(bytes) };
        let room = ROOM.saturating_sub(window.unread).min(bytes);
        if room == 0 && bytes > 0 {
            window.sender = Some(cx.waker().clone());
            return Poll::Pending;
        }
        Poll::Ready(room)
    }

    /// So many bytes were sent.
    pub(super) fn sent(&self, reader: SocketAddr, bytes: usize) {
        if let Some(window) = self.all().get_mut(&reader) {
            window.unread += bytes;
        }
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<SocketAddr, ReadWindow>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The end of a connection whose reader is slow.
#[derive(Debug)]
pub(super) struct SlowReader {
    windows: Windows,
    reader: SocketAddr,
}

impl SlowReader {
    /// So many bytes were read.
    pub(super) fn read(&self, bytes: usize) {
        let mut all = self.windows.all();
        let Some(window) = all.get_mut(&self.reader) else { return };
        window.unread = window.unread.saturating_sub(bytes);
        if let Some(sender) = window.sender.take() {
            sender.wake();
        }
    }
}

impl Drop for SlowReader {
    fn drop(&mut self) {
        let window = self.windows.all().remove(&self.reader);
        if let Some(sender) = window.and_then(|window| window.sender) {
            sender.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_reader_gets_only_as_much_as_it_reads_and_others_get_everything() {
        let windows = Windows::default();
        let (slow, other) = ("10.0.0.1:1".parse().unwrap(), "10.0.0.1:2".parse().unwrap());
        let cx = Context::from_waker(Waker::noop());
        let reader = windows.open(slow);
        assert_eq!(windows.poll_room(slow, 3 * ROOM, &cx), Poll::Ready(ROOM));
        windows.sent(slow, ROOM);
        assert_eq!(windows.poll_room(slow, 1, &cx), Poll::Pending);
        assert_eq!(windows.poll_room(other, 3 * ROOM, &cx), Poll::Ready(3 * ROOM));
        reader.read(10);
        assert_eq!(windows.poll_room(slow, ROOM, &cx), Poll::Ready(10));
        drop(reader);
        assert_eq!(windows.poll_room(slow, 3 * ROOM, &cx), Poll::Ready(3 * ROOM), "it is gone");
    }
}
