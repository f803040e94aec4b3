//! The short text that stands beside a legal move: piece, from, to and what else happens.

use super::Rules;
use super::wire_move::{characters, king_goes_to, piece_name};
use alloc::string::String;
use shakmaty::{CastlingMode, CastlingSide, Move, Role, Square};

/// Room for most summaries, so that writing one allocates once.
const USUAL_LEN: usize = 32;

/// Says `played` in words, as `pawn e2 to e4` or `pawn e7 to d8, captures rook, promotes to queen`.
pub(super) fn summary<R: Rules>(played: Move) -> String {
    let mut out = String::with_capacity(USUAL_LEN);
    match played {
        Move::Normal { role, from, capture, to, promotion } => {
            travel(&mut out, role, from, to);
            if let Some(victim) = capture {
                out.push_str(", captures ");
                out.push_str(piece_name(victim));
            }
            if let Some(promoted) = promotion {
                out.push_str(", promotes to ");
                out.push_str(piece_name(promoted));
            }
        }
        Move::EnPassant { from, to } => {
            travel(&mut out, Role::Pawn, from, to);
            out.push_str(", captures pawn en passant");
        }
        Move::Castle { king, rook } => {
            travel(&mut out, Role::King, king, king_goes_to(king, rook));
            out.push_str(match CastlingSide::from_king_side(king < rook) {
                CastlingSide::KingSide => ", castles kingside",
                CastlingSide::QueenSide => ", castles queenside",
            });
            if R::CASTLING == CastlingMode::Chess960 {
                out.push_str(" with the rook on ");
                push_square(&mut out, rook);
            }
        }
        Move::Put { role, to } => {
            out.push_str("drop ");
            out.push_str(piece_name(role));
            out.push_str(" on ");
            push_square(&mut out, to);
        }
    }
    if R::EXPLODES && played.is_capture() {
        out.push_str(", explodes");
    }
    out
}

fn travel(out: &mut String, role: Role, from: Square, to: Square) {
    out.push_str(piece_name(role));
    out.push(' ');
    push_square(out, from);
    out.push_str(" to ");
    push_square(out, to);
}

fn push_square(out: &mut String, square: Square) {
    characters(square).into_iter().for_each(|byte| out.push(char::from(byte)));
}
