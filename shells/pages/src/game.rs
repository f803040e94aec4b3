//! The page of one game, live or ended, and its parts that a script fetches while it is open.

use crate::layout::{Page, Section, fragment, framed, page};
use crate::losses::{Losses, losses};
use crate::plot::{self, Series};
use crate::svg::{self, Side, inline};
use crate::view::{GameSummary, SeatView, TurnPicture};
use crate::{parts, words};
use hall_games::{Counter, Picture};
use hall_wire::{Player, Span, Timestamp};
use maud::{Markup, PreEscaped, html};

/// A game with its newest position and everything that was told of it.
#[derive(Clone, Debug)]
pub struct GameView {
    /// The game.
    pub game: GameSummary,
    /// What is seen now.
    pub picture: TurnPicture,
    /// How a game of this kind looks before its first turn.
    pub beginning: Option<Picture>,
    /// What an ended game counted, turn by turn.
    pub course: Option<Course>,
    /// Moves and other events, in order: all, or those that a reader has not seen.
    pub rows: Vec<Row>,
    /// The last move and who made it, if everybody may know it.
    pub last_move: Option<(Player, String)>,
    /// Who offers a draw.
    pub draw_offer: Option<Player>,
    /// Whether the hall waits for public randomness before the turn can begin.
    pub waits_for_beacon: bool,
    /// How its turns follow each other, and how they are counted.
    pub turns: Turns,
    /// The version of the rules.
    pub rules_version: String,
    /// The formats in which the ended game can be downloaded.
    pub records: Vec<&'static str>,
    /// The address of the hall, for what is copied elsewhere.
    pub base_url: String,
    /// The hall's time.
    pub now: Timestamp,
}

/// How the turns of a game follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turns {
    /// Each belongs to one player, and people count the turns of both players as one move.
    Paired,
    /// Each belongs to one player.
    Separate,
    /// Players act in one turn at the same time.
    Shared,
}

/// Pictures of several turns.
#[derive(Clone, Debug)]
pub struct FramesView {
    /// The game.
    pub game: GameSummary,
    /// The pictures.
    pub pictures: Vec<TurnPicture>,
    /// How a game of this kind looks before its first turn.
    pub beginning: Option<Picture>,
}

/// A number that every player had at each turn.
#[derive(Clone, Debug)]
pub struct Course {
    /// What is counted, as `points`.
    pub title: String,
    /// By seat: the turns and the numbers.
    pub seats: Vec<Vec<(u32, f64)>>,
}

/// A line of the list of moves.
#[derive(Clone, Debug)]
pub struct Row {
    /// The number of the event.
    pub seq: u32,
    /// The turn.
    pub turn: u32,
    /// When it happened.
    pub at: Timestamp,
    /// What happened.
    pub kind: RowKind,
}

/// What a line of the list of moves tells.
#[derive(Clone, Debug)]
pub enum RowKind {
    /// A turn was resolved by a move.
    Move {
        /// Who moved; `None` if nobody did.
        player: Option<Player>,
        /// The move as people write it; `None` while it is hidden.
        text: Option<String>,
        /// Why the hall moved in the player's place.
        forced: Option<String>,
        /// What the player said.
        commentary: Option<String>,
        /// How long it took.
        took: Option<Span>,
        /// What was left on the clock of each seat, in games with such clocks.
        clocks: Vec<Span>,
    },
    /// Anything else.
    Note(Note),
}

/// What is told of a game besides its moves.
#[derive(Clone, Debug)]
pub enum Note {
    /// A player got a strike.
    Strike {
        /// The player.
        player: Player,
        /// The cause of the strike, in words.
        cause: String,
        /// Its number among the player's.
        count: u64,
    },
    /// A player sent an illegal move.
    IllegalAttempt {
        /// The player.
        player: Player,
        /// Its number in this turn.
        count: u64,
    },
    /// A player offers a draw.
    DrawOffered(Player),
    /// The offer of a draw was declined.
    DrawDeclined(Player),
    /// The deadline was moved.
    DeadlineExtended {
        /// The reason, in words.
        reason: String,
    },
    /// Dice were rolled or cards dealt; what came of it, if everybody may know.
    Chance(Option<String>),
    /// Cards or dice were shown to all.
    Shown(String),
    /// A player left the table.
    Vacated {
        /// The player.
        player: Player,
        /// The reason, in words.
        reason: String,
    },
}

