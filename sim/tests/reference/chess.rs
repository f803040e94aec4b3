//! Compares the hall's chess with the reference's from positions that the games of a world rarely reach.
//!
//! They are endgames with few pieces, near the fifty-move limit and with repetitions, so that automatic draws occur,
//! also two at once; and corner cases of the rules of moves and of their notation.

use cozy_chess::{Board, Color, get_king_moves};
use hall_games::{
    CHESS, Game as _, GameResult, NoChance, Played, Position, Refused, UnreadablePosition, Viewer,
};
use hall_sim::dice::Dice;
use hall_sim::reference::{Chess, GameModel as _};
use hall_wire::{Notation, Player};
use proptest::prelude::*;
use std::collections::{BTreeSet, VecDeque};
use std::fmt::Debug;

/// Plies of one game at most.
const PLIES: usize = 60;

/// Games of one comparison.
const GAMES: u32 = 10;

/// Positions with a corner case of the rules within a few moves.
const CORNERS: [&str; 14] = [
    // Everything at once: castling on both sides, pins, en passant, captures with promotion.
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    // Promotions, by moving and by taking.
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    // A king in check, and one whose way is attacked, does not castle; a rook that is attacked does.
    "r3k2r/8/8/8/4R3/8/8/R3K2R b KQkq - 0 1",
    "r3k2r/8/8/8/8/8/6r1/R3K2R w KQkq - 0 1",
    "1r2k2r/8/8/8/8/8/8/R3K2R w KQk - 0 1",
    // En passant: allowed; forbidden because both pawns leave the rank of the king; the only way out of a check.
    "4k3/8/8/8/1p1p4/8/P1P5/4K3 w - - 0 1",
    "8/8/8/8/k3p2Q/8/3P4/3K4 w - - 0 1",
    "8/8/8/2k5/4p3/8/3P4/4K2B w - - 0 1",
    // Three knights, rooks or queens that reach one square, so that file, rank or both must be named.
    "k7/8/8/1N3N2/8/1N6/8/K7 w - - 0 1",
    "7k/8/R7/8/8/8/R7/K1R5 w - - 0 1",
    "3k4/Q6Q/8/8/8/8/Q7/7K w - - 0 1",
    // A move from mate, stalemate and the hundredth half-move.
    "7k/8/6K1/8/8/8/Q7/8 w - - 99 100",
];

/// Positions before a double step with a pawn of the other side near it, that step, and two ways in which both kings
/// then move away and return. If no pawn may capture en passant, the position right after the step equals the later
/// ones (decision 5.8); the number is that of half-moves from the start to the third occurrence.
const SHUFFLES: [(&str, [&str; 5], usize); 8] = [
    // The capturing pawn is pinned: on the rank together with the other pawn, on a diagonal, on a file.
    ("8/8/8/8/k3p2Q/8/3P4/3K4 w - - 0 1", ["d2d4", "a4a5", "d1c1", "a4b5", "d1e1"], 9),
    ("8/8/8/8/R2p3k/8/4P3/4K3 w - - 0 1", ["e2e4", "h4h5", "e1f1", "h4g5", "e1d1"], 9),
    ("8/8/2k5/8/4p3/8/3P4/4K2B w - - 0 1", ["d2d4", "c6b6", "e1e2", "c6c7", "e1f1"], 9),
    ("4k3/8/8/8/4p3/8/3P4/2K1R3 w - - 0 1", ["d2d4", "e8e7", "c1b1", "e8f7", "c1b2"], 9),
    // Two pawns attack the square, and only one of them may capture.
    ("4k3/8/8/8/2p1p3/8/3P4/2K1R3 w - - 0 1", ["d2d4", "e8e7", "c1b1", "e8f7", "c1b2"], 13),
    // It is pinned, but stays on the line of the pin after the capture.
    ("8/7k/8/8/4p3/8/3P4/1B1K4 w - - 0 1", ["d2d4", "h7g7", "d1e1", "h7h6", "d1c1"], 13),
    // It is not pinned.
    ("4k3/8/8/8/4p3/8/3P4/2K5 w - - 0 1", ["d2d4", "e8e7", "c1b1", "e8f7", "c1b2"], 13),
    // It is not beside the other pawn.
    ("4k3/8/8/8/5p2/8/3P4/2K5 w - - 0 1", ["d2d4", "e8e7", "c1b1", "e8f7", "c1b2"], 9),
];

/// A position of the hall's chess, or the reason why it cannot be read.
type Restored = Result<Box<dyn Position>, UnreadablePosition>;

