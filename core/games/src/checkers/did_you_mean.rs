//! Guesses which legal move a text means that is not in the notation: another sign between the squares, spaces, leading
//! zeros, a capture of which not every square is named.
//!
//! The guess is never played: the answer to an illegal move names it, and the player decides.

use super::moves::Move;
use super::square::Square;
use alloc::vec::Vec;

/// What may stand between two squares.
const BETWEEN: [char; 9] = ['-', 'x', 'X', ':', ' ', ',', '>', '*', '.'];

/// The one move among `legal` that `written` means; none if there is no such move, or more than one.
pub(super) fn did_you_mean<'a>(legal: &'a [Move], written: &str) -> Option<&'a Move> {
    let words = written.split(BETWEEN).filter(|word| !word.is_empty());
    let named: Vec<Square> =
        words.map(|word| Square::parse(word.trim_start_matches('0'))).collect::<Option<_>>()?;
    let only = |fits: &dyn Fn(&Move) -> bool| {
        let mut fitting = legal.iter().filter(|legal| fits(legal));
        let first = fitting.next()?;
        Some(fitting.next().is_none().then_some(first))
    };
    if named.len() < 2 {
        return None;
    }
    // The first reading that any legal move fits decides, even if it fits several and so says nothing.
    only(&|legal| legal.path == named)
        .or_else(|| only(&|legal| leaves_out_squares(legal, &named)))
        .or_else(|| only(&|legal| legal.path.starts_with(&named)))
        .flatten()
}

/// Whether `named` are both ends of the move and, in order, some of the squares between them.
fn leaves_out_squares(legal: &Move, named: &[Square]) -> bool {
    let mut path = legal.path.iter();
    let is_in_order = named.iter().all(|square| path.any(|touched| touched == square));
    is_in_order && legal.path.first() == named.first() && legal.path.last() == named.last()
}
