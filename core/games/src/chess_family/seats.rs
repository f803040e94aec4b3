//! Which player has which colour, and what that makes of a result: `p0` is White, `p1` is Black.

use crate::GameResult;
use hall_wire::Player;
use shakmaty::Color;

/// The player with the white pieces.
pub(super) const WHITE: Player = Player::new(0);
/// The player with the black pieces.
pub(super) const BLACK: Player = Player::new(1);

/// What the players are called, in seat order.
pub(super) const NAMES: &[&str] = &[name_of(Color::White), name_of(Color::Black)];

/// The colour of `player`; `None` for a seat that chess does not have.
pub(super) fn colour_of(player: Player) -> Option<Color> {
    match player {
        WHITE => Some(Color::White),
        BLACK => Some(Color::Black),
        _ => None,
    }
}

/// The player with that colour.
pub(super) fn player_of(colour: Color) -> Player {
    match colour {
        Color::White => WHITE,
        Color::Black => BLACK,
    }
}

/// The colour's name.
pub(super) const fn name_of(colour: Color) -> &'static str {
    match colour {
        Color::White => "White",
        Color::Black => "Black",
    }
}

/// How PGN writes the result: `*` for a game that was neither won nor drawn.
pub(super) fn result_token(result: &GameResult) -> &'static str {
    match *result.winners.as_slice() {
        [WHITE] => "1-0",
        [BLACK] => "0-1",
        [] if result.draw => "1/2-1/2",
        _ => "*",
    }
}
