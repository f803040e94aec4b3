//! Dispatch of commands to the parts of the desk.

use crate::command::Caller;
use crate::decision::Decision;
use crate::desk::command::{DeskCommand, GovernanceCommand};
use crate::desk::context::DeskContext;
use crate::desk::registry::Agent;
use crate::desk::state::Desk;
use crate::doorbell::DoorbellCommand;
use crate::entropy::Entropy;
use crate::rejection::Rejection;

impl Desk {
    /// Decides a command of an agent.
    ///
    /// Decision: quotas count by core time and not by the request's stamp, so that a day's count in the journal
    /// and the times of its facts always agree; the stamp is only for moves.
    pub fn decide(
        &self,
        context: &DeskContext<'_>,
        who: Caller,
        what: &DeskCommand,
        entropy: &mut dyn Entropy,
    ) -> Decision {
        let decided = match what {
            DeskCommand::RegisterAgent(new) => self.register(context, new),
            DeskCommand::FileHomologation { agent, filing } => {
                self.homologate(context, who, *agent, filing, entropy)
            }
            DeskCommand::JoinLobby(lobby) => self.join(context, who, lobby, entropy),
            DeskCommand::LeaveLobby(lobby) => self.leave(context, who, lobby),
            DeskCommand::PostFeedback(post) => self.post_feedback(context, who, post, entropy),
        };
        decided.unwrap_or_else(Decision::refuse)
    }

    /// Decides what concerns a doorbell, except reports of rings, which concern rooms, too.
    pub(crate) fn decide_doorbell(
        &self,
        context: &DeskContext<'_>,
        who: Caller,
        what: &DoorbellCommand,
        entropy: &mut dyn Entropy,
    ) -> Decision {
        let decided = match what {
            DoorbellCommand::Register { url, address } => {
                self.register_doorbell(context, who, url, *address, entropy)
            }
            DoorbellCommand::BeginVerification => self.begin_verification(context, who),
            DoorbellCommand::Disable => self.disable_doorbell(context, who),
            DoorbellCommand::Confirm { agent, challenge, signature } => {
                self.confirm_doorbell(context, *agent, challenge, signature)
            }
            DoorbellCommand::ReportRing(_) => Err(Rejection::NothingToChange),
        };
        decided.unwrap_or_else(Decision::refuse)
    }

    /// Decides a command of the hall's operator.
    pub fn govern(&self, context: &DeskContext<'_>, who: Caller, what: &GovernanceCommand) -> Decision {
        match who {
            Caller::Agent(_) => Decision::refuse(Rejection::NotYourAgent),
            Caller::Operator | Caller::Hall => {
                self.govern_as_operator(context, what).unwrap_or_else(Decision::refuse)
            }
        }
    }

    /// The agent that a signed request comes from.
    pub(super) fn caller(&self, who: Caller) -> Result<&Agent, Rejection> {
        match who {
            Caller::Agent(agent) if self.is_suspended(&agent) => Err(Rejection::AgentSuspended),
            Caller::Agent(agent) => self.registry.find(&agent).ok_or(Rejection::AgentNotFound),
            Caller::Operator | Caller::Hall => Err(Rejection::NotYourAgent),
        }
    }
}
