//! JSON as the hall accepts and writes it: strict parsing, and the canonical form of RFC 8785.
//!
//! Values are [`serde_json::Value`]; signed and logged values contain no numbers except integers.

mod canonical;
mod object;
mod strict;

pub use canonical::{canonical, canonical_into};
pub use object::ObjectWriter;
pub use serde_json::{Map, Value};
pub use strict::{MAX_DEPTH, MAX_INTEGER, MAX_NUMBER_PROBLEMS, NumberProblem, Parsed, SyntaxProblem, parse};
