//! The public docket.

use super::schema::payload;
use hall_core::{DocketEntry, DocketKind};
use hall_wire::Timestamp;

payload! {
    /// An entry of the docket: what the hall's operator decided, and why.
    pub DocketRecord as "DocketEntry" {
        /// 1, 2, 3, …
        id: u64,
        /// What it is about.
        kind: DocketKind,
        /// In one line.
        subject: String,
        /// Why.
        reason: String,
        /// What follows from it; null if nothing.
        disposition: Option<String>,
        /// When.
        created_at: Timestamp,
    }

    /// A page of the docket, newest first.
    pub DocketData as "DocketData" {
        /// The entries.
        docket: Vec<DocketRecord>,
        /// Where the next page begins; null at the end.
        next_cursor: Option<String>,
    }
}

impl From<DocketEntry> for DocketRecord {
    fn from(entry: DocketEntry) -> Self {
        let DocketEntry { id, kind, subject, reason, disposition, created_at } = entry;
        Self { id, kind, subject, reason, disposition, created_at }
    }
}
