//! The signatures that a chain accepts.

use hall_outbound::beacon::{ChainError, DrandChain, UnverifiedRound};
use hall_outbound::fixtures::quicknet::{
    CHAINED_72785, FASTNET_1, GENESIS_MILLIS, PUBLIC_KEY, ROUNDS, id, quicknet, signature,
};
use hall_wire::{Digest, Span, Timestamp};

#[test]
fn recorded_rounds_of_quicknet_verify_and_give_the_published_randomness() {
    for (round, signature, randomness) in ROUNDS {
        let verified = quicknet().verify(round, signature).unwrap();
        assert_eq!(verified.id(), id(round));
        assert_eq!(verified.signature(), signature);
        assert_eq!(verified.randomness().to_hex(), randomness);
    }
}

#[test]
fn a_signature_counts_for_its_own_round_and_chain_only() {
    for (round, signature) in [
        (43, signature(42)),
        (1000, signature(42)),
        (0, signature(42)),
        (u64::MAX, signature(42)),
        (1, FASTNET_1),
    ] {
        assert_eq!(quicknet().verify(round, signature), Err(UnverifiedRound::Forged), "{round}");
    }
}

#[test]
fn a_changed_bit_anywhere_makes_a_signature_worthless() {
    let bytes = hall_wire::text::decode_hex::<48>(signature(42)).unwrap();
    for (place, bit) in (0..48).flat_map(|place| [(place, 0x01), (place, 0x20), (place, 0x80)]) {
        let mut changed = bytes;
        changed[place] ^= bit;
        let changed = hall_wire::text::encode_hex(&changed);
        assert_eq!(
            quicknet().verify(42, &changed),
            Err(UnverifiedRound::Forged),
            "bit {bit:#x} of byte {place}"
        );
    }
}

#[test]
fn a_malformed_signature_is_distinguished_from_a_forged_one() {
    let right = signature(42);
    for wrong in
        ["", "00", &right[2..], &format!("{right}00"), &right.to_uppercase(), &right.replace('a', "x")]
    {
        assert_eq!(quicknet().verify(42, wrong), Err(UnverifiedRound::Text), "{wrong}");
    }
    assert_eq!(quicknet().verify(72_785, CHAINED_72785), Err(UnverifiedRound::OtherKind));
    let infinity = format!("c0{}", "00".repeat(47));
    assert_eq!(quicknet().verify(42, &infinity), Err(UnverifiedRound::Forged));
}

#[test]
fn unusable_keys_and_a_zero_period_are_refused() {
    let with = |key: &str, period| {
        DrandChain::new(Digest::default(), key, Timestamp::from_millis(0), Span::from_millis(period))
            .map(|_| ())
    };
    assert_eq!(with(PUBLIC_KEY, 1), Ok(()));
    assert_eq!(with(PUBLIC_KEY, 0), Err(ChainError::Period));
    assert_eq!(with(&format!("c0{}", "00".repeat(95)), 1), Err(ChainError::KeyInfinity));
    assert_eq!(with(&"00".repeat(96), 1), Err(ChainError::KeyPoint));
    assert_eq!(with(&PUBLIC_KEY.replace("83cf", "83ce"), 1), Err(ChainError::KeyPoint));
    for text in ["", &PUBLIC_KEY[2..], &PUBLIC_KEY.to_uppercase(), signature(42)] {
        assert_eq!(with(text, 1), Err(ChainError::KeyText), "{text}");
    }
}

#[test]
fn rounds_are_due_one_period_apart_starting_at_genesis() {
    let genesis = GENESIS_MILLIS;
    for (round, millis) in [(0, genesis), (1, genesis), (2, genesis + 3_000), (1000, 1_692_806_364_000)] {
        assert_eq!(quicknet().due(round), Timestamp::from_millis(millis), "round {round}");
    }
    assert!(quicknet().due(u64::MAX) > Timestamp::from_millis(i64::MAX / 2), "never, rather than a crash");
}
