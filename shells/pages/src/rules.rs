//! The rules of one game, for people.

use crate::layout::{Page, Section, page};
use crate::svg::{Seat, Side, inline};
use crate::view::GameTitle;
use crate::words;
use hall_games::Picture;
use hall_wire::Span;
use hall_wire::json::Value;
use maud::{Markup, PreEscaped, html};

/// What is told of a game.
#[derive(Clone, Debug)]
pub struct RulesView {
    /// The game.
    pub game: GameTitle,
    /// The version of the rules.
    pub version: String,
    /// How a new game looks, and what its players are called.
    pub picture: Option<(Picture, Vec<Option<&'static str>>)>,
    /// Lines of the catalog: what, and its value.
    pub facts: Vec<(&'static str, String)>,
    /// Time for one move.
    pub move_time: Span,
    /// Time for all moves of one side, if there is such a clock.
    pub side_time: Option<Span>,
    /// The variants besides the standard one, with what differs in them.
    pub variants: Vec<(String, String)>,
    /// Moves that are shown in pictures.
    pub examples: Vec<ExampleView>,
    /// The rules card.
    pub card: Value,
    /// The guide.
    pub guide: Value,
}

/// A position, and moves in it.
#[derive(Clone, Debug)]
pub struct ExampleView {
    /// What it teaches.
    pub topic: &'static str,
    /// The address of its picture.
    pub picture: String,
    /// Each move with what it shows and, if anything is to be seen of it, the address of the picture after it.
    pub moves: Vec<(&'static str, &'static str, Option<String>)>,
    /// What is refused there, with the reason.
    pub refused: Vec<(&'static str, &'static str)>,
}

/// What a card and a guide repeat for programs, and the page says elsewhere.
const REPEATED: [&str; 4] = ["game", "guide", "ruleset_version", "rules_card"];

/// The page.
#[must_use]
pub fn rules(view: &RulesView) -> String {
    page(&Page {
        title: &format!("Rules of {}", view.game.name),
        description: &format!("How {} is played at this hall.", view.game.name),
        section: Section::None,
        script: "hall.js",
        image: None,
        now: None,
        main: html! {
            h1 { (view.game.name) }
            p.soft {
                "Rules " (view.version) " · "
                a href=(format!("/games?game={}", view.game.id)) { "games" } " · "
                a href=(format!("/leaderboards?game={}", view.game.id)) { "leaderboards" }
            }
            div.rules {
                @if let Some((picture, roles)) = &view.picture { div.board { (drawing(view, picture, roles)) } }
                dl.facts {
                    div { dt { "Time for a move" } dd { (words::clock(view.move_time)) } }
                    @if let Some(side) = view.side_time { div { dt { "Time for all moves of a side" } dd { (words::clock(side)) } } }
                    @for (name, value) in &view.facts { div { dt { (name) } dd { (value) } } }
                    @for (id, summary) in &view.variants { div { dt { "Variant " (id) } dd { (summary) } } }
                }
            }
            @if !view.examples.is_empty() {
                section aria-labelledby="moves" {
                    h2 #moves { "Moves in pictures" }
                    @for example in &view.examples { (shown(example)) }
                }
            }
            section.prose aria-labelledby="card" { h2 #card { "Rules card" } (card(&view.card)) }
            section.prose aria-labelledby="guide" { h2 #guide { "How to play here" } (chapters(&view.guide)) }
        },
    })
}

fn drawing(view: &RulesView, picture: &Picture, roles: &[Option<&'static str>]) -> Markup {
    let seats: Vec<Seat> =
        roles.iter().map(|role| Seat { handle: role.unwrap_or("player").to_owned(), role: *role }).collect();
    let title = format!("{} at the beginning", view.game.name);
    html! { (PreEscaped(inline(picture, &seats, &title, Side::Usual))) }
}

/// A position and what each move makes of it.
fn shown(example: &ExampleView) -> Markup {
    html! {
        h3 { (words::capitalised(example.topic)) }
        div.examples {
            figure { (picture(&example.picture, &format!("Before: {}", example.topic))) figcaption.soft { "before" } }
            @for (notation, note, after) in &example.moves {
                figure {
                    @if let Some(after) = after { (picture(after, &format!("After {notation}"))) }
                    figcaption { code { (notation) } " " (note) }
                }
            }
        }
        @if !example.refused.is_empty() {
            p.refused {
                "Refused: "
                @for (number, (notation, note)) in example.refused.iter().enumerate() {
                    @if number > 0 { ", " } code { (notation) } " (" (note) ")"
                }
                "."
            }
        }
    }
}

fn picture(address: &str, words: &str) -> Markup {
    html! { img src=(address) alt=(words) width="240" loading="lazy" decoding="async"; }
}

/// The members of an object, each closed until somebody opens it: a guide holds whole games.
fn chapters(guide: &Value) -> Markup {
    html! {
        @for (name, member) in told(guide) {
            details.chapter { summary { (words::spaced(name)) } div { (written(member)) } }
        }
    }
}

fn card(card: &Value) -> Markup {
    html! { dl { @for (name, member) in told(card) { div { dt { (words::spaced(name)) } dd { (written(member)) } } } } }
}

/// The members of a card or a guide that are for people.
fn told(document: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let members = document.as_object().into_iter().flatten();
    members.filter(|(name, member)| !member.is_null() && !REPEATED.contains(&name.as_str()))
}

/// JSON of our own as lists.
fn written(value: &Value) -> Markup {
    match value {
        Value::Null => html! { "none" },
        Value::Bool(yes) => html! { @if *yes { "yes" } @else { "no" } },
        Value::Number(number) => html! { (number) },
        Value::String(text) if text.contains('\n') => html! { pre tabindex="0" { (text) } },
        Value::String(text) => html! { (text) },
        Value::Array(items) => html! { ul { @for item in items { li { (written(item)) } } } },
        Value::Object(members) => html! {
            dl { @for (name, member) in members.iter().filter(|(_, member)| !member.is_null()) {
                div { dt { (words::spaced(name)) } dd { (written(member)) } }
            } }
        },
    }
}
