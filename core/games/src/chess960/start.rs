//! The 960 start positions by Scharnagl's numbers: the bishops stand on squares of both colours, the king stands
//! between the rooks.

use shakmaty::{
    Bitboard, CastlingMode, Chess, Color, File, FromSetup as _, Piece, Rank, Role, Setup, Square,
};

/// How many there are.
pub(super) const POSITIONS: u64 = 960;

/// Where the two knights stand among the five files that bishops and queen leave free.
const KNIGHTS: [[usize; 2]; 10] =
    [[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]];

/// The files as the number's first digits choose them.
const LIGHT: [usize; 4] = [1, 3, 5, 7];
const DARK: [usize; 4] = [0, 2, 4, 6];

/// The position with this number; `None` from [`POSITIONS`] on.
pub(super) fn position(number: u64) -> Option<Chess> {
    let row = back_row(usize::try_from(number).ok()?)?;
    let mut setup = Setup::initial();
    setup.castling_rights = Bitboard::EMPTY;
    for (file, role) in File::ALL.into_iter().zip(row) {
        for (color, rank) in [(Color::White, Rank::First), (Color::Black, Rank::Eighth)] {
            let square = Square::from_coords(file, rank);
            setup.board.set_piece_at(square, Piece { color, role });
            setup.castling_rights.set(square, role == Role::Rook);
        }
    }
    Chess::from_setup(setup, CastlingMode::Chess960).ok()
}

/// The pieces from the a-file on.
fn back_row(number: usize) -> Option<[Role; 8]> {
    let (rest, light) = (number / 4, number % 4);
    let (rest, dark) = (rest / 4, rest % 4);
    let (knights, queen) = (rest / 6, rest % 6);
    let mut row = [None; 8];
    *row.get_mut(*LIGHT.get(light)?)? = Some(Role::Bishop);
    *row.get_mut(*DARK.get(dark)?)? = Some(Role::Bishop);
    *row.iter_mut().filter(|place| place.is_none()).nth(queen)? = Some(Role::Queen);
    let places = *KNIGHTS.get(knights)?;
    let mut free = row.iter_mut().filter(|place| place.is_none()).enumerate();
    let mut others = [Role::Rook, Role::King, Role::Rook].into_iter();
    for (place, square) in &mut free {
        *square = if places.contains(&place) { Some(Role::Knight) } else { others.next() };
    }
    let mut complete = [Role::Rook; 8];
    for (to, from) in complete.iter_mut().zip(row) {
        *to = from?;
    }
    Some(complete)
}
