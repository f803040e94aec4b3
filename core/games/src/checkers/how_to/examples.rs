//! The positions that the guide shows, and what it tries in them.

use crate::guide::Example;

/// The moves of the worked example: White wins with two kings in 28 turns.
pub(super) const SHORT_GAME: [&str; 28] = [
    "10-15",
    "22-17",
    "6-10",
    "23-18",
    "15x22",
    "25x18",
    "9-14",
    "18x9",
    "5x14",
    "24-19",
    "12-16",
    "19x12",
    "1-6",
    "30-25",
    "10-15",
    "17x10x1",
    "7-10",
    "27-24",
    "3-7",
    "12x3",
    "11-16",
    "31-27",
    "10-14",
    "3x10x19x12",
    "4-8",
    "12x3",
    "2-7",
    "3x10x17",
];

/// Every example, in the order in which a reader needs them.
pub(in crate::checkers) const ALL: &[Example] = &[
    Example {
        topic: "ways of writing that are refused",
        saved: "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12",
        tries: &[
            ("11-15", "from and to with a hyphen"),
            ("9-13", "numbers have no leading zeros"),
            ("09-13", "a leading zero"),
            ("11x15", "an x, although nothing is captured"),
            ("11 15", "a space"),
            ("15-11", "men do not go back"),
            ("22-18", "a piece of the opponent"),
            ("11-14", "not a neighbour"),
        ],
    },
    Example {
        topic: "a capture must be made",
        saved: "B:W18,28:B12,14,15",
        tries: &[
            ("15x22", "one of the captures"),
            ("14x23", "another one: the choice is free"),
            ("12-16", "a step, while a capture is possible"),
            ("15-22", "a capture is written with x"),
        ],
    },
    Example {
        topic: "a capture goes on as long as it can",
        saved: "W:W22,32:B1,11,18",
        tries: &[
            ("22x15x8", "every square touched"),
            ("22x15", "the second jump is missing"),
            ("22x8", "the square between is missing"),
            ("22x18x15x11x8", "the captured pieces' squares are not named"),
        ],
    },
    Example {
        topic: "captures that branch",
        saved: "W:W31:B17,18,26",
        tries: &[
            ("31x22x13", "to one side"),
            ("31x22x15", "to the other"),
            ("31x22", "the piece must jump on"),
        ],
    },
    Example {
        topic: "becoming a king ends the move",
        saved: "W:W11:B6,7",
        tries: &[
            ("11x2", "the man becomes a king and stops, although a king could jump on over 6"),
            ("11x2x9", "only from the next turn on"),
        ],
    },
    Example {
        topic: "a king moves and captures both ways, one square",
        saved: "B:WK14,26:B3,K18",
        tries: &[("18x9", "back towards its own side"), ("18-22", "a capture is possible, so no step")],
    },
    Example {
        topic: "a king may end where it began",
        saved: "B:W6,7,14,15:BK2,28",
        tries: &[("2x11x18x9x2", "four pieces, none jumped twice"), ("2x9x18x11x2", "the other way round")],
    },
    Example {
        topic: "no piece left",
        saved: "B:W18:B15",
        tries: &[("15x22", "White has nothing left and loses")],
    },
    Example {
        topic: "no move left",
        saved: "W:W29,30:B21",
        tries: &[
            ("29-25", "Black's man is blocked, and who cannot move loses"),
            ("30-25", "Black can jump over 25 to 30"),
        ],
    },
];
