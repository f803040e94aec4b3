//! The positions that the guide shows, what it tries in them, and the rolls and plays of the example game.

use crate::ShownExample;
use crate::backgammon::board::{Board, Half};
use crate::backgammon::dice::Dice;
use crate::backgammon::position::BackgammonPosition;
use crate::backgammon::side::Side;
use crate::guide::{shown, tell_open, verdict_without_points};
use hall_wire::json::Value;

/// One position of `p0` with its dice, and some moves tried in it.
pub(in crate::backgammon) struct Example {
    topic: &'static str,
    /// Places of `p0` with their checkers; the others are off.
    mine: &'static [(u8, u8)],
    /// The same of `p1`, as it counts them.
    theirs: &'static [(u8, u8)],
    dice: (u8, u8),
    /// The move as sent, and what it shows.
    tries: &'static [(&'static str, &'static str)],
}

impl Example {
    /// Asks the engine; `None` if checkers or dice are impossible, which a test rules out.
    pub(super) fn play(&self) -> Option<Value> {
        tell_open(self.topic, &self.position()?, self.tries, verdict_without_points)
    }

    /// What can be drawn of it.
    pub(in crate::backgammon) fn shown(&self) -> Option<ShownExample> {
        shown(self.topic, &self.position()?, self.tries)
    }

    fn position(&self) -> Option<BackgammonPosition> {
        let board = Board { mine: Half::of(self.mine)?, theirs: Half::of(self.theirs)? };
        Some(BackgammonPosition::in_play(board, Side::P0, Dice::of(self.dice.0, self.dice.1)?))
    }
}

/// The example game: what was rolled, and what was played.
pub(in crate::backgammon) const SHORT_GAME: [(&str, &str); 17] = [
    ("p0 6 p1 5", "13/8 13/7"),
    ("54", "13/9 13/8"),
    ("66", "13/7(3) 8/2"),
    ("43", "13/10 8/4"),
    ("66", "24/18 8/2(3)"),
    ("52", "13/6"),
    ("66", "24/12 18/12*/6"),
    ("53", "bar/20 24/21"),
    ("66", "12/6 7/1* 7/1(2)"),
    ("62", "pass"),
    ("66", "7/1 6/off(3)"),
    ("31", "bar/21"),
    ("66", "6/off(4)"),
    ("42", "20/18 9/5"),
    ("66", "2/off(4)"),
    ("52", "8/3 6/4"),
    ("44", "1/off(4)"),
];

/// The places at the beginning.
const START: &[(u8, u8)] = &[(24, 2), (13, 5), (8, 3), (6, 5)];

