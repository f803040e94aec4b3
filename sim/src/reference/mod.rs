//! The reference hall: plain maps, written from the specification and not from the core.
