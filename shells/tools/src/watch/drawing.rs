//! A position in a terminal: the picture of any game (decision 13.10) as lines of text, with colours where there are any.

use crate::terminal::Terminal;
use hall_games::{Hand, Mark, MarkKind, Pattern, Picture, PictureKind, Piece};
use hall_wire::Player;
use std::collections::BTreeMap;

/// Colours of the 256: places light and dark, the same marked, and pieces of the first and of the other players.
const LIGHT: (u8, u8) = (180, 186);
const DARK: (u8, u8) = (137, 143);
const FIRST: u8 = 231;
const OTHERS: u8 = 16;

/// The lines of a position: the board, and below it what is held and counted. `named` says what a player is called.
pub fn position(picture: &Picture, terminal: Terminal, named: impl Fn(Player) -> String) -> Vec<String> {
    let mut lines = match picture.kind {
        PictureKind::Grid | PictureKind::Hex => board(picture, terminal),
        PictureKind::Points => points(picture),
        PictureKind::Table => Vec::new(),
    };
    let owner = |player: Option<Player>| player.map_or_else(|| "table".to_owned(), &named);
    lines.extend(
        picture.hands.iter().map(|hand| format!("{}, {}: {}", owner(hand.player), hand.title, held(hand))),
    );
    let counted = picture.counters.iter().map(|counter| {
        let whose = counter.player.map_or_else(String::new, |player| format!("{}, ", named(player)));
        format!("{whose}{}: {}", counter.title, counter.value)
    });
    lines.extend(counted);
    lines.extend(picture.labels.iter().cloned());
    lines
}

fn held(hand: &Hand) -> String {
    let hidden = (hand.hidden > 0).then(|| format!("{} face down", hand.hidden));
    hand.shown.iter().cloned().chain(hidden).collect::<Vec<_>>().join(" ")
}

/// One line for each row, and the names of the columns.
fn board(picture: &Picture, terminal: Terminal) -> Vec<String> {
    let pieces: BTreeMap<(u8, u8), &Piece> =
        picture.pieces.iter().map(|piece| ((piece.row, piece.column), piece)).collect();
    let is_marked = |row: u8, column: u8| {
        let here =
            |mark: &&Mark| mark.row == row && mark.column == column && mark.mark != MarkKind::Territory;
        picture.marks.iter().any(|mark| here(&mark))
    };
    let wide = picture.rows.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let (rows, last) = ((0_u8..).zip(&picture.rows), picture.rows.len());
    let mut lines: Vec<String> = rows
        .map(|(row, name)| {
            let cells = (0_u8..).zip(&picture.columns).map(|(column, _)| {
                // The place in the last row and the first column is dark.
                let from_below = last - usize::from(row);
                let is_dark = (from_below + usize::from(column)) % 2 == 1;
                let square = Square {
                    piece: pieces.get(&(row, column)).copied(),
                    is_dark: is_dark && picture.pattern == Pattern::Checkered,
                    is_marked: is_marked(row, column),
                };
                square.rendered(terminal)
            });
            let indent = if picture.kind == PictureKind::Hex {
                " ".repeat(usize::from(row) * 3 / 2)
            } else {
                String::new()
            };
            format!("{indent}{name:>wide$} {}", cells.collect::<String>())
        })
        .collect();
    let names = picture.columns.iter().map(|name| format!("{name:^3}")).collect::<String>();
    lines.push(format!("{:wide$} {names}", ""));
    lines
}

/// A place of a board.
struct Square<'a> {
    piece: Option<&'a Piece>,
    is_dark: bool,
    is_marked: bool,
}

impl Square<'_> {
    /// Three columns.
    fn rendered(&self, terminal: Terminal) -> String {
        let is_first = self.piece.is_some_and(|piece| piece.player == Some(Player::new(0)));
        let rendered = match self.piece {
            // A coloured place is seen without a sign in it.
            None if terminal.colours => ' ',
            None if terminal.symbols => '·',
            None => '.',
            Some(piece) => sign(piece, terminal),
        };
        // Where there are no colours, brackets mark a place.
        let text = if self.is_marked && !terminal.colours {
            format!("[{rendered}]")
        } else {
            format!(" {rendered} ")
        };
        let (plain, mark) = if self.is_dark { DARK } else { LIGHT };
        let back = if self.is_marked { mark } else { plain };
        terminal.paint(&format!("48;5;{back};38;5;{}", if is_first { FIRST } else { OTHERS }), &text)
    }
}

