//! Boards of squares, crossings, holes and hexagons.

use super::canvas::{Anchor, Canvas, Paint, Point, Tone};
use super::colours::{Colours, DANGER, INK, NOTICE, PALE_INK, SUCCESS};
use super::{Extent, MARGIN, Side, WIDTH, pieces};
use crate::words;
use core::fmt::Write as _;
use hall_games::{Mark, MarkKind, Pattern, Picture, PictureKind};

/// The space for the names of rows.
const NAMES: i32 = 28;

/// The space below a board, for the names of its columns.
const BELOW: i32 = 28;

/// No place is wider.
const WIDEST: i32 = 80;

/// The fewest rows of a board on whose lines points are marked for orientation.
const STAR_ROWS: i32 = 9;

const LIGHT_SQUARE: &str = "#f0d9b5";
const DARK_SQUARE: &str = "#b58863";

/// The places of a board on the canvas.
struct Layout {
    columns: i32,
    rows: i32,
    /// How wide a place is.
    size: i32,
    /// The middle of the first place.
    first: Point,
    is_hex: bool,
    side: Side,
    naming: Naming,
}

/// Where the names of places stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Naming {
    Nowhere,
    /// Those of columns and rows beside the board.
    Sides,
    /// A number on every square in play.
    Squares,
}

impl Layout {
    fn of(picture: &Picture, extent: Extent, side: Side) -> Self {
        let naming = match extent {
            Extent::Miniature => Naming::Nowhere,
            Extent::Whole | Extent::Board if words::has_numbered_squares(picture) => Naming::Squares,
            Extent::Whole | Extent::Board => Naming::Sides,
        };
        let left_names = if naming == Naming::Sides { NAMES } else { 0 };
        let count = |names: &[String]| i32::try_from(names.len()).unwrap_or(i32::MAX).max(1);
        let (columns, rows) = (count(&picture.columns), count(&picture.rows));
        let is_hex = picture.kind == PictureKind::Hex;
        // In halves of a place: each row of hexagons is half a place further to the right.
        let halves = if is_hex { 2 * columns + rows - 1 } else { 2 * columns };
        let size = ((WIDTH - 2 * MARGIN - left_names) * 2 / halves).min(WIDEST);
        let left = (WIDTH - left_names - size * halves / 2) / 2 + left_names;
        Self { columns, rows, size, first: (left + size / 2, MARGIN + size * 29 / 50), is_hex, side, naming }
    }

    fn middle(&self, column: i32, row: i32) -> Point {
        let (column, row) = match self.side {
            Side::Usual => (column, row),
            Side::Turned => (self.columns - 1 - column, self.rows - 1 - row),
        };
        let (x, y) = self.first;
        if self.is_hex {
            (x + column * self.size + row * self.size / 2, y + row * self.step())
        } else {
            (x + column * self.size, y + row * self.size)
        }
    }

    /// The distance of two rows: of hexagons as wide as `size`, 0.866 of it.
    const fn step(&self) -> i32 {
        if self.is_hex { self.size * 433 / 500 } else { self.size }
    }

    fn corner(&self, column: i32, row: i32) -> Point {
        let (x, y) = self.middle(column, row);
        (x - self.size / 2, y - self.size / 2)
    }

    /// The corner of the whole board.
    fn origin(&self) -> Point {
        let (x, y) = self.first;
        (x - self.size / 2, y - self.size / 2)
    }

    fn places(&self) -> impl Iterator<Item = (i32, i32)> + use<> {
        let columns = self.columns;
        (0..self.rows).flat_map(move |row| (0..columns).map(move |column| (column, row)))
    }

    /// The hexagon around a place.
    fn hexagon(&self, column: i32, row: i32) -> [Point; 6] {
        let ((x, y), half) = (self.middle(column, row), self.size / 2);
        let (long, short) = (self.size * 289 / 500, self.size * 144 / 500);
        [
            (x, y - long),
            (x + half, y - short),
            (x + half, y + short),
            (x, y + long),
            (x - half, y + short),
            (x - half, y - short),
        ]
    }
}

