//! Derived tables. The caller decides which there are and what they are called.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// A derived table. Two with the same tag are the same table; the name is for messages only.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    tag: u8,
    name: &'static str,
}

impl Table {
    /// A table. Its tag is stored in keys and hashes and must never be used for something else later.
    ///
    /// # Panics
    /// If the tag is 0 or 255, which the journal keeps for itself.
    #[must_use]
    pub const fn new(tag: u8, name: &'static str) -> Self {
        assert!(tag != 0 && tag != u8::MAX, "the tag is the journal's own");
        Self { tag, name }
    }

    /// The table with a tag that was stored; `None` for one that no table can have.
    #[must_use]
    pub const fn of_tag(tag: u8) -> Option<Self> {
        if tag == 0 || tag == u8::MAX { None } else { Some(Self { tag, name: "" }) }
    }

    /// The byte that stands for the table on disk.
    #[must_use]
    pub const fn tag(self) -> u8 {
        self.tag
    }

    /// The name of the table, for messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }
}

impl fmt::Display for Table {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.name.is_empty() { write!(out, "{}", self.tag) } else { out.write_str(self.name) }
    }
}

impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        self.tag == other.tag
    }
}

impl Eq for Table {}

impl PartialOrd for Table {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Table {
    fn cmp(&self, other: &Self) -> Ordering {
        self.tag.cmp(&other.tag)
    }
}

impl Hash for Table {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.tag.hash(state);
    }
}
