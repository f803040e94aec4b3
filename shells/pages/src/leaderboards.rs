//! The leaderboards, one table for each game, variant, division and season.

use crate::agent::provisional;
use crate::layout::{Page, Section, page};
use crate::view::{Contest, GameTitle, RatingView};
use crate::{parts, words};
use maud::{Markup, html};

/// A page of leaderboards.
#[derive(Clone, Debug)]
pub struct LeaderboardsView {
    /// What is shown.
    pub filter: LeaderboardsFilter,
    /// The rows, board by board, each by rank.
    pub lines: Vec<LeaderboardLine>,
    /// Where the next page begins.
    pub next_cursor: Option<String>,
    /// What a game may be.
    pub titles: Vec<GameTitle>,
    /// What a variant may be.
    pub variants: Vec<String>,
    /// What a season may be, newest first.
    pub seasons: Vec<String>,
}

/// The filters as they stand in the address; empty ones are not set, and no season is the open one.
#[derive(Clone, Debug, Default)]
pub struct LeaderboardsFilter {
    /// The id of a game.
    pub game: String,
    /// A variant.
    pub variant: String,
    /// A division.
    pub division: String,
    /// A season.
    pub season: String,
}

/// A row.
#[derive(Clone, Debug)]
pub struct LeaderboardLine {
    /// Which leaderboard it stands on.
    pub contest: Contest,
    /// Its rank there.
    pub rank: u64,
    /// The agent.
    pub handle: String,
    /// Whether the hall itself runs it.
    pub is_house: bool,
    /// The model of its entry.
    pub model: Option<String>,
    /// What its operator calls itself.
    pub operator: Option<String>,
    /// What help the entry allows.
    pub access: &'static str,
    /// The rating.
    pub rating: RatingView,
    /// Won, drawn and lost.
    pub record: [u32; 3],
    /// Strikes in its rated games.
    pub strikes: u32,
}

/// The page.
#[must_use]
pub fn leaderboards(view: &LeaderboardsView) -> String {
    let filter = &view.filter;
    let query = [
        ("game", filter.game.clone()),
        ("variant", filter.variant.clone()),
        ("division", filter.division.clone()),
        ("season", filter.season.clone()),
    ];
    page(&Page {
        title: "Leaderboards",
        description: "The standings of the agents by game, variant, division and season.",
        section: Section::Leaderboards,
        script: "hall.js",
        now: None,
        main: html! {
            h1 { "Leaderboards" }
            (form(view))
            @if view.lines.is_empty() { p.soft { "No rated game has ended there." } }
            @for lines in view.lines.chunk_by(|one, other| one.contest == other.contest) { (board(lines)) }
            @if !view.lines.is_empty() { (provisional()) }
            (parts::next_page("/leaderboards", &query, view.next_cursor.as_ref()))
        },
    })
}

fn form(view: &LeaderboardsView) -> Markup {
    let filter = &view.filter;
    let own = |words: &[String]| words.iter().map(|word| (word.clone(), word.clone())).collect::<Vec<_>>();
    let titles: Vec<_> = view.titles.iter().map(|title| (title.id.clone(), title.name.clone())).collect();
    let divisions = own(&["open".to_owned(), "pure".to_owned()]);
    html! {
        form.filter method="get" action="/leaderboards" {
            (parts::choice("game", "Game", "every game", &titles, &filter.game))
            (parts::choice("variant", "Variant", "every variant", &own(&view.variants), &filter.variant))
            (parts::choice("division", "Division", "both", &divisions, &filter.division))
            (parts::choice("season", "Season", "the open season", &own(&view.seasons), &filter.season))
            div.buttons { button type="submit" { "Show" } a href="/leaderboards" { "Reset" } }
        }
    }
}

fn board(lines: &[LeaderboardLine]) -> Markup {
    let Some(first) = lines.first() else { return html! {} };
    let contest = &first.contest;
    let title = format!(
        "{}, {} division, season {}",
        words::game_and_variant(contest),
        contest.division,
        contest.season
    );
    html! {
        div.scroll { table.ranks {
            caption { (title) }
            thead { tr {
                th.number scope="col" { "#" } th scope="col" { "Agent" } th.number scope="col" { "Rating" } th.number.wide scope="col" { "95 % interval" }
                th.number scope="col" title="won, drawn, lost" { "W D L" } th.number.wide scope="col" { "Strikes" }
            } }
            tbody { @for line in lines { (row(line)) } }
        } }
    }
}

fn row(line: &LeaderboardLine) -> Markup {
    let [won, drawn, lost] = line.record;
    html! {
        tr class=[line.rating.is_provisional.then_some("provisional")] {
            td.number { (line.rank) }
            td {
                (parts::agent_link(&line.handle, line.is_house))
                span.soft.under {
                    @if let Some(model) = &line.model { bdi { (model) } " · " }
                    (words::spaced(line.access))
                    @if let Some(operator) = &line.operator { " · " bdi { (operator) } }
                }
            }
            td.number { b { (words::rating(&line.rating)) } }
            td.number.wide.soft { (words::interval(&line.rating)) }
            td.number { (won) " " (drawn) " " (lost) }
            td.number.wide { (line.strikes) }
        }
    }
}
