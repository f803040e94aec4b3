//! The discs on the board as bits.

use crate::board_games::{BySide, Cell, Side};

/// Columns of the board.
pub(super) const COLUMNS: u8 = 7;
/// Rows of the board.
pub(super) const ROWS: u8 = 6;

/// Bits of one column: its cells from the lowest, and one that stays empty, so that no line runs on into the next column.
const COLUMN_BITS: u8 = ROWS + 1;
/// From each cell to the next one: upwards, to the lower right, to the right, to the upper right.
const STEPS: [u8; 4] = [1, COLUMN_BITS - 1, COLUMN_BITS, COLUMN_BITS + 1];
/// All cells of the first column.
const COLUMN: u64 = (1 << ROWS) - 1;

/// The discs of both sides. A disc lies on the lowest cell of its column or on another disc.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Board {
    discs: BySide<u64>,
}

impl Board {
    /// Whose disc lies on `cell`.
    pub(super) fn at(&self, cell: Cell) -> Option<Side> {
        Side::BOTH.into_iter().find(|side| self.discs.of(*side) & bit(cell) != 0)
    }

    /// Puts a disc on `cell`, whatever lies below it.
    pub(super) const fn put(&mut self, cell: Cell, side: Side) {
        *self.discs.of_mut(side) |= bit(cell);
    }

    /// The board without the disc on `cell`.
    pub(super) const fn without(mut self, cell: Cell, side: Side) -> Self {
        *self.discs.of_mut(side) &= !bit(cell);
        self
    }

    /// The cell on which a disc in `column` comes to rest; `None` if the column is full.
    pub(super) fn landing(&self, column: u8) -> Option<Cell> {
        let row = ROWS.checked_sub(self.height(column) + 1)?;
        Some(Cell { column, row })
    }

    /// The highest disc of `column`.
    pub(super) fn top(&self, column: u8) -> Option<Cell> {
        let row = ROWS - self.height(column);
        (row < ROWS).then_some(Cell { column, row })
    }

    /// How many discs lie in `column`.
    fn height(&self, column: u8) -> u8 {
        let discs = (self.all() >> (column * COLUMN_BITS)) & COLUMN;
        u8::try_from(discs.count_ones()).unwrap_or(ROWS)
    }

    /// How many discs `side` has on the board.
    pub(super) const fn count(&self, side: Side) -> u32 {
        self.discs.of(side).count_ones()
    }

    /// Whether no disc hangs in the air.
    pub(super) fn is_settled(&self) -> bool {
        (0..COLUMNS)
            .map(|column| (self.all() >> (column * COLUMN_BITS)) & COLUMN)
            .all(|discs| discs & (discs + 1) == 0)
    }

    /// Whether no cell is empty.
    pub(super) fn is_full(&self) -> bool {
        (0..COLUMNS).all(|column| self.height(column) == ROWS)
    }

    /// The side that has four in a line, if one has.
    pub(super) fn winner(&self) -> Option<Side> {
        Side::BOTH.into_iter().find(|side| lines(self.discs.of(*side)) != 0)
    }

    /// The cells of all lines of four, from the left and from the top.
    pub(super) fn winning_cells(&self) -> impl Iterator<Item = Cell> {
        let lines = Side::BOTH.map(|side| lines(self.discs.of(side)));
        cells().filter(move |cell| lines.iter().any(|line| line & bit(*cell) != 0))
    }

    const fn all(&self) -> u64 {
        self.discs.of(Side::First) | self.discs.of(Side::Second)
    }
}

/// Every cell, column by column.
pub(super) fn cells() -> impl Iterator<Item = Cell> {
    (0..COLUMNS).flat_map(|column| (0..ROWS).map(move |row| Cell { column, row }))
}

const fn bit(cell: Cell) -> u64 {
    1 << (cell.column * COLUMN_BITS + (ROWS - 1 - cell.row))
}

/// The discs that belong to a line of four.
fn lines(discs: u64) -> u64 {
    STEPS.into_iter().fold(0, |found, step| {
        let pairs = discs & (discs >> step);
        let begins = pairs & (pairs >> (2 * step));
        found | begins | (begins << step) | (begins << (2 * step)) | (begins << (3 * step))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn each_of_the_69_lines_wins_and_none_with_a_gap_does() {
        let steps = [(0, 1), (1, 0), (1, 1), (1, -1)];
        let lines: Vec<Vec<Cell>> = cells()
            .flat_map(|from| steps.map(|step| line(from, step)))
            .filter(|line| line.len() == 4)
            .collect();
        assert_eq!(lines.len(), 69);
        for line in lines {
            for side in Side::BOTH {
                let mut board = Board::default();
                line.iter().for_each(|cell| board.put(*cell, side));
                assert_eq!(board.winner(), Some(side), "{line:?}");
                let found: Vec<Cell> = board.winning_cells().collect();
                assert!(found.len() == 4 && line.iter().all(|cell| found.contains(cell)));
                for gap in &line {
                    assert_eq!(board.without(*gap, side).winner(), None, "{line:?}");
                }
            }
        }
    }

    #[test]
    fn every_disc_of_a_line_longer_than_four_belongs_to_it() {
        let bottom = ROWS - 1;
        let to_the_right: Vec<Cell> = (0..COLUMNS).map(|column| Cell { column, row: bottom }).collect();
        let rising: Vec<Cell> = (0..ROWS).map(|step| Cell { column: step, row: bottom - step }).collect();
        for longest in [to_the_right, rising] {
            for length in 5..=longest.len() {
                let line = &longest[..length];
                let mut board = Board::default();
                line.iter().for_each(|cell| board.put(*cell, Side::First));
                assert_eq!(board.winning_cells().collect::<Vec<_>>(), line);
            }
        }
    }

    /// Up to four cells in one direction.
    fn line(from: Cell, (right, down): (i8, i8)) -> Vec<Cell> {
        let step = |times: i8| {
            let column = from.column.checked_add_signed(right * times)?;
            let row = from.row.checked_add_signed(down * times)?;
            (column < COLUMNS && row < ROWS).then_some(Cell { column, row })
        };
        (0..4).map_while(step).collect()
    }
}
