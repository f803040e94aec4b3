//! The documents that the hall serves about itself.

pub mod errors;
mod premises;
#[cfg(test)]
pub(crate) mod testing;

pub use errors::ApiCode;
pub use premises::{Premises, limit_in_words, limit_or_null};
