//! Parts that several pages share: names of agents, players with their clocks, cards and lines of games.

use crate::view::{Contest, GameSummary, Score, SeatView};
use crate::words;
use maud::{Markup, html};

/// An agent's name as a link to its page.
pub(crate) fn agent_link(handle: &str, is_house: bool) -> Markup {
    html! {
        a.handle href=(format!("/agents/{handle}")) { bdi { (handle) } }
        @if is_house { (house_mark()) }
    }
}

/// The mark of an agent that the hall itself runs.
pub(crate) fn house_mark() -> Markup {
    html! { " " span.tag title="An agent that the hall itself runs" { "house" } }
}

/// The colour of a player's pieces, as a small sign; what it means is written beside it.
pub(crate) fn disc(seat: &SeatView) -> Markup {
    let class = match seat.role {
        Some("White") => "disc white".to_owned(),
        Some("Black") => "disc black".to_owned(),
        _ => format!("disc seat{}", seat.player.index() % 4),
    };
    html! { span class=(class) aria-hidden="true" {} }
}

/// How a game ended for a player: `1`, `½`, `0`.
pub(crate) fn score(score: Score) -> Markup {
    let (sign, word, class) = match score {
        Score::Won => ("1", "won", "score won"),
        Score::Drawn => ("½", "drew", "score drawn"),
        Score::Lost => ("0", "lost", "score lost"),
        Score::Void => ("–", "aborted", "score"),
    };
    html! { span class=(class) title=(word) { (sign) } }
}

/// A player beside its board: name, model, rating, strikes, clock.
pub(crate) fn player(seat: &SeatView) -> Markup {
    let class = if seat.is_to_move { "player turn" } else { "player" };
    html! {
        div class=(class) data-player=(seat.player) {
            (disc(seat))
            div.who {
                span.name { (agent_link(&seat.handle, seat.is_house)) " " span.soft { (words::role(seat)) } }
                span.about.soft {
                    @if let Some(rating) = &seat.rating {
                        span.rating title=(format!("95 % interval {}", words::interval(rating))) { "rating " (words::rating(rating)) }
                        @if let Some(after) = seat.rating_after {
                            " " span.change { (words::change(rating.value, after)) }
                        }
                    }
                    @if let Some(model) = &seat.model { bdi.model { (model) } }
                    @if let Some(access) = seat.access { span { (words::spaced(access)) } }
                }
                @if seat.strikes > 0 {
                    span.strikes { (seat.strikes) @if seat.strikes == 1 { " strike" } @else { " strikes" } " of 3" }
                }
                @if let Some(why) = &seat.vacated { span.strikes { "left the table: " (words::spaced(why)) } }
            }
            (state(seat))
        }
    }
}

/// What stands at the right of a player: its clock while the game is live, then its score.
fn state(seat: &SeatView) -> Markup {
    html! {
        div.state {
            @if let Some(score) = seat.score { (self::score(score)) }
            @if let Some(halves) = seat.half_points { span.points { (words::counted_points(halves)) } }
            @if seat.score.is_none() {
                @if let Some(clock) = seat.clock {
                    span.clock data-ends=[seat.clock_ends] title="left for all moves" { (words::clock(clock)) }
                }
                @if let Some(deadline) = seat.deadline {
                    span.deadline data-ends=(deadline) title="left for this move" { (words::moment(deadline)) }
                }
            }
        }
    }
}

/// A live game as a card with a small board.
pub(crate) fn card(game: &GameSummary, featured: bool) -> Markup {
    html! {
        a class=(if featured { "card featured" } else { "card" }) href=(format!("/games/{}", game.id)) data-id=(game.id) {
            span.card-title {
                span { (words::game_and_variant(&game.contest)) }
                @if let Some(result) = &game.result {
                    span.over { (words::reason(result)) }
                } @else {
                    span.soft { "turn " (game.turn + 1) }
                }
            }
            // A new address whenever anything has happened: nature changes the picture within a turn.
            img src=(format!("/games/{}/board?at={}", game.id, game.last_seq)) alt="" width="640" height="640" decoding="async" loading="lazy";
            @for seat in &game.seats { (line(seat)) }
        }
    }
}

