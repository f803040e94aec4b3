//! The desk: agents, operators, homologations, seasons, lobbies, quotas, standings, and the numbers of the docket. It
//! forms games and knows which are live; what happens in them is left to the rooms.
//!
//! [`Desk::decide`] reads the state and answers, [`Desk::apply`] changes it. Texts on which no decision depends
//! (feedback, docket entries, voided homologations) are not kept here; they are in the journal, and shells read them
//! there.

mod activity;
mod admitting;
mod apply;
mod check;
pub(crate) mod command;
pub(crate) mod context;
mod decide;
pub(crate) mod docket;
mod doorbell_requests;
pub(crate) mod doorbells;
pub(crate) mod entries;
pub(crate) mod fact;
pub(crate) mod feedback;
pub(crate) mod filing;
mod governance;
mod joining;
pub(crate) mod leaderboard;
pub(crate) mod lobbies;
pub(crate) mod lobby;
mod pairing;
mod reading;
pub(crate) mod registry;
mod results;
pub(crate) mod seasons;
pub(crate) mod seated;
pub(crate) mod shared;
pub(crate) mod standings;
pub(crate) mod state;
mod writing;

#[cfg(test)]
mod tests;

pub use command::{DeskCommand, GovernanceCommand, Withheld};
pub use context::DeskContext;
pub use docket::{DocketEntry, DocketKind, DocketMatter, DocketText, DocketWording};
pub use doorbells::{Bell, Doorbell, DoorbellState, LastAttempt, PendingBell, Ringing};
pub use entries::{Entry, filing_hash};
pub use fact::{DeskFact, GovernanceFact, LeaveCause, RatedSeat};
pub use feedback::{FeedbackKind, NewFeedback};
pub use filing::{AdapterKind, Filing, NewAgent, ToolAccess};
pub use leaderboard::{LeaderboardCursor, LeaderboardFilter, LeaderboardRow};
pub use lobby::{JoinLobby, Lobby};
pub use registry::{Agent, Operator};
pub use results::half_points_against;
pub use seasons::{Season, SeasonNumber};
pub use standings::{Place, Rating};
pub use state::Desk;
