//! What a follower hands to the leader instead of deciding it.
//!
//! Commands wait in the same queue whether this process decides them or another one. A follower takes them out in the
//! order of their stamps, and says with each batch up to which stamp it has handed over everything: so the leader does
//! not act in an agent's place while a follower still has the agent's request (decision 5.2).

use crate::engine::{Engine, PendingAnswer};
use crate::queue::{Responder, Unavailable};
use crate::shared::Lead;
use hall_core::{Answer, Caller, Command};
use hall_wire::Timestamp;
use std::sync::PoisonError;
use std::time::Duration;

/// The most commands taken at once.
const COMMANDS_AT_ONCE: usize = 256;

/// How long a record that is durable may take to become visible in a process that follows.
const VISIBLE_WITHIN: Duration = Duration::from_secs(5);

/// Commands for the leader.
#[derive(Debug)]
pub struct Handover {
    /// In the order of their stamps.
    pub commands: Vec<Forwarded>,
    /// Every request with an earlier stamp has been handed over, or will not be decided.
    pub mark: Timestamp,
}

/// A command for the leader.
#[derive(Debug)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub struct Forwarded {
    /// When the last byte of the request arrived.
    pub stamp: Timestamp,
    pub who: Caller,
    pub what: Command,
    /// Where its answer goes.
    pub answer: AnswerSlot,
}

/// Where the answer of the leader goes. Dropping it tells the caller that the outcome is unknown.
#[derive(Debug)]
pub struct AnswerSlot(Option<Responder>);

impl AnswerSlot {
    /// Answers the caller, who may have gone away.
    pub fn give(mut self, answer: Result<Answer, Unavailable>) {
        self.send(answer);
    }

    fn send(&mut self, answer: Result<Answer, Unavailable>) {
        if let Some(respond) = self.0.take() {
            let _ = respond.send(answer);
        }
    }
}

impl Drop for AnswerSlot {
    fn drop(&mut self) {
        self.send(Err(Unavailable::Unknown));
    }
}

impl Engine {
    /// Takes the commands that wait for the leader; when none waits, the first that comes within this time. For the one
    /// task of a follower that talks to the leader.
    pub async fn hand_over(&self, within: Duration) -> Handover {
        let queue = &self.shared.queue;
        queue.changed_within(within).await;
        let mut commands = Vec::new();
        while commands.len() < COMMANDS_AT_ONCE
            && let Some(request) = queue.pop()
        {
            let answer = AnswerSlot(Some(request.respond));
            let stamp = request.arrival.stamp();
            commands.push(Forwarded { stamp, who: request.who, what: request.what, answer });
        }
        // Read after the arrivals of these commands have gone: what is still in flight is not among them.
        Handover { commands, mark: self.shared.arrivals.mark() }
    }

    /// Submits a command that a follower has handed over, stamped when it arrived there.
    ///
    /// # Errors
    /// The hall takes no commands now; nothing was decided.
    pub fn enqueue_handed_over(
        &self,
        stamp: Timestamp,
        who: Caller,
        what: Command,
    ) -> Result<PendingAnswer, Unavailable> {
        self.enqueue(self.shared.arrivals.arrive_at(stamp), who, what)
    }

    /// The hall does not act in an agent's place while this follower may still have requests with earlier stamps than
    /// its mark, for two seconds at most. Forgotten when the value is dropped.
    #[must_use]
    pub fn heed_follower(&self) -> FollowerMark {
        FollowerMark { engine: self.clone(), number: self.shared.arrivals.add_follower() }
    }

    /// Where commands are decided.
    #[must_use]
    pub fn lead(&self) -> Lead {
        self.shared.lead.get()
    }

    /// Whether this process decides at this moment: it leads, and its right to has not passed. What is done once per hall
    /// is done only then (14.5).
    #[must_use]
    pub fn decides(&self) -> bool {
        let may = || (self.shared.right.read().unwrap_or_else(PoisonError::into_inner))();
        self.lead() == Lead::Here && may()
    }

    /// Tells a follower whether a leader is there to decide. When it has gone, those who wait for it are told that
    /// nothing was done.
    pub fn set_leader_elsewhere(&self, is_there: bool) {
        let lead = if is_there { Lead::Elsewhere } else { Lead::Nowhere };
        self.shared.lead.change(|now| *now = lead);
        if !is_there {
            self.refuse_waiting();
        }
    }

    /// Tells those who wait that nobody leads, and nothing was done.
    pub(crate) fn refuse_waiting(&self) {
        while let Some(request) = self.shared.queue.pop() {
            let _ = request.respond.send(Err(Unavailable::NoLeader));
        }
    }

    /// The clock of the process that leads shows this time now, or a later one.
    pub fn follow_clock(&self, leader: Timestamp) {
        self.shared.clock.follow(leader);
    }

    /// Another process leads, whose clock is not known yet.
    pub fn forget_leader_clock(&self) {
        self.shared.clock.forget_leader();
    }

    /// Waits until this record is durable and visible here.
    ///
    /// # Errors
    /// It does not become visible within some seconds, because this process has lost the journal, or is stopping.
    pub async fn reaches(&self, seq: u64) -> Result<(), Unavailable> {
        let known = self.shared.durable.get();
        if known.seq >= seq {
            return Ok(());
        }
        let reached = self.shared.durable.until(|durable| durable.seq >= seq || durable.failed);
        match tokio::time::timeout(VISIBLE_WITHIN, reached).await {
            Ok(durable) if durable.seq >= seq => Ok(()),
            Ok(_) | Err(_) => Err(Unavailable::Unknown),
        }
    }
}

/// What a leader knows of the requests that a follower has.
pub struct FollowerMark {
    engine: Engine,
    number: u64,
}

impl FollowerMark {
    /// The follower has handed over everything with an earlier stamp. Tell this after its commands were submitted. A writer
    /// that waits for it is not woken: it looks again within a millisecond.
    pub fn rise(&self, mark: Timestamp) {
        self.engine.shared.arrivals.raise_mark(self.number, mark);
    }
}

impl Drop for FollowerMark {
    fn drop(&mut self) {
        self.engine.shared.arrivals.remove_follower(self.number);
    }
}
