//! The docket.

use super::{data, in_background_with};
use crate::endpoint::{Access, Details, Endpoint, Handling, Route, Tool, action, parameters};
use crate::payload::{DocketData, DocketRecord};
use crate::requests::{PageRequest, digits};
use crate::response::{Failure, Outcome};
use crate::shell::Shell;
use std::sync::Arc;

pub(super) static DOCKET: Endpoint = Endpoint {
    route: Route::get("docket", "/api/docket", Access::Public, "What the hall's operator did and why."),
    details: |_| Details::answering::<DocketData>("hall").query(parameters::page()),
    handling: Handling::Request(|sent| {
        let page = PageRequest::read(sent.query(), digits)?;
        Ok(action(move |call| async move { docket(&call.shell, page).await }))
    }),
    tools: &[Tool::public(15, "docket")],
};

async fn docket(shell: &Arc<Shell>, page: PageRequest<u64>) -> Outcome {
    data(&find(shell, page).await?)
}

/// The entries that are asked for, as far as they were applied here.
pub(super) async fn find(shell: &Arc<Shell>, page: PageRequest<u64>) -> Result<DocketData, Failure> {
    let next = shell.engine.read(|hall| hall.desk().docket_len()).await? + 1;
    let before = page.cursor.map_or(next, |cursor| cursor.min(next));
    let read = move |shell: &Shell| Ok(shell.engine.archive().docket(Some(before), page.limit + 1)?);
    let mut entries = in_background_with(shell, &shell.short_reads, read).await?;
    let more = entries.len() > page.limit;
    entries.truncate(page.limit);
    let next_cursor = entries.last().filter(|_| more).map(|entry| entry.id.to_string());
    Ok(DocketData { docket: entries.into_iter().map(DocketRecord::from).collect(), next_cursor })
}
