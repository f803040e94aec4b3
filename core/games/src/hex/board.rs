//! The stones on the board as bits, and the chains that they form.

use crate::board_games::{BySide, Cell, Side};

/// The stones of both sides on a board with `size` rows and columns, at most 11: along the rows, bit 0 is a1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Board {
    size: u8,
    stones: BySide<u128>,
}

impl Board {
    /// A board without stones.
    pub(super) const fn empty(size: u8) -> Self {
        Self { size, stones: BySide::new(0, 0) }
    }

    /// Rows, and columns.
    pub(super) const fn size(&self) -> u8 {
        self.size
    }

    /// Every cell along the rows.
    pub(super) fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        let size = self.size;
        (0..size * size).map(move |index| Cell::at(index, size))
    }

    /// Whose stone is on `cell`.
    pub(super) fn at(&self, cell: Cell) -> Option<Side> {
        Side::BOTH.into_iter().find(|side| self.stones.of(*side) & self.bit(cell) != 0)
    }

    /// Whether no stone is on `cell`.
    pub(super) fn is_empty_at(&self, cell: Cell) -> bool {
        self.at(cell).is_none()
    }

    /// Puts a stone on an empty cell.
    pub(super) const fn put(&mut self, cell: Cell, side: Side) {
        *self.stones.of_mut(side) |= self.bit(cell);
    }

    /// The board without the stone on `cell`.
    pub(super) const fn without(mut self, cell: Cell) -> Self {
        let kept = !self.bit(cell);
        *self.stones.of_mut(Side::First) &= kept;
        *self.stones.of_mut(Side::Second) &= kept;
        self
    }

    /// How many stones `side` has.
    pub(super) const fn count(&self, side: Side) -> u32 {
        self.stones.of(side).count_ones()
    }

    /// The only stone of the first player.
    pub(super) fn only_stone(&self) -> Option<Cell> {
        let place = u8::try_from(self.stones.of(Side::First).trailing_zeros()).ok()?;
        (self.count(Side::First) == 1).then(|| Cell::at(place, self.size))
    }

    /// The cells of every chain of `side` that touches both of its edges; none if it has not joined them.
    pub(super) fn winning_chain(&self, side: Side) -> impl Iterator<Item = Cell> + use<> {
        let (stones, [from, to]) = (self.stones.of(side), self.edges(side));
        let board = *self;
        let reached = board.spread(from & stones, stones);
        // What is reached from both edges is joined to both.
        let joined = board.spread(to & reached, reached);
        board.cells().filter(move |cell| joined & board.bit(*cell) != 0)
    }

    /// Whether `side` has joined its edges.
    pub(super) fn has_joined(&self, side: Side) -> bool {
        let (stones, [from, to]) = (self.stones.of(side), self.edges(side));
        self.spread(from & stones, stones) & to != 0
    }

    /// The cells at the two edges that `side` joins: top and bottom, or left and right.
    fn edges(&self, side: Side) -> [u128; 2] {
        let last = self.size - 1;
        match side {
            Side::First => {
                let row = (1 << self.size) - 1;
                [row, row << (last * self.size)]
            }
            Side::Second => [self.column(0), self.column(last)],
        }
    }

    /// All cells of one column.
    fn column(&self, column: u8) -> u128 {
        (0..self.size).map(|row| self.bit(Cell { column, row })).sum()
    }

    /// The cells of `stones` that chains of them join to `reached`.
    fn spread(&self, mut reached: u128, stones: u128) -> u128 {
        let size = self.size;
        let not_first = !self.column(0);
        let not_last = !self.column(size - 1);
        loop {
            let to_right = (reached & not_last) << 1 | (reached & not_last) >> (size - 1);
            let to_left = (reached & not_first) >> 1 | (reached & not_first) << (size - 1);
            let next = reached | (to_right | to_left | reached << size | reached >> size) & stones;
            if next == reached {
                return reached;
            }
            reached = next;
        }
    }

    const fn bit(&self, cell: Cell) -> u128 {
        1 << cell.index(self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// The six neighbours of a cell: column and row relative to it.
    const NEIGHBOURS: [(i8, i8); 6] = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)];

    #[test]
    fn two_stones_hang_together_exactly_if_one_is_a_neighbour_of_the_other() {
        for size in [3, 7, 11] {
            let board = Board::empty(size);
            for (one, other) in board.cells().flat_map(|one| board.cells().map(move |other| (one, other))) {
                let apart = |place: fn(Cell) -> u8| {
                    i8::try_from(i16::from(place(other)) - i16::from(place(one))).unwrap()
                };
                let are_neighbours =
                    NEIGHBOURS.contains(&(apart(|cell| cell.column), apart(|cell| cell.row)));
                let (from, to) = (board.bit(one), board.bit(other));
                assert_eq!(
                    board.spread(from, from | to) & to != 0,
                    are_neighbours || one == other,
                    "{one} {other}"
                );
            }
        }
    }

    #[test]
    fn a_stone_beside_two_of_a_chain_belongs_to_it_however_they_lie() {
        let board = Board::empty(3);
        let middle = Cell { column: 1, row: 1 };
        let beside = NEIGHBOURS.map(|(right, down)| Cell {
            column: middle.column.checked_add_signed(right).unwrap(),
            row: middle.row.checked_add_signed(down).unwrap(),
        });
        for (one, other) in beside.iter().flat_map(|one| beside.iter().map(move |other| (*one, *other))) {
            let chain = board.bit(one) | board.bit(other);
            let stones = chain | board.bit(middle);
            assert_eq!(board.spread(chain, stones), stones, "{one} {other}");
        }
    }

    #[test]
    fn the_winning_chain_leaves_out_stones_that_are_not_part_of_it() {
        let mut board = Board::empty(3);
        let cell = |text| Cell::parse(text, 3).unwrap();
        for text in ["b1", "b2", "a3", "c3"] {
            board.put(cell(text), Side::First);
        }
        assert!(board.has_joined(Side::First) && !board.has_joined(Side::Second));
        assert_eq!(board.winning_chain(Side::First).collect::<Vec<_>>(), ["b1", "b2", "a3"].map(cell));
        assert_eq!(board.without(cell("b2")).winning_chain(Side::First).count(), 0);
    }
}