/// Plays games determined by a number. `restore` also reads the hall's chess back from a snapshot between two plies,
/// and `take` plays a request that may be illegal.
fn compare(
    seed: u64,
    restore: impl Fn(&str) -> Restored,
    take: impl Fn(&mut dyn Position, Player, &Notation) -> Result<Played, Refused>,
) -> Result<(), TestCaseError> {
    let dice = &mut Dice::of(seed, "chess", 0);
    for game in 0..GAMES {
        let corner = if game % 3 == 0 { dice.pick(&CORNERS).map(|fen| (*fen).to_owned()) } else { None };
        let fen = corner.unwrap_or_else(|| random_endgame(dice));
        play(dice, &fen, VecDeque::new(), &restore, &take)?;
    }
    let (fen, moves, _) = dice.pick(&SHUFFLES).expect("there are some");
    let (fen, moves) = shuffle(fen, moves, dice.permille(500));
    play(dice, &fen, moves, &restore, &take)
}

/// A double step, and four moves of the kings there and back; or the same with the colours exchanged.
fn shuffle(fen: &str, moves: &[&str; 5], is_turned: bool) -> (String, VecDeque<String>) {
    let [step, one, two, three, four] = moves.map(str::to_owned);
    let ways = [[one, two], [three, four]].map(|to| {
        let fro = to.iter().filter_map(|it| back_from(it)).collect::<Vec<_>>();
        to.into_iter().chain(fro).collect::<Vec<_>>()
    });
    let moves = std::iter::once(step).chain(std::iter::repeat_n(ways, 2).flatten().flatten());
    if !is_turned {
        return (fen.to_owned(), moves.collect());
    }
    let (placement, rest) = fen.split_once(' ').unwrap_or((fen, ""));
    let ranks: Vec<&str> = placement.rsplit('/').collect();
    let other = |letter: char| match letter {
        small if small.is_ascii_lowercase() => small.to_ascii_uppercase(),
        letter => letter.to_ascii_lowercase(),
    };
    let turned = |letter: char| letter.to_digit(10).and_then(|rank| char::from_digit(9 - rank, 10));
    let mirrored = |it: String| it.chars().map(|letter| turned(letter).unwrap_or(letter)).collect();
    let placement: String = ranks.join("/").chars().map(other).collect();
    (format!("{placement} {}", rest.replacen('w', "b", 1)), moves.map(mirrored).collect())
}

/// Plays one game in both implementations, to its end or the first difference. `back` holds the moves to play first.
fn play(
    dice: &mut Dice,
    fen: &str,
    mut back: VecDeque<String>,
    restore: &impl Fn(&str) -> Restored,
    take: &impl Fn(&mut dyn Position, Player, &Notation) -> Result<Played, Refused>,
) -> Result<(), TestCaseError> {
    let (Some(is_possible), hall) = (is_possible(fen), restore(fen)) else { return Ok(()) };
    same("chess: what is a position", || fen.to_owned(), is_possible, hall.is_ok())?;
    let (true, Some(mut own), Ok(mut hall)) = (is_possible, Chess::from_fen(fen), hall) else {
        return Ok(());
    };
    let rereads = dice.pick(&[0, 300, 1_000]).copied().unwrap_or(1_000);
    let walk = 2 * usize::try_from(dice.between(1, 5)).unwrap_or(1);
    let mut path = Vec::new();
    for ply in 0..PLIES {
        let expected = (own.outcome(), own.state_string());
        let found = (hall.outcome().map(GameResult::from), hall.state_string());
        same("chess: a position", || format!("{ply} plies after {fen}"), expected, found)?;
        let player = own.mover();
        let legal = own.notations(player);
        let returning =
            back.pop_front().and_then(|turned| legal.iter().find(|legal| legal.as_str() == turned).copied());
        if returning.is_none() {
            back.clear();
        }
        // No move is legal once the game is over.
        let chosen = returning.or_else(|| finish(dice, &own, &legal)).or_else(|| dice.pick(&legal).copied());
        let Some(chosen) = chosen else { return Ok(()) };
        if returning.is_none() {
            path.push(chosen);
        }
        if path.len() == walk {
            back.extend(way_back(&path));
            path.clear();
        }
        let input = || format!("{chosen}, {ply} plies after {fen}");
        same("chess: the legal moves", input, own.legal_moves(player), hall.legal_moves(player))?;
        same("chess: the notations", input, own.notations(player), hall.notations(player))?;
        if let Some(what) = strange(dice, &chosen).filter(|what| !legal.contains(what)) {
            let input = || format!("{what}, {ply} plies after {fen}");
            let refused = take(&mut *hall, player, &what).map(|played| played.san);
            same("chess: what is no move", input, Err(Refused::Illegal), refused)?;
            same("chess: a position after what is no move", input, own.state_string(), hall.state_string())?;
        }
        let Ok(own_played) = own.play(player, &chosen, &mut NoChance) else { return Ok(()) };
        let played = hall.play(player, &chosen, &mut NoChance);
        same("chess: a move", input, Ok(own_played), played)?;
        let last_move = Some((player, chosen));
        let result = own.outcome();
        let viewer = Viewer { player, result: result.as_ref(), to_move: own.to_move(), last_move };
        same("chess: a board", input, own.board_text(&viewer), hall.board_text(&viewer))?;
        // The game must continue from what the snapshot keeps. Reading it back may also repair a fault.
        let Ok(again) = restore(&hall.save()) else {
            same("chess: what was saved", input, "is read back", "is not read back")?;
            return Ok(());
        };
        if dice.permille(rereads) {
            hall = again;
        }
    }
    Ok(())
}

