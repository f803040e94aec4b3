//! The beacon of a world: a chain whose rounds are public ones that were recorded, at times that suit the world.
//!
//! A signature of drand covers the number of a round and no time. So the world says when round 1 of quicknet was due,
//! and the real client verifies real signatures. There are four rounds in a row; with as much time between them as here
//! they last for most of a world. After them the beacon has stopped, as a real one may.

use hall_core::BeaconChain;
use hall_outbound::beacon::{DrandChain, RelayError, RoundReport};
use hall_outbound::fixtures::quicknet;
use hall_wire::{Digest, GameId, Span, Timestamp};

/// A signature of another chain, in the same form.
pub(super) use hall_outbound::fixtures::quicknet::FASTNET_1 as OF_OTHER_CHAIN;
/// Recorded rounds with their signatures, ascending.
pub(super) use hall_outbound::fixtures::quicknet::IN_A_ROW as ROUNDS;

/// When the first recorded round is due after the world has begun.
const FIRST: Span = Span::from_secs(15);
/// How long after it is due a game gets its round at most, with nothing broken.
const IN_TIME: Span = Span::from_secs(4);
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
    BeaconChain { chain_hash: Digest::parse(quicknet::HASH).expect("a hash"), genesis, period: PERIOD }
}

/// The same as the hall's client pins it.
///
/// # Panics
/// Never: the key is quicknet's.
pub(super) fn chain(terms: &BeaconChain) -> DrandChain {
    DrandChain::new(terms.chain_hash, quicknet::PUBLIC_KEY, terms.genesis, terms.period)
        .expect("quicknet's key")
}

/// The signature of a recorded round.
pub(super) fn signature(round: u64) -> Option<&'static str> {
    ROUNDS.iter().find(|(number, _)| *number == round).map(|(_, signature)| *signature)
}

/// Games that got their rounds long after they were due, though nothing was broken. `settled` has games, their rounds,
/// and when they got these.
pub(super) fn late(terms: &BeaconChain, settled: &[(GameId, u64, Timestamp)]) -> Vec<String> {
    let chain = chain(terms);
    let late = settled.iter().filter(|(_, round, at)| *at > chain.due(*round) + IN_TIME);
    late.map(|(game, round, at)| format!("{game} got round {round} at {at}, due at {}", chain.due(*round)))
        .collect()
}

/// What the hall's client says, as names of marks.
pub(super) fn marks_of(report: &RoundReport) -> Vec<&'static str> {
    match report {
        RoundReport::Verified(_) => vec!["round verified"],
        RoundReport::Unknown(_) => vec!["round of an unknown chain"],
        RoundReport::Failed { error, .. } => error.relays.iter().map(|(_, error)| mark_of(error)).collect(),
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
    fn a_round_that_comes_more_than_four_seconds_late_is_reported() {
        let (begins, game) = (Timestamp::from_millis(1_795_212_000_000), GameId::from_bytes([1; 16]));
        let late = |after: u64| {
            let at = begins + FIRST + Span::from_millis(after);
            late(&terms(begins), &[(game, ROUNDS[0].0, at)]).len()
        };
        assert_eq!((late(4_000), late(4_001)), (0, 1));
    }

    #[test]
    fn only_the_recorded_rounds_of_the_chain_verify() {
        let chain = chain(&terms(Timestamp::from_millis(1_795_212_000_000)));
        for (round, signature) in ROUNDS {
            assert!(chain.verify(round, signature).is_ok());
        }
        assert!(chain.verify(1000, ROUNDS[1].1).is_err() && chain.verify(1000, OF_OTHER_CHAIN).is_err());
    }
}
