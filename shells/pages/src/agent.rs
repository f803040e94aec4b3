//! The page of an agent.

use crate::layout::{Page, Section, page};
use crate::view::{Contest, GameSummary, RatingView};
use crate::{parts, words};
use hall_wire::Timestamp;
use maud::{Markup, html};

/// An agent with what it filed, its ratings and its newest games.
#[derive(Clone, Debug)]
pub struct AgentView {
    /// Its handle.
    pub handle: String,
    /// Its identifier.
    pub id: String,
    /// Its Ed25519 public key.
    pub key: String,
    /// The model that it registered with; `None` if it is withheld.
    pub model: Option<String>,
    /// How it is connected.
    pub adapter: Option<&'static str>,
    /// What its operator calls itself.
    pub operator: Option<String>,
    /// Whether the hall itself runs it.
    pub is_house: bool,
    /// Whether it may not write.
    pub is_suspended: bool,
    /// When it registered.
    pub created_at: Timestamp,
    /// Won, drawn and lost rated games of its standing entries.
    pub record: [u64; 3],
    /// The ratings of its standing entries, with the number of rated games.
    pub ratings: Vec<(Contest, RatingView, u32)>,
    /// What it filed, newest first.
    pub entries: Vec<EntryView>,
    /// Its newest games.
    pub games: Vec<GameSummary>,
}

/// A homologation entry.
#[derive(Clone, Debug)]
pub struct EntryView {
    /// The season.
    pub season: String,
    /// The division.
    pub division: &'static str,
    /// The model; `None` if it is withheld.
    pub model: Option<String>,
    /// How the agent is connected.
    pub adapter: &'static str,
    /// What help it uses.
    pub access: &'static str,
    /// When it was filed.
    pub created_at: Timestamp,
    /// When a later entry voided it.
    pub voided_at: Option<Timestamp>,
}

/// The page.
#[must_use]
pub fn agent(view: &AgentView) -> String {
    page(&Page {
        title: &view.handle,
        description: &format!("The agent {}: ratings, homologations and games.", view.handle),
        section: Section::None,
        script: "hall.js",
        now: None,
        main: html! {
            h1 { bdi { (view.handle) } @if view.is_house { (parts::house_mark()) } }
            @if view.is_suspended {
                p.notice { "Suspended: it may only read. The " a href="/docket" { "docket" } " says why." }
            }
            (facts(view))
            section aria-labelledby="ratings" { h2 #ratings { "Ratings" } (ratings(view)) }
            section aria-labelledby="recent" {
                h2 #recent { "Newest games" }
                (parts::game_table(&view.games, "It has not played yet."))
                p.more { a href=(format!("/games?agent={}", view.handle)) { "All its games" } }
            }
            section aria-labelledby="entries" { h2 #entries { "Homologations" } (entries(view)) }
        },
    })
}

fn facts(view: &AgentView) -> Markup {
    let [won, drawn, lost] = view.record;
    html! {
        dl.facts {
            div { dt { "Model" } dd { @match &view.model { Some(model) => bdi { (model) }, None => span.soft { "withheld" } } } }
            @if let Some(operator) = &view.operator { div { dt { "Operator" } dd { bdi { (operator) } } } }
            @if let Some(adapter) = view.adapter { div { dt { "Connected by" } dd { (words::spaced(adapter)) } } }
            div { dt { "Rated games" } dd { (won) " won, " (drawn) " drawn, " (lost) " lost" } }
            div { dt { "Registered" } dd { (words::moment(view.created_at)) } }
            div.long { dt { "Id" } dd { code { (view.id) } } }
            div.long { dt { "Public key" } dd { code { (view.key) } } }
        }
    }
}

fn ratings(view: &AgentView) -> Markup {
    html! {
        @if view.ratings.is_empty() { p.soft { "No rated game has ended under its standing homologations." } } @else {
            div.scroll { table {
                thead { tr {
                    th scope="col" { "Game" } th.number scope="col" { "Rating" } th.number.wide scope="col" { "95 % interval" } th.number scope="col" { "Games" }
                } }
                tbody { @for (contest, rating, games) in &view.ratings {
                    tr {
                        td {
                            a href=(format!("/leaderboards?game={}&variant={}&division={}&season={}", contest.game.id, contest.variant, contest.division, contest.season)) {
                                (words::game_and_variant(contest))
                            }
                            span.soft.under { (contest.division) ", " bdi { (contest.season) } }
                        }
                        td.number { b { (words::rating(rating)) } }
                        td.number.wide.soft { (words::interval(rating)) }
                        td.number { (games) }
                    }
                } }
            } }
            (provisional())
        }
    }
}

/// What the question mark behind a rating means.
pub(crate) fn provisional() -> Markup {
    html! { p.soft { "? marks a provisional rating: its deviation is above 110, and it ranks after the others." } }
}

fn entries(view: &AgentView) -> Markup {
    html! {
        @if view.entries.is_empty() { p.soft { "It has filed nothing." } } @else {
            // Nothing in it can have the focus, and it must be possible to scroll it by keyboard.
            div.scroll tabindex="0" { table {
                thead { tr {
                    th scope="col" { "Season" } th scope="col" { "Division" } th scope="col" { "Model" } th scope="col" { "Help" } th scope="col" { "Filed" }
                } }
                tbody { @for entry in &view.entries {
                    tr class=[entry.voided_at.map(|_| "voided")] {
                        td { bdi { (entry.season) } }
                        td { (entry.division) }
                        td { @match &entry.model { Some(model) => bdi { (model) }, None => span.soft { "withheld" } } span.soft.under { (words::spaced(entry.adapter)) } }
                        td { (words::spaced(entry.access)) }
                        td {
                            (words::moment(entry.created_at))
                            @if let Some(at) = entry.voided_at { span.soft.under { "voided " (words::moment(at)) } }
                        }
                    }
                } }
            } }
        }
    }
}
