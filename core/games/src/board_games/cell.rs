//! Cells that are named by a column letter and a row number, rows counted from the top: `c11`.

use alloc::string::String;
use core::fmt;
use hall_wire::Notation;

/// A cell of a board with at most 26 columns and 99 rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    /// The column, from 0 at the left.
    pub(crate) column: u8,
    /// The row, from 0 at the top.
    pub(crate) row: u8,
}

impl Cell {
    /// The cell with this place in the order of rows, on a board with `columns` columns.
    pub(crate) const fn at(index: u8, columns: u8) -> Self {
        Self { column: index % columns, row: index / columns }
    }

    /// Its place in the order of rows.
    pub(crate) const fn index(self, columns: u8) -> u8 {
        self.row * columns + self.column
    }

    /// The letter of its column.
    pub(crate) fn letter(self) -> char {
        char::from(b'a' + self.column)
    }

    pub(crate) fn notation(self) -> Notation {
        let (number, letter) = (self.row + 1, b'a' + self.column);
        let (one, two) = ([letter, b'0' + number % 10], [letter, b'0' + number / 10, b'0' + number % 10]);
        let bytes: &[u8] = if number < 10 { &one } else { &two };
        core::str::from_utf8(bytes).ok().and_then(Notation::parse).expect("a letter and digits are ASCII")
    }

    /// The cell that `text` names, to the letter, on a square board with `size` rows.
    pub(crate) fn parse(text: &str, size: u8) -> Option<Self> {
        let (letter, number) = match *text.as_bytes() {
            [letter, ones @ b'1'..=b'9'] => (letter, ones - b'0'),
            [letter, tens @ b'1'..=b'9', ones @ b'0'..=b'9'] => (letter, 10 * (tens - b'0') + ones - b'0'),
            _ => return None,
        };
        let cell = Self { column: letter.checked_sub(b'a')?, row: number - 1 };
        (cell.column < size && cell.row < size).then_some(cell)
    }

    /// The cell that `text` names in another spelling: in capitals, with the number first, with marks or spaces
    /// between or around them.
    pub(crate) fn guess(text: &str, size: u8) -> Option<Self> {
        let kept = text.chars().filter(|letter| !" ,.;:-_()[]{}".contains(*letter));
        let bare: String = kept.map(|letter| letter.to_ascii_lowercase()).collect();
        let swapped = |text: &str| {
            let (number, letter) = text.split_at_checked(text.len().checked_sub(1)?)?;
            Self::parse(&(String::from(letter) + number), size)
        };
        Self::parse(&bare, size).or_else(|| swapped(&bare))
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}{}", self.letter(), self.row + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_of_a_board_is_read_back_from_its_name() {
        for size in [1, 8, 11, 19, 26] {
            for cell in
                (0..=u8::MAX).take(usize::from(size) * usize::from(size)).map(|index| Cell::at(index, size))
            {
                assert_eq!(Cell::parse(cell.notation().as_str(), size), Some(cell));
                assert_eq!(alloc::format!("{cell}"), cell.notation().as_str());
            }
        }
    }

    #[test]
    fn a_row_has_one_digit_or_two() {
        for cell in (0..99).map(|row| Cell { column: 3, row }) {
            assert_eq!(cell.notation().as_str(), alloc::format!("d{}", cell.row + 1));
            assert_eq!(Cell::parse(cell.notation().as_str(), 99), Some(cell));
        }
        assert_eq!(Cell::parse("d100", 100), None);
    }

    #[test]
    fn a_name_in_another_spelling_is_guessed_but_not_read() {
        let table = ["C4", "c 4", "c-4", "4c", "4-C", "(c4)", "c4.", "[C,4]"];
        for text in table {
            assert_eq!(Cell::parse(text, 8), None, "{text}");
            assert_eq!(
                Cell::guess(text, 8).map(|cell| cell.notation().as_str().into()),
                Some(String::from("c4")),
                "{text}"
            );
        }
        for text in ["", "c", "4", "c0", "c04", "c9", "i1", "cc4", "44", "c4d5", "pass", "é", "c-12", "4é"]
        {
            assert_eq!(Cell::guess(text, 8), None, "{text}");
        }
    }
}
