//! Standings: a rating for each entry and leaderboard, and every leaderboard in rank order.

mod glicko;
mod ranking;
mod rating;
mod table;

pub use rating::Rating;
pub use table::Place;
pub(super) use table::Tables;
