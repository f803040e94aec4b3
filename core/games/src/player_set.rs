//! A set of players.

use core::fmt;
use hall_wire::Player;
use serde::{Deserialize, Serialize};

/// A set of players.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PlayerSet(u64);

impl PlayerSet {
    /// Nobody.
    pub const EMPTY: Self = Self(0);

    /// Only `player`. No game has more than 64 seats; higher ones give the empty set.
    #[must_use]
    pub fn only(player: Player) -> Self {
        Self(1_u64.checked_shl(u32::from(player.seat())).unwrap_or(0))
    }

    /// This set and `player`.
    #[must_use]
    pub fn with(self, player: Player) -> Self {
        Self(self.0 | Self::only(player).0)
    }

    /// This set without `player`.
    #[must_use]
    pub fn without(self, player: Player) -> Self {
        Self(self.0 & !Self::only(player).0)
    }

    /// Whether `player` is in the set.
    #[must_use]
    pub fn contains(self, player: Player) -> bool {
        self.0 & Self::only(player).0 != 0
    }

    /// Whether nobody is in the set.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The players in seat order.
    pub fn iter(self) -> impl Iterator<Item = Player> {
        (0..64).map(Player::new).filter(move |player| self.contains(*player))
    }
}

impl FromIterator<Player> for PlayerSet {
    fn from_iter<I: IntoIterator<Item = Player>>(players: I) -> Self {
        players.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl fmt::Debug for PlayerSet {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn set(seats: &[u8]) -> PlayerSet {
        seats.iter().fold(PlayerSet::EMPTY, |set, seat| set.with(Player::new(*seat)))
    }

    fn seats(set: PlayerSet) -> Vec<u8> {
        set.iter().map(Player::seat).collect()
    }

    #[test]
    fn a_player_added_twice_is_in_the_set_once_and_gone_after_one_removal() {
        let two = set(&[2, 0, 2]);
        assert_eq!(seats(two), [0, 2]);
        assert_eq!(seats(two.without(Player::new(2))), [0]);
        assert_eq!(two.without(Player::new(1)), two, "who is not in it cannot be taken out");
    }

    #[test]
    fn only_the_set_without_players_is_empty() {
        assert!(PlayerSet::EMPTY.is_empty());
        assert!(!set(&[63]).is_empty());
        assert!(set(&[63]).without(Player::new(63)).is_empty());
        assert!(PlayerSet::only(Player::new(64)).is_empty(), "no game has such a seat");
    }
}
