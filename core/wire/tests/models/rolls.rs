//! Rolls from a seed, against the written formula in 128 bits: `x` counts if it is below floor(2^64 / n) * n.

use crate::{holds, same};
use hall_wire::GameId;
use hall_wire::roll::{RollHash, Rolls, Seed, roll_x, value_below};
use proptest::prelude::*;

const HALF: u64 = 1 << 63;

/// A bound and a number, both often at an edge of their range.
fn edges() -> impl Strategy<Value = (u64, u64)> {
    let bound = prop_oneof![
        1_u64..=3,
        1_u64..=218,
        1_u64..,
        HALF..=HALF + 1,
        (u64::MAX - (1 << 20))..=u64::MAX,
        u64::MAX - 1..=u64::MAX,
    ];
    (bound, 0_usize..7, any::<u64>()).prop_map(|(n, which, any)| {
        let last = u64::try_from(limit(n) - 1).unwrap_or(u64::MAX);
        (n, [0, n - 1, n, last, last.saturating_add(1), u64::MAX, any][which])
    })
}

fn compare((n, x): (u64, u64), value_below: impl Fn(u64, u64) -> Option<u64>) -> Result<(), TestCaseError> {
    same((n, x), value(x, n), value_below(x, n))
}

fn limit(n: u64) -> u128 {
    (1_u128 << 64) / u128::from(n) * u128::from(n)
}

fn value(x: u64, n: u64) -> Option<u64> {
    (u128::from(x) < limit(n)).then(|| x % n)
}

proptest! {
    #[test]
    fn an_x_counts_below_the_last_multiple_of_the_bound(case in edges()) {
        compare(case, value_below)?;
    }

    /// A bound of 0 takes no hash, and what is rejected is listed and counted.
    #[test]
    fn consecutive_draws_match_the_formula(
        game in any::<[u8; 16]>(),
        seed in any::<[u8; 32]>(),
        turn in 0_u32..500,
        small in 1_u64..=218,
        any in 1_u64..,
    ) {
        let (game, seed) = (GameId::from_bytes(game), Seed::from_bytes(seed));
        let mut rolls = Rolls::new(game, turn, &seed, "");
        let (mut expected, mut counter): (Vec<RollHash>, u32) = (Vec::new(), 0);
        for n in [small, 0, 1, HALF + 1, any, HALF + 1] {
            let drawn = loop {
                if n == 0 {
                    break 0;
                }
                let x = roll_x(&game, turn, counter, &seed, "");
                expected.push(RollHash { counter, n, x, value: value(x, n) });
                counter += 1;
                if let Some(value) = value(x, n) {
                    break value;
                }
            };
            prop_assert_eq!(rolls.below(n), drawn);
        }
        prop_assert_eq!(rolls.taken(), expected);
    }
}

#[test]
fn a_draw_that_accepts_values_beyond_the_last_multiple_is_noticed() {
    assert!(!holds(100, edges(), |case| compare(case, |x, n| Some(x % n))));
    // Without the 128 bits: 2^64 is taken for 2^64 - 1.
    assert!(!holds(100, edges(), |case| compare(case, |x, n| (x < u64::MAX / n * n).then(|| x % n))));
}
