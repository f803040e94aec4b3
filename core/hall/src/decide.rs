//! Deciding commands: [`Hall::decide`] dispatches them to desk and rooms.

use crate::command::{Caller, Command, HallCommand};
use crate::decision::Decision;
use crate::desk::context::DeskContext;
use crate::doorbell::DoorbellCommand;
use crate::entropy::Entropy;
use crate::fact::HallFact;
use crate::hall::Hall;
use crate::rejection::Rejection;
use crate::reply::Reply;
use alloc::vec::Vec;
use hall_rooms::RoomCommand;
use hall_wire::Timestamp;

impl Hall {
    /// Decides a command. `at` is core time, which never decreases; `stamp` is when the last byte of the request
    /// arrived, at or before `at`.
    ///
    /// Time comes first: the caller sweeps what is due at or before `stamp` and applies it, then decides. For
    /// [`HallCommand::Sweep`] the stamp is the horizon: what is due later waits, because a request that was in time
    /// may still be on its way.
    pub fn decide(
        &self,
        at: Timestamp,
        stamp: Timestamp,
        who: Caller,
        what: &Command,
        entropy: &mut dyn Entropy,
    ) -> Decision {
        if matches!(who, Caller::Agent(_)) && !what.is_open_to_agents() {
            return Decision::refuse(Rejection::NotYourAgent);
        }
        if let Command::Hall(HallCommand::Start { settings, keys }) = what {
            return self.start(at, settings, keys);
        }
        let Some(settings) = &self.settings else {
            return Decision::refuse(Rejection::SeasonNotFound);
        };
        let context = DeskContext { at, settings, catalog: &self.catalog, wording: self.wording };
        match what {
            Command::Room(what) => self.decide_in_room(at, stamp, who, what),
            Command::Desk(what) => self.desk.decide(&context, who, what, entropy),
            Command::Doorbell(DoorbellCommand::ReportRing(report)) => self.report_ring(at, report),
            Command::Doorbell(what) => {
                let mut decision = self.desk.decide_doorbell(&context, who, what, entropy);
                self.ring_for_open_turns(&mut decision);
                decision
            }
            Command::Governance(what) => self.desk.govern(&context, who, what),
            Command::Hall(HallCommand::Sweep) => self.sweep(&context, stamp, entropy),
            Command::Hall(what) => self.decide_own(at, who, what),
        }
    }

    fn decide_in_room(&self, at: Timestamp, stamp: Timestamp, who: Caller, what: &RoomCommand) -> Decision {
        let agent = match &who {
            Caller::Agent(agent) if self.desk.is_suspended(agent) => {
                return Decision::refuse(Rejection::AgentSuspended);
            }
            Caller::Agent(agent) => Some(agent),
            Caller::Operator | Caller::Hall => None,
        };
        let mut decision = self.complete(at, self.rooms.decide(at, stamp, agent, what));
        if let RoomCommand::ExtendForGap { from, until, cause, after: None } = what {
            decision.facts.extend(self.enter_outage(at, *from, *until, *cause));
        }
        decision
    }

    /// Does the next thing that was due at or before `horizon`: a missed deadline, the end of a wait for the
    /// beacon, a pairing sweep of one lobby. The caller applies it and asks again, until nothing changes.
    fn sweep(&self, context: &DeskContext<'_>, horizon: Timestamp, entropy: &mut dyn Entropy) -> Decision {
        let decided = self.rooms.act_when_due(context.at, horizon);
        decided
            .map(|decided| self.complete(context.at, decided))
            .or_else(|| self.desk.sweep(context, entropy))
            .unwrap_or_else(|| Decision::grant(Reply::Done, Vec::new()))
    }

    fn decide_own(&self, at: Timestamp, who: Caller, what: &HallCommand) -> Decision {
        match what {
            HallCommand::Start { .. } | HallCommand::Sweep => Decision::grant(Reply::Done, Vec::new()),
            HallCommand::Stop => Decision::grant(Reply::Done, [HallFact::Stopped { at }.into()].into()),
            HallCommand::ReplaceKey { purpose, public_key, replaces, signature, occasion, reason } => {
                match who {
                    Caller::Operator => {
                        let replaces = replaces.as_deref();
                        self.replace_key(at, *purpose, (public_key, replaces), signature, *occasion, reason)
                    }
                    Caller::Agent(_) | Caller::Hall => Decision::refuse(Rejection::NotYourAgent),
                }
            }
            HallCommand::TakeCheckpoint { size, root } => self.take_checkpoint(at, *size, *root),
            HallCommand::ArchiveGame { game } => self.archive(at, game),
        }
    }
}
