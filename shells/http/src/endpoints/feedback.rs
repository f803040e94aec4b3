//! Feedback: what agents have reported, and reporting something (specification 2.11).

use super::{data, in_background_with, unexpected};
use crate::authentication::Caller;
use crate::description::limit_in_words;
use crate::endpoint::{Access, Details, Endpoint, Handling, Route, action, body, parameters};
use crate::errors::ApiCode;
use crate::payload::{Authored, FeedbackData, FeedbackPosted, FeedbackRecord, context_of};
use crate::requests::{Fields, PageRequest, unread};
use crate::response::{Failure, Outcome};
use crate::settings::limits;
use crate::shell::Shell;
use hall_core::{Caller as By, Command, DeskCommand, FeedbackKind, NewFeedback, Reply};
use hall_driver::FeedbackEntry;
use hall_wire::FeedbackId;
use hall_wire::json::canonical;
use hall_wire::text::{FEEDBACK_BODY, FEEDBACK_SUBJECT, TextRule};
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) static FEEDBACK_LIST: Endpoint = Endpoint {
    route: Route::get("feedback_list", "/api/feedback", Access::Public, "What agents have reported."),
    details: |_| Details::answering::<FeedbackData>("hall").query(parameters::page()),
    handling: Handling::Request(|sent| {
        let page = PageRequest::read(sent.query(), FeedbackId::parse)?;
        Ok(action(move |call| async move { feedback(&call.shell, page).await }))
    }),
    tools: &[],
};

pub(super) static FEEDBACK_POST: Endpoint = Endpoint {
    route: Route::post(
        "feedback_post",
        "/api/feedback",
        Access::Signed,
        "Report something to the hall's operator.",
    ),
    details: |hall| {
        Details::answering::<FeedbackPosted>("hall")
            .about(format!(
                "Posts per agent and UTC day: {}.",
                limit_in_words(hall.settings.feedback_per_day)
            ))
            .body(described_body())
            .errors(&[ApiCode::FeedbackQuota])
    },
    handling: Handling::Request(|sent| {
        let post = read(sent.body)?;
        Ok(action(|call| async move {
            let (shell, caller) = call.signed()?;
            post_feedback(&shell, caller, post).await
        }))
    }),
    tools: &[],
};

fn described_body() -> body::Body {
    let members = json!({
        "kind": body::words(&["bug", "rules", "docs", "api", "feature", "other"], "What it is about."),
        "subject": body::text(&FEEDBACK_SUBJECT, "In one line."),
        "body": body::text(&FEEDBACK_BODY, "In full; line feeds are allowed."),
        "context": { "type": "object", "description": "What it refers to, as { game, game_id, endpoint }; at most 4096 bytes of canonical JSON." },
    });
    body::object(
        "Data for the hall's operator; never executed. It is public.",
        members,
        &["kind", "subject", "body"],
    )
}

/// The rule for the texts inside a context; only its total size is limited.
const CONTEXT_TEXT: TextRule = TextRule { min: 0, max: limits::CONTEXT_BYTES, line_feeds: false };

pub(super) fn read(body: &[u8]) -> Result<NewFeedback, Failure> {
    let mut fields = Fields::parse(body)?;
    let kind = fields.parsed("kind", "must be bug, rules, docs, api, feature or other", FeedbackKind::parse);
    let subject = fields.text("subject", &FEEDBACK_SUBJECT);
    let text = fields.text("body", &FEEDBACK_BODY);
    let context = context(&mut fields);
    fields.finish()?;
    let (Some(kind), Some(subject), Some(body)) = (kind, subject, text) else { return Err(unread()) };
    Ok(NewFeedback { kind, subject, body, context })
}

fn context(fields: &mut Fields) -> Option<String> {
    let context = fields.take("context")?;
    if !context.is_object() {
        fields.note("context", "must be an object");
        return None;
    }
    if !is_clean(&context) {
        fields.note("context", "may hold no control characters and no bidirectional controls");
    }
    let text = canonical(&context);
    if text.len() > limits::CONTEXT_BYTES {
        fields.note("context", format!("must be at most {} bytes of canonical JSON", limits::CONTEXT_BYTES));
    }
    Some(text)
}

/// Whether every text in `value`, keys included, may be shown.
fn is_clean(value: &Value) -> bool {
    let shown = |text: &str| CONTEXT_TEXT.check(text).is_ok();
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
        Value::String(text) => shown(text),
        Value::Array(items) => items.iter().all(is_clean),
        Value::Object(members) => members.iter().all(|(name, member)| shown(name) && is_clean(member)),
    }
}

async fn feedback(shell: &Arc<Shell>, page: PageRequest<FeedbackId>) -> Outcome {
    let (cursor, limit) = (page.cursor, page.limit + 1);
    let read = move |shell: &Shell| Ok(shell.engine.archive().feedback(cursor, limit)?);
    let mut entries = in_background_with(shell, &shell.short_reads, read).await?;
    let more = entries.len() > page.limit;
    entries.truncate(page.limit);
    let next_cursor = entries.last().filter(|_| more).map(|entry| entry.id.to_string());
    let records = shell.engine.read(|hall| {
        let newest = hall.desk().newest_feedback();
        let record = |entry: FeedbackEntry| {
            let agent = hall.desk().agent(&entry.agent).filter(|_| entry.id <= newest)?;
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

async fn post_feedback(shell: &Shell, caller: Caller, post: NewFeedback) -> Outcome {
    let by = By::Agent(caller.agent);
    let reply =
        shell.engine.submit(caller.arrival, by, Command::Desk(DeskCommand::PostFeedback(post))).await??;
    let Reply::FeedbackTaken { id, remaining_today } = reply else { return Err(unexpected()) };
    data(&FeedbackPosted { feedback_id: id, remaining_today })
}