/// Every example, in the order in which a reader needs them.
pub(in crate::backgammon) const ALL: &[Example] = &[
    Example {
        topic: "ways of writing that are refused",
        mine: START,
        theirs: START,
        dice: (3, 1),
        tries: &[
            ("8/5 6/5", "two checkers, the part that begins further away first"),
            ("6/5 8/5", "the same parts in the other order"),
            ("8/5, 6/5", "a comma"),
            ("8-5 6-5", "hyphens"),
            ("8/5* 6/5", "a mark where nothing is hit"),
            ("24/20", "one checker with both dice: one part"),
            ("24/21/20", "a point between, where nothing is hit"),
            ("24/21 21/20", "one checker in two parts"),
            ("13/10", "one die alone, though both can be played"),
            ("pass", "a pass, though something can be played"),
        ],
    },
    Example {
        topic: "a double is played four times, and equal parts are written once",
        mine: START,
        theirs: START,
        dice: (6, 6),
        tries: &[
            ("24/18(2) 13/7(2)", "two checkers from each of two points"),
            ("24/18 24/18 13/7 13/7", "equal parts one by one"),
            ("24/18(2)", "two dice of four"),
        ],
    },
    Example {
        topic: "hits",
        mine: &[(13, 2), (8, 2), (6, 3)],
        theirs: &[(20, 1), (21, 1), (13, 5), (6, 5)],
        dice: (3, 1),
        tries: &[
            ("8/5*/4*", "a point between is written where the checker hits"),
            ("8/4*", "over the other point: it hits only where it ends"),
            ("8/5/4", "hits without their marks"),
            ("8/5 6/5*", "of two checkers that could hit, the mark stands where the text is the smaller one"),
            ("8/5* 6/5", "the same with the mark at the other checker"),
        ],
    },
    Example {
        topic: "two checkers of the same way, of which the first hits",
        mine: &[(13, 2), (6, 3)],
        theirs: &[(14, 1), (13, 4), (20, 2), (24, 2)],
        dice: (2, 2),
        tries: &[
            ("13/11* 13/11 6/4(2)", "they differ by the mark, so they are not written once"),
            ("13/11*(2) 6/4(2)", "only one can hit"),
            ("13/11(2) 6/4(2)", "without the mark"),
        ],
    },
    Example {
        topic: "the bar comes first",
        mine: &[(25, 1), (13, 5), (8, 3), (6, 5)],
        theirs: &[(24, 1), (13, 5), (8, 3), (6, 5), (3, 1)],
        dice: (3, 2),
        tries: &[
            ("bar/22* 13/11", "the checker on the bar comes in and hits, another one moves"),
            ("25/22* 13/11", "the bar as a number"),
            ("13/11 13/10", "the checker stays on the bar"),
        ],
    },
    Example {
        topic: "both dice must be played if possible",
        mine: &[(10, 1), (3, 1)],
        theirs: &[(17, 2), (6, 2)],
        dice: (6, 2),
        tries: &[
            ("10/2", "both dice by one checker, the six first, since 8 is blocked"),
            ("10/4 3/1", "both dice by two checkers"),
            ("10/4", "the higher die alone"),
            ("3/1", "the lower die alone"),
        ],
    },
    Example {
        topic: "of two dice that cannot both be played, the higher",
        mine: &[(20, 1)],
        theirs: &[(14, 2), (24, 3)],
        dice: (6, 3),
        tries: &[("20/14", "the higher die"), ("20/17", "the lower die, though the higher can be played")],
    },
    Example {
        topic: "nothing can be played",
        mine: &[(25, 1), (6, 5)],
        theirs: &[(6, 3), (5, 3), (4, 3)],
        dice: (5, 4),
        tries: &[("pass", "the only legal move"), ("bar/20", "the point is blocked")],
    },
    Example {
        topic: "bearing off",
        mine: &[(6, 2), (3, 2), (1, 2)],
        theirs: &[(6, 2)],
        dice: (6, 5),
        tries: &[
            (
                "6/1 6/off",
                "the five is moved, since checkers stand on 6; of parts from one point off comes last",
            ),
            ("6/off 6/1", "the same parts in the other order"),
            ("6/off(2)", "the five does not take a checker off from 6"),
            ("6/1 6/0", "off as a number"),
        ],
    },
    Example {
        topic: "bearing off by more than is needed, from the highest point alone",
        mine: &[(4, 2), (1, 2)],
        theirs: &[(6, 2)],
        dice: (6, 5),
        tries: &[
            ("4/off(2)", "no checker stands behind 4"),
            ("4/off 1/off", "the second die takes the highest too"),
        ],
    },
    Example {
        topic: "of several descriptions the one with the fewest parts",
        mine: &[(6, 2), (5, 2), (24, 1)],
        theirs: &[(24, 2), (23, 2), (2, 2)],
        dice: (2, 1),
        tries: &[
            ("6/3", "it leaves what 6/5 and 5/3 would leave"),
            ("6/5 5/3", "two parts for what one can say"),
        ],
    },
    Example {
        topic: "the last checker, and a gammon",
        mine: &[(1, 1)],
        theirs: &[(6, 10), (2, 5)],
        dice: (2, 1),
        tries: &[("1/off", "p1 has borne off none: two points")],
    },
];
