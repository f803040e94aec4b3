//! The documents that the hall serves about itself.

pub mod errors;

pub use errors::ApiCode;
