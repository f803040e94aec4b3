//! The database as one machine reaches it: the same journal, lease and reader as of a real one, with all that may go wrong on
//! the way.

use super::database::{Database, Fate, Part, Server};
use super::plan::Weakness;
use futures_util::future::BoxFuture;
use hall_cluster::{Holder, Lease, Owned, SharedError, SharedJournal};
use hall_journal::{
    Batch, Head, Journal, JournalError, JournalReader, KeyRange, KeyValue, Record, Snapshot, Table,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::sleep;

/// How long a statement that gets no answer is waited for.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(3);
/// The longest usual way to the database and back, in milliseconds.
const USUAL: u64 = 4;

/// The database as one machine reaches it.
#[derive(Clone)]
pub(super) struct Reached {
    database: Database,
    machine: usize,
    /// The connection on which its process appends was given up.
    severed: Arc<AtomicBool>,
}

fn no_answer() -> SharedError {
    SharedError("the database does not answer".to_owned())
}

fn unknown() -> JournalError {
    JournalError::UnknownOutcome { what: "the connection is lost".to_owned() }
}

impl Reached {
    pub(super) fn new(database: Database, machine: usize) -> Self {
        Self { database, machine, severed: Arc::default() }
    }

    /// The way to the database.
    async fn way(&self) {
        let millis = self.database.lock().dice.between(0, USUAL);
        sleep(Duration::from_millis(millis)).await;
    }

    /// Does a statement that changes something and is waited for.
    async fn change<T: Send + 'static>(
        &self,
        limit: Duration,
        work: impl FnOnce(&mut Server) -> T + Send + 'static,
    ) -> Option<T> {
        self.way().await;
        let (fate, late) = {
            let mut server = self.database.lock();
            (server.fate(self.machine), server.dice.between(1, 9_000))
        };
        match fate {
            Fate::Done => {
                let done = work(&mut self.database.lock());
                self.way().await;
                return Some(done);
            }
            Fate::Unanswered => drop(work(&mut self.database.lock())),
            Fate::Lost => {}
            Fate::Late => {
                let database = self.database.clone();
                drop(tokio::spawn(async move {
                    sleep(Duration::from_millis(late)).await;
                    drop(work(&mut database.lock()));
                }));
            }
        }
        sleep(limit).await;
        None
    }

    /// Waits with an append for as long as the database says nothing, unless the wait is given up.
    pub(super) async fn wait_for_answer(&self) {
        while self.database.lock().silent.contains(&self.machine) && !self.severed.load(Ordering::Relaxed) {
            sleep(Duration::from_millis(50)).await;
        }
    }

    /// Who owns the journal; for a process that begins.
    pub(super) fn holder_now(&self) -> Option<Holder> {
        let server = self.database.lock();
        let Part { epoch, owner, until, durable, .. } = server.part.clone();
        if !server.answers(self.machine) {
            return None;
        }
        let left = server.left();
        let is_hasty = server.weakness == Some(Weakness::HastyTakers) && left.is_zero();
        let (lease, is_released) = (server.lease(), until.is_none() || is_hasty);
        Some(Holder { epoch, owner, lease, left, is_released, durable })
    }
}

impl SharedJournal for Reached {
    fn holder(&self) -> BoxFuture<'static, Result<Holder, SharedError>> {
        let reached = self.clone();
        Box::pin(async move {
            reached.way().await;
            let Some(holder) = reached.holder_now() else {
                sleep(ANSWER_TIMEOUT).await;
                return Err(no_answer());
            };
            reached.way().await;
            Ok(holder)
        })
    }

    fn take(
        &self,
        owner: &str,
        lease: Duration,
        seen: &Holder,
    ) -> BoxFuture<'static, Result<Option<Owned>, SharedError>> {
        let (reached, owner, seen) = (self.clone(), owner.to_owned(), (seen.epoch, seen.lease.clone()));
        Box::pin(async move {
            let take =
                move |server: &mut Server| server.take(&owner, lease, &seen).map(|it| (it, server.head()));
            match reached.change(ANSWER_TIMEOUT, take).await {
                None | Some(Some(((_, false), _))) => Err(no_answer()),
                Some(None) => Ok(None),
                Some(Some(((epoch, true), head))) => {
                    let confirmed = Arc::new(AtomicU64::new(head.seq));
                    let lease = OwnLease {
                        reached: reached.clone(),
                        epoch,
                        length: lease,
                        confirmed: Arc::clone(&confirmed),
                    };
                    let journal = OwnJournal { reached, epoch, head, confirmed, is_broken: false };
                    Ok(Some(Owned { journal: Box::new(journal), lease: Box::new(lease), epoch }))
                }
            }
        })
    }

    fn reader(&self) -> Arc<dyn JournalReader> {
        Arc::new(self.clone())
    }
}

