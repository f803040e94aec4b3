//! Feedback and the docket. The texts are in the facts; the desk keeps only the counts that its decisions depend on.

use super::joining::until_next_day;
use crate::command::Caller;
use crate::decision::Decision;
use crate::desk::context::DeskContext;
use crate::desk::docket::{DocketEntry, DocketKind, DocketMatter, DocketText, DocketWording};
use crate::desk::fact::{DeskFact, GovernanceFact};
use crate::desk::feedback::NewFeedback;
use crate::desk::state::Desk;
use crate::entropy::Entropy;
use crate::fact::Fact;
use crate::leaf;
use crate::rejection::Rejection;
use crate::reply::Reply;
use alloc::vec;
use hall_wire::{FeedbackId, Timestamp, id};

impl Desk {
    /// Takes a feedback post (specification 2.11).
    pub(super) fn post_feedback(
        &self,
        context: &DeskContext<'_>,
        who: Caller,
        post: &NewFeedback,
        entropy: &mut dyn Entropy,
    ) -> Result<Decision, Rejection> {
        let agent = self.caller(who)?.id;
        let left = self.feedback_left(&agent, context.at, context.settings);
        if left == Some(0) {
            return Err(Rejection::FeedbackQuota { retry_after: until_next_day(context.at) });
        }
        let mut random = [0; 10];
        entropy.fill(&mut random);
        let id = FeedbackId::from_bytes(id::time_ordered_after(self.last_feedback, context.at, random));
        let fact = Fact::Desk(DeskFact::FeedbackPosted {
            at: context.at,
            id,
            agent,
            kind: post.kind,
            subject: post.subject.clone(),
            body: post.body.clone(),
            context: post.context.clone(),
        });
        let remaining_today = left.map(|left| left - 1);
        Ok(Decision::grant(Reply::FeedbackTaken { id, remaining_today }, vec![fact]))
    }

    /// The docket entry about `matter`.
    #[must_use]
    pub fn enter_docket(&self, at: Timestamp, wording: DocketWording, matter: &DocketMatter<'_>) -> Fact {
        self.enter_in_docket(at, matter.kind(), wording(matter))
    }

    /// The next docket entry. A decision holds at most one, because its number follows from the state.
    pub(super) fn enter_in_docket(&self, at: Timestamp, kind: DocketKind, text: DocketText) -> Fact {
        let DocketText { subject, reason, disposition } = text;
        let entry =
            DocketEntry { id: self.docket_len + 1, kind, subject, reason, disposition, created_at: at };
        let leaf = leaf::docket(&entry);
        Fact::Governance(GovernanceFact::DocketEntered { entry, leaf })
    }
}
