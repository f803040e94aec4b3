//! Which legal move is meant by a text that names none, written by listing every spelling of every legal move: the hall
//! takes the text apart instead.

use super::chess::Chess;
use hall_wire::Notation;

/// A legal move as it may be spelled.
pub(super) struct Spelled {
    /// How it is written on the wire.
    pub(super) notation: Notation,
    /// The letter of the piece, in upper case.
    pub(super) piece: char,
    /// Where it comes from, as `e2`.
    pub(super) from: String,
    /// Where it goes to.
    pub(super) to: String,
    /// The rook's square, if it castles.
    pub(super) rook: Option<String>,
    /// The letter of the piece that a pawn becomes, in lower case.
    pub(super) promotion: Option<char>,
}

impl Chess {
    /// The one legal move that a notation which names none may mean.
    pub(super) fn spelled_like(&self, notation: &Notation) -> Option<Notation> {
        let written = notation.as_str();
        let marks = ['+', '#', '!', '?', 'x', 'X', '-', '=', ':', '(', ')'];
        let text: String = written.chars().filter(|letter| !marks.contains(letter)).collect();
        if written.len() > 16 || text.is_empty() {
            return None;
        }
        let moves = self.spelled();
        let lower = text.to_lowercase();
        let capital = |letters: &str| {
            let (first, rest) = lower.split_at(1);
            if letters.contains(first) { first.to_uppercase() + rest } else { lower.clone() }
        };
        for reading in [text.clone(), capital("kqrnp"), capital("b")] {
            let fitting: Vec<Notation> = moves
                .iter()
                .filter(|spelled| spelled.spellings().contains(&reading))
                .map(|spelled| spelled.notation)
                .collect();
            match fitting.as_slice() {
                [] => {}
                [only] => return Some(*only).filter(|only| only != notation),
                [..] => return None,
            }
        }
        None
    }
}

impl Spelled {
    fn spellings(&self) -> Vec<String> {
        let (file, rank) = self.from.split_at(1);
        let mut origins = vec![
            format!("{}{}", self.piece, self.from),
            format!("{}{file}", self.piece),
            format!("{}{rank}", self.piece),
            self.piece.to_string(),
            self.from.clone(),
        ];
        if self.piece == 'P' {
            origins.extend([file.to_owned(), rank.to_owned(), String::new()]);
        }
        let mut texts: Vec<String> = origins.iter().map(|origin| format!("{origin}{}", self.to)).collect();
        if let Some(rook) = &self.rook {
            texts.extend([format!("{}{rook}", self.from), format!("{}{}{rook}", self.piece, self.from)]);
            let mut rings = vec![String::new()];
            for _ in 0..if rook.starts_with('h') { 2 } else { 3 } {
                let longer = |text: &String| ["O", "o", "0"].map(|ring| format!("{text}{ring}"));
                rings = rings.iter().flat_map(longer).collect();
            }
            texts.extend(rings);
        }
        let Some(letter) = self.promotion else { return texts };
        let mut promoting = Vec::new();
        for text in &texts {
            promoting.extend([format!("{text}{letter}"), format!("{text}{}", letter.to_ascii_uppercase())]);
        }
        if letter == 'q' {
            promoting.extend(texts);
        }
        promoting
    }
}
