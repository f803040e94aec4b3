//! The beacon of a world: a chain whose rounds are public ones that were recorded, at times that suit the world.
//!
//! A signature of drand covers the number of a round and no time. So the world says when round 1 of quicknet was due,
//! and the real client verifies real signatures. There are four rounds in a row; with as much time between them as here
//! they last for most of a world. After them the beacon has stopped, as a real one may.

use hall_core::BeaconChain;
use hall_outbound::beacon::{Chain, RelayError, Report};
use hall_wire::{Digest, Span, Timestamp};

/// Quicknet's public key.
pub(super) const PUBLIC_KEY: &str = "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c\
    8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5\
    a6e9c76a4bc09e76eae8991ef5ece45a";
/// Rounds of quicknet with their signatures, ascending.
pub(super) const ROUNDS: [(u64, &str); 4] = [
    (
        1000,
        "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39",
    ),
    (
        1001,
        "b33bf3667cbd5a82de3a24b4e0e9fe5513cc1a0e840368c6e31f5fcfa79bea03f73896b25883abf2853d10337fb8fa41",
    ),
    (
        1002,
        "ab066f9c12dd6de1336fca0f925192fb0c72a771c3e4c82ede1fd362c1a770f9eb05843c6308ce2530b53a99c0281a6e",
    ),
    (
        1003,
        "b104c82771698f45fd8dcfead083d482694c31ab519bcef077f126f3736fe98c8392fd5d45d88aeb76b56ccfcb0296d7",
    ),
];
/// Round 1 of fastnet, another chain whose signatures have the same form.
pub(super) const OF_OTHER_CHAIN: &str =
    "9544ddce2fdbe8688d6f5b4f98eed5d63eee3902e7e162050ac0f45905a55657714880adabe3c3096b92767d886567d0";

/// The hash that names quicknet.
const CHAIN_HASH: &str = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971";
/// When the first recorded round is due after the world has begun.
const FIRST: Span = Span::from_secs(15);
/// Time between two rounds.
const PERIOD: Span = Span::from_secs(70);

/// Quicknet in a world that begins at this time.
///
/// # Panics
/// Never: the hash is well-formed.
pub(super) fn terms(begins: Timestamp) -> BeaconChain {
    let before = ROUNDS[0].0 - 1;
    let age = Span::from_millis(before * PERIOD.as_millis());
    let genesis = Timestamp::from_millis(
        begins.as_millis() + i64::try_from(FIRST.as_millis()).unwrap_or(0)
            - i64::try_from(age.as_millis()).unwrap_or(0),
    );
    BeaconChain { chain_hash: Digest::parse(CHAIN_HASH).expect("a hash"), genesis, period: PERIOD }
}

/// The same as the hall's client pins it.
///
/// # Panics
/// Never: the key is quicknet's.
pub(super) fn chain(terms: &BeaconChain) -> Chain {
    Chain::new(terms.chain_hash, PUBLIC_KEY, terms.genesis, terms.period).expect("quicknet's key")
}

/// The signature of a recorded round.
pub(super) fn signature(round: u64) -> Option<&'static str> {
    ROUNDS.iter().find(|(number, _)| *number == round).map(|(_, signature)| *signature)
}

/// What the hall's client says, as names of marks.
pub(super) fn marks_of(report: &Report) -> Vec<&'static str> {
    match report {
        Report::Verified(_) => vec!["round verified"],
        Report::Unknown(_) => vec!["round of an unknown chain"],
        Report::Failed { error, .. } => error.relays.iter().map(|(_, error)| mark_of(error)).collect(),
    }
}

fn mark_of(error: &RelayError) -> &'static str {
    match error {
        RelayError::Forged => "forged round refused",
        RelayError::WrongRound(_) => "wrong round refused",
        RelayError::OtherChain => "round of another chain refused",
        RelayError::Slow => "relay hung",
        RelayError::Status(404) => "round not there yet",
        RelayError::Status(_) | RelayError::Redirect(_) => "relay failed",
        RelayError::Unreachable(_) => "relay not reached",
        RelayError::Broken(_) => "relay broke off",
        RelayError::TooLarge | RelayError::Garbage(_) => "relay made no sense",
        RelayError::NotAsked => "relay not asked",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_recorded_rounds_of_the_chain_verify() {
        let chain = chain(&terms(Timestamp::from_millis(1_795_212_000_000)));
        for (round, signature) in ROUNDS {
            assert!(chain.verify(round, signature).is_ok());
        }
        assert!(chain.verify(1000, ROUNDS[1].1).is_err() && chain.verify(1000, OF_OTHER_CHAIN).is_err());
    }
}
