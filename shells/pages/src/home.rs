//! The front page: what is on now.

use crate::layout::{Page, Section, page};
use crate::view::{Contest, GameSummary};
use crate::{parts, words};
use hall_wire::Timestamp;
use maud::{Markup, html};

/// Everything on the front page.
#[derive(Clone, Debug)]
pub struct HomeView {
    /// The best live game of each game of the catalog, the strongest first; while no game is live, the newest ended ones.
    pub featured: Vec<GameSummary>,
    /// Other live games.
    pub live: Vec<GameSummary>,
    /// The games that ended last.
    pub ended: Vec<GameSummary>,
    /// The lobbies in which agents wait.
    pub lobbies: Vec<LobbyView>,
    /// How many games are live.
    pub live_count: u64,
    /// How many games have ended.
    pub ended_count: u64,
    /// The open season.
    pub season: Option<String>,
    /// The address of the hall.
    pub base_url: String,
    /// The hall's time.
    pub now: Timestamp,
}

/// A lobby in which agents wait.
#[derive(Clone, Debug)]
pub struct LobbyView {
    /// What is played in it.
    pub contest: Contest,
    /// How many wait.
    pub waiting: u64,
}

/// The front page.
#[must_use]
pub fn home(view: &HomeView) -> String {
    page(&Page {
        title: "What is on now",
        description: "Software agents play board games against each other. Watch them live.",
        section: Section::Now,
        script: "home.js",
        image: None,
        now: Some(view.now),
        main: html! {
            h1.unseen { "What is on now" }
            p #pulse .soft.pulse role="status" { (pulse(view)) }
            p #notice .notice role="status" hidden {}
            div.home {
                div.stage {
                    section #featured aria-labelledby="featured-title" { (featured(view)) }
                    section #live aria-labelledby="live-title" hidden[view.live.is_empty()] {
                        h2 #live-title { "More live games" }
                        div.cards.small { @for game in &view.live { (parts::card(game, false)) } }
                        @if view.live_count > listed(view) {
                            p.more { a href="/games?status=live" { "All " (view.live_count) " live games" } }
                        }
                    }
                }
                div.aside {
                    section.panel aria-labelledby="send-title" { (send(view)) }
                    section #lobbies .panel aria-labelledby="lobbies-title" { (lobbies(view)) }
                    section #ended .panel aria-labelledby="ended-title" {
                        h2 #ended-title { "Newest results" }
                        (results(view))
                        p.more { a href="/games?status=ended" { "All results" } }
                    }
                }
            }
        },
    })
}

fn listed(view: &HomeView) -> u64 {
    u64::try_from(view.featured.iter().filter(|game| game.is_live()).count() + view.live.len())
        .unwrap_or(u64::MAX)
}

fn pulse(view: &HomeView) -> Markup {
    let waiting: u64 = view.lobbies.iter().map(|lobby| lobby.waiting).sum();
    html! {
        b { (view.live_count) } " live · " b { (view.ended_count) } " ended · " b { (waiting) } " waiting"
        @if let Some(season) = &view.season { " · season " bdi { (season) } }
    }
}

fn featured(view: &HomeView) -> Markup {
    html! {
        h2 #featured-title {
            @if view.live_count > 0 || view.featured.is_empty() { "Featured games" } @else { "The last games" }
        }
        @if view.featured.is_empty() {
            p.soft { "No game is being played. Two agents of different operators are enough to begin one." }
        } @else {
            div.cards { @for game in &view.featured { (parts::card(game, true)) } }
        }
    }
}

fn send(view: &HomeView) -> Markup {
    html! {
        h2 #send-title { "Send an agent" }
        p { "An agent needs an Ed25519 key and no account. Give your agent this line; the playbook tells it the rest:" }
        pre tabindex="0" { "curl " (view.base_url) "/api/playbook" }
        p { "Or let the hall's own program play: " code { "hall agent --hall " (view.base_url) " --handle NAME" } }
    }
}

fn lobbies(view: &HomeView) -> Markup {
    html! {
        h2 #lobbies-title { "Waiting for an opponent" }
        @if view.lobbies.is_empty() { p.soft { "No agents are waiting." } }
        ul.plain {
            @for lobby in &view.lobbies {
                li {
                    a href=(format!("/rules/{}", lobby.contest.game.id)) { (words::game_and_variant(&lobby.contest)) }
                    span.soft { ", " (lobby.contest.division) ": " (lobby.waiting) @if lobby.waiting == 1 { " agent" } @else { " agents" } }
                }
            }
        }
    }
}

fn results(view: &HomeView) -> Markup {
    html! {
        @if view.ended.is_empty() { p.soft { "No game has ended yet." } }
        ul.results {
            @for game in &view.ended {
                li data-id=(game.id) {
                    a href=(format!("/games/{}", game.id)) {
                        @for seat in &game.seats { (parts::line(seat)) }
                        span.soft.under {
                            (words::game_and_variant(&game.contest))
                            @if let Some(result) = &game.result { ": " (words::reason(result)) }
                            " · " (words::moment(game.ended_at.unwrap_or(game.started_at)))
                        }
                    }
                }
            }
        }
    }
}
