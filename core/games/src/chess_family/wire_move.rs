//! Moves as they are written on the wire: UCI, in exactly one way for each move.

use hall_wire::Notation;
use shakmaty::{CastlingMode, CastlingSide, Move, Role, Square};

/// A move in UCI: its characters as the leading bytes of a number, so that numbers sort as the texts do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct WireMove(u64);

impl WireMove {
    /// How `played` is written: castling as the king's move or, in Chess960, as the king taking its rook; a promotion
    /// with its letter; a drop as `N@f3`.
    pub(super) fn of(played: Move, castling: CastlingMode) -> Self {
        let (from, to, promotion) = match played {
            Move::Normal { from, to, promotion, .. } => (characters(from), to, promotion),
            Move::EnPassant { from, to } => (characters(from), to, None),
            Move::Castle { king, rook } => match castling {
                CastlingMode::Standard => (characters(king), king_goes_to(king, rook), None),
                CastlingMode::Chess960 => (characters(king), rook, None),
            },
            Move::Put { role, to } => ([ascii(role.upper_char()), b'@'], to, None),
        };
        let ([a, b], [c, d]) = (from, characters(to));
        let letter = promotion.map_or(0, |role| ascii(role.char()));
        Self(u64::from_be_bytes([a, b, c, d, letter, 0, 0, 0]))
    }

    /// The move that `notation` could be: four or five characters, whatever they are.
    ///
    /// Visible ASCII holds no zero byte, so a text equals that of a move exactly if the numbers are equal.
    pub(super) fn parse(notation: &Notation) -> Option<Self> {
        match *notation.as_str().as_bytes() {
            [a, b, c, d] => Some(Self(u64::from_be_bytes([a, b, c, d, 0, 0, 0, 0]))),
            [a, b, c, d, e] => Some(Self(u64::from_be_bytes([a, b, c, d, e, 0, 0, 0]))),
            _ => None,
        }
    }

    /// The squares that it names: where it begins, unless a piece is dropped, and where it ends.
    pub(super) fn squares(self) -> impl Iterator<Item = Square> {
        let [a, b, c, d, ..] = self.0.to_be_bytes();
        [[a, b], [c, d]].into_iter().filter_map(|square| Square::from_ascii(&square).ok())
    }

    pub(super) fn notation(self) -> Notation {
        let [a, b, c, d, e, ..] = self.0.to_be_bytes();
        let (four, five) = ([a, b, c, d], [a, b, c, d, e]);
        let bytes: &[u8] = if e == 0 { &four } else { &five };
        core::str::from_utf8(bytes).ok().and_then(Notation::parse).expect("a UCI move is visible ASCII")
    }
}

/// Where the king of a castling move goes; shakmaty names the rook's square instead.
pub(super) fn king_goes_to(king: Square, rook: Square) -> Square {
    let side = CastlingSide::from_king_side(king < rook);
    Square::from_coords(side.king_to_file(), king.rank())
}

/// The name of a piece, in lower case.
pub(super) fn piece_name(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}

/// The file letter and rank digit of `square`.
pub(super) fn characters(square: Square) -> [u8; 2] {
    [ascii(square.file().char()), ascii(square.rank().char())]
}

fn ascii(letter: char) -> u8 {
    u8::try_from(letter).expect("files, ranks and pieces are named by ASCII letters")
}