/// The page of a game.
#[must_use]
pub fn game(view: &GameView) -> String {
    let title = title(&view.game);
    page(&Page {
        title: &title,
        description: &description(view),
        section: Section::Games,
        script: "watch.js",
        image: Some(format!("{}/api/games/{}/svg", view.base_url, view.game.id)),
        now: view.game.is_live().then_some(view.now),
        main: html! {
            h1.game-title { (title) }
            p #context .soft.context { (parts::contest(&view.game.contest)) " · " (began(&view.game)) }
            (viewer(view))
            // The script fills it when the game ends.
            div #plots { (plots(view)) }
            (documents(view))
        },
    })
}

/// The game as a frame in another page.
#[must_use]
pub fn embed(view: &GameView) -> String {
    let title = title(&view.game);
    framed(&Page {
        title: &title,
        description: &description(view),
        section: Section::None,
        script: "watch.js",
        image: Some(format!("{}/api/games/{}/svg", view.base_url, view.game.id)),
        now: view.game.is_live().then_some(view.now),
        main: html! {
            (viewer(view))
            p.soft.context {
                a href=(format!("/games/{}", view.game.id)) target="_blank" rel="noopener" { (title) } " at a hall of agents"
            }
        },
    })
}

/// What is new for a page that has the game open: players, result, newest position, and the rows in `view`.
#[must_use]
pub fn news(view: &GameView, side: Side) -> String {
    fragment(&html! {
        div #viewer data-turn=(view.picture.turn) data-seq=(view.game.last_seq) data-live=(view.game.is_live()) {
            (banner(view))
            (bars(&view.game))
            (frame(&view.game, view.beginning.as_ref(), &view.picture, side))
            ol #moves { (rows(view)) }
        }
    })
}

/// Pictures for a page that has the game open.
#[must_use]
pub fn frames(view: &FramesView, side: Side) -> String {
    fragment(
        &html! { @for picture in &view.pictures { (frame(&view.game, view.beginning.as_ref(), picture, side)) } },
    )
}

fn title(game: &GameSummary) -> String {
    format!("{}: {}", words::game_and_variant(&game.contest), words::versus(game))
}

fn description(view: &GameView) -> String {
    match &view.game.result {
        Some(result) => {
            format!("{} {}.", words::result(&view.game, result), words::turns(view.game.turn))
        }
        None => format!("Live, turn {}.", view.game.turn + 1),
    }
}

fn began(game: &GameSummary) -> Markup {
    html! {
        @match game.ended_at {
            Some(at) => { "ended " (words::moment(at)) }
            None => { "began " (words::moment(game.started_at)) }
        }
    }
}

/// Board, players, moves and controls: what the script drives.
fn viewer(view: &GameView) -> Markup {
    let game = &view.game;
    html! {
        div #viewer .viewer data-id=(game.id) data-turn=(view.picture.turn) data-seq=(view.game.last_seq) data-live=(game.is_live()) {
            section.table aria-label="Board" {
                (bars(game))
                div #board .board { (frame(game, view.beginning.as_ref(), &view.picture, Side::Usual)) }
            }
            section.side aria-label="Moves" {
                (banner(view))
                p #notice .notice role="status" hidden {}
                div #controls .controls hidden {
                    @for (action, label, key, path) in CONTROLS {
                        button type="button" data-do=(action) aria-label=(label) title=(format!("{label} ({key})")) aria-pressed=[toggled(action)] { (icon(path)) }
                    }
                    label.speed { span { "Speed" } select #speed {
                        option value="2000" { "½×" } option value="1000" selected { "1×" } option value="500" { "2×" } option value="200" { "5×" }
                    } }
                }
                ol #moves class=(format!("moves seats{}", columns(game))) aria-label="Moves" { (rows(view)) }
            }
        }
    }
}

/// What the buttons below the board do: action, name, key, and the lines of the sign.
const CONTROLS: [(&str, &str, &str, &str); 6] = [
    ("first", "First position", "Home", "M18 5l-8 7 8 7M6 5v14"),
    ("back", "One move back", "←", "M15 5l-8 7 8 7"),
    ("play", "Play", "space", "M8 5v14l11-7z"),
    ("forward", "One move forward", "→", "M9 5l8 7-8 7"),
    ("last", "Newest position", "End", "M6 5l8 7-8 7M18 5v14"),
    ("flip", "Turn the board", "f", "M8 20V5M3 10l5-5 5 5M16 4v15M11 14l5 5 5-5"),
];

