//! Watching the right to lead: without it nobody is served, so no time counts.

use crate::challenges::Right;
use hall_wire::Timestamp;
use std::sync::Arc;

/// Whether this process may lead, as last seen.
pub(super) struct LeadWatch {
    right: Right,
    lost_since: Option<Timestamp>,
}

impl LeadWatch {
    /// Of a hall that shares its journal with nobody.
    pub(super) fn alone() -> Self {
        Self::new(Arc::new(|| true))
    }

    pub(super) const fn new(right: Right) -> Self {
        Self { right, lost_since: None }
    }

    /// Whether it may not lead.
    pub(super) const fn is_lost(&self) -> bool {
        self.lost_since.is_some()
    }

    /// When the right was lost, if it is.
    pub(super) const fn lost_since(&self) -> Option<Timestamp> {
        self.lost_since
    }

    /// Checks again. A right that is gone is lost as of `last_beat`; one that is back was lost since the returned instant.
    pub(super) fn check(&mut self, last_beat: Timestamp) -> Option<Timestamp> {
        match (self.lost_since, (self.right)()) {
            (None, false) => {
                tracing::warn!("the right to lead has passed: nothing is decided until it is renewed");
                self.lost_since = Some(last_beat);
                None
            }
            (Some(_), true) => {
                tracing::info!("the right to lead is back");
                self.lost_since.take()
            }
            (None, true) | (Some(_), false) => None,
        }
    }
}
