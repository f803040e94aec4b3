//! The pieces that a player holds for dropping.

use alloc::string::String;
use shakmaty::{Color, Position, Role};

/// The order in which a pocket is written.
const ORDER: [Role; 5] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn];

/// What `colour` holds, one entry for each piece, queens first; nothing where no pieces are dropped.
pub(super) fn pocket(now: &impl Position, colour: Color) -> impl Iterator<Item = Role> {
    let held = now.pockets().map(|pockets| *pockets.get(colour)).unwrap_or_default();
    ORDER.into_iter().flat_map(move |role| (0..*held.get(role)).map(move |_| role))
}

/// The pocket of `colour` as in the FEN: `QPP`, for Black in lower case.
pub(super) fn letters(now: &impl Position, colour: Color) -> String {
    pocket(now, colour).map(|role| role.of(colour).char()).collect()
}
