//! The rules of games as they are sent, made once for each version of a game's rules: the guide plays its examples.

use crate::lock::lock;
use bytes::Bytes;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// The pages that were made. There are as many as this release has versions.
#[derive(Default)]
pub(crate) struct RulesPages(Mutex<BTreeMap<&'static str, Arc<RulesPage>>>);

/// The page of a game's rules with its pictures.
pub(crate) struct RulesPage {
    pub(crate) html: Bytes,
    /// By example, the position before it and after each of its moves.
    pub(crate) pictures: Vec<Vec<Option<Bytes>>>,
}

impl RulesPages {
    /// That of a version, made now if it is requested for the first time.
    pub(crate) fn of(&self, version: &'static str, make: impl FnOnce() -> RulesPage) -> Arc<RulesPage> {
        Arc::clone(lock(&self.0).entry(version).or_insert_with(|| Arc::new(make())))
    }
}