/// Draws the board with its pieces; where it ends below.
pub(super) fn draw(
    canvas: &mut Canvas,
    picture: &Picture,
    colours: &Colours,
    extent: Extent,
    side: Side,
) -> i32 {
    let layout = Layout::of(picture, extent, side);
    places(canvas, &layout, picture.pattern);
    if layout.naming == Naming::Sides {
        names(canvas, &layout, picture);
    }
    let at = |mark: &Mark| (i32::from(mark.column), i32::from(mark.row));
    for mark in picture.marks.iter().filter(|mark| lies_below(picture, mark)) {
        let (column, row) = at(mark);
        let paint = Paint::fill(match (mark.mark, is_dark(&layout, column, row)) {
            (MarkKind::Check, _) => "#ee8c84",
            (_, true) => "#aaa23b",
            (_, false) => "#cdd26b",
        });
        canvas.rect(layout.corner(column, row), (layout.size, layout.size), 0, paint);
    }
    if layout.naming == Naming::Squares {
        numbers(canvas, &layout, picture);
    }
    for piece in &picture.pieces {
        let middle = layout.middle(i32::from(piece.column), i32::from(piece.row));
        pieces::draw(canvas, piece, middle, layout.size, colours);
    }
    for mark in picture.marks.iter().filter(|mark| !lies_below(picture, mark)) {
        let (column, row) = at(mark);
        above(canvas, mark, layout.middle(column, row), layout.size, colours);
    }
    let (_, first) = layout.first;
    let bottom = first + (layout.rows - 1) * layout.step() + layout.size * 29 / 50;
    bottom + if layout.naming == Naming::Sides { BELOW } else { MARGIN }
}

/// Whether a place of a checkered board is dark.
const fn is_dark(layout: &Layout, column: i32, row: i32) -> bool {
    (layout.rows - 1 - row + column) % 2 == 0
}

/// Whether a mark is the colour of its square, below the piece.
fn lies_below(picture: &Picture, mark: &Mark) -> bool {
    picture.pattern == Pattern::Checkered && matches!(mark.mark, MarkKind::LastMove | MarkKind::Check)
}

fn above(canvas: &mut Canvas, mark: &Mark, middle: Point, size: i32, colours: &Colours) {
    let (x, y) = middle;
    match mark.mark {
        MarkKind::LastMove => canvas.circle(middle, (size / 10).max(3), Paint::outlined(NOTICE, INK, 1)),
        MarkKind::Check => canvas.circle(middle, size * 2 / 5, Paint::line(DANGER, 3)),
        MarkKind::Threatened => canvas.circle(middle, size * 23 / 50, Paint::line(DANGER, 2)),
        MarkKind::Winning => canvas.circle(middle, size * 2 / 5, Paint::line(SUCCESS, (size / 12).max(3))),
        MarkKind::Territory => {
            let side = size / 4;
            let Paint { fill, .. } = colours.area(mark.player);
            canvas.rect((x - side / 2, y - side / 2), (side, side), 0, Paint::outlined(fill, PALE_INK, 1));
        }
    }
}

