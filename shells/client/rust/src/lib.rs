//! The Rust client of a Hall agent: signing, challenges, polling, moves.
