//! Legal moves, passes, the end with its points, and what can be restored.

use crate::board_games::testing::{after, ending, guesses};
use crate::othello::OTHELLO;
use crate::testing::{P0, P1, count, listed, mover, restored, send};
use crate::{Game as _, GameResult, NoChance, Position, Reason, Refused};
use alloc::string::ToString as _;
use hall_wire::Player;

/// White must pass, Black can move. As in all texts of positions, X is a black disc, O a white one, - an empty square.
const FORCED_PASS: &str = "-X-------OXO-------X-X-----XXXXX---XXX----XXXXX----X-XXX---X-X-- O;b1";

#[test]
fn the_counts_of_legal_move_sequences_match_the_published_numbers() {
    let opening = after(&OTHELLO, "standard", "");
    for (depth, expected) in (1..).zip([4, 12, 56, 244, 1_396, 8_200, 55_092, 390_216]) {
        assert_eq!(count(&*opening, depth), expected, "depth {depth}");
    }
}

#[test]
#[ignore = "takes seconds: cargo test -p hall-games othello -- --ignored"]
fn the_deeper_published_numbers_match_too() {
    let opening = after(&OTHELLO, "standard", "");
    // The table counts a game that has ended as one leaf; the shortest ones take nine moves.
    let ended_after_nine = 228;
    assert_eq!(count(&*opening, 9), 3_005_288);
    assert_eq!(count(&*opening, 10) + ended_after_nine, 24_571_284);
    assert_eq!(ended(&*opening, 9), ended_after_nine);
}

#[test]
fn black_begins_and_only_the_player_to_move_has_moves() {
    let game = after(&OTHELLO, "standard", "");
    assert_eq!(game.state_string(), "---------------------------OX------XO--------------------------- X");
    assert_eq!(listed(&*game), "c4 d3 e6 f5");
    assert!(game.legal_moves(P1).is_empty());
    assert!(game.legal_moves(Player::new(2)).is_empty());
    assert_eq!(game.legal_moves(P0)[1].summary, "disc on d3, turns 1 over");
}

#[test]
fn discs_turn_over_in_all_directions_and_only_where_they_are_flanked() {
    // Eight directions at once; discs behind the flanking ones stay.
    let saved = "X-X-X----OOO----XO-OOXO--OOOX---X-XXO-----O--X---------------OOO X;h8";
    let mut game = restored(&OTHELLO, saved);
    let is_c3 = |legal: &crate::LegalMove| legal.notation.as_str() == "c3";
    assert_eq!(game.legal_moves(P0).into_iter().find(is_c3).unwrap().summary, "disc on c3, turns 10 over");
    send(&mut *game, "c3").unwrap();
    let expected = "X-X-X----XXX----XXXXXXO--XXXX---X-XXX-----O--X---------------OOO O";
    assert_eq!(game.state_string(), expected);
}

#[test]
fn the_longest_row_that_can_turn_over_has_six_discs() {
    let saved = "-OOOOOOX-------------------XO------XO----------------------OOO-- X;f8";
    let mut game = restored(&OTHELLO, saved);
    assert!(listed(&*game).starts_with("a1 "));
    send(&mut *game, "a1").unwrap();
    assert!(game.state_string().starts_with("XXXXXXXX--"));
}

#[test]
fn a_pass_is_legal_exactly_if_no_disc_can_be_placed() {
    let mut game = restored(&OTHELLO, FORCED_PASS);
    assert_eq!(listed(&*game), "pass");
    assert_eq!(game.legal_moves(P1)[0].summary, "pass, no disc can be placed");
    assert_eq!(game.default_action(P1).map(|pass| pass.to_string()).as_deref(), Some("pass"));
    assert_eq!(game.default_action(P0), None);
    assert_eq!(game.public()["must_pass"], true);
    assert_eq!(send(&mut *game, "a1"), Err(Refused::Illegal));
    send(&mut *game, "pass").unwrap();
    assert_eq!(game.save(), FORCED_PASS.replace(" O;b1", " X"), "a pass has no place on the board");
    assert_eq!(listed(&*game), "a2 b3 d1 e2");
    assert_eq!((game.default_action(P0), &game.public()["must_pass"]), (None, &false.into()));
    assert_eq!(send(&mut *game, "pass"), Err(Refused::Illegal));
}

