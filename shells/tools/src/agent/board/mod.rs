//! Strategies for every game in which the position is known to all, dice included: one move ahead, and a tree search.
//!
//! They know the games only as `hall_games` describes them. What a position looks like before its end is the one thing
//! that differs from game to game; [`outlook`] has it.
//!
//! | module | what it owns |
//! |---|---|
//! | `rebuilt` | the position behind a view |
//! | `outlook` | what a position is worth before the end |
//! | `greedy` | one move ahead |
//! | `search` | the tree, and how its moves are tried |
//! | `playout` | how a game goes on from a position |

mod greedy;
mod outlook;
mod playout;
mod rebuilt;
mod search;

pub(super) use greedy::choose as greedy;
pub(super) use rebuilt::{game_id, is_where_history_leads};
pub(super) use search::{Bounds, choose as search};

#[cfg(test)]
mod tests;
