//! The documents that the hall serves about itself: pure functions of its [description](crate::description::HallDescription).
//!
//! Owns every word that agents and people are told about this hall. Refuses to know state. Invariant: a limit, a clock or an error is stated only by the table or setting that is in force.

mod dictionary;
mod front_door;
mod playbook;
mod reference;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub(crate) use dictionary::DictionaryData;
pub(crate) use dictionary::dictionary;
pub(crate) use front_door::{WHAT, front_door, llms_txt};
pub(crate) use playbook::playbook;
pub(crate) use playbook::{TEST_HANDLE, TEST_SEED};
pub(crate) use reference::Reference;
