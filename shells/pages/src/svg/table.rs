//! What is written and laid out below a board: players with their counters and hands, what lies on the table, labels.

use super::canvas::{Anchor, Canvas, Paint, Point, Tone};
use super::colours::{BACKGROUND, Colours, DANGER, INK};
use super::{Extent, MARGIN, Seat, WIDTH, pieces};
use hall_games::{Counter, Hand, Picture, PictureKind, Piece};
use hall_wire::Player;

const LINE: i32 = 30;

/// How large cards and dice are: the width of a card.
#[derive(Clone, Copy)]
struct Unit(i32);

/// What a piece in a hand lies on.
pub(super) const TILE: &str = "#f0d9b5";

/// Between lines of words.
const SMALL: Unit = Unit(40);
/// Below a board.
const LARGE: Unit = Unit(64);
/// On a table without a board.
const LARGEST: Unit = Unit(104);

impl Unit {
    const fn card(self) -> (i32, i32) {
        (self.0, self.0 * 27 / 20)
    }

    const fn die(self) -> i32 {
        self.0 * 19 / 20
    }
}

/// Between two cards.
const GAP: i32 = 6;

/// As many characters of a label fit on a line.
const LABEL_LETTERS: usize = 88;

/// Draws everything below `top`; the height of the image.
pub(super) fn draw(
    canvas: &mut Canvas,
    picture: &Picture,
    seats: &[Seat],
    colours: &Colours,
    top: i32,
) -> i32 {
    let mut y = top;
    for hand in picture.hands.iter().filter(|hand| hand.player.is_none()) {
        y = laid(canvas, hand, colours, (MARGIN + 28, y), SMALL, true);
    }
    let of_nobody: Vec<&Counter> =
        picture.counters.iter().filter(|counter| counter.player.is_none()).collect();
    if !of_nobody.is_empty() {
        canvas.words((MARGIN, y + 18), 15, Anchor::Start, Tone::Pale, &worded(&of_nobody));
        y += LINE;
    }
    for (number, seat) in (0_u8..).zip(seats) {
        y = player(canvas, picture, Player::new(number), seat, colours, y);
    }
    for line in picture.labels.iter().flat_map(|label| wrapped(label)) {
        canvas.words((MARGIN, y + 14), 13, Anchor::Start, Tone::Pale, &line);
        y += 18;
    }
    y + MARGIN
}

/// Draws what lies on the table and in the players' hands, each hand beside the sign of its player; the height of the
/// image.
pub(super) fn draw_hands(
    canvas: &mut Canvas,
    picture: &Picture,
    seats: &[Seat],
    colours: &Colours,
    extent: Extent,
    top: i32,
) -> i32 {
    let has_words = extent != Extent::Miniature;
    let unit = if picture.kind == PictureKind::Table { LARGEST } else { LARGE };
    let mut y = top;
    for hand in picture.hands.iter().filter(|hand| hand.player.is_none()) {
        y = laid(canvas, hand, colours, (MARGIN, y), unit, has_words);
    }
    for (number, seat) in (0_u8..).zip(seats) {
        let player = Player::new(number);
        let is_held =
            |hand: &&Hand| hand.player == Some(player) && (hand.hidden > 0 || !hand.shown.is_empty());
        let mut own = picture.hands.iter().filter(is_held).peekable();
        if has_words && own.peek().is_some() {
            canvas.circle((MARGIN + 10, y + 14), 9, colours.sign(player));
            canvas.words((MARGIN + 28, y + 20), 19, Anchor::Start, Tone::Strong, &seat.handle);
            y += LINE;
        }
        for hand in own {
            if !has_words {
                canvas.circle((MARGIN + 10, y + unit.die() / 2), 9, colours.sign(player));
            }
            y = laid(canvas, hand, colours, (MARGIN + 28, y), unit, false);
        }
    }
    // Of a table from which everything was played, what was won remains.
    if y == top && picture.kind == PictureKind::Table {
        counted(canvas, picture, seats, colours, y)
    } else {
        y
    }
}

/// What the players have, large, each beside the sign of its player; the height of the image.
fn counted(canvas: &mut Canvas, picture: &Picture, seats: &[Seat], colours: &Colours, top: i32) -> i32 {
    let mut y = top;
    for (number, _) in (0_u8..).zip(seats) {
        let player = Player::new(number);
        for counter in picture.counters.iter().filter(|counter| counter.player == Some(player)) {
            canvas.circle((MARGIN + 24, y + 52), 18, colours.sign(player));
            canvas.words((MARGIN + 64, y + 72), 64, Anchor::Start, Tone::Strong, &counter.value);
            y += 104;
        }
    }
    y
}

fn player(
    canvas: &mut Canvas,
    picture: &Picture,
    player: Player,
    seat: &Seat,
    colours: &Colours,
    y: i32,
) -> i32 {
    canvas.circle((MARGIN + 10, y + 13), 9, colours.piece(Some(player), 1));
    let role = seat.role.map(|role| format!(" ({role})")).unwrap_or_default();
    let name = format!("{player} {}{role}", seat.handle);
    canvas.words((MARGIN + 28, y + 18), 15, Anchor::Start, Tone::Strong, &name);
    let own: Vec<&Counter> =
        picture.counters.iter().filter(|counter| counter.player == Some(player)).collect();
    canvas.words((WIDTH - MARGIN, y + 18), 15, Anchor::End, Tone::Pale, &worded(&own));
    let mut y = y + LINE;
    for hand in picture.hands.iter().filter(|hand| hand.player == Some(player)) {
        y = laid(canvas, hand, colours, (MARGIN + 28, y), SMALL, false);
    }
    y
}

