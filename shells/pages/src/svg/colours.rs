//! The colours of the players and of what is around them.

use super::Seat;
use super::canvas::Paint;
use hall_wire::Player;

pub(super) const INK: &str = "#222222";
pub(super) const PALE_INK: &str = "#666666";
pub(super) const BACKGROUND: &str = "#ffffff";
pub(super) const NOTICE: &str = "#f2c230";
pub(super) const DANGER: &str = "#d03030";
pub(super) const SUCCESS: &str = "#2ea043";

/// Fill and line of a player's pieces.
type Pair = (&'static str, &'static str);

const LIGHT: Pair = ("#fbfbf6", "#222222");
const DARK: Pair = ("#2b2b2b", "#000000");
/// For players whose names are no colours, by seat.
const BY_SEAT: [Pair; 4] =
    [("#d9534f", "#7a1f1c"), ("#f0c33c", "#7a5c08"), ("#3f88c5", "#173f63"), ("#6aa84f", "#2a5218")];
const NOBODY: Pair = ("#bbbbbb", "#666666");

/// The colours of the players of one game.
pub(super) struct Colours(Vec<Pair>);

impl Colours {
    /// Those of `seats`: as the game calls its players, if it calls them by colours.
    pub(super) fn of(seats: &[Seat]) -> Self {
        let pair = |(seat, by_seat): (&Seat, &Pair)| match seat.role {
            Some("White") => LIGHT,
            Some("Black") => DARK,
            _ => *by_seat,
        };
        Self(seats.iter().zip(BY_SEAT.iter().cycle()).map(pair).collect())
    }

    fn pair(&self, player: Option<Player>) -> Pair {
        player.and_then(|player| self.0.get(player.index())).copied().unwrap_or(NOBODY)
    }

    /// How pieces of a player are painted.
    pub(super) fn piece(&self, player: Option<Player>, width: i32) -> Paint {
        let (fill, stroke) = self.pair(player);
        Paint::outlined(fill, stroke, width)
    }

    /// The sign of a player beside its hand, on whatever ground.
    pub(super) fn sign(&self, player: Player) -> Paint {
        Paint::outlined(self.pair(Some(player)).0, "#8a8f96", 2)
    }

    /// How what is drawn on such a piece is painted.
    pub(super) fn on_piece(&self, player: Option<Player>) -> &'static str {
        if self.pair(player) == DARK { "#fbfbf6" } else { INK }
    }

    /// How the place of a player is painted.
    pub(super) fn area(&self, player: Option<Player>) -> Paint {
        Paint::fill(self.pair(player).0)
    }
}
