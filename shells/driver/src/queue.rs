//! The queue of commands before the writer.

use crate::arrivals::Arrival;
use hall_core::{Answer, Caller, Command};
use hall_wire::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, oneshot};

/// The most commands that may wait; beyond that the hall is overloaded and refuses immediately.
const WAITING: usize = 8_192;

/// Why the hall takes no command or shows nothing now. Nothing was decided, except where it says otherwise, and nothing is
/// lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unavailable {
    /// Too little disk space is left.
    LowDisk,
    /// Too many commands wait.
    Overloaded,
    /// The hall is stopping.
    Stopping,
    /// No new games begin, so nobody joins a lobby; every other command is taken.
    Draining,
    /// Of several processes none leads now.
    NoLeader,
    /// The process that leads got the command and was lost. Whether it was decided is not known here.
    Unknown,
}

/// Where an answer goes.
pub(crate) type Responder = oneshot::Sender<Result<Answer, Unavailable>>;

/// A command on its way to the writer.
pub(crate) struct Request {
    pub(crate) arrival: Arrival,
    pub(crate) who: Caller,
    pub(crate) what: Command,
    pub(crate) respond: Responder,
}

/// The queue before the writer, in the order of stamps.
#[derive(Default)]
pub(crate) struct Queue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
    /// The same for a writer that is a task.
    told: Notify,
}

#[derive(Default)]
struct Waiting {
    requests: BTreeMap<(Timestamp, u64), Request>,
    stopping: bool,
    /// Whether the writer waits on its thread. Until it runs, everybody who brings something tells it: the first of them may
    /// lose its core before it does.
    sleeps: bool,
}

impl Queue {
    /// Puts a request into the queue, or answers it immediately if it cannot wait there.
    pub(crate) fn push(&self, request: Request) {
        let mut waiting = self.lock();
        let refusal = if waiting.stopping {
            Some(Unavailable::Stopping)
        } else if waiting.requests.len() >= WAITING {
            Some(Unavailable::Overloaded)
        } else {
            None
        };
        if let Some(refusal) = refusal {
            drop(waiting);
            let _ = request.respond.send(Err(refusal));
            return;
        }
        // Telling the writer is a system call.
        let sleeps = waiting.sleeps;
        waiting.requests.insert((request.arrival.stamp(), request.arrival.number()), request);
        drop(waiting);
        if sleeps {
            self.changed.notify_one();
        }
        self.told.notify_one();
    }

    /// Makes the writer take a step although nothing new waits.
    pub(crate) fn wake(&self) {
        self.changed.notify_one();
        self.told.notify_one();
    }

    /// The stamp of the request that is next.
    pub(crate) fn next_stamp(&self) -> Option<Timestamp> {
        self.lock().requests.first_key_value().map(|((stamp, _), _)| *stamp)
    }

    /// Takes the request that is next.
    pub(crate) fn pop(&self) -> Option<Request> {
        self.lock().requests.pop_first().map(|(_, request)| request)
    }

    /// Closes the queue. Commands that wait in it are still decided.
    pub(crate) fn stop(&self) {
        self.lock().stopping = true;
        self.changed.notify_one();
        self.told.notify_one();
    }

    /// Closes the queue and drops the commands in it, because the writer is gone.
    pub(crate) fn abandon(&self) {
        let mut waiting = self.lock();
        waiting.stopping = true;
        waiting.requests.clear();
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.lock().stopping
    }

    pub(crate) fn len(&self) -> usize {
        self.lock().requests.len()
    }

    /// Waits until something is in the queue, the hall stops, or the time is over.
    pub(crate) fn wait(&self, at_most: Duration) {
        let mut waiting = self.lock();
        if waiting.requests.is_empty() && !waiting.stopping {
            waiting.sleeps = true;
            let woken = self.changed.wait_timeout(waiting, at_most);
            woken.unwrap_or_else(PoisonError::into_inner).0.sleeps = false;
        }
    }

    /// The same for a writer that is a task.
    pub(crate) async fn changed_within(&self, at_most: Duration) {
        let idle = {
            let waiting = self.lock();
            waiting.requests.is_empty() && !waiting.stopping
        };
        if idle {
            // What came in since is remembered by the notification.
            let _ = tokio::time::timeout(at_most, self.told.notified()).await;
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrivals::Arrivals;
    use crate::clock::ManualClock;
    use hall_core::HallCommand;
    use hall_wire::AgentId;
    use std::sync::Arc;

    #[test]
    fn a_full_queue_refuses_whoever_asks_and_takes_the_next_one_when_there_is_room() {
        let queue = Queue::default();
        let arrivals = Arrivals::new(Arc::new(ManualClock::new(Timestamp::from_millis(7))));
        let push = |who| {
            let (respond, answer) = oneshot::channel();
            queue.push(Request {
                arrival: arrivals.arrive(),
                who,
                what: Command::Hall(HallCommand::Stop),
                respond,
            });
            answer
        };
        let waiting: Vec<_> = (0..WAITING).map(|_| push(Caller::Hall)).collect();
        for who in [Caller::Hall, Caller::Operator, Caller::Agent(AgentId::from_bytes([1; 16]))] {
            assert_eq!(push(who).try_recv(), Ok(Err(Unavailable::Overloaded)), "{who:?}");
        }
        drop(queue.pop());
        assert!(push(Caller::Hall).try_recv().is_err(), "it waits");
        assert_eq!((queue.len(), waiting.len()), (WAITING, WAITING));
    }
}