/// Fails with the input unless both answers are equal.
pub(crate) fn same<T: PartialEq + Debug>(
    part: &str,
    asked: impl FnOnce() -> String,
    expected: T,
    found: T,
) -> Result<(), TestCaseError> {
    if expected == found {
        return Ok(());
    }
    Err(TestCaseError::fail(format!("{part} answers {found:?}, not {expected:?}, to: {}", asked())))
}

/// Whether the rules allow the position; `None` if that depends on the moves before it, as with a double check.
fn is_possible(fen: &str) -> Option<bool> {
    let Ok(board) = Board::from_fen(fen, false) else { return Some(false) };
    // The reference accepts adjacent kings.
    let is_possible = !get_king_moves(board.king(Color::White)).has(board.king(Color::Black));
    (board.checkers().len() < 2).then_some(is_possible)
}

/// A move that ends the game on the last half-move of the fifty-move rule: two reasons at once.
fn finish(dice: &mut Dice, own: &Chess, legal: &[Notation]) -> Option<Notation> {
    if own.state_string().split(' ').nth(4) != Some("99") || dice.permille(300) {
        return None;
    }
    let ends = |chosen: &&Notation| {
        let mut next = own.clone();
        let _ = next.play(next.mover(), chosen, &mut NoChance);
        next.outcome().is_some_and(|end| end.reason.as_str() != "fifty_moves")
    };
    let finishing: Vec<Notation> = legal.iter().filter(ends).copied().collect();
    dice.pick(&finishing).copied()
}

/// A careless variation of this move: it may be another legal move or none.
fn strange(dice: &mut Dice, chosen: &Notation) -> Option<Notation> {
    let text = chosen.as_str();
    let (from, to) = (text.get(..2)?, text.get(2..4)?);
    let letter = dice.pick(&["q", "n", "k", "p", "Q", " ", "="]).copied().unwrap_or("q");
    let requests = [
        // A promotion without its letter, or a letter without a promotion.
        if text.len() == 5 { format!("{from}{to}") } else { format!("{text}{letter}") },
        if text.len() == 5 { format!("{from}{to}{letter}") } else { text.to_uppercase() },
        format!("{to}{from}"),
        format!("{from}{from}"),
        format!("{from}-{to}"),
        // Castling as a king that takes its rook, and in other notations.
        ["e1h1", "e8a8", "O-O", "0000"].get(usize::from(dice.bytes::<1>()[0] & 3)).copied()?.to_owned(),
    ];
    Notation::parse(dice.pick(&requests)?)
}

/// The moves that undo the path, the newest first.
fn way_back(path: &[Notation]) -> Vec<String> {
    path.chunks(2).rev().flat_map(|pair| pair.iter().filter_map(|it| back_from(it.as_str()))).collect()
}

fn back_from(text: &str) -> Option<String> {
    Some(format!("{}{}", text.get(2..4)?, text.get(..2)?))
}

/// Two kings and up to four other pieces anywhere; the position may be impossible.
fn random_endgame(dice: &mut Dice) -> String {
    let mut squares = [None; 64];
    let others = ["", "B", "Bb", "BBbb", "N", "Nn", "NN", "R", "Rr", "P", "Pp", "BN", "Q"];
    let mut pieces = String::from("Kk");
    pieces.push_str(dice.pick(&others).unwrap_or(&""));
    for piece in pieces.chars() {
        if let Some(square) = squares.get_mut(usize::try_from(dice.below(64)).unwrap_or(0)) {
            *square = Some(piece);
        }
    }
    let rank = |row: &[Option<char>]| -> String { row.iter().map(|it| it.unwrap_or('1')).collect() };
    // FEN counts empty squares together.
    let mut placement = squares.chunks(8).map(rank).collect::<Vec<_>>().join("/");
    for count in (2..=8_usize).rev() {
        placement = placement.replace(&"1".repeat(count), &count.to_string());
    }
    let turn = if dice.permille(500) { 'w' } else { 'b' };
    let halfmoves = if dice.permille(500) { dice.between(80, 100) } else { 0 };
    format!("{placement} {turn} - - {halfmoves} 90")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn chess_matches_the_reference(seed in any::<u64>()) {
        compare(seed, |saved| CHESS.restore(saved), plainly)?;
    }
}

