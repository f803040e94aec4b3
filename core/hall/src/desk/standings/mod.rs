//! Standings: a rating for each entry and leaderboard, and every leaderboard in rank order.

mod glicko;
mod place;
mod ranking;
mod rating;
mod table;

pub use place::Place;
pub use rating::Rating;
pub(super) use table::Tables;
