//! Pieces, each within a square around its middle.

use super::canvas::{Anchor, Canvas, Paint, Point};
use super::colours::Colours;
use super::outlines::{self, Part, REACH};
use hall_games::Piece;

/// Draws a piece whose place is `size` wide, with its number if there are several.
pub(super) fn draw(canvas: &mut Canvas, piece: &Piece, middle: Point, size: i32, colours: &Colours) {
    let owner = piece.player.map(|player| player.to_string()).unwrap_or_default();
    canvas.group(&format!("{owner} {}", piece.shape), |canvas| parts(canvas, piece, middle, size, colours));
}

fn parts(canvas: &mut Canvas, piece: &Piece, middle: Point, size: i32, colours: &Colours) {
    let paint = colours.piece(piece.player, (size / 24).max(1));
    let ink = colours.on_piece(piece.player);
    let parts = outlines::of(&piece.shape);
    match piece.shape.as_str() {
        _ if !parts.is_empty() => {
            for part in parts {
                let (path, paint) = match part {
                    Part::Body(path) => (path, colours.piece(piece.player, 4)),
                    Part::Lines(path) => (path, Paint::line(ink, 4)),
                };
                canvas.placed_path(path, middle, size * FILL / (2 * REACH), paint);
            }
        }
        "disc" | "stone" => canvas.circle(middle, size * 9 / 20, paint),
        "man" | "crowned_man" => {
            canvas.circle(middle, size * 2 / 5, paint);
            canvas.circle(middle, size * 3 / 10, Paint::line(ink, 1));
            if piece.shape == "crowned_man" {
                canvas.polygon(&scaled(CROWN, middle, size / 2), Paint::fill(ink));
            }
        }
        unknown => {
            canvas.circle(middle, size * 21 / 50, paint);
            let (x, y) = middle;
            canvas.text((x, y + size / 12), size / 5, Anchor::Middle, ink, unknown);
        }
    }
    if piece.count > 1 {
        let (x, y) = middle;
        canvas.text((x, y + size / 8), size * 2 / 5, Anchor::Middle, ink, &piece.count.to_string());
    }
}

/// Whether a piece of this shape has outlines of its own.
pub(super) fn has_outline(shape: &str) -> bool {
    !outlines::of(shape).is_empty()
}

/// How many hundredths of its square a piece of chess may fill: its outlines keep away from the edges of theirs.
const FILL: i32 = 106;

/// An outline in hundredths of the size, from the middle.
type Outline = &'static [(i32, i32)];

fn scaled(outline: Outline, (x, y): Point, size: i32) -> Vec<Point> {
    outline.iter().map(|(dx, dy)| (x + dx * size / 100, y + dy * size / 100)).collect()
}

const CROWN: Outline = &[(-36, 26), (-40, -18), (-18, 4), (0, -30), (18, 4), (40, -18), (36, 26)];
