//! The strategies that know chess: material one move ahead, and a search of a few moves.

mod greedy;
pub(super) mod lookahead;
mod search;

pub(super) use greedy::choose as greedy;
pub(super) use search::choose as search;
