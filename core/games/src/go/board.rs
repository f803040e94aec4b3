//! The stones on a board, and what a new one does to them.

use super::point::{MOST_POINTS, Point, Points, Size};
use crate::board_games::Colour;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

/// A whole board. Two boards are equal if the same stones are on them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Board {
    pub(super) size: Size,
    /// The keys of all stones combined, first in comparisons because it nearly always decides them.
    hash: u64,
    cells: [Option<Colour>; MOST_POINTS],
}

impl Board {
    /// A board without stones.
    pub(super) const fn empty(size: Size) -> Self {
        Self { size, hash: 0, cells: [None; MOST_POINTS] }
    }

    /// The stone on a point.
    pub(super) fn at(&self, point: Point) -> Option<Colour> {
        self.cells.get(point.index()).copied().flatten()
    }

    /// A number that equal boards share, and that different ones hardly ever do: the exclusive or of the [`key`]s of all
    /// stones.
    pub(super) fn hash(&self) -> u64 {
        self.hash
    }

    /// The points without a stone, row by row from the top.
    pub(super) fn free_points(&self) -> impl Iterator<Item = Point> {
        self.size.points().filter(|point| self.at(*point).is_none())
    }

    /// Puts a stone on a free point. Chains of the other colour without a liberty leave the board, then the stone's own
    /// chain if it has none.
    pub(super) fn play(&mut self, point: Point, colour: Colour) {
        self.set(point, Some(colour));
        for neighbour in point.neighbours(self.size) {
            if self.at(neighbour) == Some(colour.other()) {
                self.remove_if_dead(neighbour);
            }
        }
        self.remove_if_dead(point);
    }

    /// The board after a stone on a free point.
    pub(super) fn after(&self, point: Point, colour: Colour) -> Self {
        let mut after = self.clone();
        after.play(point, colour);
        after
    }

    /// The rows from the top joined by `/`, runs of free points as their number.
    pub(super) fn rows(&self) -> String {
        let mut out = String::with_capacity(2 * MOST_POINTS);
        for row in 0..self.size.lines() {
            if row > 0 {
                out.push('/');
            }
            let mut free = 0;
            for column in 0..self.size.lines() {
                match self.at(Point { column, row }) {
                    Some(colour) => {
                        push_run(&mut out, free);
                        free = 0;
                        out.push(letter(colour));
                    }
                    None => free += 1,
                }
            }
            push_run(&mut out, free);
        }
        out
    }

    pub(super) fn set(&mut self, point: Point, stone: Option<Colour>) {
        let Some(cell) = self.cells.get_mut(point.index()) else { return };
        let before = core::mem::replace(cell, stone);
        for colour in before.into_iter().chain(stone) {
            self.hash ^= key(point, colour);
        }
    }

    fn remove_if_dead(&mut self, stone: Point) {
        for dead in self.dead_chain(stone).unwrap_or_default() {
            self.set(dead, None);
        }
    }

    /// The chain of a stone if it has no liberty.
    fn dead_chain(&self, stone: Point) -> Option<Vec<Point>> {
        let colour = self.at(stone)?;
        let mut seen = Points::default();
        seen.add(stone);
        let mut chain = Vec::from([stone]);
        let mut next = 0;
        while let Some(stone) = chain.get(next).copied() {
            next += 1;
            for neighbour in stone.neighbours(self.size) {
                let there = self.at(neighbour)?;
                if there == colour && seen.add(neighbour) {
                    chain.push(neighbour);
                }
            }
        }
        Some(chain)
    }
}

/// How the standard text and the board text name a side.
pub(super) fn letter(colour: Colour) -> char {
    match colour {
        Colour::Black => 'X',
        Colour::White => 'O',
    }
}

fn push_run(out: &mut String, free: u8) {
    if free > 0 {
        write!(out, "{free}").expect("writing to a string does not fail");
    }
}

/// The fixed random number of a stone (Zobrist, 1970): the output of SplitMix64 (Steele, Lea and Flood, 2014) at the place
/// of the point, negated places for White.
pub(super) fn key(point: Point, colour: Colour) -> u64 {
    let place = u64::try_from(point.index()).unwrap_or(0) + 1;
    let state = match colour {
        Colour::Black => place,
        Colour::White => place.wrapping_neg(),
    }
    .wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
