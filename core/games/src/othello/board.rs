//! The discs on the board as bits, and which of them turn over.

use crate::board_games::{BySide, Cell, Side};

/// Columns, and rows.
pub(super) const SIZE: u8 = 8;

const FIRST_COLUMN: u64 = 0x0101_0101_0101_0101;
const LAST_COLUMN: u64 = FIRST_COLUMN << (SIZE - 1);

/// All cells that lie one step from given cells in one direction; cells beyond the edge are lost.
type Step = fn(u64) -> u64;

/// The eight directions.
const STEPS: [Step; 8] = [
    |cells| cells << SIZE,
    |cells| cells >> SIZE,
    |cells| (cells & !LAST_COLUMN) << 1,
    |cells| (cells & !FIRST_COLUMN) >> 1,
    |cells| (cells & !LAST_COLUMN) << (SIZE + 1),
    |cells| (cells & !FIRST_COLUMN) >> (SIZE + 1),
    |cells| (cells & !FIRST_COLUMN) << (SIZE - 1),
    |cells| (cells & !LAST_COLUMN) >> (SIZE - 1),
];

/// The discs of both sides: bit 0 is a1, bit 1 is b1, bit 8 is a2.
#[derive(Clone, Copy, Debug)]
pub(super) struct Board {
    discs: BySide<u64>,
}

impl Board {
    /// No disc at all, which no game has.
    pub(super) const EMPTY: Self = Self { discs: BySide::new(0, 0) };
    /// The beginning: Black on e4 and d5, White on d4 and e5.
    pub(super) const OPENING: Self = Self { discs: BySide::new(1 << 28 | 1 << 35, 1 << 27 | 1 << 36) };

    /// Whose disc lies on `cell`.
    pub(super) fn at(&self, cell: Cell) -> Option<Side> {
        Side::BOTH.into_iter().find(|side| self.discs.of(*side) & bit(cell) != 0)
    }

    /// Puts a disc on an empty cell and turns nothing over.
    pub(super) const fn put(&mut self, cell: Cell, side: Side) {
        *self.discs.of_mut(side) |= bit(cell);
    }

    /// How many discs `side` has.
    pub(super) const fn count(&self, side: Side) -> u8 {
        self.discs.of(side).count_ones().to_le_bytes()[0]
    }

    /// Whether the four cells in the middle, on which the game begins, are occupied.
    pub(super) const fn has_centre(&self) -> bool {
        let opening = Self::OPENING.all();
        self.all() & opening == opening
    }

    /// The cells on which `side` may place a disc, as bits.
    pub(super) fn open_to(&self, side: Side) -> u64 {
        let (own, other) = (self.discs.of(side), self.discs.of(side.other()));
        STEPS.into_iter().fold(0, |found, step| {
            let mut flanked = step(own) & other;
            // No row has more than six discs between two others.
            for _ in 0..5 {
                flanked |= step(flanked) & other;
            }
            found | step(flanked) & !self.all()
        })
    }

    /// The discs that turn over when `side` places one on `cell`.
    pub(super) fn turned_by(&self, cell: Cell, side: Side) -> u64 {
        let (own, other) = (self.discs.of(side), self.discs.of(side.other()));
        STEPS.into_iter().fold(0, |turned, step| {
            let (mut run, mut next) = (0, step(bit(cell)));
            while next & other != 0 {
                run |= next;
                next = step(next);
            }
            if next & own != 0 { turned | run } else { turned }
        })
    }

    /// The board after `side` has placed a disc on `cell`.
    pub(super) fn after(&self, cell: Cell, side: Side) -> Self {
        let turned = self.turned_by(cell, side);
        let mut board = *self;
        *board.discs.of_mut(side) |= turned | bit(cell);
        *board.discs.of_mut(side.other()) &= !turned;
        board
    }

    /// Whether `side` can just have placed its disc on `cell`: in some direction two more of its discs follow, one of
    /// which was turned over.
    pub(super) fn was_placed(&self, cell: Cell, side: Side) -> bool {
        let own = self.discs.of(side);
        let flanks = |step: Step| step(step(bit(cell)) & own) & own != 0;
        own & bit(cell) != 0 && STEPS.into_iter().any(flanks)
    }

    const fn all(&self) -> u64 {
        self.discs.of(Side::First) | self.discs.of(Side::Second)
    }
}

/// Every cell along the rows.
pub(super) fn cells() -> impl Iterator<Item = Cell> {
    (0..SIZE * SIZE).map(|index| Cell::at(index, SIZE))
}

/// The bit of a cell.
pub(super) const fn bit(cell: Cell) -> u64 {
    1 << cell.index(SIZE)
}
