//! The log's tree without a hall around it, for programs that measure it: the same code, grown leaf by leaf.

use super::{LogError, LogReader, TreeBuilder};
use crate::archive::Archive;
use crate::durable::Durable;
use crate::tables::FactPlace;
use crate::watched::Watched;
use hall_games::Catalog;
use hall_journal::{JournalReader, Row};
use hall_wire::Digest;
use std::sync::Arc;

/// The edge of a tree, which is all that a writer has in memory of it.
#[derive(Clone, Debug, Default)]
pub struct LogTreeBuilder(TreeBuilder);

impl LogTreeBuilder {
    /// Appends a leaf that is the only one of its record; `rows` gets what is stored of the tree.
    pub fn push(&mut self, leaf: &str, record: u64, rows: &mut Vec<Row>) {
        self.0.push(leaf, FactPlace { record, index: 0 }, rows);
    }

    /// Leaves so far.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.0.size()
    }

    /// The root over them.
    #[must_use]
    pub fn root(&self) -> Digest {
        self.0.root()
    }
}

/// Reads the tree that is stored, with nothing kept ready yet. It knows no checkpoint.
///
/// # Errors
/// Never: there is no checkpoint whose row could be damaged.
pub fn read_log(reader: Arc<dyn JournalReader>, catalog: Catalog) -> Result<LogReader, LogError> {
    let all = Arc::new(Watched::new(Durable::ALL));
    LogReader::new(Archive::new(reader, catalog, all), None, true)
}