/// A player in a card or a list: sign, name, rating, score.
pub(crate) fn line(seat: &SeatView) -> Markup {
    html! {
        span class=(if seat.is_to_move { "line turn" } else { "line" }) {
            (disc(seat))
            bdi.handle { (seat.handle) }
            @if seat.is_house { (house_mark()) }
            @if let Some(rating) = &seat.rating { span.rating.soft { (words::rating(rating)) } }
            @if seat.strikes > 0 { span.strikes title="strikes" { (seat.strikes) " ✕" } }
            @if let Some(score) = seat.score { (self::score(score)) }
        }
    }
}

/// Games as a table, newest first.
pub(crate) fn game_table(games: &[GameSummary], empty: &str) -> Markup {
    html! {
        @if games.is_empty() { p.soft { (empty) } } @else {
            div.scroll {
                table.games {
                    thead { tr {
                        th scope="col" { "Game" } th scope="col" { "Players" } th scope="col" { "Result" } th.wide scope="col" { "Played" }
                    } }
                    tbody { @for game in games { (game_row(game)) } }
                }
            }
        }
    }
}

fn game_row(game: &GameSummary) -> Markup {
    html! {
        tr data-id=(game.id) {
            td {
                a href=(format!("/games/{}", game.id)) { (words::game_and_variant(&game.contest)) }
                span.soft.under { (game.contest.division) ", " bdi { (game.contest.season) } }
            }
            td { @for seat in &game.seats { (line(seat)) } }
            td {
                @if let Some(result) = &game.result {
                    (words::reason(result))
                    span.soft.under { (words::turns(game.turn)) }
                } @else {
                    span.live { "live" } span.soft.under { "turn " (game.turn + 1) }
                }
            }
            td.wide.soft { (words::moment(game.ended_at.unwrap_or(game.started_at))) }
        }
    }
}

/// What is played, with links: game, division, season.
pub(crate) fn contest(contest: &Contest) -> Markup {
    html! {
        a href=(format!("/rules/{}", contest.game.id)) { (words::game_and_variant(contest)) }
        " · " (contest.division) " division · season " bdi { (contest.season) }
    }
}

/// A link to the next page of a list, if there is one.
pub(crate) fn next_page(path: &str, query: &[(&str, String)], cursor: Option<&String>) -> Markup {
    html! {
        @if let Some(cursor) = cursor {
            p.more { a.button href=(link(path, query, cursor)) rel="next" { "Next page" } }
        }
    }
}

fn link(path: &str, query: &[(&str, String)], cursor: &str) -> String {
    let set = query.iter().filter(|(_, value)| !value.is_empty());
    let pairs = set.map(|(name, value)| format!("{name}={}", percent_encoded(value)));
    let pairs: Vec<String> = pairs.chain([format!("cursor={}", percent_encoded(cursor))]).collect();
    format!("{path}?{}", pairs.join("&"))
}

/// A value as it stands in a query.
fn percent_encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// A choice of a form: the empty value is any of them.
pub(crate) fn choice(
    name: &str,
    label: &str,
    any: &str,
    options: &[(String, String)],
    chosen: &str,
) -> Markup {
    html! {
        label { span { (label) }
            select name=(name) {
                option value="" selected[chosen.is_empty()] { (any) }
                @for (value, text) in options {
                    option value=(value) selected[value == chosen] { (text) }
                }
            }
        }
    }
}

/// A text field of a form.
pub(crate) fn field(name: &str, label: &str, value: &str, most: usize) -> Markup {
    html! {
        label { span { (label) } input name=(name) value=(value) maxlength=(most) autocomplete="off" spellcheck="false"; }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_to_the_next_page_keeps_the_filters_that_are_set() {
        let query = [("game", "chess".to_owned()), ("agent", String::new()), ("model", "a b&c=ü".to_owned())];
        assert_eq!(link("/games", &query, "1-2"), "/games?game=chess&model=a%20b%26c%3D%C3%BC&cursor=1-2");
    }
}
