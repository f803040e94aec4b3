//! Which legal move an illegal text is taken for.

use super::{P0, P1, mover, position, send};
use crate::Refused;
use alloc::string::ToString;
use hall_wire::Notation;

#[test]
fn a_legal_move_in_another_spelling_is_recognised() {
    let two_jumps = "W:W22,32:B1,11,18";
    let table = [
        (super::OPENING, "11x15", "11-15"),
        (super::OPENING, "11 15", "11-15"),
        (super::OPENING, "09-13", "9-13"),
        (super::OPENING, "11 -> 15", "11-15"),
        (super::OPENING, "11-15.", "11-15"),
        (two_jumps, "22-15-8", "22x15x8"),
        (two_jumps, "22X15X8", "22x15x8"),
        (two_jumps, "22:15:8", "22x15x8"),
        (two_jumps, "22x8", "22x15x8"),
        (two_jumps, "22x15", "22x15x8"),
        ("W:W31:B17,18,26", "31x13", "31x22x13"),
        ("B:W6,7,14,15:BK2", "2x11x18", "2x11x18x9x2"),
        ("B:W6,7,14,15:BK2", "2x9", "2x9x18x11x2"),
    ];
    for (fen, written, expected) in table {
        let mut game = position(fen);
        let found = game.did_you_mean(mover(&*game).unwrap(), &Notation::parse(written).unwrap());
        assert_eq!(found.map(|found| found.to_string()).as_deref(), Some(expected), "{written} in {fen}");
        assert_eq!(send(&mut *game, written), Err(Refused::Illegal), "{written} is no move itself");
    }
}

#[test]
fn a_text_that_is_a_legal_move_or_fits_none_or_several_is_not_recognised() {
    let table = [
        (super::OPENING, "11-15"),
        (super::OPENING, "15-11"),
        (super::OPENING, "11"),
        (super::OPENING, "11-15-18"),
        (super::OPENING, "b6-a5"),
        (super::OPENING, "-"),
        (super::OPENING, "99999-15"),
        ("W:W31:B17,18,26", "31x22"),
        ("B:W6,7,14,15:BK2", "2x2"),
        ("B:W6,7,14,15:BK2", "2x18x2"),
        ("B:W6,7,14,15:BK2", "2x11x2"),
    ];
    for (fen, written) in table {
        let game = position(fen);
        let mover = mover(&*game).unwrap();
        assert_eq!(game.did_you_mean(mover, &Notation::parse(written).unwrap()), None, "{written} in {fen}");
    }
    let opening = position(super::OPENING);
    assert_eq!(opening.did_you_mean(P0, &Notation::parse("11 15").unwrap()).map(|_| ()), Some(()));
    assert_eq!(
        opening.did_you_mean(P1, &Notation::parse("22 18").unwrap()),
        None,
        "who is not to move means nothing"
    );
}
