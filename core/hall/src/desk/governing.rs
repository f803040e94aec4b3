//! What the hall's operator decides: docket entries, seasons, suspensions. All but the first write their docket
//! entry by themselves.

use crate::decision::Decision;
use crate::desk::command::{GovernanceCommand, Withheld};
use crate::desk::docket::DocketKind;
use crate::desk::fact::{DeskFact, GovernanceFact, LeaveCause};
use crate::desk::lobby::Lobby;
use crate::desk::state::Desk;
use crate::fact::Fact;
use crate::rejection::Rejection;
use crate::reply::Reply;
use alloc::vec::Vec;
use alloc::{format, vec};
use hall_rooms::SeasonId;
use hall_wire::{AgentId, Handle, OperatorId, Timestamp};

impl Desk {
    pub(super) fn govern_as_operator(
        &self,
        at: Timestamp,
        what: &GovernanceCommand,
    ) -> Result<Decision, Rejection> {
        let facts = match what {
            GovernanceCommand::AddDocketEntry { kind, subject, reason, disposition } => {
                let entry = self.enter_docket(at, *kind, subject, reason, disposition.as_deref());
                return Ok(Decision::grant(Reply::DocketEntered { id: self.docket_len + 1 }, vec![entry]));
            }
            GovernanceCommand::OpenSeason { season } => self.open(at, season)?,
            GovernanceCommand::CloseSeason { season } => self.close(at, season)?,
            GovernanceCommand::SuspendAgent { handle, reason } => self.suspend_agent(at, handle, reason)?,
            GovernanceCommand::RestoreAgent { handle, reason } => self.restore_agent(at, handle, reason)?,
            GovernanceCommand::SuspendOperator { operator, reason } => {
                self.suspend_operator(at, *operator, reason)?
            }
            GovernanceCommand::RestoreOperator { operator, reason } => {
                self.restore_operator(at, *operator, reason)?
            }
            GovernanceCommand::Withhold { what, reason } => self.withhold(at, *what, reason)?,
        };
        Ok(Decision::grant(Reply::Done, facts))
    }

    /// Withholds a text. Whether the turn or post exists is checked by the shell, which has the archive.
    fn withhold(&self, at: Timestamp, what: Withheld, reason: &str) -> Result<Vec<Fact>, Rejection> {
        if self.is_withheld(&what) {
            return Err(Rejection::NothingToChange);
        }
        let subject = match what {
            Withheld::Turn { game, turn_index } => {
                format!("Words of turn {turn_index} of game {game} withheld")
            }
            Withheld::Feedback(id) => format!("Feedback {id} withheld"),
            Withheld::Agent(agent) => {
                self.agent(&agent).ok_or(Rejection::AgentNotFound)?;
                format!("Words of agent {agent} about itself withheld")
            }
        };
        let entry = self.enter_docket(at, DocketKind::Redaction, &subject, reason, None);
        Ok(vec![Fact::Governance(GovernanceFact::TextWithheld { at, what }), entry])
    }

    fn open(&self, at: Timestamp, season: &SeasonId) -> Result<Vec<Fact>, Rejection> {
        if self.seasons.open().is_some() {
            return Err(Rejection::SeasonAlreadyOpen);
        }
        if self.seasons.find(season).is_some() {
            return Err(Rejection::SeasonNameUsed);
        }
        let subject = format!("Season {season} opened");
        let entry =
            self.enter_docket(at, DocketKind::Season, &subject, "The hall's operator opened it.", None);
        Ok(vec![Fact::Governance(GovernanceFact::SeasonOpened { at, season: season.clone() }), entry])
    }

    /// Closes a season and empties its lobbies; live games finish and count.
    fn close(&self, at: Timestamp, season: &SeasonId) -> Result<Vec<Fact>, Rejection> {
        self.seasons.open().filter(|(_, open)| *open == season).ok_or(Rejection::SeasonNotFound)?;
        let subject = format!("Season {season} closed");
        let entry =
            self.enter_docket(at, DocketKind::Season, &subject, "The hall's operator closed it.", None);
        Ok(vec![Fact::Governance(GovernanceFact::SeasonClosed { at, season: season.clone() }), entry])
    }

    fn suspend_agent(&self, at: Timestamp, handle: &Handle, reason: &str) -> Result<Vec<Fact>, Rejection> {
        let agent = self.agent_by_handle(handle).ok_or(Rejection::AgentNotFound)?.id;
        if self.registry.is_agent_suspended(&agent) {
            return Err(Rejection::NothingToChange);
        }
        let lobbies = self.lobbies.of_agent(&agent).map(|lobby| (lobby, agent));
        let mut facts = leave_all(at, lobbies, LeaveCause::Suspended);
        facts.push(Fact::Governance(GovernanceFact::AgentSuspended { at, agent }));
        facts.push(self.note_suspension(at, &format!("Agent {agent} suspended"), reason));
        Ok(facts)
    }

    fn restore_agent(&self, at: Timestamp, handle: &Handle, reason: &str) -> Result<Vec<Fact>, Rejection> {
        let agent = self.agent_by_handle(handle).ok_or(Rejection::AgentNotFound)?.id;
        if !self.registry.is_agent_suspended(&agent) {
            return Err(Rejection::NothingToChange);
        }
        let entry = self.note_suspension(at, &format!("Agent {agent} restored"), reason);
        Ok(vec![Fact::Governance(GovernanceFact::AgentRestored { at, agent }), entry])
    }

    fn suspend_operator(
        &self,
        at: Timestamp,
        operator: OperatorId,
        reason: &str,
    ) -> Result<Vec<Fact>, Rejection> {
        if self.operator(&operator).ok_or(Rejection::OperatorNotFound)?.suspended {
            return Err(Rejection::NothingToChange);
        }
        let entry = self.note_suspension(at, &format!("Operator {operator} suspended"), reason);
        Ok(vec![Fact::Governance(GovernanceFact::OperatorSuspended { at, operator }), entry])
    }

    fn restore_operator(
        &self,
        at: Timestamp,
        operator: OperatorId,
        reason: &str,
    ) -> Result<Vec<Fact>, Rejection> {
        if !self.operator(&operator).ok_or(Rejection::OperatorNotFound)?.suspended {
            return Err(Rejection::NothingToChange);
        }
        let entry = self.note_suspension(at, &format!("Operator {operator} restored"), reason);
        Ok(vec![Fact::Governance(GovernanceFact::OperatorRestored { at, operator }), entry])
    }

    /// Decision: the docket names an agent by its identifier. A handle is a text written by an agent, and the
    /// docket is the hall's own word.
    fn note_suspension(&self, at: Timestamp, subject: &str, reason: &str) -> Fact {
        self.enter_docket(at, DocketKind::Suspension, subject, reason, None)
    }
}

fn leave_all(at: Timestamp, who: impl Iterator<Item = (Lobby, AgentId)>, cause: LeaveCause) -> Vec<Fact> {
    who.map(|(lobby, agent)| Fact::Desk(DeskFact::LobbyLeft { at, agent, lobby, cause })).collect()
}
