//! Pieces, each within a square around its middle.

use super::canvas::{Anchor, Canvas, Paint, Point};
use super::colours::Colours;
use hall_games::Piece;

/// Draws a piece whose place is `size` wide, with its number if there are several.
pub(super) fn draw(canvas: &mut Canvas, piece: &Piece, middle: Point, size: i32, colours: &Colours) {
    let paint = colours.piece(piece.player, (size / 24).max(1));
    let ink = colours.on_piece(piece.player);
    match piece.shape.as_str() {
        "disc" | "stone" => canvas.circle(middle, size * 21 / 50, paint),
        "man" | "crowned_man" => {
            canvas.circle(middle, size * 2 / 5, paint);
            canvas.circle(middle, size * 3 / 10, Paint::line(ink, 1));
            if piece.shape == "crowned_man" {
                canvas.polygon(&scaled(CROWN, middle, size / 2), Paint::fill(ink));
            }
        }
        shape => match SHAPES.iter().find(|(name, _)| *name == shape) {
            Some((_, outlines)) => {
                for outline in *outlines {
                    canvas.polygon(&scaled(outline, middle, size), paint);
                }
            }
            None => {
                canvas.circle(middle, size * 21 / 50, paint);
                let (x, y) = middle;
                canvas.text((x, y + size / 12), size / 5, Anchor::Middle, ink, shape);
            }
        },
    }
    if piece.count > 1 {
        let (x, y) = middle;
        canvas.text((x, y + size / 8), size * 2 / 5, Anchor::Middle, ink, &piece.count.to_string());
    }
}

/// Whether a piece of this shape has outlines of its own.
pub(super) fn has_outline(shape: &str) -> bool {
    SHAPES.iter().any(|(name, _)| *name == shape)
}

/// An outline in hundredths of the size, from the middle.
type Outline = &'static [(i32, i32)];

fn scaled(outline: Outline, (x, y): Point, size: i32) -> Vec<Point> {
    outline.iter().map(|(dx, dy)| (x + dx * size / 100, y + dy * size / 100)).collect()
}

const CROWN: Outline = &[(-36, 26), (-40, -18), (-18, 4), (0, -30), (18, 4), (40, -18), (36, 26)];

const BASE: Outline = &[(-30, 40), (-30, 33), (-24, 28), (24, 28), (30, 33), (30, 40)];

/// The pieces of chess, from the base up.
const SHAPES: &[(&str, &[Outline])] = &[
    (
        "pawn",
        &[
            BASE,
            &[
                (-18, 28),
                (-10, 4),
                (-16, 0),
                (-8, -6),
                (-13, -14),
                (-12, -24),
                (-5, -31),
                (5, -31),
                (12, -24),
                (13, -14),
                (8, -6),
                (16, 0),
                (10, 4),
                (18, 28),
            ],
        ],
    ),
    (
        "rook",
        &[
            BASE,
            &[(-20, 28), (-16, -12), (16, -12), (20, 28)],
            &[
                (-22, -12),
                (-26, -36),
                (-15, -36),
                (-15, -28),
                (-6, -28),
                (-6, -36),
                (6, -36),
                (6, -28),
                (15, -28),
                (15, -36),
                (26, -36),
                (22, -12),
            ],
        ],
    ),
    (
        "knight",
        &[
            BASE,
            &[
                (-22, 28),
                (-14, 8),
                (-4, -4),
                (-16, 0),
                (-24, 8),
                (-31, 2),
                (-27, -10),
                (-14, -24),
                (-13, -38),
                (-3, -30),
                (12, -27),
                (22, -12),
                (25, 8),
                (23, 28),
            ],
        ],
    ),
    (
        "bishop",
        &[
            BASE,
            &[
                (-17, 28),
                (-11, 12),
                (-18, 2),
                (-18, -10),
                (-8, -24),
                (0, -31),
                (8, -24),
                (18, -10),
                (18, 2),
                (11, 12),
                (17, 28),
            ],
            &[(-4, -31), (-5, -36), (0, -41), (5, -36), (4, -31)],
        ],
    ),
    (
        "queen",
        &[
            BASE,
            &[
                (-22, 28),
                (-28, -20),
                (-15, 2),
                (-12, -29),
                (-3, -2),
                (0, -34),
                (3, -2),
                (12, -29),
                (15, 2),
                (28, -20),
                (22, 28),
            ],
        ],
    ),
    (
        "king",
        &[
            BASE,
            &[(-20, 28), (-29, 4), (-25, -12), (-12, -16), (0, -6), (12, -16), (25, -12), (29, 4), (20, 28)],
            &[
                (-4, -10),
                (-4, -26),
                (-12, -26),
                (-12, -33),
                (-4, -33),
                (-4, -41),
                (4, -41),
                (4, -33),
                (12, -33),
                (12, -26),
                (4, -26),
                (4, -10),
            ],
        ],
    ),
];
