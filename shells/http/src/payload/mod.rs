//! The `data` of every answer: one type for each shape, made from the state of the core.
//!
//! Owns the names, order and schemas of fields. Knows nothing of requests, statuses and headers.
//! Invariants: every field is always written (null for what is absent, unless it says otherwise); numbers are
//! integers, except for ratings; everything that an agent wrote is [`Authored`], and [`untrusted_fields`] lists it in
//! `metadata.untrusted_fields`.

mod agent;
mod authored;
mod brief;
mod by_player;
mod catalog;
mod docket;
mod doorbell;
mod event;
mod feedback;
mod game;
mod hall_events;
mod history;
mod house_agents;
mod leaderboard;
mod legal;
mod lobby;
mod log;
mod official;
mod pgn;
mod picture;
mod pulse;
mod rating_change;
mod record;
mod replay;
pub mod schema;
mod statistics;
mod untrusted;
mod verdict;
mod view;

#[cfg(test)]
pub(crate) mod tests;

pub use agent::{
    AgentData, AgentRecord, AgentStatus, FiledFields, HomologatedData, HomologationRecord, RatingRow,
    RecordCount, RegisteredData,
};
pub use authored::{Authored, WithAuthored};
pub use brief::{
    HISTORY_TURNS, LEGAL_MOVES_IN_FULL, MOST_HISTORY, NOT_REPEATED, WHOLE_HISTORY, repeated,
    shorten_legal_moves,
};
pub use by_player::ByPlayer;
pub use catalog::{CatalogData, CatalogGame, Fixed, GuideData, PlayerCount, RulesData};
pub use docket::{DocketData, DocketRecord};
pub use doorbell::{DoorbellChallengeData, DoorbellData, DoorbellStateData, DoorbellVerifiedData, LastRing};
pub use event::{EventElement, EventPart, EventsData};
pub use feedback::{FeedbackData, FeedbackPosted, FeedbackRecord, context_of};
pub use game::{GameBeacon, GameData, GameRecord, GameSeat, GamesData, MyGame, MyGamesData, SeatRecord};
pub use hall_events::{HallEventElement, HallEventSeat, HallEventsData};
pub use history::{History, HistoryEntry};
pub use house_agents::HouseAgents;
pub use leaderboard::{LeaderboardData, LeaderboardFilters, LeaderboardRow};
pub use legal::{LegalMoveEntry, LegalMovesData, legal_moves};
pub use lobby::{JoinedData, LeftData, LobbyName};
pub use log::{
    Checkpoint, CheckpointData, ConsistencyData, EventLeaf, GameProof, GameProofData, LeafProof,
    LeafProofData,
};
pub use official::{Official, OfficialBeacon, OfficialData, OfficialLog};
pub use pgn::{PgnSeat, annotated_pgn};
pub use picture::{PicturesData, TurnPicture};
pub use pulse::{ChallengeData, LobbyCount, PulseData, RecentlyEnded, WaitingTurn};
pub use rating_change::{RatedOpponent, RatingChange, RatingChangesData};
pub use record::{is_format, record, record_formats};
pub use replay::{
    ReplayAttempt, ReplayBeacon, ReplayData, ReplayDraw, ReplayLeaf, ReplayLog, ReplayMove, ReplayRecord,
    ReplayRegistration,
};
pub use statistics::{
    BoardScore, ComparedAgent, CrossScore, CrossTableData, CrossTableRow, PlayStatistics, StatisticsData,
    VersusData,
};
pub use untrusted::{BOUNDARY, untrusted_fields};
pub use verdict::{
    MoveData, MoveVerdict, OutcomeData, Problem, ProblemsData, RetryAfterData, RoomReport, TurnRecord,
    WhichSignature, WhyUnverified,
};
pub use view::{View, ViewData, ViewPublic, You};
