//! The settings of both halls.

use hall_core::{BeaconChain, HallSettings, Timing, Word};
use hall_games::sealed_bids::SEALED_BIDS;
use hall_games::{CHESS, Catalog, GOOFSPIEL, Game, LEDUC_POKER, LIARS_DICE};
use hall_wire::{Digest, Span, Timestamp};

/// When the halls begin.
pub(crate) const BEGIN: Timestamp = Timestamp::from_millis(1_795_211_400_000);
/// All games that are played.
pub(crate) const CATALOG: Catalog = Catalog::new(GAMES);
/// Time for a move of chess and for a bid.
pub(crate) const MOVE_TIME: Span = Span::from_secs(60);

const GAMES: &[&dyn Game] = &[&CHESS, &SEALED_BIDS, &GOOFSPIEL, &LEDUC_POKER, &LIARS_DICE];

/// Settings with a beacon or without.
pub(crate) fn settings(beacon: bool) -> HallSettings {
    let timing = |side_time| Timing { move_time: MOVE_TIME, side_time };
    let word = |text| Word::parse(text).unwrap();
    let chain = BeaconChain { chain_hash: chain_hash(), genesis: BEGIN, period: Span::from_secs(3) };
    HallSettings {
        joins_per_day: 0,
        concurrent_games: 0,
        feedback_per_day: 1,
        timing: [(word("chess"), timing(Some(Span::from_secs(2_400)))), (word("sealed_bids"), timing(None))]
            .into(),
        beacon: beacon.then_some(chain),
        ..HallSettings::default()
    }
}

/// The beacon's chain.
pub(crate) fn chain_hash() -> Digest {
    Digest::of(b"chain")
}
