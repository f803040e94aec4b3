//! The client against a scripted hall: calls, moves, the loop, and signatures against foreign vectors.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what fails here is the test")]

mod calls;
mod hall;
mod moves;
mod playing;
mod vectors;