fn worded(counters: &[&Counter]) -> String {
    let words: Vec<String> =
        counters.iter().map(|counter| format!("{} {}", counter.title, counter.value)).collect();
    words.join("   ")
}

/// Cards, dice or pieces in a row that begins at `left`, with their title where `is_titled`; where the row ends below.
fn laid(
    canvas: &mut Canvas,
    hand: &Hand,
    colours: &Colours,
    (left, y): Point,
    unit: Unit,
    is_titled: bool,
) -> i32 {
    let lies_open = hand.shown.iter().map(|text| Some(text.as_str()));
    let all: Vec<Option<&str>> = lies_open.chain((0..hand.hidden).map(|_| None)).collect();
    if all.is_empty() {
        return y;
    }
    let count = i32::try_from(all.len()).unwrap_or(i32::MAX);
    let title = left;
    let left = if is_titled { left + 80 } else { left };
    // What can be read is made smaller rather than covered.
    let fitting = (WIDTH - MARGIN - left + GAP) / count - GAP;
    let unit = if hand.shown.is_empty() { unit } else { Unit(unit.0.min(fitting.max(SMALL.0))) };
    if is_titled {
        canvas.words((title, y + unit.0 * 4 / 5), 15, Anchor::Start, Tone::Pale, &hand.title);
    }
    let is_dice = hand.title == "dice";
    let size = if is_dice { (unit.die(), unit.die()) } else { unit.card() };
    let (width, height) = size;
    let room = WIDTH - MARGIN - left - width;
    // Cards that do not fit side by side lie on one another.
    let step = (width + GAP).min(room / (count - 1).max(1));
    for (place, text) in (0..).zip(all) {
        let corner = (left + place * step, y);
        match text {
            None => back(canvas, corner, size),
            Some(text) if is_dice => die(canvas, corner, width, text),
            Some(text) if pieces::has_outline(text) => {
                // On a tile, because the page around it may be as dark as the piece.
                canvas.rect(corner, size, 5, Paint::fill(TILE));
                let (column, row, shape) = (0, 0, text.to_owned());
                let piece = Piece { column, row, player: hand.player, shape, count: 1 };
                pieces::draw(canvas, &piece, (corner.0 + width / 2, y + height / 2), width, colours);
            }
            Some(text) => card(canvas, corner, size, text),
        }
    }
    y + height + 12
}

fn back(canvas: &mut Canvas, (x, y): Point, (width, height): (i32, i32)) {
    canvas.rect((x, y), (width, height), 5, Paint::outlined("#3f5f8f", INK, 1));
    canvas.rect((x + 5, y + 5), (width - 10, height - 10), 3, Paint::line("#b8c8e0", 1));
}

/// A card: rank and suit, or whatever is written on it.
fn card(canvas: &mut Canvas, (x, y): Point, (width, height): (i32, i32), text: &str) {
    canvas.rect((x, y), (width, height), 5, Paint::outlined(BACKGROUND, INK, 1));
    let suits = [('s', '♠', INK), ('h', '♥', DANGER), ('d', '♦', DANGER), ('c', '♣', INK)];
    let mut letters = text.chars();
    let suit = match (letters.next(), letters.next(), letters.next()) {
        (Some(rank), Some(suit), None) if rank.is_ascii_uppercase() => suits
            .iter()
            .find(|(letter, ..)| *letter == suit)
            .map(|(_, symbol, ink)| (format!("{rank}{symbol}"), *ink)),
        _ => None,
    };
    let (written, ink) = suit.unwrap_or_else(|| (text.to_owned(), INK));
    let size = if written.chars().count() > 3 { width / 4 } else { width * 9 / 20 };
    canvas.text((x + width / 2, y + height / 2 + size / 3), size, Anchor::Middle, ink, &written);
}

/// A die with its pips; anything but one digit from 1 to 6 is written.
fn die(canvas: &mut Canvas, (x, y): Point, size: i32, text: &str) {
    canvas.rect((x, y), (size, size), size / 5, Paint::outlined(BACKGROUND, INK, 1));
    let pips: &[(i32, i32)] = match text {
        "1" => &[(1, 1)],
        "2" => &[(0, 0), (2, 2)],
        "3" => &[(0, 0), (1, 1), (2, 2)],
        "4" => &[(0, 0), (0, 2), (2, 0), (2, 2)],
        "5" => &[(0, 0), (0, 2), (1, 1), (2, 0), (2, 2)],
        "6" => &[(0, 0), (0, 1), (0, 2), (2, 0), (2, 1), (2, 2)],
        _ => &[],
    };
    if pips.is_empty() {
        canvas.text((x + size / 2, y + size * 13 / 20), size * 2 / 5, Anchor::Middle, INK, text);
    }
    for (column, row) in pips {
        canvas.circle((x + size / 4 * (column + 1), y + size / 4 * (row + 1)), size / 11, Paint::fill(INK));
    }
}

/// A label as lines that fit.
fn wrapped(label: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in label.split(' ') {
        let Some(line) = lines.last_mut() else { break };
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= LABEL_LETTERS {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}
