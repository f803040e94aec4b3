//! Which legal move an illegal text is taken for.

use super::{P0, P1, mover, position, send};
use crate::Refused;
use alloc::string::ToString;
use hall_wire::Notation;

#[test]
fn a_legal_move_in_another_spelling_is_recognised() {
    let table = [
        ("9", "d4", "D4"),
        ("9", "D-4", "D4"),
        ("9", "D 4", "D4"),
        ("9", "(d,4)", "D4"),
        ("9", "D04", "D4"),
        ("9", "4D", "D4"),
        ("9", "B D4", "D4"),
        ("9", "play black D4", "D4"),
        ("9", "b4", "B4"),
        ("9", "dd", "D6"),
        ("9", "aa", "A9"),
        ("19", "t19", "T19"),
        ("19", "sa", "T19"),
        ("9", "PASS", "pass"),
        ("9", "Pass", "pass"),
        ("9", "black pass", "pass"),
    ];
    for (saved, written, expected) in table {
        let mut game = position(saved);
        let found = game.did_you_mean(mover(&*game).unwrap(), &Notation::parse(written).unwrap());
        assert_eq!(found.map(|found| found.to_string()).as_deref(), Some(expected), "{written}");
        assert_eq!(send(&mut *game, written), Err(Refused::Illegal), "{written} is no move itself");
    }
}

#[test]
fn a_text_that_is_a_legal_move_or_fits_none_is_not_recognised() {
    let table = [
        ("9", "D4"),
        ("9", "pass"),
        ("9", "i5"),
        ("9", "k1"),
        ("9", "a10"),
        ("9", "jj"),
        ("9", "tt"),
        ("9", "DD"),
        ("9", "44"),
        ("9", "d"),
        ("9", "-"),
        ("9", "resign"),
        ("9", "D4 E5"),
        ("9 D4", "d4"),
        ("9 E5 D5 D6 C6 D4 C4 E7 B5 C5", "d5"),
    ];
    for (saved, written) in table {
        let game = position(saved);
        let mover = mover(&*game).unwrap();
        assert_eq!(
            game.did_you_mean(mover, &Notation::parse(written).unwrap()),
            None,
            "{written} in {saved}"
        );
    }
    let text = Notation::parse("d4").unwrap();
    assert_eq!(position("9").did_you_mean(P1, &text), None, "who is not to move means nothing");
    assert_eq!(position("9 pass pass").did_you_mean(P0, &text), None);
}
