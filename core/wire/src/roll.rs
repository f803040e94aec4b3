//! Commitment to a game's secret seed, and the rolls made from it: random numbers that anyone can recompute. In a
//! replay they are listed under `draws`.
//!
//! A roll below `n` hashes game, turn, counter, seed and beacon randomness; the first eight bytes, read big
//! endian, are `x`. An `x` in the last, incomplete multiple of `n` is rejected and the counter moves on, so that
//! every value is equally likely.

use crate::digest::Digest;
use crate::id::GameId;
use crate::text::deserialize_text;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The secret of one game: 32 bytes, published when the game has ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Seed([u8; 32]);

impl Seed {
    /// Wraps 32 secret bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Reads 64 lowercase hexadecimal digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        crate::text::decode_hex(text).map(Self)
    }

    /// The seed as 64 lowercase hexadecimal digits: the reveal. The name makes a leak stand out in review.
    #[must_use]
    pub fn reveal(&self) -> String {
        crate::text::encode_hex(&self.0)
    }

    /// The commitment to the seed, published before the game: sha256 of `svc.seed.v1:` + game + `:` + seed hex.
    #[must_use]
    pub fn commitment(&self, game: &GameId) -> Digest {
        Digest::of(format!("svc.seed.v1:{game}:{}", self.reveal()).as_bytes())
    }
}

impl fmt::Debug for Seed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Seed(secret)")
    }
}

impl Serialize for Seed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.serialize_str(&self.reveal())
        } else {
            self.0.serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for Seed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            return <[u8; 32]>::deserialize(deserializer).map(Self);
        }
        deserialize_text(deserializer, Self::parse, "not 64 lowercase hexadecimal digits")
    }
}

/// One hash taken for a roll, as the replay lists it: `value` is `None` where `x` was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RollHash {
    /// Position among the hashes of this turn, from 0.
    pub counter: u32,
    /// The roll is below this.
    pub n: u64,
    /// The first eight bytes of the hash, big endian.
    #[serde(with = "x_hex")]
    pub x: u64,
    /// The value rolled, below `n`; `None` if `x` was rejected.
    pub value: Option<u64>,
}

/// Writes `x` as 16 hexadecimal digits, as the replay does.
mod x_hex {
    use super::{Deserializer, Serializer, deserialize_text, format};

    pub(super) fn serialize<S: Serializer>(x: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&format!("{x:016x}"))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        let read = |text: &str| u64::from_str_radix(text, 16).ok();
        deserialize_text(deserializer, read, "not 16 hexadecimal digits")
    }
}

/// The rolls of one turn. The counter rises by one with each hash taken.
#[derive(Clone, Debug)]
pub struct Rolls<'a> {
    game: GameId,
    turn_index: u32,
    seed: &'a Seed,
    /// Randomness of the verified beacon round as lowercase hexadecimal; empty without one.
    randomness: &'a str,
    /// The counter of the first hash.
    first: u32,
    taken: Vec<RollHash>,
}

impl<'a> Rolls<'a> {
    /// Begins the rolls of a turn. `randomness` is the beacon's as lowercase hexadecimal, empty for a beacon that
    /// is off or was missed.
    #[must_use]
    pub const fn new(game: GameId, turn_index: u32, seed: &'a Seed, randomness: &'a str) -> Self {
        Self { game, turn_index, seed, randomness, first: 0, taken: Vec::new() }
    }

    /// The same where `taken` hashes of the turn have been taken before.
    #[must_use]
    pub fn after(self, taken: u32) -> Self {
        Self { first: taken, ..self }
    }

    /// Rolls a number below `n`, also for `n` = 1; zero if `n` is zero, without taking a hash.
    pub fn below(&mut self, n: u64) -> u64 {
        if n == 0 {
            return 0;
        }
        let taken = u32::try_from(self.taken.len()).unwrap_or(u32::MAX);
        let counters = self.first.saturating_add(taken)..=u32::MAX;
        for counter in counters {
            let x = roll_x(&self.game, self.turn_index, counter, self.seed, self.randomness);
            let value = value_below(x, n);
            self.taken.push(RollHash { counter, n, x, value });
            if let Some(value) = value {
                return value;
            }
        }
        0
    }

    /// Every hash taken so far, in order.
    #[must_use]
    pub fn taken(self) -> Vec<RollHash> {
        self.taken
    }
}

