//! Boards of squares, crossings, holes and hexagons.

use super::canvas::{Anchor, Canvas, Paint, Point};
use super::colours::{Colours, DANGER, INK, NOTICE, PALE_INK, SUCCESS};
use super::{MARGIN, WIDTH, pieces};
use hall_games::{Mark, MarkKind, Pattern, Picture, PictureKind};

/// The space for the names of rows and columns.
const NAMES: i32 = 44;

/// The space below a board, for the names of its columns.
const BELOW: i32 = 30;

/// No place is wider.
const WIDEST: i32 = 72;

/// The places of a board on the canvas.
struct Layout {
    columns: i32,
    rows: i32,
    /// How wide a place is.
    size: i32,
    /// The middle of the first place.
    first: Point,
    is_hex: bool,
}

impl Layout {
    fn of(picture: &Picture) -> Self {
        let count = |names: &[String]| i32::try_from(names.len()).unwrap_or(i32::MAX).max(1);
        let (columns, rows) = (count(&picture.columns), count(&picture.rows));
        let is_hex = picture.kind == PictureKind::Hex;
        // In halves of a place: each row of hexagons is half a place further to the right.
        let halves = if is_hex { 2 * columns + rows - 1 } else { 2 * columns };
        let size = ((WIDTH - 2 * MARGIN - NAMES) * 2 / halves).min(WIDEST);
        let left = (WIDTH - NAMES - size * halves / 2) / 2 + NAMES;
        Self { columns, rows, size, first: (left + size / 2, MARGIN + size / 2), is_hex }
    }

    fn middle(&self, column: i32, row: i32) -> Point {
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
pub(super) fn draw(canvas: &mut Canvas, picture: &Picture, colours: &Colours) -> i32 {
    let layout = Layout::of(picture);
    places(canvas, &layout, picture.pattern);
    names(canvas, &layout, picture);
    let at = |mark: &Mark| (i32::from(mark.column), i32::from(mark.row));
    for mark in picture.marks.iter().filter(|mark| lies_below(picture, mark)) {
        let (column, row) = at(mark);
        let paint = Paint::fill(if mark.mark == MarkKind::Check { "#f0a0a0" } else { "#f7e08a" });
        canvas.rect(layout.corner(column, row), (layout.size, layout.size), 0, paint);
    }
    for piece in &picture.pieces {
        let middle = layout.middle(i32::from(piece.column), i32::from(piece.row));
        pieces::draw(canvas, piece, middle, layout.size, colours);
    }
    for mark in picture.marks.iter().filter(|mark| !lies_below(picture, mark)) {
        let (column, row) = at(mark);
        above(canvas, mark, layout.middle(column, row), layout.size, colours);
    }
    let (_, bottom) = layout.middle(0, layout.rows - 1);
    bottom + layout.size / 2 + BELOW
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
            for (column, row) in layout.places() {
                let is_dark = (rows - 1 - row + column) % 2 == 0;
                let fill = if is_dark { "#b58863" } else { "#f0d9b5" };
                canvas.rect(layout.corner(column, row), (size, size), 0, Paint::fill(fill));
            }
        }
        Pattern::Plain => {
            for (column, row) in layout.places() {
                let paint = Paint::outlined("#3f8f5f", "#1f4f33", 1);
                canvas.rect(layout.corner(column, row), (size, size), 0, paint);
            }
        }
        Pattern::Holes => {
            canvas.rect(layout.corner(0, 0), whole, size / 6, Paint::fill("#2f5fb3"));
            for (column, row) in layout.places() {
                canvas.circle(layout.middle(column, row), size * 21 / 50, Paint::fill("#e8eef8"));
            }
        }
        Pattern::Lines => {
            canvas.rect(layout.corner(0, 0), whole, 0, Paint::fill("#e3bd76"));
            for column in 0..columns {
                canvas.line(layout.middle(column, 0), layout.middle(column, rows - 1), "#5a4520", 1);
            }
            for row in 0..rows {
                canvas.line(layout.middle(0, row), layout.middle(columns - 1, row), "#5a4520", 1);
            }
        }
    }
}

/// The names of the columns below the board, of hexagons above it, and of the rows at their left.
fn names(canvas: &mut Canvas, layout: &Layout, picture: &Picture) {
    let text = (layout.size / 3).clamp(9, 14);
    for (column, name) in (0..).zip(&picture.columns) {
        let (x, y) = layout.middle(column, layout.rows - 1);
        canvas.text((x, y + layout.size / 2 + 16), text, Anchor::Middle, PALE_INK, name);
    }
    for (row, name) in (0..).zip(&picture.rows) {
        let (x, y) = layout.middle(0, row);
        canvas.text((x - layout.size / 2 - 8, y + text / 3), text, Anchor::End, PALE_INK, name);
    }
}
