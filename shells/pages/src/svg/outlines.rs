//! The outlines of the pieces of chess, drawn for this project: paths of SVG in hundredths of a square, from its middle.

/// A part of a piece.
#[derive(Clone, Copy)]
pub(super) enum Part {
    /// A filled shape with a line around it.
    Body(&'static str),
    /// Lines on the shapes below, in a colour that stands out there.
    Lines(&'static str),
}

/// Half the width of the square in which the paths are drawn.
pub(super) const REACH: i32 = 50;

/// The parts of the piece of this name, from back to front; none if there is no such piece.
pub(super) fn of(shape: &str) -> &'static [Part] {
    match shape {
        "pawn" => PAWN,
        "rook" => ROOK,
        "knight" => KNIGHT,
        "bishop" => BISHOP,
        "queen" => QUEEN,
        "king" => KING,
        _ => &[],
    }
}

const PAWN: &[Part] = &[
    Part::Body(
        "M0-34C9-34 14-28 14-21C14-16 12-12 9-10C15-7 17-2 16 3H10C12 14 17 21 24 27C29 32 30 37 30 42H-30C-30 37-29 32-24 27C-17 21-12 14-10 3H-16C-17-2-15-7-9-10C-12-12-14-16-14-21C-14-28-9-34 0-34Z",
    ),
    Part::Lines("M-22 31H22"),
];

const ROOK: &[Part] = &[
    Part::Body(
        "M-30 42V34H-24L-20 26V-13L-26-20V-38H-15V-31H-6V-38H6V-31H15V-38H26V-20L20-13V26L24 34H30V42Z",
    ),
    Part::Lines("M-24-20H24M-18-13H18M-18 26H18M-22 34H22"),
];

const KNIGHT: &[Part] = &[
    Part::Body(
        "M-26 42C-28 22-3 14-6-3C-13 4-20 4-24 9C-27 15-33 12-34 6C-34 1-30-3-28-9C-25-18-19-24-15-28L-16-41L-5-33C17-33 29-14 31 14C32 26 31 34 30 42Z",
    ),
    Part::Lines("M3-26C15-20 23-3 23 36M-19-17L-15-14M-30 6L-27 5"),
];

const BISHOP: &[Part] = &[
    Part::Body("M-12 24C-20 27-30 28-31 34C-31 38-31 40-30 42H30C31 40 31 38 31 34C30 28 20 27 12 24Z"),
    Part::Body("M-3-30C-14-22-20-12-18-1C-17 5-12 9-9 11L-13 25H13L9 11C12 9 17 5 18-1C20-12 14-22 3-30Z"),
    Part::Body("M0-42C4-42 7-39 7-35C7-31 4-29 0-29C-4-29-7-31-7-35C-7-39-4-42 0-42Z"),
    Part::Lines("M-8 11H8M0-20V-3M-8-12H8"),
];

const QUEEN: &[Part] = &[
    Part::Body(
        "M-24 28C-24 20-27 14-29 8L-36-21L-19 0L-18-30L-6-3L0-34L6-3L18-30L19 0L36-21L29 8C27 14 24 20 24 28C28 31 29 37 29 42H-29C-29 37-28 31-24 28Z",
    ),
    Part::Body(
        "M-36-29a5 5 0 1 0 .1 0ZM-18-38a5 5 0 1 0 .1 0ZM0-43a5 5 0 1 0 .1 0ZM18-38a5 5 0 1 0 .1 0ZM36-29a5 5 0 1 0 .1 0Z",
    ),
    Part::Lines("M-27 14C-10 9 10 9 27 14M-24 28C-10 24 10 24 24 28"),
];

const KING: &[Part] = &[
    Part::Body("M-3-20V-29H-10V-35H-3V-43H3V-35H10V-29H3V-20Z"),
    Part::Body("M0-3C-8-10-8-20 0-25C8-20 8-10 0-3Z"),
    Part::Body(
        "M-23 28C-23 20-37 12-37-4C-37-17-24-21-15-18C-8-16-3-11 0-3C3-11 8-16 15-18C24-21 37-17 37-4C37 12 23 20 23 28C27 31 28 37 28 42H-28C-28 37-27 31-23 28Z",
    ),
    Part::Lines("M0-3V13M-26 15C-10 10 10 10 26 15M-23 28C-10 24 10 24 23 28"),
];
