//! How names, numbers, times, results and positions are written.

use crate::view::{Contest, GameSummary, RatingView, SeatView};
use hall_games::{GameResult, MarkKind, Pattern, Picture, PictureKind};
use hall_wire::{Player, Span, Timestamp};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// A word of the interface as people write it: `threefold_repetition` as `threefold repetition`.
pub(crate) fn spaced(word: &str) -> String {
    word.replace('_', " ")
}

/// Minutes and seconds, with hours if there are any: `1:02:05`, `0:07`.
pub(crate) fn clock(span: Span) -> String {
    let seconds = span.as_millis() / 1_000;
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

/// A short time with a unit: `20 ms`, `0.3 s`, `12 s`, `3:20`.
pub(crate) fn took(span: Span) -> String {
    match span.as_millis() {
        millis @ ..100 => format!("{millis} ms"),
        millis @ ..10_000 => format!("{}.{} s", millis / 1_000, millis / 100 % 10),
        millis @ ..60_000 => format!("{} s", millis / 1_000),
        _ => clock(span),
    }
}

/// A moment, in UTC to the minute, which a script may replace by one that is relative to now.
pub(crate) fn moment(at: Timestamp) -> Markup {
    let whole = at.to_string();
    let day = whole.get(..10).unwrap_or_default();
    let minute = whole.get(11..16).unwrap_or_default();
    html! { time datetime=(whole) { (day) " " (minute) " UTC" } }
}

/// A rating to the whole point, with a mark if it is provisional.
pub(crate) fn rating(rating: &RatingView) -> String {
    format!("{:.0}{}", rating.value, if rating.is_provisional { "?" } else { "" })
}

/// The interval that a rating lies in with 95 % certainty: two deviations on each side.
pub(crate) fn interval(rating: &RatingView) -> String {
    let reach = 2.0 * rating.deviation;
    format!("{:.0}–{:.0}", rating.value - reach, rating.value + reach)
}

/// A change with its sign: `+12`, `−7`, `±0`.
pub(crate) fn change(before: f64, after: f64) -> String {
    let points = (after - before).round();
    if points > 0.0 {
        format!("+{points:.0}")
    } else if points < 0.0 {
        format!("−{:.0}", -points)
    } else {
        "±0".to_owned()
    }
}

/// Half points as points: `3½`.
pub(crate) fn points(halves: u64) -> String {
    match (halves / 2, halves % 2) {
        (0, 1) => "½".to_owned(),
        (whole, 0) => whole.to_string(),
        (whole, _) => format!("{whole}½"),
    }
}

/// What a player has at the end of a game that counts points: `1 point`, `52½ points`, `−3 points`.
pub(crate) fn counted_points(halves: i64) -> String {
    let sign = if halves < 0 { "−" } else { "" };
    let unit = if halves.abs() == 2 { "point" } else { "points" };
    format!("{sign}{} {unit}", points(halves.unsigned_abs()))
}

/// A number of turns: `1 turn`, `12 turns`.
#[must_use]
pub fn turns(count: u32) -> String {
    format!("{count} {}", if count == 1 { "turn" } else { "turns" })
}

/// What is played, without division and season: `Goofspiel, three`.
pub(crate) fn game_and_variant(contest: &Contest) -> String {
    if contest.variant == "standard" {
        contest.game.name.clone()
    } else {
        format!("{}, {}", contest.game.name, spaced(&contest.variant))
    }
}

/// What a player is called beside its handle: `White`, or `p2`.
pub(crate) fn role(seat: &SeatView) -> String {
    seat.role.map_or_else(|| seat.player.to_string(), str::to_owned)
}

/// What a player is called: by the game, else by its agent.
pub(crate) fn named(game: &GameSummary, player: Player) -> String {
    let seat = game.seat(player);
    seat.map_or_else(
        || player.to_string(),
        |seat| seat.role.map_or_else(|| seat.handle.clone(), str::to_owned),
    )
}

/// Why a game ended; a forfeit is called what it is.
pub(crate) fn reason(result: &GameResult) -> String {
    match result.reason.as_str() {
        "strikes" => "forfeit after three strikes".to_owned(),
        "clock" => "the clock ran out".to_owned(),
        word => spaced(word),
    }
}

/// With a capital letter at the beginning, as a title.
pub(crate) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// How a game ended, in one sentence: `ada won: checkmate.`
pub(crate) fn result(game: &GameSummary, result: &GameResult) -> String {
    let reason = reason(result);
    if result.draw {
        return format!("Draw: {reason}.");
    }
    if result.winners.is_empty() {
        return format!("No winner: {reason}.");
    }
    let winners: Vec<&str> = result
        .winners
        .iter()
        .filter_map(|player| game.seat(*player))
        .map(|seat| seat.handle.as_str())
        .collect();
    format!("{} won: {reason}.", winners.join(", "))
}

/// `ada – bob`.
pub(crate) fn versus(game: &GameSummary) -> String {
    game.seats.iter().map(|seat| seat.handle.as_str()).collect::<Vec<_>>().join(" – ")
}

/// Who is to move, in one sentence; `None` while nobody is.
pub(crate) fn to_move(game: &GameSummary) -> Option<String> {
    let movers: Vec<String> =
        game.seats.iter().filter(|seat| seat.is_to_move).map(|seat| named(game, seat.player)).collect();
    (!movers.is_empty()).then(|| format!("{} to move.", movers.join(", ")))
}

/// The number of a dark square, on a board whose squares are numbered.
pub(crate) fn square_number(picture: &Picture, column: u8, row: u8) -> Option<u16> {
    let from_below = picture.rows.len().checked_sub(1 + usize::from(row))?;
    let is_dark = (from_below + usize::from(column)).is_multiple_of(2);
    if !is_dark || !has_numbered_squares(picture) {
        return None;
    }
    let (first, _) = picture.rows.get(usize::from(row))?.split_once('-')?;
    Some(first.parse::<u16>().ok()? + u16::from(column / 2))
}

/// Whether a board has numbers on its squares instead of names at its sides.
pub(crate) fn has_numbered_squares(picture: &Picture) -> bool {
    picture.pattern == Pattern::Checkered && picture.columns.iter().all(String::is_empty)
}

/// A position as lines of text: what lies where, what is marked, and what is counted.
pub(crate) fn position(game: &GameSummary, picture: &Picture) -> Vec<String> {
    let place = |column: u8, row: u8| {
        let name = |names: &[String], at: u8| names.get(usize::from(at)).cloned().unwrap_or_default();
        match picture.kind {
            PictureKind::Points if column == 0 => "bar".to_owned(),
            PictureKind::Points => name(&picture.columns, column),
            PictureKind::Grid | PictureKind::Hex | PictureKind::Table => square_number(picture, column, row)
                .map_or_else(
                    || name(&picture.columns, column) + &name(&picture.rows, row),
                    |number| number.to_string(),
                ),
        }
    };
    let owner =
        |player: Option<Player>| player.map_or_else(|| "Table".to_owned(), |player| named(game, player));
    let mut lines = Vec::new();
    let mut pieces: BTreeMap<Option<Player>, Vec<(&str, Vec<String>)>> = BTreeMap::new();
    for piece in &picture.pieces {
        let own = pieces.entry(piece.player).or_default();
        let several = if piece.count > 1 { format!(" ×{}", piece.count) } else { String::new() };
        let at = place(piece.column, piece.row) + &several;
        match own.iter_mut().find(|(shape, _)| *shape == piece.shape) {
            Some((_, places)) => places.push(at),
            None => own.push((&piece.shape, vec![at])),
        }
    }
    for (player, own) in pieces {
        let kinds = own.iter().map(|(shape, places)| format!("{} {}", spaced(shape), places.join(" ")));
        lines.push(format!("{}: {}", owner(player), kinds.collect::<Vec<_>>().join(", ")));
    }
    for (kind, word) in [
        (MarkKind::LastMove, "Last move"),
        (MarkKind::Check, "Check"),
        (MarkKind::Threatened, "Threatened"),
        (MarkKind::Winning, "Winning"),
    ] {
        let marked: Vec<String> = picture
            .marks
            .iter()
            .filter(|mark| mark.mark == kind)
            .map(|mark| place(mark.column, mark.row))
            .collect();
        if !marked.is_empty() {
            lines.push(format!("{word}: {}", marked.join(" ")));
        }
    }
    for hand in &picture.hands {
        let hidden = if hand.hidden > 0 { format!("{} face down", hand.hidden) } else { String::new() };
        let held: Vec<&str> = hand
            .shown
            .iter()
            .map(String::as_str)
            .chain((hand.hidden > 0).then_some(hidden.as_str()))
            .collect();
        lines.push(format!("{}, {}: {}", owner(hand.player), hand.title, held.join(" ")));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::counted_points;

    #[test]
    fn points_are_told_in_the_players_unit_with_a_sign_and_one_of_them_alone() {
        let told = [0, 1, 2, 3, 104, 105, -2, -6].map(counted_points);
        let expected = [
            "0 points",
            "½ points",
            "1 point",
            "1½ points",
            "52 points",
            "52½ points",
            "−1 point",
            "−3 points",
        ];
        assert_eq!(told, expected);
    }
}
