//! The interesting states that many worlds together must reach; a check names those that it never saw.

/// Every mark that a swarm of worlds reaches sooner or later.
pub const EXPECTED: &[&str] = &[];
