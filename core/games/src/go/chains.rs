//! The chains of a board, found once, from which the effect of a stone on every point follows without playing it.

use super::board::{Board, key};
use super::point::{MOST_POINTS, Point};
use crate::board_games::Colour;
use alloc::vec::Vec;

/// Stones of one colour that hang together.
#[derive(Clone, Copy, Debug)]
struct Chain {
    colour: Colour,
    stones: u16,
    /// The keys of its stones combined.
    hash: u64,
    liberties: Liberties,
}

/// The free points beside a chain, as far as they matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Liberties {
    None,
    Only(Point),
    Several,
}

impl Liberties {
    fn with(self, point: Point) -> Self {
        match self {
            Self::None => Self::Only(point),
            Self::Only(known) if known == point => self,
            Self::Only(_) | Self::Several => Self::Several,
        }
    }
}

/// What a stone on a free point does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Effect {
    /// How many stones of the other colour it captures.
    pub(super) captured: u16,
    /// How many stones of its own colour die with it, itself included; 0 unless it is suicide.
    pub(super) lost: u16,
    /// The hash of the board afterwards.
    pub(super) hash: u64,
}

/// All chains of a board.
pub(super) struct Chains<'a> {
    board: &'a Board,
    list: Vec<Chain>,
    /// The place in `list` of the chain of each stone, plus one; 0 for free points.
    of_point: [u16; MOST_POINTS],
}

impl<'a> Chains<'a> {
    pub(super) fn of(board: &'a Board) -> Self {
        let mut chains = Self { board, list: Vec::new(), of_point: [0; MOST_POINTS] };
        let mut waiting = Vec::new();
        for point in board.size.points() {
            if let Some(colour) = board.at(point)
                && chains.number(point) == 0
            {
                chains.collect(point, colour, &mut waiting);
            }
        }
        chains
    }

    /// Adds the chain of a stone; `waiting` is an empty list that is used again.
    fn collect(&mut self, first: Point, colour: Colour, waiting: &mut Vec<Point>) {
        let mut chain = Chain { colour, stones: 0, hash: 0, liberties: Liberties::None };
        let number = u16::try_from(self.list.len()).unwrap_or(0) + 1;
        self.set_number(first, number);
        waiting.push(first);
        while let Some(stone) = waiting.pop() {
            chain.stones += 1;
            chain.hash ^= key(stone, colour);
            for neighbour in stone.neighbours(self.board.size) {
                match self.board.at(neighbour) {
                    None => chain.liberties = chain.liberties.with(neighbour),
                    Some(there) if there == colour && self.number(neighbour) == 0 => {
                        self.set_number(neighbour, number);
                        waiting.push(neighbour);
                    }
                    Some(_) => {}
                }
            }
        }
        self.list.push(chain);
    }

    /// What a stone of `colour` on the free `point` does.
    pub(super) fn effect(&self, point: Point, colour: Colour) -> Effect {
        let mut lives = false;
        let (mut captured, mut captured_hash) = (0, 0);
        let (mut lost, mut lost_hash) = (1, key(point, colour));
        let mut seen = [0; 4];
        for (place, neighbour) in point.neighbours(self.board.size).enumerate() {
            let number = self.number(neighbour);
            let Some(chain) = self.list.get(usize::from(number).wrapping_sub(1)) else {
                lives = true;
                continue;
            };
            if seen.contains(&number) {
                continue;
            }
            seen.iter_mut().skip(place).take(1).for_each(|free| *free = number);
            let is_last_liberty = chain.liberties == Liberties::Only(point);
            if chain.colour == colour {
                lives |= !is_last_liberty;
                lost += chain.stones;
                lost_hash ^= chain.hash;
            } else if is_last_liberty {
                lives = true;
                captured += chain.stones;
                captured_hash ^= chain.hash;
            }
        }
        let with_stone = self.board.hash() ^ key(point, colour);
        if lives {
            Effect { captured, lost: 0, hash: with_stone ^ captured_hash }
        } else {
            Effect { captured: 0, lost, hash: with_stone ^ lost_hash }
        }
    }

    /// Whether every chain has a liberty, as on every board between two moves.
    #[cfg(test)]
    pub(super) fn all_live(&self) -> bool {
        self.list.iter().all(|chain| chain.liberties != Liberties::None)
    }

    fn number(&self, point: Point) -> u16 {
        self.of_point.get(point.index()).copied().unwrap_or(0)
    }

    fn set_number(&mut self, point: Point, number: u16) {
        if let Some(place) = self.of_point.get_mut(point.index()) {
            *place = number;
        }
    }
}
