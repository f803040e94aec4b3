//! What is appended: batches of records and of changes to derived tables.
//!
//! A record is one entry of the journal, the truth from which state is rebuilt. A row is derived from records and
//! exists so that something can be looked up without folding the journal. Both are opaque bytes here.

use crate::error::JournalError;

/// The most bytes that one batch may hold, counted by [`Batch::size`].
///
/// The bound is that of a slot of the head mark, which holds a complete batch.
pub const MAX_BATCH_BYTES: usize = 4 * 1024 * 1024;

/// The longest key of a row, in bytes.
pub const MAX_KEY_BYTES: usize = 1024;

/// What each record and each row counts for beside its bytes, so that framing always fits.
const ITEM_OVERHEAD_BYTES: usize = 16;

/// A point in the journal: the number of its last record and the hash chain up to there.
///
/// The chain at `seq` is `sha256("svc.journal.v1" || chain at seq - 1 || seq as 8 big-endian bytes || record)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Number of the last record; the first has 1.
    pub seq: u64,
    /// The chain value of that record; zeros before the first.
    pub chain: [u8; 32],
}

impl Head {
    /// The head of a journal without records.
    pub const EMPTY: Self = Self { seq: 0, chain: [0; 32] };
}

/// Declares the derived tables: each has a tag that is stored in keys and hashes and must never change its meaning.
macro_rules! tables {
    ($($(#[$doc:meta])* $name:ident = $tag:literal, $text:literal;)*) => {
        /// The derived tables. Which bytes their keys and values hold is the business of whoever writes them.
        ///
        /// A new table takes the next free tag; a tag is never used again for something else.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Table { $($(#[$doc])* $name,)* }

        impl Table {
            /// Every table, in the order of the tags.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The byte that stands for the table on disk; never 0 and never 255.
            #[must_use]
            pub const fn tag(self) -> u8 {
                match self { $(Self::$name => $tag),* }
            }

            /// The stable name of the table, for messages.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text),* }
            }

            /// The table with this tag.
            #[must_use]
            pub const fn from_tag(tag: u8) -> Option<Self> {
                match tag { $($tag => Some(Self::$name),)* _ => None }
            }
        }
    };
}

tables! {
    /// Ended games by identifier.
    Games = 1, "games";
    /// Where the facts of a game stand in the journal, in their order.
    GameFacts = 2, "game_facts";
    /// Games of an agent.
    AgentGames = 3, "agent_games";
    /// Homologation entries of an agent, standing and voided.
    Homologations = 4, "homologations";
    /// The docket by entry number.
    Docket = 5, "docket";
    /// Feedback in the order of its arrival.
    Feedback = 6, "feedback";
    /// Hashes of the log's tree by level and index.
    LogHashes = 7, "log_hashes";
    /// Signed checkpoints of the log by size.
    Checkpoints = 8, "checkpoints";
    /// Where the registration of an agent stands in the log.
    Registrations = 9, "registrations";
    /// Keys of the hall in the order in which they came into force.
    Keys = 10, "keys";
    /// Texts that are shown no more.
    Withheld = 11, "withheld";
    /// Full tiles of the log's tree by level and index.
    LogTiles = 12, "log_tiles";
    /// Ended games in the order of their end.
    EndedGames = 13, "ended_games";
    /// Ended games of an agent in the order of their end.
    AgentEnds = 14, "agent_ends";
    /// How an ended game changed the ratings of its seats, by game.
    RatedGames = 15, "rated_games";
}

/// One change of a derived table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The table that changes.
    pub table: Table,
    /// The key, at most [`MAX_KEY_BYTES`] long.
    pub key: Vec<u8>,
    /// The new value; `None` deletes the row.
    pub value: Option<Vec<u8>>,
}

/// What becomes durable together or not at all.
///
/// Records get the numbers after the head, in order. Where a batch changes one key twice, the last change counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// New records.
    pub records: Vec<Vec<u8>>,
    /// Changes to derived tables.
    pub rows: Vec<Row>,
}

impl Batch {
    /// What the batch counts for against [`MAX_BATCH_BYTES`], in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        let records = self.records.iter().map(|record| Self::record_size(record.len()));
        let rows = self.rows.iter().map(Self::row_size);
        records.chain(rows).fold(0, usize::saturating_add)
    }

    /// What a record of this length counts for in [`Batch::size`], in bytes.
    #[must_use]
    pub const fn record_size(record_bytes: usize) -> usize {
        record_bytes.saturating_add(ITEM_OVERHEAD_BYTES)
    }

    /// What a row counts for in [`Batch::size`], in bytes.
    #[must_use]
    pub fn row_size(row: &Row) -> usize {
        let value = row.value.as_ref().map_or(0, Vec::len);
        row.key.len().saturating_add(value).saturating_add(ITEM_OVERHEAD_BYTES)
    }

    /// Whether the batch changes nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty() && self.rows.is_empty()
    }

    /// Refuses what no backend stores.
    ///
    /// # Errors
    /// If the batch is larger than [`MAX_BATCH_BYTES`] or a key longer than [`MAX_KEY_BYTES`].
    pub fn check(&self) -> Result<(), JournalError> {
        let bytes = self.size();
        if bytes > MAX_BATCH_BYTES {
            return Err(JournalError::BatchTooLarge { bytes });
        }
        match self.rows.iter().map(|row| row.key.len()).max() {
            Some(bytes) if bytes > MAX_KEY_BYTES => Err(JournalError::KeyTooLong { bytes }),
            Some(_) | None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_table_has_a_tag_and_a_name_of_its_own() {
        let tags: BTreeSet<u8> = Table::ALL.iter().map(|table| table.tag()).collect();
        let names: BTreeSet<&str> = Table::ALL.iter().map(|table| table.name()).collect();
        assert_eq!(tags.len(), Table::ALL.len());
        assert_eq!(names.len(), Table::ALL.len());
        assert!(!tags.contains(&0) && !tags.contains(&255));
        for table in Table::ALL {
            assert_eq!(Table::from_tag(table.tag()), Some(*table));
        }
        assert_eq!(Table::from_tag(0), None);
    }

    #[test]
    fn a_batch_may_be_exactly_as_large_as_the_limit_and_no_larger() {
        let mut batch = Batch { records: vec![vec![0; MAX_BATCH_BYTES - ITEM_OVERHEAD_BYTES]], rows: vec![] };
        assert_eq!(batch.size(), MAX_BATCH_BYTES);
        assert!(batch.check().is_ok());
        batch.records[0].push(0);
        assert!(matches!(batch.check(), Err(JournalError::BatchTooLarge { .. })));
    }

    #[test]
    fn a_key_may_be_exactly_as_long_as_the_limit_and_no_longer() {
        let row = |bytes| Row { table: Table::Docket, key: vec![1; bytes], value: None };
        let batch = |bytes| Batch { records: vec![], rows: vec![row(bytes)] };
        assert!(batch(MAX_KEY_BYTES).check().is_ok());
        assert!(
            matches!(batch(MAX_KEY_BYTES + 1).check(), Err(JournalError::KeyTooLong { bytes }) if bytes == MAX_KEY_BYTES + 1)
        );
    }
}
