//! Guesses which legal move a text means that is not in the wire notation: SAN with or without check marks, castling
//! as `O-O`, by the rook or by the king's square, a promotion without its letter, a drop without the letter of the pawn,
//! capital letters.
//!
//! The guess is never played: the answer to an illegal move names it, and the player decides.

use super::wire_move::{WireMove, king_goes_to};
use alloc::vec::Vec;
use shakmaty::{CastlingMode, CastlingSide, File, Move, Position, Rank, Role, Square};

/// The longest text that is considered; SAN and UCI with all their marks are shorter.
const MOST_BYTES: usize = 16;

/// The one legal move that `written` means; none if there is no such move, or more than one.
pub(super) fn did_you_mean(now: &impl Position, castling: CastlingMode, written: &str) -> Option<WireMove> {
    if written.len() > MOST_BYTES {
        return None;
    }
    let text: Vec<u8> = written.bytes().filter(|byte| !b"+#!?xX-=:()".contains(byte)).collect();
    let legal = now.legal_moves();
    let only = |fits: &dyn Fn(&Move) -> bool| {
        let mut fitting = legal.iter().filter(|legal| fits(legal));
        let first = fitting.next()?;
        Some(fitting.next().is_none().then(|| WireMove::of(*first, castling)))
    };
    if let Some(side) = castling_side(&text) {
        return only(&|legal| legal.castling_side() == Some(side)).flatten();
    }
    // The first reading that any legal move fits decides, even if it fits several and so says nothing.
    readings(&text).iter().find_map(|reading| only(&|legal| reading.fits(*legal))).flatten()
}

/// `O-O` and `O-O-O`, also with zeros and in lower case.
fn castling_side(text: &[u8]) -> Option<CastlingSide> {
    let only_rings = text.iter().all(|byte| b"Oo0".contains(byte));
    match text.len() {
        2 if only_rings => Some(CastlingSide::KingSide),
        3 if only_rings => Some(CastlingSide::QueenSide),
        _ => None,
    }
}

/// What a text may mean: as it is written; in lower case, but for the letter of a piece; and with a leading b as the
/// bishop rather than the file.
fn readings(text: &[u8]) -> Vec<Reading> {
    let lower = text.to_ascii_lowercase();
    let with_piece = |letters: &[u8]| {
        let mut text = lower.clone();
        if let Some(first) = text.first_mut().filter(|first| letters.contains(first)) {
            first.make_ascii_uppercase();
        }
        Reading::of(&text)
    };
    [Reading::of(text), with_piece(b"kqrnp"), with_piece(b"b")].into_iter().flatten().collect()
}

/// A move as far as a text names it.
struct Reading {
    is_drop: bool,
    role: Option<Role>,
    file: Option<File>,
    rank: Option<Rank>,
    to: Square,
    promotion: Option<Role>,
}

impl Reading {
    /// `[piece][file][rank]square[promotion]`: SAN, and UCI as one case of it; or `[piece]@square`.
    fn of(text: &[u8]) -> Option<Self> {
        let drop =
            |role, to| Self { is_drop: true, role: Some(role), file: None, rank: None, to, promotion: None };
        match *text {
            [b'@', a, b] => return Some(drop(Role::Pawn, square(a, b)?)),
            [letter, b'@', a, b] => return Some(drop(piece(letter)?, square(a, b)?)),
            _ => {}
        }
        let (role, rest) = match text {
            [letter, rest @ ..] if b"KQRBNP".contains(letter) => (piece(*letter), rest),
            _ => (None, text),
        };
        let (promotion, rest) = match rest {
            [rest @ .., letter] if b"QRBNKqrbnk".contains(letter) => (piece(*letter), rest),
            _ => (None, rest),
        };
        let (file, rank, to) = match *rest {
            [a, b] => (None, None, square(a, b)?),
            [from, a, b] if from.is_ascii_digit() => (None, Some(rank(from)?), square(a, b)?),
            [from, a, b] => (Some(file(from)?), None, square(a, b)?),
            [f, r, a, b] => (Some(file(f)?), Some(rank(r)?), square(a, b)?),
            _ => return None,
        };
        Some(Self { is_drop: false, role, file, rank, to, promotion })
    }

    fn fits(&self, legal: Move) -> bool {
        if self.is_drop {
            return matches!(legal, Move::Put { role, to } if self.role == Some(role) && self.to == to);
        }
        let names_origin = self.file.is_some() && self.rank.is_some();
        let role_fits = match self.role {
            Some(role) => legal.role() == role,
            None => names_origin || legal.role() == Role::Pawn,
        };
        let origin_fits = legal.from().is_some_and(|from| {
            self.file.is_none_or(|file| from.file() == file)
                && self.rank.is_none_or(|rank| from.rank() == rank)
        });
        let goal_fits = match legal {
            Move::Castle { king, rook } => {
                king_goes_to(king, rook) == self.to || names_origin && rook == self.to
            }
            Move::Normal { to, .. } | Move::EnPassant { to, .. } | Move::Put { to, .. } => to == self.to,
        };
        let promotion_fits = match legal.promotion() {
            Some(role) => self.promotion.unwrap_or(Role::Queen) == role,
            None => self.promotion.is_none(),
        };
        role_fits && origin_fits && goal_fits && promotion_fits
    }
}

fn piece(letter: u8) -> Option<Role> {
    Role::from_char(char::from(letter.to_ascii_lowercase()))
}

fn file(letter: u8) -> Option<File> {
    File::from_char(char::from(letter))
}

fn rank(digit: u8) -> Option<Rank> {
    Rank::from_char(char::from(digit))
}

fn square(file_letter: u8, rank_digit: u8) -> Option<Square> {
    Some(Square::from_coords(file(file_letter)?, rank(rank_digit)?))
}
