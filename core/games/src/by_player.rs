//! JSON objects with one value for each player.

use hall_wire::Player;
use hall_wire::json::Value;

/// The object `{ "p0": …, "p1": … }` of the values of each of `seats` players.
pub(crate) fn by_player(seats: u8, value: impl Fn(Player) -> Value) -> Value {
    use alloc::string::ToString as _;
    Value::Object((0..seats).map(Player::new).map(|player| (player.to_string(), value(player))).collect())
}
