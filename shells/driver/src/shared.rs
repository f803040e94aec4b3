//! What the writer and the shells share.

use crate::archive::Archive;
use crate::arrivals::Arrivals;
use crate::challenges::Right;
use crate::clock::HallClock;
use crate::commits::CommitSender;
use crate::counters::Counters;
use crate::durable::Durable;
use crate::ends::NewestEnds;
use crate::feed::Feeds;
use crate::hall_events::HallEvents;
use crate::log::LogReader;
use crate::play_counts::PlayCounter;
use crate::queue::Queue;
use crate::statistics::Statistics;
use crate::watched::Watched;
use hall_core::Hall;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, RwLock};

/// What the writer and the shells share.
pub(crate) struct Shared {
    pub(crate) clock: Arc<dyn HallClock>,
    pub(crate) arrivals: Arc<Arrivals>,
    pub(crate) queue: Queue,
    /// Where commands are decided.
    pub(crate) lead: Watched<Lead>,
    /// Whether this process, where it leads, still may.
    pub(crate) right: RwLock<Right>,
    /// What becomes durable, for those who follow.
    pub(crate) commits: CommitSender,
    /// The state, with the number of the last record applied to it, which may not be durable yet.
    pub(crate) state: RwLock<State>,
    /// How far the journal is durable.
    pub(crate) durable: Arc<Watched<Durable>>,
    pub(crate) feeds: Arc<Feeds>,
    /// What happened in the hall as a whole.
    pub(crate) events: HallEvents,
    /// How games ended that agents ask for.
    pub(crate) ends: NewestEnds,
    pub(crate) statistics: Statistics,
    pub(crate) archive: Archive,
    pub(crate) log: LogReader,
    pub(crate) counters: Counters,
    pub(crate) play: PlayCounter,
    pub(crate) drain: Drain,
    /// Answers that wait for a beacon round, as of the last step.
    pub(crate) deferred: AtomicUsize,
    /// Steps that the writer has completed.
    pub(crate) steps: AtomicU64,
    pub(crate) stopping: Arc<Watched<bool>>,
    pub(crate) writable: AtomicBool,
    pub(crate) free_bytes: AtomicU64,
    /// How long tasks are held up, in a simulator.
    #[cfg(feature = "holds")]
    pub(crate) holds: std::sync::OnceLock<Arc<dyn crate::holds::Holds>>,
}

/// Where commands are decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lead {
    /// In this process.
    Here,
    /// In another one, to which this one hands its commands.
    Elsewhere,
    /// Nowhere: no process leads, or this one does not reach it.
    Nowhere,
}

pub(crate) struct State {
    pub(crate) hall: Hall,
    pub(crate) applied: u64,
}

/// Whether the hall drains: as requested, and as applied by the writer.
#[derive(Debug, Default)]
pub(crate) struct Drain {
    pub(crate) wanted: AtomicBool,
    pub(crate) in_force: Watched<bool>,
    /// Whether the last one ended because this process gave the lead back.
    lead_moved: AtomicBool,
}

impl Drain {
    pub(crate) fn is_wanted(&self) -> bool {
        self.wanted.load(Ordering::Relaxed)
    }

    /// Whether the last one ended because this process gave the lead back.
    pub(crate) fn was_ended_by_lead(&self) -> bool {
        self.lead_moved.load(Ordering::Relaxed)
    }

    /// A drain ends with the lead: the next writer knows nothing of it, and neither may this one when it leads again.
    pub(crate) fn end_with_lead(&self) {
        self.wanted.store(false, Ordering::Relaxed);
        self.lead_moved.store(true, Ordering::Relaxed);
        self.confirm(false);
    }

    /// Records whether the writer's last step observed a drain, and wakes waiting readers if that changed.
    pub(crate) fn confirm(&self, draining: bool) {
        if self.in_force.get() != draining {
            if draining {
                self.lead_moved.store(false, Ordering::Relaxed);
            }
            self.in_force.change(|in_force| *in_force = draining);
        }
    }
}