fn places(canvas: &mut Canvas, layout: &Layout, pattern: Pattern) {
    let (columns, rows, size) = (layout.columns, layout.rows, layout.size);
    let whole = (columns * size, rows * size);
    if layout.is_hex {
        for (column, row) in layout.places() {
            canvas.polygon(&layout.hexagon(column, row), Paint::outlined("#efe6d2", "#8a7a58", 1));
        }
        return;
    }
    match pattern {
        Pattern::Checkered => {
            canvas.rect(layout.origin(), whole, 4, Paint::fill(LIGHT_SQUARE));
            let mut dark = String::new();
            for (column, row) in layout.places().filter(|(column, row)| is_dark(layout, *column, *row)) {
                let (x, y) = layout.corner(column, row);
                let _ = write!(dark, "M{x} {y}h{size}v{size}h-{size}z");
            }
            canvas.path(&dark, Paint::fill(DARK_SQUARE));
        }
        Pattern::Plain => {
            canvas.rect(layout.origin(), whole, 4, Paint::outlined("#2f7d54", "#14402a", 2));
            let (left, top) = layout.origin();
            let mut lines = String::new();
            for column in 1..columns {
                let _ = write!(lines, "M{} {top}v{}", left + column * size, rows * size);
            }
            for row in 1..rows {
                let _ = write!(lines, "M{left} {}h{}", top + row * size, columns * size);
            }
            canvas.path(&lines, Paint::line("#14402a", 2));
        }
        Pattern::Holes => {
            canvas.rect(layout.origin(), whole, size / 6, Paint::fill("#2b5aa8"));
            for (column, row) in layout.places() {
                canvas.circle(layout.middle(column, row), size * 9 / 20, Paint::fill("#e8eef8"));
            }
        }
        Pattern::Lines => {
            canvas.rect(layout.origin(), whole, 4, Paint::fill("#e0b468"));
            let (x, y) = layout.first;
            let mut lines = String::new();
            for column in 0..columns {
                let _ = write!(lines, "M{} {y}v{}", x + column * size, (rows - 1) * size);
            }
            for row in 0..rows {
                let _ = write!(lines, "M{x} {}h{}", y + row * size, (columns - 1) * size);
            }
            canvas.path(&lines, Paint::line("#5a4520", 1));
            for (column, row) in stars(columns, rows) {
                canvas.circle(layout.middle(column, row), (size / 10).max(3), Paint::fill("#5a4520"));
            }
        }
    }
}

/// The crossings that are marked for orientation: the middle, and those near the corners; on large boards near the
/// edges too.
fn stars(columns: i32, rows: i32) -> Vec<(i32, i32)> {
    if rows < STAR_ROWS || columns != rows || rows % 2 == 0 {
        return Vec::new();
    }
    let edge = if rows < 13 { 2 } else { 3 };
    let (middle, far) = (rows / 2, rows - 1 - edge);
    let lines: &[i32] = &[edge, middle, far];
    let all = lines.iter().flat_map(|column| lines.iter().map(move |row| (*column, *row)));
    let is_edge = |(column, row): &(i32, i32)| (*column == middle) != (*row == middle);
    all.filter(|star| rows >= 19 || !is_edge(star)).collect()
}

/// The names of the columns below the board, of hexagons above it, and of the rows at their left.
fn names(canvas: &mut Canvas, layout: &Layout, picture: &Picture) {
    let text = (layout.size / 2).clamp(12, 17);
    let (last_row, first_column) = match layout.side {
        Side::Usual => (layout.rows - 1, 0),
        Side::Turned => (0, layout.columns - 1),
    };
    // A hexagon is higher than its row.
    let below = if layout.is_hex { layout.size * 29 / 50 } else { layout.size / 2 };
    for (column, name) in (0..).zip(&picture.columns) {
        let (x, y) = layout.middle(column, last_row);
        canvas.words((x, y + below + 18), text, Anchor::Middle, Tone::Pale, name);
    }
    for (row, name) in (0..).zip(&picture.rows) {
        let (x, y) = layout.middle(first_column, row);
        canvas.words((x - layout.size / 2 - 8, y + text / 3), text, Anchor::End, Tone::Pale, name);
    }
}

/// The number of each square in play, so small that it stands in the corner that a piece leaves free.
fn numbers(canvas: &mut Canvas, layout: &Layout, picture: &Picture) {
    let text = layout.size * 9 / 50;
    for (row, _) in (0..).zip(&picture.rows) {
        for (column, _) in (0..).zip(&picture.columns) {
            let Some(number) = words::square_number(picture, column, row) else { continue };
            let (x, y) = layout.corner(column.into(), row.into());
            canvas.text((x + 2, y + text - 2), text, Anchor::Start, INK, &number.to_string());
        }
    }
}
