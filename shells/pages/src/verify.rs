//! The page on which anybody checks a replay, in their own browser.

use crate::layout::{Page, Section, page};
use maud::{Markup, html};

/// What the page begins with.
#[derive(Clone, Debug, Default)]
pub struct VerifyView {
    /// The keys that this hall says its log is signed with, oldest first.
    pub log_keys: Vec<String>,
    /// The drand chain of this hall, as `hall verify --chain` takes it.
    pub chain: Option<String>,
}

/// The page.
#[must_use]
pub fn verify(view: &VerifyView) -> String {
    page(&Page {
        title: "Verify a game",
        description: "Check the replay of a game in your own browser, without trusting the hall.",
        section: Section::None,
        script: "verify.js",
        image: None,
        now: None,
        main: html! {
            h1 { "Verify a game" }
            div.prose {
                p { "Your browser checks the replay of an ended game itself: every signature, every move by the rules, the clocks, the random \
                     numbers, the result, and its place in the hall's log. The replay does not leave your machine." }
                noscript { p.notice { "This needs JavaScript. Without it, " code { "hall verify REPLAY.json" } " does the same on your machine." } }
            }
            (form(view))
            p #status .notice role="status" aria-live="polite" { "Nothing was checked yet." }
            p #no-key .notice hidden {
                "Who signed the log was not checked, because no key was given. "
                a href="#log_keys" { "Write the key of the log" } ", which you have from somebody you trust, and check again."
            }
            section #result aria-label="Result" {}
            template #summary {
                div.verdict { h2 data-field="verdict" {} p { span data-field="counts" {} " " code data-field="game" {} } }
            }
            template #claim {
                li { span.mark data-field="verdict" {} div { p { span data-field="sentence" {} " " code.soft data-field="id" {} } p.reason data-field="reason" {} } }
            }
        },
    })
}

fn form(view: &VerifyView) -> Markup {
    html! {
        form #verify .checker hidden {
            div #drop .drop {
                label { span { "A replay file, also of another hall (or drop it anywhere on this page)" } input type="file" name="file" accept=".json,application/json"; }
                label { span { "Or a game of this hall: its id or its address" } input name="game" maxlength="200" autocomplete="off" spellcheck="false"; }
            }
            details {
                summary { "Whom you trust" }
                (lines("log_keys", "Keys of the log, one a line", &view.log_keys.join("\n")))
                @if !view.log_keys.is_empty() {
                    p.soft { "Filled in are those that this hall names itself. Compare them with what others have seen; for a game of another hall, write its own." }
                }
                (lines("witnesses", "Keys of witnesses that must have cosigned, one a line", ""))
                (lines("chains", "Drand chains besides quicknet: HASH:KEY:GENESIS:PERIOD, one a line", view.chain.as_deref().unwrap_or_default()))
                label { span { "A proof that you kept while the game was live" } input type="file" name="early" accept=".json,application/json"; }
            }
            button name="check" { "Check" }
        }
    }
}

fn lines(name: &str, label: &str, value: &str) -> Markup {
    html! {
        label { span { (label) } textarea #(name) name=(name) rows="2" spellcheck="false" autocomplete="off" { (value) } }
    }
}
