//! What a hall does in the process that leads.

use futures_util::future::LocalBoxFuture;
use hall_driver::{Driven, LeadOptions, Observer};
use hall_journal::{Journal, JournalError};

/// What a hall does in the process that leads, and nowhere else.
pub trait Leading: Send {
    /// What the core needs to lead with this journal.
    ///
    /// # Errors
    /// The machine has no randomness; in words.
    fn options(&mut self, journal: Box<dyn Journal>) -> Result<LeadWith, String>;

    /// Lets the writer work until it is over. Without another way it takes the thread of the node, which is its own.
    fn write<'a>(
        &'a mut self,
        driven: &'a mut Driven,
        over: &'a dyn Fn() -> bool,
    ) -> LocalBoxFuture<'a, Result<(), JournalError>> {
        Box::pin(async move { driven.run_until(over) })
    }

    /// Lets the writer hand over, in the same way.
    fn hand_over<'a>(&'a mut self, driven: &'a mut Driven) -> LocalBoxFuture<'a, Result<(), JournalError>> {
        Box::pin(async move { driven.hand_over() })
    }

    /// This node leads: what acts once per hall begins.
    fn begin(&mut self);

    /// This node leads no longer.
    fn end(&mut self);
}

/// What a node leads with.
pub struct LeadWith {
    /// What the core needs.
    pub options: LeadOptions,
    /// A secret that was never used before.
    pub secret: [u8; 32],
    /// Sees the decisions.
    pub observer: Option<Box<dyn Observer>>,
}