struct OwnLease {
    reached: Reached,
    epoch: u64,
    length: Duration,
    confirmed: Arc<AtomicU64>,
}

impl Lease for OwnLease {
    fn renew(&self) -> BoxFuture<'_, Result<(), JournalError>> {
        let (epoch, length) = (self.epoch, self.length);
        let confirmed = self.confirmed.load(Ordering::Relaxed);
        Box::pin(async move {
            match self.reached.change(length / 4, move |server| server.renew(epoch, length, confirmed)).await
            {
                Some(Ok(true)) => Ok(()),
                Some(Err(error)) => Err(error),
                Some(Ok(false)) | None => Err(unknown()),
            }
        })
    }

    fn sever(&self) {
        self.reached.severed.store(true, Ordering::Relaxed);
    }
}

/// The journal of an owner. The time that an append takes passes before and after it, in the step of the writer.
struct OwnJournal {
    reached: Reached,
    epoch: u64,
    head: Head,
    confirmed: Arc<AtomicU64>,
    is_broken: bool,
}

impl Journal for OwnJournal {
    fn head(&self) -> Head {
        self.head
    }

    fn append(&mut self, batch: &Batch) -> Result<Head, JournalError> {
        if self.is_broken {
            return Err(JournalError::Poisoned);
        }
        if batch.is_empty() {
            return Ok(self.head);
        }
        if self.reached.severed.load(Ordering::Relaxed) {
            self.is_broken = true;
            return Err(unknown());
        }
        let mut server = self.reached.database.lock();
        let appended = match server.fate(self.reached.machine) {
            Fate::Done => server.append(self.epoch, self.head, batch),
            Fate::Lost => Err(unknown()),
            Fate::Unanswered => server.append(self.epoch, self.head, batch).and_then(|_| Err(unknown())),
            Fate::Late => {
                let (database, batch) = (self.reached.database.clone(), batch.clone());
                let (epoch, head, late) = (self.epoch, self.head, server.dice.between(1, 9_000));
                drop(tokio::spawn(async move {
                    sleep(Duration::from_millis(late)).await;
                    let mut server = database.lock();
                    let done = server.append(epoch, head, &batch).is_ok();
                    server.counts.late_and_done += u64::from(done);
                }));
                Err(unknown())
            }
        };
        match appended {
            Ok((head, true)) => {
                self.head = head;
                self.confirmed.store(head.seq, Ordering::Relaxed);
                Ok(head)
            }
            // It waits for a standby that is gone, and the connection breaks.
            Ok((_, false)) => {
                self.is_broken = true;
                Err(unknown())
            }
            Err(error) => {
                self.is_broken = true;
                Err(error)
            }
        }
    }

    fn reader(&self) -> Arc<dyn JournalReader> {
        Arc::new(self.reached.clone())
    }

    fn free_bytes(&self) -> Result<Option<u64>, JournalError> {
        Ok(None)
    }

    fn close(self: Box<Self>) -> Result<(), JournalError> {
        let mut server = self.reached.database.lock();
        if server.fate(self.reached.machine) == Fate::Done {
            server.release(self.epoch, self.head.seq);
        }
        Ok(())
    }
}

impl Reached {
    fn shown(&self) -> Result<Arc<dyn JournalReader>, JournalError> {
        if self.holder_now().is_some() {
            Ok(self.database.reader())
        } else {
            let (doing, what) = ("reading the journal", no_answer().0);
            Err(JournalError::Unreachable { doing, what })
        }
    }
}

impl JournalReader for Reached {
    fn head(&self) -> Result<Head, JournalError> {
        self.shown()?.head()
    }

    fn records(&self, from: u64, limit: usize) -> Result<Vec<Record>, JournalError> {
        self.shown()?.records(from, limit)
    }

    fn row(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, JournalError> {
        self.shown()?.row(table, key)
    }

    fn rows(
        &self,
        table: Table,
        range: KeyRange,
        reverse: bool,
        limit: usize,
    ) -> Result<Vec<KeyValue>, JournalError> {
        self.shown()?.rows(table, range, reverse, limit)
    }

    fn keys(
        &self,
        table: Table,
        range: KeyRange,
        reverse: bool,
        limit: usize,
    ) -> Result<Vec<Vec<u8>>, JournalError> {
        self.shown()?.keys(table, range, reverse, limit)
    }

    fn newest_snapshot(&self) -> Result<Option<Snapshot>, JournalError> {
        self.shown()?.newest_snapshot()
    }

    fn put_snapshot(&self, snapshot: &Snapshot) -> Result<(), JournalError> {
        self.shown()?.put_snapshot(snapshot)
    }
}
