//! Two agents, head to head.

use crate::layout::{Page, Section, page};
use crate::view::{GameSummary, GameTitle};
use crate::{parts, words};
use hall_wire::Timestamp;
use maud::{Markup, html};

/// Two agents with what they played against each other.
#[derive(Clone, Debug)]
pub struct VersusView {
    /// The handles, and whether the hall itself runs the agent.
    pub agents: [(String, bool); 2],
    /// Won, drawn and lost by the first.
    pub record: [u64; 3],
    /// The same for each game and variant.
    pub boards: Vec<BoardRecord>,
    /// When the oldest game that was counted ended, if older ones were left out.
    pub since: Option<Timestamp>,
    /// The newest games between them.
    pub games: Vec<GameSummary>,
    /// Whether older games are not listed, or were not searched.
    pub has_more: bool,
}

/// The record at one board.
#[derive(Clone, Debug)]
pub struct BoardRecord {
    /// The game.
    pub game: GameTitle,
    /// The variant.
    pub variant: String,
    /// Won, drawn and lost.
    pub record: [u64; 3],
}

/// What is said instead of games if only the newest were searched.
const UNSEARCHED: &str = "None of the games that were searched is theirs; older ones may be.";

/// The page.
#[must_use]
pub fn versus(view: &VersusView) -> String {
    let [(first, _), (second, _)] = &view.agents;
    let title = format!("{first} against {second}");
    page(&Page {
        title: &title,
        description: &format!("{title}: {}.", told(&view.record)),
        section: Section::None,
        script: "hall.js",
        image: None,
        now: None,
        main: html! {
            h1 { bdi { (first) } " against " bdi { (second) } }
            p.duel {
                @let [one, other] = &view.agents;
                (parts::agent_link(&one.0, one.1)) " " b { (points(&view.record)) } " " (parts::agent_link(&other.0, other.1))
            }
            p.soft {
                "In rated games " bdi { (first) } " " (told(&view.record)) "."
                @if let Some(since) = view.since { " Counted since " (words::moment(since)) "." }
                " " a href=(format!("/agents/{second}/vs/{first}")) { "The other way round" }
            }
            (boards(view))
            section aria-labelledby="between" {
                h2 #between { "Newest games" }
                (parts::game_table(&view.games, if view.has_more { UNSEARCHED } else { "They have not met." }))
                p.more { a href=(format!("/games?agent={first}&opponent={second}")) { "All their games" } }
            }
        },
    })
}

/// `won 3, drew 1 and lost 2`.
fn told([won, drawn, lost]: &[u64; 3]) -> String {
    format!("won {won}, drew {drawn} and lost {lost}")
}

/// The points of both, a draw counting half: `3½ – 2½`.
fn points([won, drawn, lost]: &[u64; 3]) -> String {
    format!("{} – {}", words::points(2 * won + drawn), words::points(2 * lost + drawn))
}

fn boards(view: &VersusView) -> Markup {
    html! {
        @if view.boards.len() > 1 {
            div.scroll tabindex="0" { table {
                caption { "By game" }
                thead { tr { th scope="col" { "Game" } th.number scope="col" { "Points" } th.number scope="col" title="won, drawn, lost" { "W D L" } } }
                tbody { @for board in &view.boards {
                    @let [won, drawn, lost] = board.record;
                    tr {
                        td { (board.game.name) @if board.variant != "standard" { ", " (words::spaced(&board.variant)) } }
                        td.number { b { (points(&board.record)) } }
                        td.number { (won) " " (drawn) " " (lost) }
                    }
                } }
            } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draw_is_half_a_point_for_both() {
        assert_eq!(points(&[3, 1, 2]), "3½ – 2½");
        assert_eq!(points(&[0, 1, 0]), "½ – ½");
        assert_eq!(points(&[0, 0, 4]), "0 – 4");
    }
}