/// Whether the comparison finds no difference in games from several numbers.
fn passes(restore: impl Fn(&str) -> Restored) -> bool {
    passes_with(restore, plainly)
}

fn passes_with(
    restore: impl Fn(&str) -> Restored,
    take: impl Fn(&mut dyn Position, Player, &Notation) -> Result<Played, Refused>,
) -> bool {
    (0..20).all(|seed| compare(seed, &restore, &take).is_ok())
}

fn plainly(position: &mut dyn Position, player: Player, what: &Notation) -> Result<Played, Refused> {
    position.play(player, what, &mut NoChance)
}

#[test]
fn every_corner_case_is_a_position_that_both_accept() {
    for fen in CORNERS {
        assert!(Chess::from_fen(fen).is_some() && CHESS.restore(fen).is_ok(), "{fen}");
    }
}

#[test]
fn repetition_counts_from_a_double_step_that_cannot_be_captured_en_passant() {
    for (fen, moves, count) in &SHUFFLES {
        for is_turned in [false, true] {
            let (fen, moves) = shuffle(fen, moves, is_turned);
            let mut own = Chess::from_fen(&fen).expect("a position");
            let mut played = 0;
            for chosen in moves.iter().filter_map(|it| Notation::parse(it)) {
                if own.play(own.mover(), &chosen, &mut NoChance).is_err() {
                    break;
                }
                played += 1;
            }
            let end = own.outcome().map(|end| end.reason.as_str().to_owned());
            assert_eq!((played, end.as_deref()), (*count, Some("threefold_repetition")), "{fen}");
            assert!(CHESS.restore(&fen).is_ok(), "{fen}");
        }
    }
}

#[test]
fn wrongly_refusing_positions_and_wrong_en_passant_rights_are_noticed() {
    let picky =
        |saved: &str| if saved.contains('Q') { Err(UnreadablePosition) } else { CHESS.restore(saved) };
    assert!(!passes(picky));
    // The position right after a double step is forgotten, as if no later one could be the same.
    let forgetful = |saved: &str| match saved.split_once(';') {
        Some((now, _)) if now.split(' ').nth(4) == Some("1") => CHESS.restore(now),
        _ => CHESS.restore(saved),
    };
    assert!(!passes(forgetful));
}

#[test]
fn the_generator_tries_mates_and_stalemates_on_the_last_half_move_of_the_fifty_moves() {
    let own = Chess::from_fen("7k/8/6K1/8/8/8/Q7/8 w - - 99 100").expect("a position");
    let ends = (0..200).filter_map(|seed| {
        let chosen = finish(&mut Dice::of(seed, "chess", 0), &own, &own.notations(own.mover()))?;
        let mut next = own.clone();
        next.play(next.mover(), &chosen, &mut NoChance).ok()?;
        Some(next.outcome()?.reason.as_str().to_owned())
    });
    let ends: BTreeSet<String> = ends.collect();
    assert_eq!(ends.into_iter().collect::<Vec<_>>(), ["checkmate", "stalemate"]);
    let early = Chess::from_fen("7k/8/6K1/8/8/8/Q7/8 w - - 98 100").expect("a position");
    assert_eq!(finish(&mut Dice::of(1, "chess", 0), &early, &early.notations(early.mover())), None);
}

#[test]
fn chess_that_reads_a_promotion_without_a_letter_as_a_queen_is_noticed() {
    let kindly = |position: &mut dyn Position, player: Player, what: &Notation| {
        let queen = Notation::parse(&format!("{what}q")).expect("it is short");
        plainly(position, player, what).or_else(|_| plainly(position, player, &queen))
    };
    assert!(!passes_with(|saved| CHESS.restore(saved), kindly));
}

#[test]
fn chess_that_forgets_something_between_two_plies_is_noticed() {
    // The positions seen before.
    assert!(!passes(|saved| CHESS.restore(saved.split(';').next().unwrap_or(saved))));
    // The half-moves since the last capture or pawn move.
    let count_anew = |saved: &str| {
        let mut fields: Vec<&str> = saved.split(' ').collect();
        if let Some(halfmoves @ &mut ("98" | "99")) = fields.get_mut(4) {
            *halfmoves = "0";
        }
        CHESS.restore(&fields.join(" "))
    };
    assert!(!passes(count_anew));
}