/// The number that a roll starts from: the first eight bytes, big endian, of its hash.
#[must_use]
pub fn roll_x(game: &GameId, turn_index: u32, counter: u32, seed: &Seed, randomness: &str) -> u64 {
    let message = format!("svc.random.v1:{game}:{turn_index}:{counter}:{}:{randomness}", seed.reveal());
    let digest = Digest::of(message.as_bytes());
    digest.as_bytes().iter().take(8).fold(0, |x, byte| (x << 8) | u64::from(*byte))
}

/// `x` modulo `n`, or `None` where `x` lies in the incomplete multiple of `n` at the end of the range.
#[must_use]
pub fn value_below(x: u64, n: u64) -> Option<u64> {
    // 2^64 itself needs more than 64 bits.
    let limit = ((1_u128 << 64) / u128::from(n)) * u128::from(n);
    (u128::from(x) < limit).then(|| x % n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use proptest::prelude::*;

    fn seed_one() -> Seed {
        let mut bytes = [0; 32];
        bytes[31] = 1;
        Seed::from_bytes(bytes)
    }

    #[test]
    fn the_published_vectors_hold() {
        let (game, seed) = (GameId::from_bytes([0; 16]), seed_one());
        assert_eq!(
            seed.commitment(&game).to_hex(),
            "957e5e97dceb27a4c0346e68c15bdfe718b72ddef8c8a9256cc66378d2f27c26"
        );
        assert_eq!(roll_x(&game, 0, 0, &seed, ""), 0xa223_e0b7_0adb_fcd1);
        let mut rolls = Rolls::new(game, 0, &seed, "");
        assert_eq!(rolls.below(20), 9);
        assert_eq!(
            rolls.taken(),
            vec![RollHash { counter: 0, n: 20, x: roll_x(&game, 0, 0, &seed, ""), value: Some(9) }]
        );
    }

    #[test]
    fn an_x_in_the_incomplete_multiple_is_rejected() {
        let half = 1_u64 << 63;
        assert_eq!(value_below(half, half + 1), Some(half));
        assert_eq!(value_below(half + 1, half + 1), None);
        assert_eq!(value_below(u64::MAX, half + 1), None);
        assert_eq!(value_below(u64::MAX, half), Some(half - 1), "powers of two reject nothing");
        assert_eq!(
            value_below(u64::MAX, 3),
            None,
            "2^64 - 1 is a multiple of three, so its last value is cut off"
        );
        assert_eq!(value_below(u64::MAX, 1), Some(0));
    }

    #[test]
    fn rejected_hashes_are_listed_and_move_the_counter() {
        let (game, seed) = (GameId::from_bytes([0; 16]), seed_one());
        let n = (1_u64 << 63) + 1;
        let mut rolls = Rolls::new(game, 3, &seed, "");
        for _ in 0..20 {
            assert!(rolls.below(n) < n);
        }
        let taken = rolls.taken();
        assert!(taken.len() > 20, "half of all hashes are rejected at this n");
        assert_eq!(taken.iter().filter(|roll| roll.value.is_some()).count(), 20);
        for (place, roll) in taken.iter().enumerate() {
            assert_eq!(usize::try_from(roll.counter).unwrap(), place);
        }
    }

    #[test]
    fn seeds_and_rolls_read_back_from_json_as_they_were_written() {
        let json = serde_json::to_string(&seed_one()).unwrap();
        assert!(serde_json::from_str::<Seed>(&json).unwrap() == seed_one());
        assert!(Seed::parse(&seed_one().reveal()) == Some(seed_one()));
        assert!(serde_json::from_str::<Seed>(&json.replace('1', "g")).is_err());

        let roll = RollHash { counter: 3, n: 20, x: 0x0bad_cafe, value: Some(2) };
        let json = r#"{"counter":3,"n":20,"x":"000000000badcafe","value":2}"#;
        assert_eq!(serde_json::to_string(&roll).unwrap(), json);
        assert_eq!(serde_json::from_str::<RollHash>(json).unwrap(), roll);
        assert!(serde_json::from_str::<RollHash>(&json.replace("cafe", "coffee")).is_err());
    }

    #[test]
    fn a_seed_never_shows_itself_in_debug_output() {
        assert_eq!(format!("{:?}", seed_one()), "Seed(secret)");
    }

    proptest! {
        #[test]
        fn every_roll_is_below_its_bound(seed in any::<[u8; 32]>(), turn in any::<u32>(), n in 1_u64..) {
            let seed = Seed::from_bytes(seed);
            prop_assert!(Rolls::new(GameId::from_bytes([5; 16]), turn, &seed, "").below(n) < n);
        }
    }
}
