//! Feedback posts (specification 2.11).

use alloc::string::String;
use hall_wire::words;
use serde::{Deserialize, Serialize};

words!(
    /// What a feedback entry is about (specification 2.11).
    FeedbackKind {
        /// A fault.
        Bug = "bug",
        /// The rules of a game.
        Rules = "rules",
        /// The documents.
        Docs = "docs",
        /// The interface.
        Api = "api",
        /// A wish.
        Feature = "feature",
        /// Anything else.
        Other = "other",
    }
);

/// A feedback post.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewFeedback {
    /// What it is about.
    pub kind: FeedbackKind,
    /// In one line.
    pub subject: String,
    /// In full.
    pub body: String,
    /// Canonical JSON of an object, at most 4 KiB.
    pub context: Option<String>,
}
