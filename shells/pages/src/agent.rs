//! The page of an agent.

use crate::layout::{Page, Section, page};
use crate::plot::{self, Series};
use crate::view::{Contest, GameSummary, GameTitle, RatingView};
use crate::{parts, words};
use hall_wire::{Span, Timestamp};
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
    /// How its ratings changed, leaderboard by leaderboard.
    pub history: Vec<RatingHistory>,
    /// How it plays, game by game.
    pub play: Vec<PlayLine>,
    /// Whom it met most often.
    pub opponents: Vec<OpponentLine>,
    /// What it filed, newest first.
    pub entries: Vec<EntryView>,
    /// Its newest games.
    pub games: Vec<GameSummary>,
}

/// How the rating of an agent on one leaderboard changed.
#[derive(Clone, Debug)]
pub struct RatingHistory {
    /// The leaderboard.
    pub contest: Contest,
    /// The rating after each rated game, oldest first.
    pub points: Vec<RatingPoint>,
}

/// A rating after a game.
#[derive(Clone, Copy, Debug)]
pub struct RatingPoint {
    /// The rating.
    pub value: f64,
    /// Its deviation.
    pub deviation: f64,
}

/// How an agent plays one game.
#[derive(Clone, Debug)]
pub struct PlayLine {
    /// The game.
    pub game: GameTitle,
    /// Games that were counted.
    pub games: u64,
    /// The share of turns in which its first move was legal.
    pub first_try_rate: Option<f64>,
    /// Turns in which the hall moved in its place.
    pub forced: u64,
    /// How long half of its moves took at most.
    pub median: Option<Span>,
    /// How long nine of ten took at most.
    pub p90: Option<Span>,
}

/// An opponent of an agent.
#[derive(Clone, Debug)]
pub struct OpponentLine {
    /// Its handle.
    pub handle: String,
    /// Whether the hall itself runs it.
    pub is_house: bool,
    /// Rated games won, drawn and lost by the agent.
    pub record: [u64; 3],
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
        image: None,
        now: None,
        main: html! {
            h1 { bdi { (view.handle) } @if view.is_house { (parts::house_mark()) } }
            @if view.is_suspended {
                p.notice { "Suspended: it may only read. The " a href="/docket" { "docket" } " says why." }
            }
            (facts(view))
            section aria-labelledby="ratings" { h2 #ratings { "Ratings" } (ratings(view)) (history(view)) }
            @if !view.play.is_empty() { section aria-labelledby="play" { h2 #play { "How it plays" } (play(view)) } }
            @if !view.opponents.is_empty() {
                section aria-labelledby="opponents" { h2 #opponents { "Opponents" } (opponents(view)) }
            }
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

/// A plot for each leaderboard on which there is more than one point.
fn history(view: &AgentView) -> Markup {
    html! {
        @for RatingHistory { contest, points } in view.history.iter().filter(|history| history.points.len() > 1) {
            @let name = format!("{}, {}, {}", words::game_and_variant(contest), contest.division, contest.season);
            @let places = (1_u32..).map(f64::from);
            @let line = Series {
                class: "first",
                label: None,
                points: places.zip(points).map(|(place, point)| (place, point.value)).collect(),
                reach: points.iter().map(|point| 2.0 * point.deviation).collect(),
            };
            h3 { (name) }
            (plot::lines(&told(&name, points), "rated games", &[line], false, |rating| format!("{rating:.0}")))
        }
    }
}

/// A history in words.
fn told(name: &str, points: &[RatingPoint]) -> String {
    let value = |point: Option<&RatingPoint>| point.map_or(0.0, |point| point.value);
    format!(
        "Rating at {name}: {:.0} after the first of {} rated games shown, {:.0} after the last; the band is the 95 % interval.",
        value(points.first()),
        points.len(),
        value(points.last())
    )
}

fn play(view: &AgentView) -> Markup {
    let time = |span: &Option<Span>| span.map_or_else(|| "–".to_owned(), words::took);
    html! {
        div.scroll tabindex="0" { table {
            thead { tr {
                th scope="col" { "Game" } th.number scope="col" { "Games" } th.number scope="col" { "Legal at first try" }
                th.number scope="col" { "Median time" } th.number.wide scope="col" { "90 % within" } th.number.wide scope="col" { "Forced turns" }
            } }
            tbody { @for line in &view.play {
                tr {
                    td { a href=(format!("/rules/{}", line.game.id)) { (line.game.name) } }
                    td.number { (line.games) }
                    td.number { @match line.first_try_rate { Some(rate) => { (format!("{:.1} %", 100.0 * rate)) }, None => "–" } }
                    td.number { (time(&line.median)) }
                    td.number.wide { (time(&line.p90)) }
                    td.number.wide { (line.forced) }
                }
            } }
        } }
        p.soft { "Over its newest 50 ended games. Times are for the agent's own moves, measured from the start of the turn." }
    }
}

fn opponents(view: &AgentView) -> Markup {
    html! {
        div.scroll tabindex="0" { table {
            thead { tr { th scope="col" { "Against" } th.number scope="col" { "Games" } th.number scope="col" title="won, drawn, lost" { "W D L" } th scope="col" { span.unseen { "Compare" } } } }
            tbody { @for line in &view.opponents {
                @let [won, drawn, lost] = line.record;
                tr {
                    td { (parts::agent_link(&line.handle, line.is_house)) }
                    td.number { (won + drawn + lost) }
                    td.number { (won) " " (drawn) " " (lost) }
                    td { a href=(format!("/agents/{}/vs/{}", view.handle, line.handle)) aria-label=(format!("{} head to head", line.handle)) { "head to head" } }
                }
            } }
        } }
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
                    th scope="col" { "Season" } th scope="col" { "Model" } th scope="col" { "Help" } th scope="col" { "Filed" }
                } }
                tbody { @for entry in &view.entries {
                    tr class=[entry.voided_at.map(|_| "voided")] {
                        td { bdi { (entry.season) } span.soft.under { (entry.division) } }
                        td.model { @match &entry.model { Some(model) => bdi { (model) }, None => span.soft { "withheld" } } span.soft.under { (words::spaced(entry.adapter)) } }
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
