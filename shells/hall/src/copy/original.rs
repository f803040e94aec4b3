//! The hall that is copied, stopped as long as it is held.

use crate::fault::{Fault, Problem};
use crate::journal_location::JournalLocation;
use hall_journal::{FjallJournal, Journal as _, JournalError, JournalReader, Options};
use hall_postgres::{Database, Lease, PostgresJournal, Takeover};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// For how long the lease of a database is taken, and how often it is renewed.
const LEASE: Duration = Duration::from_secs(10);
const RENEWAL: Duration = Duration::from_secs(2);

/// A stopped hall.
pub(super) struct Original {
    reader: Arc<dyn JournalReader>,
    held: Held,
}

/// What keeps others from starting it.
enum Held {
    /// The lock of the data folder.
    Folder(FjallJournal),
    /// The ownership of the journal in the database.
    Database { journal: PostgresJournal, renewing: Renewing },
}

impl Original {
    /// Opens it, and keeps others from starting it.
    ///
    /// # Errors
    /// A hall runs on it, or it is damaged or not there.
    pub(super) fn hold(location: &JournalLocation) -> Result<Self, Problem> {
        match location {
            JournalLocation::Folder(path) => {
                let journal = FjallJournal::open_existing(path, &Options::default())?;
                Ok(Self { reader: journal.reader(), held: Held::Folder(journal) })
            }
            JournalLocation::Database(settings) => {
                let database = Database::open_existing(settings)?;
                let journal = database.take("hall copy", LEASE, Takeover::WhenFree).map_err(|error| {
                    let mut problem = Problem::from(error);
                    if problem.fault == Fault::Refused {
                        problem.text.push_str(". Stop all nodes of that hall first");
                    }
                    problem
                })?;
                let renewing = Renewing::start(journal.lease()).map_err(Problem::unreadable)?;
                let reader = database.durable_reader()?;
                Ok(Self { reader, held: Held::Database { journal, renewing } })
            }
        }
    }

    /// Reads it; all reads show the same.
    pub(super) fn reader(&self) -> &dyn JournalReader {
        &*self.reader
    }

    /// Checks that nobody has taken it meanwhile, before the copy becomes the hall.
    ///
    /// # Errors
    /// Somebody has, or the database does not answer.
    pub(super) fn check(&self) -> Result<(), Problem> {
        match &self.held {
            Held::Folder(_) => Ok(()),
            Held::Database { journal, .. } => journal.lease().renew().map_err(|error| {
                if matches!(error, JournalError::Fenced) {
                    return Problem::refused("another node has taken the hall over while it was copied");
                }
                Problem::from(error)
            }),
        }
    }

    /// Lets go of it. What it says then does not change what was copied.
    pub(super) fn release(self) {
        let closed = match self.held {
            Held::Folder(journal) => Box::new(journal).close(),
            Held::Database { journal, renewing } => {
                drop(renewing);
                Box::new(journal).close()
            }
        };
        if let Err(error) = closed {
            tracing::warn!(%error, "the original was not closed cleanly");
        }
    }
}

/// The thread that renews a lease until this is dropped.
struct Renewing {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Renewing {
    fn start(lease: Lease) -> std::io::Result<Self> {
        let (stop, stopped) = channel::<()>();
        let renew = move || {
            while stopped.recv_timeout(RENEWAL) == Err(RecvTimeoutError::Timeout) {
                match lease.renew() {
                    Ok(()) => {}
                    // The check at the end reports it.
                    Err(JournalError::Fenced) => return,
                    Err(error) => tracing::warn!(%error, "the lease was not renewed"),
                }
            }
        };
        let thread = std::thread::Builder::new().name("lease".to_owned()).spawn(renew)?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Renewing {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the thread that renews the lease panicked");
        }
    }
}
