//! A chess board for the terminal, from the FEN of a position.

use super::terminal::Terminal;

/// The game that has a picture.
pub(super) const GAME: &str = "chess";
/// Columns that every line of a picture takes.
pub(super) const WIDTH: usize = 26;

/// Colours of the 256: squares light and dark, the same marked, pieces White and Black.
const LIGHT: (u8, u8) = (180, 186);
const DARK: (u8, u8) = (137, 143);
const WHITE: u8 = 231;
const BLACK: u8 = 16;

/// Nine lines, White below; the squares of the move `last`, in UCI, are marked where there are colours.
pub(super) fn board(fen: &str, last: Option<&str>, terminal: Terminal) -> Vec<String> {
    let placement = fen.split(' ').next().unwrap_or_default();
    let ranks = placement.split('/').zip((1..=8_u32).rev());
    let mut lines: Vec<String> = ranks
        .map(|(pieces, rank)| {
            let squares = pieces.chars().flat_map(expanded).zip(('a'..='h').zip(1_u32..));
            let cells = squares.map(|(piece, (file, number))| {
                let name = format!("{file}{rank}");
                let marked =
                    last.is_some_and(|last| last.get(..2) == Some(&name) || last.get(2..4) == Some(&name));
                cell(piece, (number + rank) % 2 == 0, marked, terminal)
            });
            format!("{rank} {}", cells.collect::<String>())
        })
        .collect();
    lines.push(format!("  {}", ('a'..='h').map(|file| format!(" {file} ")).collect::<String>()));
    lines
}

/// A digit of a FEN stands for as many empty squares.
fn expanded(letter: char) -> impl Iterator<Item = Option<char>> {
    let empty = letter.to_digit(10);
    let piece = if empty.is_some() { None } else { Some(letter) };
    std::iter::repeat_n(piece, empty.map_or(1, |count| usize::try_from(count).unwrap_or(0)))
}

fn cell(piece: Option<char>, dark: bool, marked: bool, terminal: Terminal) -> String {
    let white = piece.is_some_and(|letter| letter.is_ascii_uppercase());
    let drawn = match piece {
        // A coloured square is seen without a sign in it.
        None if terminal.colours => ' ',
        None if terminal.symbols => '·',
        None => '.',
        Some(letter) if terminal.symbols => symbol(letter, white && !terminal.colours),
        Some(letter) => letter,
    };
    let (plain, mark) = if dark { DARK } else { LIGHT };
    let back = if marked { mark } else { plain };
    let front = if white { WHITE } else { BLACK };
    terminal.paint(&format!("48;5;{back};38;5;{front}"), &format!(" {drawn} "))
}

/// The symbol of a piece, filled or in outline.
const fn symbol(letter: char, outline: bool) -> char {
    match (letter.to_ascii_lowercase(), outline) {
        ('k', false) => '♚',
        ('q', false) => '♛',
        ('r', false) => '♜',
        ('b', false) => '♝',
        ('n', false) => '♞',
        ('p', false) => '♟',
        ('k', true) => '♔',
        ('q', true) => '♕',
        ('r', true) => '♖',
        ('b', true) => '♗',
        ('n', true) => '♘',
        ('p', true) => '♙',
        _ => letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEN: &str = "r3k2r/8/8/8/4P3/8/8/4K3 b kq - 0 1";
    const ASCII: Terminal = Terminal { redraws: true, colours: false, symbols: false };

    #[test]
    fn a_plain_board_is_ascii_and_every_line_is_equally_wide() {
        let lines = board(FEN, Some("e2e4"), ASCII);
        assert_eq!(lines.len(), 9);
        assert_eq!(lines[0], "8  r  .  .  .  k  .  .  r ");
        assert_eq!(lines[4], "4  .  .  .  .  P  .  .  . ");
        assert_eq!(lines[8], "   a  b  c  d  e  f  g  h ");
        assert!(lines.iter().all(|line| line.is_ascii() && line.len() == WIDTH), "{lines:?}");
    }

    #[test]
    fn symbols_show_the_colour_of_a_piece_with_and_without_colours() {
        let symbols = Terminal { symbols: true, ..ASCII };
        assert_eq!(board(FEN, None, symbols)[7], "1  ·  ·  ·  ·  ♔  ·  ·  · ");
        let coloured = board(FEN, Some("e2e4"), Terminal { colours: true, ..symbols });
        assert!(
            coloured[4].contains("\x1b[48;5;186;38;5;231m ♟ \x1b[0m"),
            "e4 is light and marked: {}",
            coloured[4]
        );
        assert!(
            coloured[0].starts_with("8 \x1b[48;5;180;38;5;16m ♜ \x1b[0m"),
            "a8 is light: {}",
            coloured[0]
        );
        assert!(coloured[7].starts_with("1 \x1b[48;5;137;"), "a1 is dark: {}", coloured[7]);
    }
}
