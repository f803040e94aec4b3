//! Public rounds of drand chains, as their relays show them.

use crate::beacon::{DrandChain, RoundId};
use hall_verify::replay::quicknet::{GENESIS_SECONDS, PERIOD_SECONDS};
use hall_wire::{Digest, Span, Timestamp};

pub use hall_verify::replay::quicknet::{HASH, PUBLIC_KEY};

/// When quicknet's round 1 was due, in Unix milliseconds.
pub const GENESIS_MILLIS: i64 = GENESIS_SECONDS * 1_000;

/// Recorded rounds of quicknet, ascending: number, signature, randomness.
pub const ROUNDS: [(u64, &str, &str); 6] = [
    (
        42,
        "95a9f9f5b231b7714de1553105d8ffdf3dcda24cfdb1e689319bccf79a9c8ce430a91b811fbfaf763900bc998b5d686a",
        "8ada64bae5c6c0f5540a6a13af56e663240edfbd2c76ac6a8f27671eb7259ce3",
    ),
    (
        123,
        "b75c69d0b72a5d906e854e808ba7e2accb1542ac355ae486d591aa9d43765482e26cd02df835d3546d23c4b13e0dfc92",
        "fb8f7bc29bf24db51871ec8c79f3a1e4bd0557bc0dfcee9ed1d924e69d1c60dc",
    ),
    (
        1000,
        "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39",
        "fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd",
    ),
    (
        1001,
        "b33bf3667cbd5a82de3a24b4e0e9fe5513cc1a0e840368c6e31f5fcfa79bea03f73896b25883abf2853d10337fb8fa41",
        "b0a591ad1b9002cfc372ac6e30abd3da8d3088d4caae026961743474fb94235f",
    ),
    (
        1002,
        "ab066f9c12dd6de1336fca0f925192fb0c72a771c3e4c82ede1fd362c1a770f9eb05843c6308ce2530b53a99c0281a6e",
        "339d3f0e702ed27d36966c6ee85a2bc762a24e178e7e5c835d9b5a7509cb920c",
    ),
    (
        1003,
        "b104c82771698f45fd8dcfead083d482694c31ab519bcef077f126f3736fe98c8392fd5d45d88aeb76b56ccfcb0296d7",
        "758f0c906d8c5296a032a66f0d96c6e0eeea4291e8fc9830bbfb19a2ba8610a9",
    ),
];

/// Round 1 of fastnet, another chain with signatures of the same form.
pub const FASTNET_1: &str =
    "9544ddce2fdbe8688d6f5b4f98eed5d63eee3902e7e162050ac0f45905a55657714880adabe3c3096b92767d886567d0";

/// Round 72785 of drand's first chain, whose rounds are chained and whose signatures are in G2.
pub const CHAINED_72785: &str = concat!(
    "82f5d3d2de4db19d40a6980e8aa37842a0e55d1df06bd68bddc8d60002e8e959eb9cfa368b3c1b77d18f02a54fe047b8",
    "0f0989315f83b12a74fd8679c4f12aae86eaf6ab5690b34f1fddd50ee3cc6f6cdf59e95526d5a5d82aaa84fa6f181e42"
);

/// Four of them in a row, with their signatures.
pub const IN_A_ROW: [(u64, &str); 4] = [
    (ROUNDS[2].0, ROUNDS[2].1),
    (ROUNDS[3].0, ROUNDS[3].1),
    (ROUNDS[4].0, ROUNDS[4].1),
    (ROUNDS[5].0, ROUNDS[5].1),
];

/// Quicknet with its real times.
#[must_use]
pub fn quicknet() -> DrandChain {
    quicknet_from(Timestamp::from_millis(GENESIS_MILLIS))
}

/// Quicknet with another time for its first round: its signatures cover no times.
#[must_use]
pub fn quicknet_from(genesis: Timestamp) -> DrandChain {
    DrandChain::new(
        Digest::parse(HASH).expect("a digest"),
        PUBLIC_KEY,
        genesis,
        Span::from_secs(PERIOD_SECONDS.unsigned_abs()),
    )
    .expect("quicknet's key")
}

/// The id of a round of quicknet.
#[must_use]
pub fn id(round: u64) -> RoundId {
    quicknet().round(round)
}

/// The signature of a recorded round.
#[must_use]
pub fn signature(round: u64) -> &'static str {
    recorded(round).1
}

/// The randomness of a recorded round.
#[must_use]
pub fn randomness(round: u64) -> Digest {
    Digest::parse(recorded(round).2).expect("recorded as a digest")
}

/// A relay's answer for a recorded round.
#[must_use]
pub fn body(round: u64) -> String {
    answer(round, signature(round))
}

/// A relay's answer with any signature; clients compute the randomness themselves.
#[must_use]
pub fn answer(round: u64, signature: &str) -> String {
    format!(r#"{{"round":{round},"randomness":"{}","signature":"{signature}"}}"#, "00".repeat(32))
}

fn recorded(round: u64) -> (u64, &'static str, &'static str) {
    ROUNDS.into_iter().find(|(number, ..)| *number == round).expect("a recorded round")
}