/// The state of a button that is pressed or not.
fn toggled(action: &str) -> Option<&'static str> {
    matches!(action, "play" | "flip").then_some("false")
}

fn icon(path: &str) -> Markup {
    html! { svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true" { path d=(path) {} } }
}

/// In how many columns moves are listed: one for each player of a game of two.
fn columns(game: &GameSummary) -> usize {
    if game.seats.len() == 2 { 2 } else { 1 }
}

/// The players around the board: the first seat below it, all others above it.
fn bars(game: &GameSummary) -> Markup {
    let (below, above): (Vec<&SeatView>, Vec<&SeatView>) =
        game.seats.iter().partition(|seat| seat.player == Player::new(0));
    html! {
        div #above .bar { @for seat in above { (parts::player(seat)) } }
        div #below .bar { @for seat in below { (parts::player(seat)) } }
    }
}

/// How the game stands, in words that are read out when they change.
fn banner(view: &GameView) -> Markup {
    let game = &view.game;
    html! {
        div #banner class=(if game.is_live() { "banner" } else { "banner over" }) {
            @if let Some(result) = &game.result {
                p.result { (words::result(game, result)) }
            }
            p #said role="status" aria-live="polite" {
                @if let Some((player, text)) = &view.last_move { (words::named(game, *player)) " played " (text) ". " }
                @if let Some(player) = view.draw_offer { (words::named(game, player)) " offers a draw. " }
                @if view.waits_for_beacon { "The hall waits for public randomness." }
                @if let Some(movers) = words::to_move(game) { (movers) }
            }
        }
    }
}

/// One position: the board, what is counted, and the same in words.
fn frame(game: &GameSummary, beginning: Option<&Picture>, picture: &TurnPicture, side: Side) -> Markup {
    let losses = beginning.map(|beginning| losses(beginning, &picture.picture)).unwrap_or_default();
    let title = format!("{} after {}", words::game_and_variant(&game.contest), words::turns(picture.turn));
    let drawing = inline(&picture.picture, &game.image_seats(), &title, side);
    html! {
        figure.frame data-turn=(picture.turn) {
            // The drawing escapes what it writes.
            (PreEscaped(drawing))
            @if !picture.picture.counters.is_empty() || !picture.picture.labels.is_empty() || !losses.is_empty() {
                figcaption.counters {
                    @for counter in &picture.picture.counters { span { (counted(game, counter)) } }
                    @for losses in &losses { span.lost { (lost(game, losses)) } }
                    @for label in &picture.picture.labels { span.label { (label) } }
                }
            }
            details.words {
                summary { "Position as text" }
                @for line in words::position(game, &picture.picture) { p { (line) } }
            }
        }
    }
}

/// The pieces that a player has lost, in pictures and, for a screen reader, in words.
fn lost(game: &GameSummary, losses: &Losses) -> Markup {
    let named: Vec<String> =
        losses.pieces.iter().map(|(shape, count)| format!("{count} × {}", words::spaced(shape))).collect();
    let row = svg::row(&losses.pieces, losses.player, &game.image_seats(), &named.join(", "));
    html! { b { (words::named(game, losses.player)) } " lost " (PreEscaped(row)) }
}

fn counted(game: &GameSummary, counter: &Counter) -> Markup {
    html! {
        @if let Some(player) = counter.player { b { (words::named(game, player)) } " " }
        (counter.title) " " b { (counter.value) }
    }
}

fn rows(view: &GameView) -> Markup {
    html! { @for row in &view.rows { (row_of(view, row)) } }
}

