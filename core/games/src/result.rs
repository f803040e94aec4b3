//! How a game ended.

use crate::player_set::PlayerSet;
use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::Deref;
use hall_wire::Player;
use serde::ser::SerializeStruct as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The end of a game by its own rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Who won; empty in a draw.
    pub winners: PlayerSet,
    /// Why.
    pub reason: Reason,
    /// The place of each seat at a table of more than two, from 1; equal places share the better number. Empty at a
    /// table of two.
    pub places: Vec<u8>,
}

impl Outcome {
    /// The end of a game of two.
    #[must_use]
    pub const fn of_two(winners: PlayerSet, reason: Reason) -> Self {
        Self { winners, reason, places: Vec::new() }
    }
}

/// The one word that says why a game ended (as `checkmate`); games add their own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Reason(Cow<'static, str>);

impl Reason {
    /// Drawn by agreement.
    pub const AGREEMENT: Self = Self(Cow::Borrowed("agreement"));
    /// Given up.
    pub const RESIGNATION: Self = Self(Cow::Borrowed("resignation"));
    /// The side clock was used up.
    pub const CLOCK: Self = Self(Cow::Borrowed("clock"));
    /// The third strike.
    pub const STRIKES: Self = Self(Cow::Borrowed("strikes"));
    /// Decided by the hall's operator.
    pub const ADJUDICATED: Self = Self(Cow::Borrowed("adjudicated"));
    /// Aborted by the hall's operator; nobody wins and nothing is rated.
    pub const ABORTED: Self = Self(Cow::Borrowed("aborted"));

    /// A reason that is specific to a game.
    #[must_use]
    pub const fn of_game(word: &'static str) -> Self {
        Self(Cow::Borrowed(word))
    }

    /// A reason that was read somewhere.
    #[must_use]
    pub fn named(word: &str) -> Self {
        Self(Cow::Owned(word.into()))
    }

    /// The word.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// How a game ended, by its own rules or otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameResult {
    /// Who won; empty in a draw and in an aborted game.
    pub winners: Vec<Player>,
    /// Whether it is a draw. An aborted game is neither won nor drawn.
    pub draw: bool,
    /// Why.
    pub reason: Reason,
    /// The points of each seat, in games that count points.
    pub points: Option<BySeat<i64>>,
    /// The place of each seat from 1 at a table of more than two, equal places sharing the better number; empty in an
    /// aborted game, which is written as `null`.
    pub places: Option<BySeat<u8>>,
}

impl From<Outcome> for GameResult {
    fn from(outcome: Outcome) -> Self {
        let Outcome { winners, reason, places } = outcome;
        Self {
            draw: winners.is_empty(),
            winners: winners.iter().collect(),
            reason,
            points: None,
            places: (!places.is_empty()).then_some(BySeat(places)),
        }
    }
}

impl GameResult {
    /// A result without points and places: that of a game of two without points.
    #[must_use]
    pub const fn new(winners: Vec<Player>, draw: bool, reason: Reason) -> Self {
        Self { winners, draw, reason, points: None, places: None }
    }

    /// A win of one player.
    #[must_use]
    pub fn won_by(winner: Player, reason: Reason) -> Self {
        Self::new(Vec::from([winner]), false, reason)
    }

    /// A draw.
    #[must_use]
    pub const fn drawn(reason: Reason) -> Self {
        Self::new(Vec::new(), true, reason)
    }

    /// A game that nobody won and that is no draw.
    #[must_use]
    pub const fn aborted() -> Self {
        Self::new(Vec::new(), false, Reason::ABORTED)
    }
}

/// One value for each seat, in seat order. In JSON it is an object with the players as keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BySeat<T>(pub Vec<T>);

impl<T> Deref for BySeat<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: Serialize> Serialize for BySeat<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_map((0..).map(Player::new).zip(&self.0))
        } else {
            self.0.serialize(serializer)
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for BySeat<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            return Vec::deserialize(deserializer).map(Self);
        }
        let by_player = BTreeMap::<Player, T>::deserialize(deserializer)?;
        if by_player.keys().copied().ne((0..).map(Player::new).take(by_player.len())) {
            return Err(de::Error::custom("not one value for each seat"));
        }
        Ok(Self(by_player.into_values().collect()))
    }
}

impl Serialize for GameResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { winners, draw, reason, points, places } = self;
        let complete = !serializer.is_human_readable();
        let optional =
            [points.is_some(), places.is_some()].into_iter().filter(|is_there| *is_there || complete);
        let mut out = serializer.serialize_struct("GameResult", 3 + optional.count())?;
        out.serialize_field("winners", winners)?;
        out.serialize_field("draw", draw)?;
        out.serialize_field("reason", reason)?;
        if complete {
            out.serialize_field("points", points)?;
            out.serialize_field("places", places)?;
            return out.end();
        }
        if points.is_some() {
            out.serialize_field("points", points)?;
        }
        if let Some(places) = places {
            out.serialize_field("places", &(!places.is_empty()).then_some(places))?;
        }
        out.end()
    }
}

impl<'de> Deserialize<'de> for GameResult {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// The fields as they are written; places that are there but `null` are those of an aborted game.
        #[derive(Deserialize)]
        struct Written {
            winners: Vec<Player>,
            draw: bool,
            reason: Reason,
            #[serde(default)]
            points: Option<BySeat<i64>>,
            #[serde(default, deserialize_with = "places")]
            places: Option<BySeat<u8>>,
        }
        fn places<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<BySeat<u8>>, D::Error> {
            let is_object = deserializer.is_human_readable();
            let places = Option::deserialize(deserializer)?;
            Ok(if is_object { places.or(Some(BySeat(Vec::new()))) } else { places })
        }
        let Written { winners, draw, reason, points, places } = Written::deserialize(deserializer)?;
        Ok(Self { winners, draw, reason, points, places })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString as _;

    #[test]
    fn a_result_names_points_and_places_only_where_the_game_has_them() {
        let plain = GameResult::won_by(Player::new(1), Reason::CLOCK);
        let counted = GameResult { points: Some(BySeat(Vec::from([-2, 2]))), ..plain.clone() };
        let placed = GameResult { places: Some(BySeat(Vec::from([2, 1, 3]))), ..plain.clone() };
        let aborted = GameResult { places: Some(BySeat(Vec::new())), ..GameResult::aborted() };
        let table = [
            (plain, r#"{"winners":["p1"],"draw":false,"reason":"clock"}"#),
            (counted, r#"{"winners":["p1"],"draw":false,"reason":"clock","points":{"p0":-2,"p1":2}}"#),
            (placed, r#"{"winners":["p1"],"draw":false,"reason":"clock","places":{"p0":2,"p1":1,"p2":3}}"#),
            (aborted, r#"{"winners":[],"draw":false,"reason":"aborted","places":null}"#),
        ];
        for (result, written) in table {
            assert_eq!(serde_json::to_string(&result).unwrap(), written);
            assert_eq!(serde_json::from_str::<GameResult>(written).unwrap(), result);
        }
    }

    #[test]
    fn values_by_seat_leave_out_no_seat() {
        assert_eq!(serde_json::from_str::<BySeat<u8>>(r#"{"p1":1,"p0":2}"#).unwrap().0, [2, 1]);
        let gap = serde_json::from_str::<BySeat<u8>>(r#"{"p0":1,"p2":2}"#);
        assert!(gap.unwrap_err().to_string().contains("not one value for each seat"));
    }
}
