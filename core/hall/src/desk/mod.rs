//! The desk: agents, operators, homologations, seasons, lobbies, quotas, standings, and the numbers of the
//! docket. It forms games and knows which are live; what happens in them is the rooms' business.
//!
//! [`Desk::decide`] looks and answers, [`Desk::apply`] changes. Texts that nobody decides by (feedback, docket
//! entries, voided homologations) are not kept here; they are in the journal, and shells read them there.

mod activity;
mod admitting;
mod apply;
mod check;
mod doorbells;
mod entries;
mod governing;
mod joining;
mod leaderboard;
mod lobbies;
mod pairing;
mod reading;
mod results;
mod roll;
mod seasons;
mod shared;
mod standings;
mod writing;

#[cfg(test)]
mod tests;

pub(crate) use doorbells::fact as doorbell_fact;
pub use doorbells::{Bell, Doorbell, DoorbellState, LastAttempt, PendingBell, Ringing};
pub use entries::{Entry, filing_hash};
pub use leaderboard::{LeaderboardCursor, LeaderboardFilter, LeaderboardRow};
pub use results::SeatResult;
pub use roll::{Agent, Operator};
pub use seasons::{Season, SeasonNumber};
pub use standings::{Place, Rating};

use crate::command::{Caller, Command, Withheld};
use crate::decision::Decision;
use crate::entropy::Entropy;
use crate::rejection::Rejection;
use crate::rules::Rules;
use activity::Activities;
use alloc::collections::{BTreeMap, BTreeSet};
use doorbells::Doorbells;
use entries::Entries;
use hall_games::Catalog;
use hall_wire::{GameId, Timestamp};
use lobbies::Lobbies;
use results::Seated;
use roll::Roll;
use seasons::Seasons;
use serde::{Deserialize, Serialize};
use shared::Shared;

/// The state of the desk. The default is a hall in which nothing has happened. It serializes with formats that
/// take any key in a map, as postcard does and JSON does not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Desk {
    roll: Roll,
    activities: Activities,
    seasons: Seasons,
    entries: Entries,
    lobbies: Lobbies,
    /// Games in memory: the live ones, and ended ones until they are archived.
    games: BTreeMap<GameId, Shared<Seated>>,
    docket_len: u64,
    /// The identifier of the last feedback post; the next one sorts after it.
    last_feedback: [u8; 16],
    /// When all lobbies were last found without pairable agents.
    last_sweep: Timestamp,
    /// Texts that are shown no more.
    withheld: BTreeSet<Withheld>,
    doorbells: Doorbells,
}

/// What a decision depends on besides state and command.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// Core time.
    pub at: Timestamp,
    /// The settings in force.
    pub rules: &'a Rules,
    /// The games on offer.
    pub catalog: &'a Catalog,
}

impl Desk {
    /// Decides a command that is the desk's business.
    ///
    /// Decision: quotas count by core time and not by the request's stamp, so that a day's count in the journal
    /// and the times of its facts always agree; the stamp is only for moves.
    ///
    /// # Panics
    /// If the command is the business of the rooms or of the hall; no request can bring that about.
    pub fn decide(
        &self,
        scene: &Scene<'_>,
        who: Caller,
        _stamp: Timestamp,
        what: &Command,
        entropy: &mut dyn Entropy,
    ) -> Decision {
        let decided = match what {
            Command::RegisterAgent(new) => self.register(scene, new),
            Command::FileHomologation { agent, filing } => {
                self.homologate(scene, who, *agent, filing, entropy)
            }
            Command::JoinLobby(lobby) => self.join(scene, who, lobby, entropy),
            Command::LeaveLobby(lobby) => self.leave(scene, who, lobby),
            Command::PostFeedback(post) => self.post_feedback(scene, who, post, entropy),
            Command::RegisterDoorbell { url, permitted } => {
                self.register_doorbell(scene, who, url, *permitted, entropy)
            }
            Command::BeginDoorbellVerification => self.begin_verification(scene, who),
            Command::DisableDoorbell => self.disable_doorbell(scene, who),
            Command::ConfirmDoorbell { agent, challenge, signature } => {
                self.confirm_doorbell(scene, *agent, challenge, signature)
            }
            Command::AddDocketEntry { .. }
            | Command::OpenSeason { .. }
            | Command::CloseSeason { .. }
            | Command::SuspendAgent { .. }
            | Command::RestoreAgent { .. }
            | Command::Withhold { .. }
            | Command::SuspendOperator { .. }
            | Command::RestoreOperator { .. } => self.govern(scene.at, who, what),
            Command::SubmitMove(_)
            | Command::DecideGame { .. }
            | Command::StartHall { .. }
            | Command::StopHall
            | Command::NoteGap { .. }
            | Command::ReceiveBeacon { .. }
            | Command::ReportRing(_)
            | Command::Sweep
            | Command::ReplaceKey { .. }
            | Command::CutCheckpoint { .. }
            | Command::ArchiveGame { .. } => unreachable!("the hall gives the desk only what is the desk's"),
        };
        decided.unwrap_or_else(Decision::refuse)
    }

    /// The agent that a signed request comes from.
    fn caller(&self, who: Caller) -> Result<&Agent, Rejection> {
        match who {
            Caller::Agent(agent) if self.is_suspended(&agent) => Err(Rejection::AgentSuspended),
            Caller::Agent(agent) => self.roll.find(&agent).ok_or(Rejection::AgentNotFound),
            Caller::Operator | Caller::Hall => Err(Rejection::NotYourAgent),
        }
    }
}
