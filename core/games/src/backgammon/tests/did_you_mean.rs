//! Which legal move an illegal text is taken for.

use super::{P0, P1, START, notations, position};
use crate::Position as _;
use alloc::string::ToString as _;
use hall_wire::Notation;

#[test]
fn a_legal_move_in_another_spelling_is_recognised() {
    let two_ways = ("8:1 6:1", "20:1 6:2", "31");
    // (the position, what is written, what is meant)
    let table = [
        ((START, START, "31"), "6/5 8/5", Some("8/5 6/5")),
        ((START, START, "31"), "8-5, 6-5", Some("8/5 6/5")),
        ((START, START, "31"), "8/5;6/5", Some("8/5 6/5")),
        ((START, START, "31"), "8/5* 6/5", Some("8/5 6/5")),
        ((START, START, "31"), "24/21/20", Some("24/20")),
        ((START, START, "31"), "24/23 23/20", Some("24/20")),
        ((START, START, "66"), "24/18 13/7 24/18 13/7", Some("24/18(2) 13/7(2)")),
        ((START, START, "66"), "24/18(2) 13/7 13/7", Some("24/18(2) 13/7(2)")),
        (("25:1 6:2", "3:1 6:2", "31"), "25/22 6/5", Some("bar/22* 6/5")),
        (("25:1 6:2", "3:1 6:2", "31"), "BAR/22* 6/5", Some("bar/22* 6/5")),
        (("6:2 1:1", "6:2", "66"), "6/0(2) 1/0", Some("6/off(2) 1/off")),
        (("6:2 1:1", "6:2", "66"), "6/Off(2) 1/OFF", Some("6/off(2) 1/off")),
        (two_ways, "8/5* 6/5", Some("8/5 6/5*")),
        // Over the blot or through it: only a mark says which.
        (two_ways, "8-4", None),
        (two_ways, "8-5*-4", Some("8/5*/4")),
        ((START, START, "31"), "8/5 6/5", None),
        ((START, START, "31"), "8/4 6/4", None),
        ((START, START, "31"), "26/22", None),
        ((START, START, "31"), "8/5(9) 6/5", None),
        ((START, START, "31"), "8/5(2 6/5", None),
        ((START, START, "31"), "+8/5 6/5", None),
        ((START, START, "31"), "8", None),
        ((START, START, "31"), "8/", None),
        ((START, START, "31"), "pass", None),
        (("25:1 6:1", "1:2 5:2", "51"), "PASS", Some("pass")),
        (("25:1 6:1", "1:2 5:2", "51"), "Cannot Move", Some("pass")),
        (("25:1 6:1", "1:2 5:2", "51"), "bar/24", None),
        (("25:1 6:1", "1:2 5:2", "51"), "pass", None),
    ];
    for ((mine, theirs, dice), written, expected) in table {
        let game = position(mine, theirs, dice);
        let meant = game.did_you_mean(P0, &Notation::parse(written).unwrap()).map(|meant| meant.to_string());
        assert_eq!(meant.as_deref(), expected, "{written} among {:?}", notations(&game));
        assert_eq!(game.did_you_mean(P1, &Notation::parse(written).unwrap()), None, "it is not its turn");
    }
}
