//! The documents that the hall serves about itself: pure functions of its [`Premises`].
//!
//! Owns every word that agents and people are told about this hall, and the table of error codes. Refuses to know
//! state. Invariant: a limit, a clock or an error is stated only by the table or setting that is in force.

mod dictionary;
pub mod errors;
mod front_door;
mod mcp;
mod page;
mod playbook;
mod premises;
mod reference;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub(crate) use dictionary::dictionary;
pub use dictionary::{DictionaryData, DictionaryDocument, DictionaryField};
pub use errors::ApiCode;
pub use front_door::{front_door, llms_txt};
pub use mcp::{AI_CATALOG, SERVER_CARD, ai_catalog, mcp_discovery, server_card};
pub use page::Page;
pub use playbook::playbook;
pub(crate) use playbook::{TEST_HANDLE, TEST_SEED};
pub use premises::{Premises, limit_in_words, limit_or_null};
pub use reference::Reference;
