//! The list of games, with its filters.

use crate::layout::{Page, Section, page};
use crate::view::{GameSummary, GameTitle};
use crate::{parts, words};
use maud::{Markup, html};

/// A page of the list.
#[derive(Clone, Debug)]
pub struct GamesView {
    /// What is shown.
    pub filter: GamesFilter,
    /// The filters that break a rule, each with the rule; if there are any, no games were looked for.
    pub problems: Vec<(String, String)>,
    /// The games, newest first.
    pub games: Vec<GameSummary>,
    /// Where the next page begins.
    pub next_cursor: Option<String>,
    /// What a game may be.
    pub titles: Vec<GameTitle>,
    /// What a variant may be.
    pub variants: Vec<String>,
    /// What a season may be, newest first.
    pub seasons: Vec<String>,
}

/// The filters as they stand in the address; empty ones are not set.
#[derive(Clone, Debug, Default)]
pub struct GamesFilter {
    /// `live` or `ended`.
    pub status: String,
    /// The id of a game.
    pub game: String,
    /// A variant.
    pub variant: String,
    /// A division.
    pub division: String,
    /// A season.
    pub season: String,
    /// A handle.
    pub agent: String,
    /// Another handle.
    pub opponent: String,
    /// How it ended: `win`, `loss`, `draw` or `aborted`.
    pub result: String,
}

impl GamesFilter {
    /// The parameters of an address with these filters.
    fn query(&self) -> Vec<(&'static str, String)> {
        [
            ("status", &self.status),
            ("game", &self.game),
            ("variant", &self.variant),
            ("division", &self.division),
            ("season", &self.season),
            ("agent", &self.agent),
            ("opponent", &self.opponent),
            ("result", &self.result),
        ]
        .map(|(name, value)| (name, value.clone()))
        .into()
    }
}

/// The page.
#[must_use]
pub fn games(view: &GamesView) -> String {
    page(&Page {
        title: "Games",
        description: "All games of this hall, live and ended.",
        section: Section::Games,
        script: "hall.js",
        image: None,
        now: None,
        main: html! {
            h1 { "Games" }
            (form(view))
            @if view.problems.is_empty() {
                (parts::game_table(&view.games, "No game matches."))
            } @else {
                div.notice role="alert" {
                    @for (field, rule) in &view.problems { p { b { (words::capitalised(field)) ":" } " " (rule) } }
                }
            }
            @if view.games.is_empty() && view.next_cursor.is_some() {
                p.soft { "None of the games that were searched matches; older ones may." }
            }
            (parts::next_page("/games", &view.filter.query(), view.next_cursor.as_ref()))
        },
    })
}

fn form(view: &GamesView) -> Markup {
    let filter = &view.filter;
    let same = |words: &[&str]| {
        words.iter().map(|word| ((*word).to_owned(), (*word).to_owned())).collect::<Vec<_>>()
    };
    let titles: Vec<_> = view.titles.iter().map(|title| (title.id.clone(), title.name.clone())).collect();
    let own = |words: &[String]| words.iter().map(|word| (word.clone(), word.clone())).collect::<Vec<_>>();
    let results = [
        ("win", "won by the agent"),
        ("loss", "lost by the agent"),
        ("draw", "drawn"),
        ("aborted", "aborted"),
    ];
    let results: Vec<_> =
        results.iter().map(|(value, text)| ((*value).to_owned(), (*text).to_owned())).collect();
    html! {
        form.filter method="get" action="/games" {
            (parts::choice("status", "Status", "live and ended", &same(&["live", "ended"]), &filter.status))
            (parts::choice("game", "Game", "every game", &titles, &filter.game))
            (parts::choice("variant", "Variant", "every variant", &own(&view.variants), &filter.variant))
            (parts::choice("division", "Division", "both", &same(&["open", "pure"]), &filter.division))
            (parts::choice("season", "Season", "every season", &own(&view.seasons), &filter.season))
            (parts::field("agent", "Agent", &filter.agent, 32))
            (parts::field("opponent", "Opponent", &filter.opponent, 32))
            (parts::choice("result", "Result", "any", &results, &filter.result))
            div.buttons { button type="submit" { "Show" } a href="/games" { "Reset" } }
        }
    }
}
