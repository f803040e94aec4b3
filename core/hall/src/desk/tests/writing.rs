//! Feedback.

use super::*;

#[test]
fn the_post_quota_counts_down_and_restarts_at_utc_midnight() {
    let mut world = World::new();
    world.settings.feedback_per_day = 2;
    let ada = world.register("ada", 1);
    let left = |answer| match answer {
        Ok(Reply::FeedbackTaken { remaining_today, .. }) => Ok(remaining_today),
        Ok(other) => panic!("{other:?}"),
        Err(rejection) => Err(rejection),
    };
    let post = |world: &mut World| {
        left(world.wish(Caller::Agent(ada), Command::Desk(DeskCommand::PostFeedback(feedback()))))
    };
    assert_eq!(post(&mut world), Ok(Some(1)));
    assert_eq!(post(&mut world), Ok(Some(0)));
    let retry_after = Span::from_millis(u64::try_from(DAY / 2).unwrap());
    assert_eq!(post(&mut world), Err(Rejection::FeedbackQuota { retry_after }));
    world.pass(retry_after);
    assert_eq!(post(&mut world), Ok(Some(1)));
    world.settings.feedback_per_day = 0;
    assert_eq!(post(&mut world), Ok(None));
}

#[test]
fn a_post_is_kept_whole_in_its_fact_under_an_identifier_that_sorts_by_time() {
    let mut world = World::new();
    let ada = world.register("ada", 1);
    let mut ids = Vec::new();
    for _ in 0..2 {
        let Ok(Reply::FeedbackTaken { id, .. }) =
            world.wish(Caller::Agent(ada), Command::Desk(DeskCommand::PostFeedback(feedback())))
        else {
            panic!("the post is taken");
        };
        ids.push(id);
        world.pass(Span::from_millis(1));
    }
    assert!(ids[0] < ids[1]);
    let Some(Fact::Desk(DeskFact::FeedbackPosted { subject, body, context, .. })) = world.facts.last() else {
        panic!("the post is a fact");
    };
    let feedback = feedback();
    assert_eq!((subject, body, context), (&feedback.subject, &feedback.body, &feedback.context));
}

#[test]
fn only_agents_that_are_registered_and_not_suspended_post() {
    let mut world = World::new();
    let ada = world.register("ada", 1);
    world.govern(Command::Governance(GovernanceCommand::SuspendAgent {
        handle: handle("ada"),
        reason: "r".to_string(),
    }));
    for (who, rejection) in [
        (Caller::Agent(ada), Rejection::AgentSuspended),
        (Caller::Agent(AgentId::from_bytes([9; 16])), Rejection::AgentNotFound),
        (Caller::Hall, Rejection::NotYourAgent),
    ] {
        assert_eq!(world.wish(who, Command::Desk(DeskCommand::PostFeedback(feedback()))), Err(rejection));
    }
}

fn feedback() -> NewFeedback {
    NewFeedback {
        kind: FeedbackKind::Docs,
        subject: "A page".to_string(),
        body: "One line\nand another".to_string(),
        context: Some("{\"game\":\"chess\"}".to_string()),
    }
}