fn row_of(view: &GameView, row: &Row) -> Markup {
    let game = &view.game;
    match &row.kind {
        RowKind::Move { player, text, forced, commentary, took, .. } => {
            let seat = player.map_or(0, Player::index);
            let (is_pair, is_first) = (columns(game) == 2, seat == 0);
            // Of two moves side by side that share a number, the left one shows it.
            let (number, is_numbered) = match view.turns {
                Turns::Paired => (row.turn / 2 + 1, is_first),
                Turns::Shared => (row.turn + 1, is_first || !is_pair),
                Turns::Separate => (row.turn + 1, true),
            };
            html! {
                li class=(format!("move p{seat}")) data-seq=(row.seq) data-turn=(row.turn) {
                    a href=(format!("#t={}", row.turn + 1)) data-to=(row.turn + 1) {
                        @if is_numbered { span.number { (number) } }
                        @if !is_pair { @if let Some(player) = player { span.mover { (words::named(game, *player)) } } }
                        @match text {
                            Some(text) => span.san { (text) },
                            None => span.san.soft { "hidden" },
                        }
                        @if let Some(why) = forced { span.forced title=(format!("played by the hall: {}", words::spaced(why))) { "forced" } }
                        @if let Some(took) = took { span.took.soft { (words::took(*took)) } }
                    }
                }
                @if let Some(said) = commentary {
                    li.remark data-turn=(row.turn) {
                        @if let Some(player) = player { b { (words::named(game, *player)) ": " } }
                        bdi { (said) }
                    }
                }
            }
        }
        RowKind::Note(note) => {
            html! { li.note data-seq=(row.seq) data-turn=(row.turn) { (noted(game, note)) } }
        }
    }
}

fn noted(game: &GameSummary, note: &Note) -> String {
    let named = |player: &Player| words::named(game, *player);
    match note {
        Note::Strike { player, cause, count } => {
            let cause = match cause.as_str() {
                "deadline" => "missed the deadline".to_owned(),
                "illegal_moves" => "three illegal moves".to_owned(),
                other => words::spaced(other),
            };
            format!("Strike {count} of 3 for {}: {cause}", named(player))
        }
        Note::IllegalAttempt { player, count } => {
            format!("{}: illegal move, attempt {count} of 3", named(player))
        }
        Note::DrawOffered(player) => format!("{} offers a draw", named(player)),
        Note::DrawDeclined(player) => format!("{} declines the draw", named(player)),
        Note::DeadlineExtended { reason } => format!("Deadline extended: {}", words::spaced(reason)),
        Note::Chance(Some(outcome)) => format!("Chance: {outcome}"),
        Note::Chance(None) => "Chance: dealt face down".to_owned(),
        Note::Shown(text) => format!("Shown: {text}"),
        Note::Vacated { player, reason } => {
            format!("{} leaves the table: {}", named(player), words::spaced(reason))
        }
    }
}

/// How an ended game went, in plots: what was counted, the clocks, and how long the moves took.
fn plots(view: &GameView) -> Markup {
    let game = &view.game;
    if game.is_live() {
        return html! {};
    }
    let moves = || {
        view.rows.iter().filter_map(|row| match &row.kind {
            RowKind::Move { player, took, clocks, .. } => {
                Some((f64::from(row.turn + 1), *player, *took, clocks))
            }
            RowKind::Note(_) => None,
        })
    };
    let course = view.course.as_ref().map(|course| {
        let seats = course
            .seats
            .iter()
            .map(|seat| seat.iter().map(|(turn, value)| (f64::from(*turn), *value)).collect());
        (course.title.as_str(), by_seat(game, seats.collect()))
    });
    let clocks = by_seat(
        game,
        (0..game.seats.len())
            .map(|seat| {
                moves()
                    .filter_map(|(turn, .., clocks)| Some((turn, seconds(*clocks.get(seat)?) / 60.0)))
                    .collect()
            })
            .collect(),
    );
    let times = by_seat(
        game,
        game.seats
            .iter()
            .map(|seat| {
                let own = moves().filter(|(_, player, ..)| *player == Some(seat.player));
                own.filter_map(|(turn, _, took, _)| Some((turn, seconds(took?)))).collect()
            })
            .collect(),
    );
    html! {
        @if let Some((title, series)) = &course { @if is_drawn(series) {
            section #course aria-labelledby="course-title" {
                h2 #course-title { "The course of the game: " (title) }
                (plot::lines(&format!("The {title} of each player after each turn."), "turn", series, false, told_number))
            }
        } }
        @if is_drawn(&clocks) {
            section #clocks aria-labelledby="clocks-title" {
                h2 #clocks-title { "Time left for all moves" }
                (plot::lines("What was left on the clock of each player after each turn.", "turn", &clocks, true, told_minutes))
            }
        }
        @if game.seats.len() == 2 && is_drawn(&times) {
            section #times aria-labelledby="times-title" {
                h2 #times-title { "Time for each move" }
                (plot::lines("Seconds that each move took, over the turns of the game.", "turn", &times, true, told_seconds))
            }
        }
    }
}

