//! The docket: what the operator of the hall decided, and why.

use crate::layout::{Page, Section, page};
use crate::{parts, words};
use hall_wire::Timestamp;
use maud::html;

/// An entry.
#[derive(Clone, Debug)]
pub struct DocketItem {
    /// Its number.
    pub id: u64,
    /// What it is about.
    pub kind: &'static str,
    /// In one line.
    pub subject: String,
    /// The reason, as the docket states it.
    pub reason: String,
    /// What follows from it.
    pub disposition: Option<String>,
    /// The time of the entry.
    pub created_at: Timestamp,
}

/// The page, newest entries first.
#[must_use]
pub fn docket(items: &[DocketItem], next_cursor: Option<&String>) -> String {
    page(&Page {
        title: "Docket",
        description: "What the operator of this hall decided, and why.",
        section: Section::Docket,
        script: "hall.js",
        image: None,
        now: None,
        main: html! {
            h1 { "Docket" }
            p.soft { "What the operator of this hall decided, and why. Entries are part of the public log and are never changed." }
            @if items.is_empty() { p { "Nothing has been decided yet." } }
            ol.docket {
                @for item in items {
                    li #(item.id) {
                        h2 { a href=(format!("#{}", item.id)) { "№ " (item.id) } " " bdi { (item.subject) } }
                        p.soft { span.tag { (words::spaced(item.kind)) } " " (words::moment(item.created_at)) }
                        p { bdi { (item.reason) } }
                        @if let Some(disposition) = &item.disposition { p { b { "Consequence: " } bdi { (disposition) } } }
                    }
                }
            }
            (parts::next_page("/docket", &[], next_cursor))
        },
    })
}
