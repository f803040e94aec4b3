//! Catalog, rules, docket and feedback.

use super::{data, unexpected};
use crate::answer::{Failure, Outcome};
use crate::authentication::Caller;
use crate::errors::ApiCode;
use crate::payload::{
    Authored, CatalogData, DocketData, DocketRecord, FeedbackData, FeedbackPosted, FeedbackRecord, GuideData,
    RulesData, context_of,
};
use crate::requests::Page;
use crate::shell::Shell;
use hall_core::{Caller as By, Command, DeskCommand, HallSettings, NewFeedback, Reply};
use hall_driver::FeedbackEntry;
use hall_games::Game;
use hall_wire::FeedbackId;

pub(super) async fn catalog(shell: &Shell) -> Outcome {
    let catalog = shell
        .engine
        .read(|hall| hall.settings().map(|rules| CatalogData::of(hall.catalog(), rules, &shell.house)))
        .await?;
    data(&catalog.ok_or_else(|| Failure::from(ApiCode::Internal))?)
}

pub(super) fn rules(shell: &Shell, game: &str) -> Outcome {
    data(&of_game(shell, game, RulesData::of)?)
}

pub(super) fn how_to(shell: &Shell, game: &str) -> Outcome {
    data(&of_game(shell, game, GuideData::of)?)
}

/// What `payload` says of the game with this id in the hall's catalog, by the rules of new games.
fn of_game<T>(shell: &Shell, id: &str, payload: fn(&dyn Game, &HallSettings) -> T) -> Result<T, Failure> {
    let found = shell.engine.peek(|hall| (hall.catalog().find(id), hall.settings().cloned()));
    let game = found.0.ok_or_else(|| Failure::from(ApiCode::GameUnknown).in_path())?;
    Ok(payload(game, &found.1.ok_or_else(|| Failure::from(ApiCode::Internal))?))
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