/// One line for each seat.
fn by_seat(game: &GameSummary, points: Vec<Vec<(f64, f64)>>) -> Vec<Series> {
    let classes = ["first", "second", "third", "fourth"].into_iter().cycle();
    let lines = game.seats.iter().zip(classes).zip(points);
    lines
        .map(|((seat, class), points)| Series {
            class,
            label: Some(words::named(game, seat.player)),
            points,
            reach: Vec::new(),
        })
        .collect()
}

/// Whether there is more than one point of every line.
fn is_drawn(series: &[Series]) -> bool {
    !series.is_empty() && series.iter().all(|series| series.points.len() > 1)
}

/// A number beside a plot, with as many places as its steps need.
fn told_number(value: f64) -> String {
    let tenths = (10.0 * value).round() / 10.0;
    // No minus before a zero.
    format!("{}", tenths + 0.0)
}

/// Minutes beside a plot of clocks.
fn told_minutes(minutes: f64) -> String {
    match minutes {
        0.0 => "0".to_owned(),
        ..1.0 => format!("{:.0} s", 60.0 * minutes),
        ..3.0 => format!("{minutes:.1} min"),
        _ => format!("{minutes:.0} min"),
    }
}

/// Seconds beside a plot, in the unit that suits them.
fn told_seconds(seconds: f64) -> String {
    match seconds {
        0.0 => "0".to_owned(),
        ..1.0 => format!("{} ms", told_number(1_000.0 * seconds)),
        _ => format!("{} s", told_number(seconds)),
    }
}

fn seconds(span: Span) -> f64 {
    f64::from(u32::try_from(span.as_millis()).unwrap_or(u32::MAX)) / 1_000.0
}

/// Downloads, proof and embedding.
fn documents(view: &GameView) -> Markup {
    let (game, id) = (&view.game, view.game.id);
    let api = format!("/api/games/{id}");
    let code = format!(
        "<iframe src=\"{}/embed/{id}\" title=\"{}\" width=\"480\" height=\"720\"></iframe>",
        view.base_url,
        words::game_and_variant(&game.contest)
    );
    html! {
        section #documents .documents aria-label="Documents of the game" {
            h2 { "Take it with you" }
            @if !game.is_live() {
                p { a.button.verify href=(format!("/verify?game={id}")) { "Verify this result in your browser" } }
            }
            ul.links {
                @if !game.is_live() {
                    @for format in &view.records {
                        li { a href=(format!("{api}/record?format={format}")) download=(format!("{id}.{format}")) { (format.to_uppercase()) } }
                    }
                    @if view.records.contains(&"pgn") { li { a href=(format!("{api}/pgn")) { "annotated PGN" } } }
                    li { a href=(format!("{api}/replay")) { "replay" } }
                }
                li { a href=(format!("{api}/proof")) { "proof" } }
                li { a href=(format!("{api}/events")) { "events" } }
                li { a href=(format!("{api}/svg")) { "picture" } }
                li { a href=(format!("/embed/{id}")) { "embedded view" } }
            }
            p.soft {
                "Rules " (view.rules_version) ". Anybody can check an ended game without trusting the hall: "
                a href="/about#check" { "how to check" } "."
            }
            details {
                summary { "Embed this game" }
                label.code { span { "Copy this into your page:" } textarea readonly rows="3" spellcheck="false" { (code) } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::told_seconds;

    #[test]
    fn the_numbers_beside_a_plot_of_times_are_all_different() {
        for (step, expected) in [
            (0.000_5, ["0", "0.5 ms", "1 ms", "1.5 ms"]),
            (0.05, ["0", "50 ms", "100 ms", "150 ms"]),
            (0.5, ["0", "500 ms", "1 s", "1.5 s"]),
            (2.0, ["0", "2 s", "4 s", "6 s"]),
        ] {
            let told = [0.0, 1.0, 2.0, 3.0].map(|steps| told_seconds(steps * step));
            assert_eq!(told, expected);
        }
    }
}
