//! Commands of the hall's operator: docket entries, seasons, suspensions. All but the first add their own docket
//! entry.

use crate::decision::Decision;
use crate::desk::command::{GovernanceCommand, Withheld};
use crate::desk::context::DeskContext;
use crate::desk::docket::{DocketMatter, DocketText};
use crate::desk::fact::{DeskFact, GovernanceFact, LeaveCause};
use crate::desk::lobby::Lobby;
use crate::desk::state::Desk;
use crate::fact::Fact;
use crate::rejection::Rejection;
use crate::reply::Reply;
use alloc::vec;
use alloc::vec::Vec;
use hall_rooms::SeasonId;
use hall_wire::{AgentId, Handle, OperatorId, Timestamp};

impl Desk {
    pub(super) fn govern_as_operator(
        &self,
        context: &DeskContext<'_>,
        what: &GovernanceCommand,
    ) -> Result<Decision, Rejection> {
        let facts = match what {
            GovernanceCommand::AddDocketEntry { kind, subject, reason, disposition } => {
                let (subject, reason, disposition) = (subject.clone(), reason.clone(), disposition.clone());
                let entry =
                    self.enter_in_docket(context.at, *kind, DocketText { subject, reason, disposition });
                return Ok(Decision::grant(Reply::DocketEntered { id: self.docket_len + 1 }, vec![entry]));
            }
            GovernanceCommand::OpenSeason { season } => self.open_season(context, season)?,
            GovernanceCommand::CloseSeason { season } => self.close_season(context, season)?,
            GovernanceCommand::SuspendAgent { handle, reason } => {
                self.suspend_agent(context, handle, reason)?
            }
            GovernanceCommand::RestoreAgent { handle, reason } => {
                self.restore_agent(context, handle, reason)?
            }
            GovernanceCommand::SuspendOperator { operator, reason } => {
                self.suspend_operator(context, *operator, reason)?
            }
            GovernanceCommand::RestoreOperator { operator, reason } => {
                self.restore_operator(context, *operator, reason)?
            }
            GovernanceCommand::Withhold { what, reason } => self.withhold(context, *what, reason)?,
        };
        Ok(Decision::grant(Reply::Done, facts))
    }

    /// Withholds a text. Whether the turn or post exists is checked by the shell, which has the archive.
    fn withhold(
        &self,
        context: &DeskContext<'_>,
        what: Withheld,
        reason: &str,
    ) -> Result<Vec<Fact>, Rejection> {
        if self.is_withheld(&what) {
            return Err(Rejection::NothingToChange);
        }
        if let Withheld::Agent(agent) = what {
            self.agent(&agent).ok_or(Rejection::AgentNotFound)?;
        }
        let entry = self.enter(context, &DocketMatter::TextWithheld { what, reason });
        Ok(vec![Fact::Governance(GovernanceFact::TextWithheld { at: context.at, what }), entry])
    }

    fn open_season(&self, context: &DeskContext<'_>, season: &SeasonId) -> Result<Vec<Fact>, Rejection> {
        if self.seasons.open().is_some() {
            return Err(Rejection::SeasonAlreadyOpen);
        }
        if self.seasons.find(season).is_some() {
            return Err(Rejection::SeasonNameUsed);
        }
        let entry = self.enter(context, &DocketMatter::SeasonOpened { season });
        let (at, season) = (context.at, season.clone());
        Ok(vec![Fact::Governance(GovernanceFact::SeasonOpened { at, season }), entry])
    }

    /// Closes a season and empties its lobbies; live games finish and count.
    fn close_season(&self, context: &DeskContext<'_>, season: &SeasonId) -> Result<Vec<Fact>, Rejection> {
        self.seasons.open().filter(|(_, open)| *open == season).ok_or(Rejection::SeasonNotFound)?;
        let entry = self.enter(context, &DocketMatter::SeasonClosed { season });
        let (at, season) = (context.at, season.clone());
        Ok(vec![Fact::Governance(GovernanceFact::SeasonClosed { at, season }), entry])
    }

    fn suspend_agent(
        &self,
        context: &DeskContext<'_>,
        handle: &Handle,
        reason: &str,
    ) -> Result<Vec<Fact>, Rejection> {
        let agent = self.agent_by_handle(handle).ok_or(Rejection::AgentNotFound)?.id;
        if self.registry.is_agent_suspended(&agent) {
            return Err(Rejection::NothingToChange);
        }
        let lobbies = self.lobbies.of_agent(&agent).map(|lobby| (lobby, agent));
        let mut facts = leave_all(context.at, lobbies, LeaveCause::Suspended);
        facts.push(Fact::Governance(GovernanceFact::AgentSuspended { at: context.at, agent }));
        facts.push(self.enter(context, &DocketMatter::AgentSuspended { agent, reason }));
        Ok(facts)
    }

    fn restore_agent(
        &self,
        context: &DeskContext<'_>,
        handle: &Handle,
        reason: &str,
    ) -> Result<Vec<Fact>, Rejection> {
        let agent = self.agent_by_handle(handle).ok_or(Rejection::AgentNotFound)?.id;
        if !self.registry.is_agent_suspended(&agent) {
            return Err(Rejection::NothingToChange);
        }
        let entry = self.enter(context, &DocketMatter::AgentRestored { agent, reason });
        Ok(vec![Fact::Governance(GovernanceFact::AgentRestored { at: context.at, agent }), entry])
    }

    fn suspend_operator(
        &self,
        context: &DeskContext<'_>,
        operator: OperatorId,
        reason: &str,
    ) -> Result<Vec<Fact>, Rejection> {
        if self.operator(&operator).ok_or(Rejection::OperatorNotFound)?.suspended {
            return Err(Rejection::NothingToChange);
        }
        let entry = self.enter(context, &DocketMatter::OperatorSuspended { operator, reason });
        Ok(vec![Fact::Governance(GovernanceFact::OperatorSuspended { at: context.at, operator }), entry])
    }

    fn restore_operator(
        &self,
        context: &DeskContext<'_>,
        operator: OperatorId,
        reason: &str,
    ) -> Result<Vec<Fact>, Rejection> {
        if !self.operator(&operator).ok_or(Rejection::OperatorNotFound)?.suspended {
            return Err(Rejection::NothingToChange);
        }
        let entry = self.enter(context, &DocketMatter::OperatorRestored { operator, reason });
        Ok(vec![Fact::Governance(GovernanceFact::OperatorRestored { at: context.at, operator }), entry])
    }

    fn enter(&self, context: &DeskContext<'_>, matter: &DocketMatter<'_>) -> Fact {
        self.enter_docket(context.at, context.wording, matter)
    }
}

fn leave_all(at: Timestamp, who: impl Iterator<Item = (Lobby, AgentId)>, cause: LeaveCause) -> Vec<Fact> {
    who.map(|(lobby, agent)| Fact::Desk(DeskFact::LobbyLeft { at, agent, lobby, cause })).collect()
}
