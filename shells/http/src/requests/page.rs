//! Pages of lists, and the rules that many queries share.

use super::query::Query;
use crate::response::Failure;

/// The rule of a game's name.
pub(crate) const GAME_RULE: &str = "must be a game id";
/// The rule of a time.
pub(crate) const TIME_RULE: &str = "must be a time as 2026-11-20T21:50:00.000Z";
/// The rule of a division.
pub(crate) const DIVISION_RULE: &str = "must be pure or open";
/// The rule of an adapter kind.
pub(crate) const ADAPTER_RULE: &str = "must be api, scaffold or other";

/// Which page of a list is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PageRequest<C> {
    pub(crate) limit: usize,
    pub(crate) cursor: Option<C>,
}

/// Whether games are live or have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Live,
    Ended,
}

impl Status {
    /// The written word.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Ended => "ended",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        [Self::Live, Self::Ended].into_iter().find(|status| status.as_str() == text)
    }
}

impl<C> PageRequest<C> {
    /// Reads a query that has nothing but limit and cursor.
    pub(crate) fn read(mut query: Query, cursor: impl Fn(&str) -> Option<C>) -> Result<Self, Failure> {
        let page = Self { limit: query.limit(), cursor: query.cursor(cursor) };
        query.finish()?;
        Ok(page)
    }
}
