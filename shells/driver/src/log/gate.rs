//! Something that must be done with a checkpoint after it is durable and before anybody sees it, beside the writer.

use super::SignedCut;
use super::reader::Newest;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Pause before what failed is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// Keeps the newest checkpoint in a second place before it is published.
pub trait CutKeeper: Send {
    /// Keeps a checkpoint that the journal holds already; when this returns `Ok`, it is published.
    ///
    /// # Errors
    /// It could not be kept: it is tried again, with a newer one if there is one, and nothing is published meanwhile.
    fn keep(&mut self, cut: &SignedCut) -> io::Result<()>;
}

/// The way of checkpoints to a keeper.
pub(super) struct Gate(Sender<SignedCut>);

impl Gate {
    /// Starts the thread on which the keeper works. It ends when the gate is gone.
    pub(super) fn start(mut keeper: Box<dyn CutKeeper>, newest: &Arc<Newest>) -> io::Result<Self> {
        let (sender, cuts) = channel();
        let newest = Arc::downgrade(newest);
        std::thread::Builder::new().name("hall-mark".to_owned()).spawn(move || {
            while let Some(cut) = next(&cuts, &mut *keeper) {
                let Some(newest) = newest.upgrade() else { return };
                newest.show(cut);
            }
        })?;
        Ok(Self(sender))
    }

    /// Hands over a checkpoint that is durable.
    pub(super) fn pass(&self, cut: SignedCut) {
        // The thread ends only with the gate.
        let _ = self.0.send(cut);
    }
}

/// The next checkpoint that was kept, the newest of those that wait; `None` when there can be no more.
fn next(cuts: &Receiver<SignedCut>, keeper: &mut dyn CutKeeper) -> Option<SignedCut> {
    let mut cut = cuts.recv().ok()?;
    let mut told = false;
    loop {
        cut = cuts.try_iter().last().unwrap_or(cut);
        match keeper.keep(&cut) {
            Ok(()) => return Some(cut),
            Err(error) if !told => {
                tracing::error!(%error, size = cut.cut.size, "a checkpoint cannot be kept: none is published");
                told = true;
            }
            Err(_) => {}
        }
        match cuts.recv_timeout(RETRY) {
            Ok(newer) => cut = newer,
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

    impl CutKeeper for Notebook {
        fn keep(&mut self, cut: &SignedCut) -> io::Result<()> {
            let mut noted = self.0.lock().unwrap();
            if noted.1 > 0 {
                noted.1 -= 1;
                return Err(io::Error::other("the volume is away"));
            }
            noted.0.push(cut.cut.size);
            Ok(())
        }
    }

    fn cut(size: u64) -> SignedCut {
        let cut = LogHead { at: Timestamp::from_millis(1), size, root: Digest::of(b"root") };
        SignedCut { cut, key: "hall.example+00000000+AA==".to_owned() }
    }

    #[tokio::test]
    async fn a_checkpoint_is_shown_only_after_it_was_kept() {
        let (newest, notebook) = (Arc::<Newest>::default(), Notebook::default());
        let gate = Gate::start(Box::new(notebook.clone()), &newest).unwrap();
        for size in 1..=5 {
            gate.pass(cut(size));
        }
        assert_eq!(newest.size().until(|size| *size >= 5).await, 5);
        assert_eq!(notebook.0.lock().unwrap().0.last(), Some(&5));
    }

    #[test]
    fn what_cannot_be_kept_is_tried_again_with_the_newest() {
        let mut notebook = Notebook::default();
        notebook.0.lock().unwrap().1 = 2;
        let (sender, cuts) = channel();
        for size in 1..=3 {
            sender.send(cut(size)).unwrap();
        }
        // With the sender gone the first pause ends at once, so nothing is waited for.
        drop(sender);
        assert_eq!(next(&cuts, &mut notebook), None);
        assert!(notebook.0.lock().unwrap().0.is_empty());
        let (sender, cuts) = channel();
        sender.send(cut(4)).unwrap();
        notebook.0.lock().unwrap().1 = 0;
        assert_eq!(next(&cuts, &mut notebook).map(|cut| cut.cut.size), Some(4));
        drop(sender);
    }
}