#[test]
fn the_game_ends_when_neither_can_place_a_disc_and_the_winner_takes_the_empty_cells() {
    // (a position, the last move, the ending, the points)
    let table = [
        (
            "----O-------O-----OXOO----XOOOO--XOOO-------O-------O----------- O;b5",
            "a6",
            "p1 more_discs",
            [0, 64],
        ),
        (
            "-X------XXXO-------X-X-----XXXXX---XXX----XXXXX----X-XXX---X-X-- X",
            "d1",
            "p0 more_discs",
            [64, 0],
        ),
        (
            "XXXXXXOOXXXXXOOOXOXXOOXOXOXOOXXOXOOOXOXOXXOXOOOO--XXXXXO-XXXXXXX O;b8",
            "b7",
            "draw equal_discs",
            [32, 32],
        ),
        (
            "XO-OOXOOXXXOXXXXOOOXXOXXOOXXXXXXOOOXOXXXOXOOXOXXOXXXOXXOOOOOOOXX O;h3",
            "c1",
            "draw equal_discs",
            [32, 32],
        ),
    ];
    for (saved, last, expected, points) in table {
        let mut game = restored(&OTHELLO, saved);
        assert_eq!(ending(&*game), "-", "{saved}");
        send(&mut *game, last).unwrap();
        assert_eq!(ending(&*game), expected, "{saved}");
        assert!(game.to_move().is_empty());
        let result = GameResult::from(game.outcome().unwrap());
        assert_eq!(game.points(&result).unwrap(), points, "{saved}");
    }
}

#[test]
fn an_end_that_is_not_by_the_rules_leaves_the_points_as_the_discs_lie() {
    let game = after(&OTHELLO, "standard", "f5");
    let resigned = GameResult::won_by(P1, Reason::RESIGNATION);
    assert_eq!(game.points(&resigned).unwrap(), [4, 1]);
}

#[test]
fn a_move_in_another_spelling_is_recognised() {
    let game = after(&OTHELLO, "standard", "");
    let expected = "D3=d3 3d=d3 d-3=d3 (d3)=d3 d3=- D1=- PASS=- d9=-";
    let texts = ["D3", "3d", "d-3", "(d3)", "d3", "D1", "PASS", "d9"];
    assert_eq!(guesses(&*game, &texts).join(" "), expected);
    let passing = restored(&OTHELLO, FORCED_PASS);
    assert_eq!(
        guesses(&*passing, &["PASS", "pass", "skip", "a1"]),
        ["PASS=pass", "pass=-", "skip=pass", "a1=-"]
    );
}

#[test]
fn a_text_that_no_game_could_have_saved_is_not_restored() {
    let opening = "---------------------------OX------XO---------------------------";
    let after_d3 = "-------------------X-------XX------XO---------------------------";
    let table = [
        ("", "nothing", ""),
        (opening, "", "nobody to move"),
        (opening, " O", "White does not begin"),
        (opening, " x", "an unknown letter"),
        (opening, " X ", "a space too many"),
        (opening, " X;d4", "a disc of the beginning placed last"),
        (opening, " X;", "no cell"),
        (opening, "- X", "a cell too many"),
        (after_d3, " O", "no last disc where nobody had to pass"),
        (after_d3, " X;d3", "the last disc is not the opponent's"),
        (after_d3, " O;d4", "a disc of the beginning placed last"),
        (after_d3, " O;D3", "an upper case letter"),
        (after_d3, " O;d3;d3", "too many parts"),
        (after_d3, " O;c3", "an empty cell"),
        (
            "-----------X-------X-------XX------XO---------------------------",
            " O;d4",
            "a disc of the beginning placed last",
        ),
        (
            "--X----------------X-------XX------XO---------------------------",
            " O;c1",
            "a disc that turned nothing over",
        ),
        (
            "-------------------X-------XX------X----------------------------",
            " O;d3",
            "an empty cell in the middle",
        ),
        ("-------------------x-------XX------XO---------------------------", " O;d3", "an unknown letter"),
        ("-------------------é-------XX------XO--------------------------", " O;d3", "not ASCII"),
    ];
    for (cells, rest, why) in table {
        assert!(OTHELLO.restore(&(cells.to_string() + rest)).is_err(), "{why}: {cells}{rest}");
    }
    assert!(OTHELLO.restore(&(after_d3.to_string() + " O;d3")).is_ok());
    // After a pass there is no last disc, and the opponent can move.
    let passed = FORCED_PASS.replace(" O;b1", " X");
    assert!(OTHELLO.restore(&passed).is_ok());
    assert!(OTHELLO.restore(&passed.replace(" X", " O")).is_err());
}

/// How many sequences of `depth` moves from here end the game.
fn ended(from: &dyn Position, depth: usize) -> usize {
    if depth == 0 {
        return usize::from(from.outcome().is_some());
    }
    let Some(player) = mover(from) else { return 0 };
    let after = |notation| {
        let mut next = from.clone_box();
        next.play(player, notation, &mut NoChance).unwrap();
        ended(&*next, depth - 1)
    };
    from.notations(player).iter().map(after).sum()
}
