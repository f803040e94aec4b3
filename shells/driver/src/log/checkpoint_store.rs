//! Storing a checkpoint in a second place after it is durable and before anybody sees it, outside the writer's thread.

use super::SignedCheckpoint;
use super::newest::Newest;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Pause before a failed attempt is repeated.
const RETRY: Duration = Duration::from_secs(1);

/// A second place for the newest checkpoint, which is stored there before it is published.
pub trait CheckpointStore: Send {
    /// Stores a checkpoint that the journal holds already; when this returns `Ok`, it is published.
    ///
    /// # Errors
    /// The checkpoint could not be stored. The attempt is repeated, with a newer checkpoint if there is one, and
    /// nothing is published meanwhile.
    fn store(&mut self, checkpoint: &SignedCheckpoint) -> io::Result<()>;
}

/// The thread that stores checkpoints; it ends when this value is dropped.
pub(super) struct StoreThread(Sender<SignedCheckpoint>);

impl StoreThread {
    /// Starts the thread: what was stored becomes the `newest` checkpoint.
    pub(super) fn start(mut store: Box<dyn CheckpointStore>, newest: &Arc<Newest>) -> io::Result<Self> {
        let (sender, checkpoints) = channel();
        let newest = Arc::downgrade(newest);
        std::thread::Builder::new().name("hall-mark".to_owned()).spawn(move || {
            while let Some(checkpoint) = next(&checkpoints, &mut *store) {
                let Some(newest) = newest.upgrade() else { return };
                newest.show(checkpoint);
            }
        })?;
        Ok(Self(sender))
    }

    /// Hands over a checkpoint that is durable.
    pub(super) fn pass(&self, checkpoint: SignedCheckpoint) {
        // The thread ends only with this value.
        let _ = self.0.send(checkpoint);
    }
}

/// The next checkpoint that was stored, the newest of those that wait; `None` when there can be no more.
fn next(
    checkpoints: &Receiver<SignedCheckpoint>,
    store: &mut dyn CheckpointStore,
) -> Option<SignedCheckpoint> {
    let mut checkpoint = checkpoints.recv().ok()?;
    let mut is_reported = false;
    loop {
        checkpoint = checkpoints.try_iter().last().unwrap_or(checkpoint);
        match store.store(&checkpoint) {
            Ok(()) => return Some(checkpoint),
            Err(error) if !is_reported => {
                tracing::error!(%error, size = checkpoint.head.size, "a checkpoint cannot be kept: none is published");
                is_reported = true;
            }
            Err(_) => {}
        }
        match checkpoints.recv_timeout(RETRY) {
            Ok(newer) => checkpoint = newer,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_core::LogHead;
    use hall_wire::{Digest, Timestamp};
    use std::sync::Mutex;

    #[derive(Clone, Default)]
    struct Notebook(Arc<Mutex<(Vec<u64>, u32)>>);

    impl CheckpointStore for Notebook {
        fn store(&mut self, checkpoint: &SignedCheckpoint) -> io::Result<()> {
            let mut noted = self.0.lock().unwrap();
            if noted.1 > 0 {
                noted.1 -= 1;
                return Err(io::Error::other("the volume is away"));
            }
            noted.0.push(checkpoint.head.size);
            Ok(())
        }
    }

    fn checkpoint(size: u64) -> SignedCheckpoint {
        let head = LogHead { at: Timestamp::from_millis(1), size, root: Digest::of(b"root") };
        SignedCheckpoint { head, key: "hall.example+00000000+AA==".to_owned() }
    }

    #[tokio::test]
    async fn a_checkpoint_is_shown_only_after_it_is_stored() {
        let (newest, notebook) = (Arc::<Newest>::default(), Notebook::default());
        let thread = StoreThread::start(Box::new(notebook.clone()), &newest).unwrap();
        for size in 1..=5 {
            thread.pass(checkpoint(size));
        }
        assert_eq!(newest.size().until(|size| *size >= 5).await, 5);
        assert_eq!(notebook.0.lock().unwrap().0.last(), Some(&5));
    }

    #[test]
    fn a_failed_store_is_retried_with_the_newest_checkpoint() {
        let mut notebook = Notebook::default();
        notebook.0.lock().unwrap().1 = 2;
        let (sender, checkpoints) = channel();
        for size in 1..=3 {
            sender.send(checkpoint(size)).unwrap();
        }
        // With the sender gone the first pause ends immediately.
        drop(sender);
        assert_eq!(next(&checkpoints, &mut notebook), None);
        assert!(notebook.0.lock().unwrap().0.is_empty());
        let (sender, checkpoints) = channel();
        sender.send(checkpoint(4)).unwrap();
        notebook.0.lock().unwrap().1 = 0;
        assert_eq!(next(&checkpoints, &mut notebook).map(|checkpoint| checkpoint.head.size), Some(4));
        drop(sender);
    }
}
