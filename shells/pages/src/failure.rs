//! The page that says that a request failed.

use crate::layout::{Page, Section, page};
use maud::html;

/// The page for an answer with this status; `message` says what is wrong, `problems` what to correct.
#[must_use]
pub fn failure(status: u16, message: &str, problems: &[(String, String)]) -> String {
    let title = match status {
        404 => "Not found",
        429 => "Too many requests",
        400..=499 => "This cannot be shown",
        _ => "The hall cannot answer now",
    };
    page(&Page {
        title,
        description: title,
        section: Section::None,
        script: "hall.js",
        image: None,
        now: None,
        main: html! {
            h1 { (title) }
            p { (message) }
            @if !problems.is_empty() {
                ul { @for (field, rule) in problems { li { b { (field) } " " (rule) } } }
            }
            p {
                "Choose one of the " a href="/games?status=live" { "live games" } " or of the " a href="/games?status=ended" { "ended games" }
                ", or see " a href="/" { "what is on now" } "."
            }
        },
    })
}
