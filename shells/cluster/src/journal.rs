//! The journal that all nodes share, as a node needs it.

use futures_util::future::BoxFuture;
use hall_journal::{Journal, JournalError, JournalReader};
use std::sync::Arc;
use std::time::Duration;

/// Why the shared journal did not do as asked; in words, without secrets. Trying again is safe.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SharedError(pub String);

/// A journal that several nodes share: everybody reads, and one at a time owns it.
pub trait SharedJournal: Send + Sync {
    /// Who owns it, as far as the journal knows.
    ///
    /// # Errors
    /// It does not answer.
    fn holder(&self) -> BoxFuture<'static, Result<Holder, SharedError>>;

    /// Takes it over if its owner and the lease are those that were `seen`; `None` if they are not. `owner` is what others
    /// find in [`Holder::owner`]. Whether the lease has passed is for the caller to know.
    ///
    /// # Errors
    /// It does not answer, or is unfit.
    fn take(
        &self,
        owner: &str,
        lease: Duration,
        seen: &Holder,
    ) -> BoxFuture<'static, Result<Option<Owned>, SharedError>>;

    /// A reader, which needs no ownership.
    fn reader(&self) -> Arc<dyn JournalReader>;
}

/// Who owns a shared journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The epoch; 0 before the first owner.
    pub epoch: u64,
    /// What the last owner called itself.
    pub owner: String,
    /// Its lease: another text with each renewal.
    pub lease: String,
    /// The rest of the lease by the journal's own clock, which may be set.
    pub left: Duration,
    /// Whether it has no owner: the last one has given it back, or there was none.
    pub is_released: bool,
    /// The last record of which an owner has had a confirmation. What lies behind it may still be lost.
    pub durable: u64,
}

/// An owned journal.
pub struct Owned {
    /// The writing end.
    pub journal: Box<dyn Journal>,
    /// What keeps others away.
    pub lease: Box<dyn Lease>,
    /// The epoch, higher than all before.
    pub epoch: u64,
}

/// The lease of an owner. No append depends on it: an owner that others have replaced can append nothing. The reads of a
/// leader do, because nobody else leads while it lasts (see `lease_watch`).
pub trait Lease: Send + Sync {
    /// Extends it to its full length from now on. An attempt that gets no answer fails within half of that.
    ///
    /// # Errors
    /// [`JournalError::Fenced`] if somebody else has taken over; any other error means that it may have been extended or
    /// not.
    fn renew(&self) -> BoxFuture<'_, Result<(), JournalError>>;

    /// Ends an append that waits for a journal which says nothing: its outcome is unknown then, as that of every later one.
    fn sever(&self);
}
