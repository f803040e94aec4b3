//! Catalog, rules, docket and feedback.

use super::{data, unexpected};
use crate::answer::{Failure, Outcome};
use crate::documents::ApiCode;
use crate::gate::Caller;
use crate::payload::{
    Authored, CatalogData, DocketData, DocketRecord, FeedbackData, FeedbackPosted, FeedbackRecord,
    context_of, guide_of, rules_of,
};
use crate::requests::Page;
use crate::shell::Shell;
use hall_core::{Caller as By, Command, DeskCommand, NewFeedback, Reply};
use hall_driver::FeedbackEntry;
use hall_wire::FeedbackId;

pub(super) async fn catalog(shell: &Shell) -> Outcome {
    let catalog = shell
        .engine
        .read(|hall| hall.settings().map(|rules| CatalogData::of(hall.catalog(), rules, &shell.house)))
        .await?;
    data(&catalog.ok_or_else(|| Failure::from(ApiCode::Internal))?)
}

pub(super) fn rules(shell: &Shell, game: &str) -> Outcome {
    let rules = shell.engine.peek(|hall| hall.settings().map(|rules| rules_of(game, rules)));
    data(&rules.ok_or_else(|| Failure::from(ApiCode::Internal))?.ok_or_else(game_unknown)?)
}

pub(super) fn how_to(shell: &Shell, game: &str) -> Outcome {
    let guide = shell.engine.peek(|hall| hall.settings().map(|rules| guide_of(game, rules)));
    data(&guide.ok_or_else(|| Failure::from(ApiCode::Internal))?.ok_or_else(game_unknown)?)
}

fn game_unknown() -> Failure {
    Failure::from(ApiCode::GameUnknown).in_path()
}

pub(super) fn docket(shell: &Shell, page: Page<u64>) -> Outcome {
    let mut entries = shell.engine.archive().docket(page.cursor, page.limit + 1)?;
    let more = entries.len() > page.limit;
    entries.truncate(page.limit);
    let next_cursor = entries.last().filter(|_| more).map(|entry| entry.id.to_string());
    data(&DocketData { docket: entries.into_iter().map(DocketRecord::from).collect(), next_cursor })
}

pub(super) async fn feedback(shell: &Shell, page: Page<FeedbackId>) -> Outcome {
    let mut entries = shell.engine.archive().feedback(page.cursor, page.limit + 1)?;
    let more = entries.len() > page.limit;
    entries.truncate(page.limit);
    let next_cursor = entries.last().filter(|_| more).map(|entry| entry.id.to_string());
    let records = shell.engine.read(|hall| {
        let record = |entry: FeedbackEntry| {
            let agent = hall.desk().agent(&entry.agent)?;
            Some(FeedbackRecord {
                id: entry.id,
                agent_id: entry.agent,
                handle: Authored(agent.handle.clone()),
                kind: entry.kind,
                subject: (!entry.withheld).then_some(Authored(entry.subject)),
                body: (!entry.withheld).then_some(Authored(entry.body)),
                context: context_of(entry.context.as_deref()),
                created_at: entry.created_at,
            })
        };
        entries.into_iter().filter_map(record).collect()
    });
    data(&FeedbackData { feedback: records.await?, next_cursor })
}

pub(super) async fn post_feedback(shell: &Shell, caller: Caller, post: NewFeedback) -> Outcome {
    let by = By::Agent(caller.agent);
    let reply =
        shell.engine.submit(caller.arrival, by, Command::Desk(DeskCommand::PostFeedback(post))).await??;
    let Reply::FeedbackTaken { id, remaining_today } = reply else { return Err(unexpected()) };
    data(&FeedbackPosted { feedback_id: id, remaining_today })
}
