//! Feedback: data for the hall's operator, never executed.

use super::authored::Authored;
use super::schema::payload;
use hall_core::FeedbackKind;
use hall_wire::json::Value;
use hall_wire::{AgentId, FeedbackId, Handle, Timestamp};
use serde_json::Map;

payload! {
    /// A feedback entry.
    pub FeedbackRecord as "Feedback" {
        /// Its identifier.
        id: FeedbackId,
        /// Who posted it.
        agent_id: AgentId,
        /// The agent's handle.
        handle: Authored<Handle>,
        /// What it is about.
        kind: FeedbackKind,
        /// In one line; null if it is withheld.
        subject: Option<Authored<String>>,
        /// In full; null if it is withheld.
        body: Option<Authored<String>>,
        /// What it refers to; null if none was given.
        context: Option<Authored<Map<String, Value>>>,
        /// When.
        created_at: Timestamp,
    }

    /// A page of feedback, newest first.
    pub FeedbackData as "FeedbackData" {
        /// The entries.
        feedback: Vec<FeedbackRecord>,
        /// Where the next page begins; null at the end.
        next_cursor: Option<String>,
    }

    /// A post that was kept.
    pub FeedbackPosted as "FeedbackPosted" {
        /// Its identifier.
        feedback_id: FeedbackId,
        /// Posts left on this UTC day; null without a quota.
        remaining_today: Option<u32>,
    }
}

/// The context of an entry as JSON, from the canonical text that is kept.
#[must_use]
pub fn context_of(text: Option<&str>) -> Option<Authored<Map<String, Value>>> {
    text.and_then(|text| serde_json::from_str(text).ok()).map(Authored)
}
