//! Maps by player: `{ "p0": …, "p1": … }`.

use super::schema::{Components, Schema};
use hall_wire::Player;
use hall_wire::json::Value;
use serde::{Serialize, Serializer};
use serde_json::json;

/// One value for each seat, in seat order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByPlayer<T>(pub Vec<T>);

impl<T: Serialize> Serialize for ByPlayer<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map((0..=u8::MAX).map(Player::new).zip(&self.0))
    }
}

impl<T: Schema> Schema for ByPlayer<T> {
    fn schema(components: &mut Components) -> Value {
        json!({
            "type": "object",
            "patternProperties": { "^p[0-9]+$": T::schema(components) },
            "additionalProperties": false,
        })
    }
}
