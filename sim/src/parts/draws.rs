//! Draws from a seed, against the written formula in 128 bits: `x` counts if it is below floor(2^64 / n) * n.

use super::Comparison;
use crate::dice::Dice;
use hall_wire::GameId;
use hall_wire::draw::{Draw, Draws, Seed, draw_x};

/// Draws at the edges of the range, and a few in a row.
pub(super) fn compare(dice: &mut Dice, out: &mut Comparison, value_below: impl Fn(u64, u64) -> Option<u64>) {
    let small = dice.between(1, 218);
    let big = u64::MAX - dice.below(1 << 20);
    let any = dice.below(u64::MAX).max(1);
    for n in [1, 2, 3, small, any, 1 << 63, (1 << 63) + 1, big, u64::MAX - 1, u64::MAX] {
        let limit = limit(n);
        let last = u64::try_from(limit - 1).unwrap_or(u64::MAX);
        for x in [0, n - 1, n, last, last.saturating_add(1), u64::MAX, dice.below(u64::MAX)] {
            out.same("draw", || format!("x = {x}, n = {n}"), value(x, n), value_below(x, n));
        }
    }
    let (game, seed) = (GameId::from_bytes(dice.bytes()), Seed::from_bytes(dice.bytes()));
    let turn = u32::try_from(dice.below(500)).unwrap_or(0);
    let mut draws = Draws::new(game, turn, &seed, "");
    let (mut expected, mut counter): (Vec<Draw>, u32) = (Vec::new(), 0);
    for n in [small, 0, 1, (1 << 63) + 1, any, (1 << 63) + 1] {
        let drawn = loop {
            if n == 0 {
                break 0;
            }
            let x = draw_x(&game, turn, counter, &seed, "");
            let value = value(x, n);
            expected.push(Draw { counter, n, x, value });
            counter += 1;
            if let Some(value) = value {
                break value;
            }
        };
        out.same("draw: next", || format!("n = {n} at {counter}"), drawn, draws.below(n));
    }
    out.same("draw: taken", || format!("{} {turn} of {game}", seed.reveal()), expected, draws.taken());
}

fn limit(n: u64) -> u128 {
    (1_u128 << 64) / u128::from(n) * u128::from(n)
}

fn value(x: u64, n: u64) -> Option<u64> {
    (u128::from(x) < limit(n)).then(|| x % n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_wire::draw;

    #[test]
    fn a_draw_that_takes_what_lies_beyond_the_last_multiple_differs() {
        let differences = |value_below: fn(u64, u64) -> Option<u64>| {
            let mut out = Comparison::default();
            compare(&mut Dice::of(1, "draws", 0), &mut out, value_below);
            out.differences.len()
        };
        assert_eq!(differences(draw::value_below), 0);
        assert_ne!(differences(|x, n| Some(x % n)), 0);
        // Without the 128 bits: 2^64 is taken for 2^64 - 1.
        assert_ne!(differences(|x, n| (x < u64::MAX / n * n).then(|| x % n)), 0);
    }
}