/// The sign of a piece. Without colours those of the first player are told apart by their form: capitals, or outlines.
fn sign(piece: &Piece, terminal: Terminal) -> char {
    let is_first = piece.player == Some(Player::new(0));
    let outline = is_first && !terminal.colours;
    if terminal.symbols {
        let symbols = match piece.shape.as_str() {
            "king" => ('♚', '♔'),
            "queen" => ('♛', '♕'),
            "rook" => ('♜', '♖'),
            "bishop" => ('♝', '♗'),
            "knight" => ('♞', '♘'),
            "pawn" => ('♟', '♙'),
            "crowned_man" => ('◆', '◇'),
            "disc" | "stone" | "man" => ('●', '○'),
            _ => ('■', '□'),
        };
        return if outline { symbols.1 } else { symbols.0 };
    }
    let letter = match piece.shape.as_str() {
        "knight" => 'n',
        "disc" | "stone" | "man" => 'o',
        "crowned_man" => 'k',
        shape => shape.chars().next().unwrap_or('?'),
    };
    match piece.shape.as_str() {
        "disc" | "stone" | "man" if !is_first => 'x',
        _ if is_first => letter.to_ascii_uppercase(),
        _ => letter,
    }
}

/// The points of a backgammon board that somebody holds, one a line, from the first seat's side.
fn points(picture: &Picture) -> Vec<String> {
    let mut held: BTreeMap<u8, Vec<String>> = BTreeMap::new();
    for piece in &picture.pieces {
        let player = piece.player.map_or_else(String::new, |player| format!(" of {player}"));
        held.entry(piece.column).or_default().push(format!("{}{player}", piece.count));
    }
    let line = |(point, pieces): (&u8, &Vec<String>)| {
        let name = if *point == 0 { "bar".to_owned() } else { point.to_string() };
        format!("{name:>3}  {}", pieces.join(", "))
    };
    held.iter().rev().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_games::CATALOG;

    const ASCII: Terminal = Terminal { redraws: true, colours: false, symbols: false };

    /// The picture at the beginning of a game, through JSON, as it comes from a hall.
    fn begun(game: &str) -> Picture {
        let game = CATALOG.find(game).unwrap();
        let variant = game.describe().variant_ids().next().unwrap();
        let seats = game.describe().players_of(variant).unwrap().min;
        let picture = game.open(variant, seats).unwrap().picture(false);
        serde_json::from_str(&serde_json::to_string(&picture).unwrap()).unwrap()
    }

    #[test]
    fn a_plain_board_is_ascii_and_every_line_is_equally_wide() {
        let lines = board(&begun("chess"), ASCII);
        assert_eq!(lines.len(), 9);
        assert_eq!(lines[0], "8  r  n  b  q  k  b  n  r ");
        assert_eq!(lines[6], "2  P  P  P  P  P  P  P  P ");
        assert_eq!(lines[8], "   a  b  c  d  e  f  g  h ");
        assert!(lines.iter().all(|line| line.is_ascii() && line.len() == lines[0].len()), "{lines:?}");
    }

    #[test]
    fn symbols_show_whose_a_piece_is_with_and_without_colours() {
        let picture = begun("chess");
        let symbols = Terminal { symbols: true, ..ASCII };
        assert_eq!(board(&picture, symbols)[7], "1  ♖  ♘  ♗  ♕  ♔  ♗  ♘  ♖ ");
        let coloured = board(&picture, Terminal { colours: true, ..symbols });
        assert!(
            coloured[0].starts_with("8 \u{1b}[48;5;180;38;5;16m ♜ \u{1b}[0m"),
            "a8 is light: {}",
            coloured[0]
        );
        assert!(coloured[7].starts_with("1 \u{1b}[48;5;137;38;5;231m ♜ "), "a1 is dark: {}", coloured[7]);
    }

    #[test]
    fn every_game_of_the_catalog_is_drawn() {
        for game in CATALOG.iter() {
            let id = game.describe().id;
            let lines = position(&begun(id), ASCII, |player| player.to_string());
            assert!(!lines.is_empty(), "{id}");
            assert!(lines.iter().all(|line| !line.contains('\n')), "{id}");
        }
    }
}
