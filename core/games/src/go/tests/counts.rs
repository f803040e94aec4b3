//! Counts of legal boards and of move sequences on small boards.

use super::count;
use crate::board_games::Colour;
use crate::go::board::Board;
use crate::go::chains::Chains;
use crate::go::point::{Point, Size};
use crate::go::position::GoPosition;
use alloc::vec::Vec;

#[test]
fn as_many_boards_are_legal_as_tromp_and_farneback_counted() {
    for (lines, expected) in [(1, 1), (2, 57), (3, 12_675)] {
        assert_eq!(legal_boards(lines), expected, "{lines}x{lines}");
    }
}

#[test]
#[ignore = "takes a minute: cargo test --release -p hall-games go::tests::counts -- --ignored"]
fn as_many_boards_of_four_lines_are_legal_as_tromp_and_farneback_counted() {
    assert_eq!(legal_boards(4), 24_318_165);
}

#[test]
fn the_counts_of_move_sequences_on_three_lines_match_those_of_other_programs() {
    // The first four are those of a program without superko, which no sequence reaches so early.
    let start = GoPosition::initial(Size::of_lines(3));
    for (depth, expected) in (1..).zip([10, 91, 738, 5_281]) {
        assert_eq!(count(&start, depth), expected, "at depth {depth}");
    }
}

#[test]
fn exactly_the_points_are_forbidden_whose_boards_have_occurred() {
    // Small boards are full of kos. The reference plays every point and compares it with every board.
    for (lines, seeds) in [(2, 60), (3, 60), (4, 30), (5, 20)] {
        for seed in 1..=seeds {
            let mut game = GoPosition::initial(Size::of_lines(lines));
            let mut boards = Vec::from([game.board.clone()]);
            let mut state: u64 = seed;
            while game.end().is_none() {
                let free: Vec<Point> = game.board.free_points().collect();
                for point in &free {
                    let after = game.board.after(*point, game.past.turn());
                    assert_eq!(game.is_legal(*point), !boards.contains(&after), "{}", game.save());
                }
                let legal: Vec<Point> = free.into_iter().filter(|point| game.is_legal(*point)).collect();
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let place = usize::try_from(state >> 33).unwrap() % (legal.len() + 1);
                // Passes are rare, so that games are long.
                let place = if place == legal.len() { 0 } else { place };
                game.advance(legal.get(place).copied()).unwrap();
                game.forbid();
                boards.push(game.board.clone());
            }
        }
    }
}

/// How many ways there are to put stones on a board so that every chain has a liberty.
fn legal_boards(lines: u8) -> usize {
    let size = Size::of_lines(lines);
    let points: Vec<Point> = size.points().collect();
    let mut board = Board::empty(size);
    count_from(&mut board, &points)
}

fn count_from(board: &mut Board, left: &[Point]) -> usize {
    let Some((point, left)) = left.split_first() else { return usize::from(Chains::of(board).all_live()) };
    let stones = [None, Some(Colour::Black), Some(Colour::White)];
    stones
        .into_iter()
        .map(|stone| {
            board.set(*point, stone);
            count_from(board, left)
        })
        .sum()
}
