//! Small worlds of the whole hall, tried exhaustively: every crash of its journal, every order of a few inputs.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod arrivals;
mod crashes;
mod inputs;
mod life;
mod model;
mod orders;
mod requests;
mod scene;
mod subject;
mod twin;
