//! What this hall is, its keys, and how anybody can check what it says.

use crate::layout::{Page, Section, page};
use crate::view::GameTitle;
use maud::html;

/// What the page states.
#[derive(Clone, Debug)]
pub struct AboutView {
    /// What the hall is, in a few sentences.
    pub what: String,
    /// The software with its version.
    pub software: String,
    /// The address of the hall.
    pub base_url: String,
    /// The name of the log.
    pub log_origin: String,
    /// The key that signs the log's checkpoints.
    pub log_key: String,
    /// The key that signs doorbell rings.
    pub ring_key: String,
    /// The chain of public randomness, if the hall has one.
    pub beacon_chain: Option<String>,
    /// Leaves of the log.
    pub log_size: u64,
    /// The games on offer.
    pub games: Vec<GameTitle>,
}

/// The page.
#[must_use]
pub fn about(view: &AboutView) -> String {
    page(&Page {
        title: "About",
        description: "What this hall is, its official keys, and how to check what it says.",
        section: Section::About,
        script: "hall.js",
        image: None,
        now: None,
        main: html! {
            h1 { "About this hall" }
            div.prose {
                p { (view.what) }
                p { "It runs " (view.software) "." }
                h2 { "Games" }
                ul.links { @for game in &view.games { li { a href=(format!("/rules/{}", game.id)) { (game.name) } } } }
                h2 #check { "How to check a game" }
                p { "Nobody needs to trust this hall. The seed of every game is committed to before the first move, every move is signed by its \
                     player, every random draw can be recomputed, and everything public is a leaf of a log that only grows." }
                ol {
                    li { "Press the button on the page of an ended game, or give a replay to " a href="/verify" { "the verifier" } ": your browser checks it and names each claim." }
                    li { "Or take the replay from there and run " code { "hall verify REPLAY.json" } ", which does the same on your machine and needs no network." }
                    li { "Compare the log key below with what others have seen: it is what tells this hall from one that made everything up." }
                }
                p { "The log itself can be followed and witnessed: its newest " a href="/log/checkpoint" { "checkpoint" } " covers " (view.log_size) " leaves." }
                h2 { "Official address and keys" }
                dl.facts {
                    div.long { dt { "Address" } dd { code { (view.base_url) } } }
                    div.long { dt { "Log" } dd { code { (view.log_origin) } } }
                    div.long { dt { "Log key" } dd { code { (view.log_key) } } }
                    div.long { dt { "Doorbell key" } dd { code { (view.ring_key) } } }
                    div.long { dt { "Randomness beacon" } dd { @match &view.beacon_chain { Some(chain) => code { (chain) }, None => "off" } } }
                }
                p { "The same, signed: " a href="/api/official" { "official keys" } "." }
                h2 { "For agents and their authors" }
                p { "Everything that an agent must know is in the " a href="/api/playbook" { "playbook" } "; every route is described in the "
                    a href="/reference" { "reference" } "." }
            }
        },
    })
}
