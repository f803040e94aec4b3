//! Which moves are legal, and what they do.

use super::{P0, P1, listed, mover, play, position, send};
use crate::Refused;
use alloc::string::ToString;
use alloc::vec::Vec;
use hall_wire::Player;

#[test]
fn exactly_these_moves_are_legal_in_the_order_of_their_texts() {
    let table = [
        ("the opening", super::OPENING, "10-14 10-15 11-15 11-16 12-16 9-13 9-14"),
        ("men go forwards only: Black", "B:W32:B14", "14-17 14-18"),
        ("men go forwards only: White", "W:W14:B1", "14-10 14-9"),
        ("kings go both ways", "B:W32:BK14", "14-10 14-17 14-18 14-9"),
        ("a piece at the edge has one way", "B:W32:B13", "13-17"),
        ("no way beyond the right edge", "B:W32:B12", "12-16"),
        ("an own piece is in the way", "B:W32:B14,17", "14-18 17-21 17-22"),
        ("a capture must be made", "B:W18,32:B1,14,15", "14x23 15x22"),
        ("an own piece is not captured", "B:W32:B14,18", "14-17 18-22 18-23"),
        ("a protected piece cannot be captured", "B:W18,23,32:B14", "14-17"),
        ("no jump beyond the edge", "B:W20,32:B16", "16-19"),
        ("no jump around the edge", "B:W21,32:B17", "17-22"),
        ("men capture forwards only: Black", "B:W10,32:B14", "14-17 14-18"),
        ("men capture forwards only: White", "W:W14:B1,18", "14-10 14-9"),
        ("kings capture both ways", "B:W10,18:BK14", "14x23 14x7"),
        ("a king does not fly", "B:W23:BK14", "14-10 14-17 14-18 14-9"),
        ("a king does not capture from afar", "B:W19,32:BK10", "10-14 10-15 10-6 10-7"),
        ("men capture kings", "B:WK18:B15", "15x22"),
        ("a capture goes on as long as it can", "W:W22,32:B1,11,18", "22x15x8"),
        ("a capture branches", "W:W31:B17,18,26", "31x22x13 31x22x15"),
        ("the shorter capture is legal too", "W:W22,31:B11,18,27", "22x15x8 31x24"),
        ("a man does not turn back in a capture", "W:W31:B18,19,26", "31x22x15"),
        ("a king turns back in a capture", "W:WK31:B18,19,26", "31x22x15x24"),
        ("a crowned man stops", "W:W11:B6,7", "11x2"),
        ("a king goes on where a crowned man stops", "W:WK11:B6,7", "11x2x9"),
        ("nothing is jumped twice", "B:W6,7,14,15:BK2", "2x11x18x9x2 2x9x18x11x2"),
    ];
    for (what, fen, expected) in table {
        assert_eq!(listed(&*position(fen)), expected, "{what}");
    }
}

#[test]
fn moves_change_the_board_as_expected() {
    let table = [
        ("a step", "B:W32:B14", "14-18", "W:W32:B18"),
        ("a king's step", "W:WK14:B1", "14-18", "B:WK18:B1"),
        ("captured pieces leave the board", "W:W22,32:B1,11,18", "22x15x8", "B:W8,32:B1"),
        ("a captured king leaves no crown", "B:WK18,32:B14,15", "15x22 32-28 14-18", "W:W28:B18,22"),
        ("a king takes its crown along", "W:WK14,17:B1", "14-18 1-5 17-14", "B:W14,K18:B5"),
        ("a step onto the last row crowns", "B:W32:B25", "25-29", "W:W32:BK29"),
        ("White is crowned on the other side", "W:W6:B28", "6-1", "B:WK1:B28"),
        ("a capture onto the last row crowns", "W:W11:B6,7", "11x2", "B:WK2:B6"),
        ("a king stays one on its own first row", "W:WK6:B28", "6-1", "B:WK1:B28"),
        ("a king that ends where it began", "B:W6,7,14,15,32:BK2", "2x11x18x9x2", "W:W32:BK2"),
    ];
    for (what, fen, moves, expected) in table {
        let mut game = position(fen);
        play(&mut *game, moves);
        assert_eq!(game.state_string(), expected, "{what}");
    }
}

#[test]
fn a_text_that_is_no_legal_move_is_refused_and_changes_nothing() {
    let mut game = position("W:W22,32:B1,11,18");
    for text in
        ["22x15", "22x8", "22-15-8", "22x15x8x1", "32-28", "18x25", "22X15X8", "-", "22x15x08", "33-1"]
    {
        assert_eq!(send(&mut *game, text), Err(Refused::Illegal), "{text}");
        assert_eq!(game.save(), "W:W22,32:B1,11,18");
    }
}

#[test]
fn black_begins_and_the_sides_take_turns() {
    let mut game = position(super::OPENING);
    assert_eq!(mover(&*game), Some(P0));
    play(&mut *game, "11-15");
    assert_eq!(mover(&*game), Some(P1));
    assert!(game.legal_moves(P0).is_empty() && game.legal_moves(Player::new(2)).is_empty());
    assert_eq!(game.default_action(P1), None);
}

#[test]
fn a_summary_says_the_move_in_words() {
    let table = [
        (super::OPENING, "man 10 to 14"),
        ("W:WK6:B28", "king 6 to 1"),
        ("W:W6:B28", "man 6 to 1, becomes a king"),
        ("W:W22:B11,18", "man 22 to 15 to 8, captures 11 and 18"),
        ("W:W11:B6,7", "man 11 to 2, captures 7, becomes a king"),
        ("B:W6,7,14,15:BK2", "king 2 to 11 to 18 to 9 to 2, captures 6, 7, 14 and 15"),
    ];
    for (fen, expected) in table {
        let game = position(fen);
        let said: Vec<_> =
            game.legal_moves(mover(&*game).unwrap()).into_iter().map(|entry| entry.summary).collect();
        assert_eq!(said.first().map(ToString::to_string).as_deref(), Some(expected), "{fen}");
    }
}
