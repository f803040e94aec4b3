//! The docket.

use super::filter::set;
use super::{Framing, page, sent};
use crate::endpoint::{Access, Endpoint, Route, action};
use crate::endpoints::docket as counterpart;
use crate::payload::DocketRecord;
use crate::requests::{PageRequest, digits};
use hall_pages::DocketItem;

pub(super) static DOCKET: Endpoint = page(
    Route::get("docket_page", "/docket", Access::Public, "What the hall's operator did and why."),
    Some(&counterpart::DOCKET),
    |request| {
        let mut query = request.query();
        let cursor = set(&mut query, "cursor", "must be the cursor of an earlier page", digits);
        query.finish()?;
        Ok(action(move |call| async move {
            let found = counterpart::find(&call.shell, PageRequest { limit: LISTED, cursor }).await?;
            let items: Vec<DocketItem> = found.docket.into_iter().map(item).collect();
            Ok(sent(&call.shell, hall_pages::docket(&items, found.next_cursor.as_ref()), Framing::Nobody))
        }))
    },
);

/// Entries on one page.
const LISTED: usize = 50;

fn item(record: DocketRecord) -> DocketItem {
    let DocketRecord { id, kind, subject, reason, disposition, created_at } = record;
    DocketItem { id, kind: kind.as_str(), subject, reason, disposition, created_at }
}
