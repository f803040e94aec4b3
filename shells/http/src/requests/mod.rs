//! Reading the shape of bodies and queries, before the caller is authenticated.
//!
//! Owns the readers, which collect everything that is wrong with a request. What an endpoint asks for is in its
//! declaration. Knows no state: whether a game exists or a handle is taken is checked later, so that a malformed
//! request consumes no challenge.

mod fields;
mod log;
mod page;
mod problems;
mod query;

pub(crate) use fields::Fields;
pub(crate) use log::LogFile;
pub(crate) use page::{ADAPTER_RULE, DIVISION_RULE, GAME_RULE, PageRequest, Status, TIME_RULE};
pub(crate) use problems::{Problems, single as single_problem};
pub(crate) use query::{EXPORTED_GAMES, Entries, LIST, LISTED_EVENTS, PICTURES, Query, digits};

use crate::errors::ApiCode;
use crate::response::Failure;

/// A body where none is specified: nothing, or an object without fields.
pub(crate) fn no_fields(body: &[u8]) -> Result<(), Failure> {
    if body.is_empty() { Ok(()) } else { Fields::parse(body)?.finish() }
}

/// What is answered if a field is missing although no rule was broken: a fault of ours, never of the caller.
pub(crate) fn unread() -> Failure {
    ApiCode::Internal.into()
}
