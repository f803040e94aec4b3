//! Doorbells.
