//! The leaderboards, one table for each game, variant, division and season.

use crate::agent::provisional;
use crate::layout::{Page, Section, page};
use crate::view::{Contest, GameTitle, RatingView};
use crate::{parts, plot, words};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// A page of leaderboards.
#[derive(Clone, Debug)]
pub struct LeaderboardsView {
    /// What is shown.
    pub filter: LeaderboardsFilter,
    /// The rows, one leaderboard after another, each by rank.
    pub lines: Vec<LeaderboardLine>,
    /// Where the next page begins.
    pub next_cursor: Option<String>,
    /// What a game may be.
    pub titles: Vec<GameTitle>,
    /// What a variant may be.
    pub variants: Vec<String>,
    /// What a season may be, newest first.
    pub seasons: Vec<String>,
    /// More of the leaderboard that is shown, if it is only one.
    pub detail: Option<LeaderboardDetail>,
}

/// What is shown of one leaderboard besides its rows.
#[derive(Clone, Debug)]
pub struct LeaderboardDetail {
    /// The first agents of the leaderboard against each other.
    pub cross: Vec<CrossLine>,
    /// All its ratings.
    pub ratings: Vec<f64>,
}

/// One of the first agents of a leaderboard.
#[derive(Clone, Debug)]
pub struct CrossLine {
    /// Its rank.
    pub rank: u64,
    /// Its handle.
    pub handle: String,
    /// Won, drawn and lost against each of them, in the order of the table.
    pub scores: Vec<Option<[u64; 3]>>,
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
        image: None,
        now: None,
        main: html! {
            h1 { "Leaderboards" }
            (form(view))
            @if view.lines.is_empty() { p.soft { "No rated game has ended there." } }
            @for lines in view.lines.chunk_by(|one, other| one.contest == other.contest) { (leaderboard(lines)) }
            @if !view.lines.is_empty() { (provisional()) }
            @if let Some(detail) = &view.detail { (distribution(&detail.ratings)) (cross(&detail.cross)) }
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

fn leaderboard(lines: &[LeaderboardLine]) -> Markup {
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
            caption { a href=(address(contest)) title="with its cross table and the distribution of its ratings" { (title) } }
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

/// The address of one leaderboard.
fn address(contest: &Contest) -> String {
    let Contest { game, variant, division, season } = contest;
    format!("/leaderboards?game={}&variant={variant}&division={division}&season={season}", game.id)
}

/// Points of a rating that share a bar.
const BAR: f64 = 100.0;
/// The lowest and the highest bar; what lies beyond counts there.
const BARS: (u32, u32) = (6, 29);

fn distribution(ratings: &[f64]) -> Markup {
    let (lowest, highest) = BARS;
    let bar =
        |rating: &f64| (lowest..=highest).find(|bar| *rating < f64::from(bar + 1) * BAR).unwrap_or(highest);
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    ratings.iter().for_each(|rating| *counts.entry(bar(rating)).or_default() += 1);
    let (Some(first), Some(last)) = (counts.keys().next().copied(), counts.keys().last().copied()) else {
        return html! {};
    };
    // With some empty bars around, one rating alone is not as wide as the page.
    let shown = first.saturating_sub(3)..=(last + 3);
    let bars: Vec<(String, u64)> =
        shown.map(|bar| ((bar * 100).to_string(), counts.get(&bar).copied().unwrap_or(0))).collect();
    html! {
        section aria-labelledby="distribution" {
            h2 #distribution { "Distribution of ratings" }
            (plot::bars(&format!("How many of {} ratings lie in each hundred points.", ratings.len()), &bars))
        }
    }
}

fn cross(lines: &[CrossLine]) -> Markup {
    html! {
        @if lines.len() > 1 {
            section aria-labelledby="cross" {
                h2 #cross { "Cross table" }
                div.scroll tabindex="0" { table.cross {
                    thead { tr {
                        th.number scope="col" { "#" } th scope="col" { "Agent" }
                        @for line in lines { th.number scope="col" title=(line.handle) { (line.rank) } }
                    } }
                    tbody { @for (row, line) in lines.iter().enumerate() {
                        tr {
                            td.number { (line.rank) }
                            th scope="row" { (parts::agent_link(&line.handle, false)) }
                            @for (column, score) in line.scores.iter().enumerate() {
                                td.number class=[(row == column).then_some("self")] { (crossed(line, lines.get(column), score.as_ref())) }
                            }
                        }
                    } }
                } }
                p.soft { "Points against each of them and games between them, under the entries that are ranked here." }
            }
        }
    }
}

fn crossed(line: &CrossLine, opponent: Option<&CrossLine>, score: Option<&[u64; 3]>) -> Markup {
    let (Some(opponent), Some([won, drawn, lost])) = (opponent, score) else { return html! {} };
    html! {
        a href=(format!("/agents/{}/vs/{}", line.handle, opponent.handle)) title=(format!("{won} won, {drawn} drawn, {lost} lost")) {
            (words::points(2 * won + drawn)) "/" (won + drawn + lost)
        }
    }
}
