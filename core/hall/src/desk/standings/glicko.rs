//! Glicko-2, as Mark Glickman describes it, between integers.
//!
//! This is the only place in the core with floating point. Its results are rounded to integers before they enter
//! a fact, and every operation used is either exact in IEEE 754 or computed by `libm` in software, so that every
//! machine gets the same bits.
#![expect(clippy::float_arithmetic, reason = "the rating formulas are defined over real numbers")]

use libm::{exp, fabs, log, round, sqrt};

/// How freely volatility changes (tau).
const TAU: f64 = 0.5;
/// The tolerance at which the iteration for the volatility stops.
const TOLERANCE: f64 = 1e-6;
/// Steps after which it stops in any case; it needs about ten.
const MAX_STEPS: u32 = 1_000;
/// Rating points in one unit of the internal scale.
const SCALE: f64 = 173.7178;
const PI: f64 = core::f64::consts::PI;

/// A player's Glicko-2 state, in the units in which it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Strength {
    /// In 1/100 of a point.
    pub(super) rating: i32,
    /// Rating deviation, in 1/100 of a point.
    pub(super) rd: u32,
    /// In 1e-9.
    pub(super) volatility: u32,
}

/// A player after one rating period: each game is the opponent before it and the score in half points. What they tell
/// together is divided by `weight`: the opponents at one table weigh as one game.
pub(super) fn after_period(player: Strength, games: &[(Strength, u8)], weight: u8) -> Strength {
    let mu = mu_of(player);
    let phi = phi_of(player);
    let (mut information, mut surprise) = (0.0, 0.0);
    for (opponent, half_points) in games {
        let g = 1.0 / sqrt(1.0 + 3.0 * squared(phi_of(*opponent)) / (PI * PI));
        let expected = 1.0 / (1.0 + exp(-g * (mu - mu_of(*opponent))));
        information += g * g * expected * (1.0 - expected);
        surprise += g * (f64::from(*half_points) / 2.0 - expected);
    }
    let weight = f64::from(weight.max(1));
    let (information, surprise) = (information / weight, surprise / weight);
    // Between ratings so far apart that the outcome is certain, a game changes nothing.
    let variance = 1.0 / information.max(f64::MIN_POSITIVE);
    let delta = variance * surprise;
    let sigma = new_volatility(f64::from(player.volatility) / 1e9, delta, phi, variance);
    let before = squared(phi) + squared(sigma);
    let new_phi = 1.0 / sqrt(1.0 / before + 1.0 / variance);
    let new_mu = mu + squared(new_phi) * surprise;
    Strength {
        rating: fixed(new_mu * SCALE + 1_500.0, 100.0),
        rd: fixed(new_phi * SCALE, 100.0).max(1).unsigned_abs(),
        volatility: fixed(sigma, 1e9).max(1).unsigned_abs(),
    }
}

fn mu_of(player: Strength) -> f64 {
    (f64::from(player.rating) / 100.0 - 1_500.0) / SCALE
}

fn phi_of(player: Strength) -> f64 {
    f64::from(player.rd) / 100.0 / SCALE
}

fn squared(x: f64) -> f64 {
    x * x
}

/// Step 5 of the description: the root of f, found with the Illinois variant of regula falsi.
fn new_volatility(sigma: f64, delta: f64, phi: f64, variance: f64) -> f64 {
    let a = log(squared(sigma));
    let f = |x: f64| {
        let spread = squared(phi) + variance + exp(x);
        exp(x) * (squared(delta) - spread) / (2.0 * squared(spread)) - (x - a) / squared(TAU)
    };
    let (mut low, mut high) = (a, far_end(a, squared(delta) - squared(phi) - variance, f));
    let (mut f_low, mut f_high) = (f(low), f(high));
    for _ in 0..MAX_STEPS {
        if fabs(high - low) <= TOLERANCE {
            break;
        }
        let middle = low + (low - high) * f_low / (f_high - f_low);
        let f_middle = f(middle);
        if are_apart(f_middle, f_high) {
            (low, f_low) = (high, f_high);
        } else {
            f_low /= 2.0;
        }
        (high, f_high) = (middle, f_middle);
    }
    exp(low / 2.0)
}

/// Whether two values have different signs, or one of them is zero.
fn are_apart(one: f64, other: f64) -> bool {
    one * other <= 0.0
}

/// The other end of the bracket for the root: the surprise, if there was one, or else the first suitable step down
/// from `a`.
fn far_end(a: f64, surprise: f64, f: impl Fn(f64) -> f64) -> f64 {
    if surprise > 0.0 {
        return log(surprise);
    }
    (1..MAX_STEPS).map(|k| a - f64::from(k) * TAU).find(|x| f(*x) >= 0.0).unwrap_or(a)
}

/// `x` in units of 1/`unit`, half away from zero.
#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    reason = "the one way from a float to an integer; it saturates"
)]
fn fixed(x: f64, unit: f64) -> i32 {
    round(x * unit) as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use skillratings::Outcomes;
    use skillratings::glicko2::{Glicko2Config, Glicko2Rating, glicko2};

    #[test]
    fn the_published_example_gives_the_published_result() {
        let player = strength(1_500, 200);
        let games = [(strength(1_400, 30), 2), (strength(1_550, 100), 0), (strength(1_700, 300), 0)];
        let after = after_period(player, &games, 1);
        // Published: rating 1464.06, deviation 151.52, volatility 0.05999; worked out there with rounded steps.
        assert!((after.rating - 146_406).abs() <= 1, "{after:?}");
        assert_eq!((after.rd, after.volatility / 10_000), (15_152, 5_999));
    }

    #[test]
    fn every_machine_computes_exactly_these_integers() {
        for ((rating, rd, volatility), opponent, score, expected) in KNOWN {
            let player = Strength { rating: *rating, rd: *rd, volatility: *volatility };
            let opponent = Strength { rating: opponent.0, rd: opponent.1, volatility: 60_000_000 };
            let after = after_period(player, &[(opponent, *score)], 1);
            assert_eq!((after.rating, after.rd, after.volatility), *expected);
        }
    }

    #[test]
    fn ratings_very_far_apart_stay_finite() {
        let (giant, dwarf) = (strength(20_000, 30), strength(-20_000, 30));
        for half_points in [0, 1, 2] {
            let after = after_period(giant, &[(dwarf, half_points)], 1);
            assert!((-2_100_000..=2_100_000).contains(&after.rating), "{after:?}");
            assert!(after.rd > 0 && after.volatility > 0, "{after:?}");
        }
    }

    #[test]
    fn equal_opponents_at_one_table_weigh_as_one_game() {
        let (player, opponent) = (strength(1_500, 200), strength(1_620, 90));
        for half_points in [0, 1, 2] {
            let alone = after_period(player, &[(opponent, half_points)], 1);
            for others in 2..=5_u8 {
                let games = [(opponent, half_points); 5];
                let games = games.get(..usize::from(others)).unwrap();
                let together = after_period(player, games, others);
                assert!((together.rating - alone.rating).abs() <= 1, "{together:?} {alone:?}");
                assert!(together.rd.abs_diff(alone.rd) <= 1, "{together:?} {alone:?}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn an_independent_implementation_agrees_within_a_hundredth(
            one in any_strength(), two in any_strength(), half_points in 0_u8..=2,
        ) {
            let outcome = [Outcomes::LOSS, Outcomes::DRAW, Outcomes::WIN][usize::from(half_points)];
            let config = Glicko2Config { tau: TAU, convergence_tolerance: TOLERANCE };
            let (expected_one, expected_two) = glicko2(&oracle(one), &oracle(two), &outcome, &config);
            let after = [
                (after_period(one, &[(two, half_points)], 1), expected_one),
                (after_period(two, &[(one, 2 - half_points)], 1), expected_two),
            ];
            for (ours, theirs) in after {
                prop_assert!((f64::from(ours.rating) / 100.0 - theirs.rating).abs() <= 0.01);
                prop_assert!((f64::from(ours.rd) / 100.0 - theirs.deviation).abs() <= 0.01);
                prop_assert!((f64::from(ours.volatility) / 1e9 - theirs.volatility).abs() <= 1e-6);
            }
        }
    }

    fn any_strength() -> impl Strategy<Value = Strength> {
        (0..400_000_i32, 2_000..35_000_u32, 10_000_000..200_000_000_u32)
            .prop_map(|(rating, rd, volatility)| Strength { rating, rd, volatility })
    }

    fn strength(rating: i32, rd: u32) -> Strength {
        Strength { rating: rating * 100, rd: rd * 100, volatility: 60_000_000 }
    }

    fn oracle(strength: Strength) -> Glicko2Rating {
        Glicko2Rating {
            rating: f64::from(strength.rating) / 100.0,
            deviation: f64::from(strength.rd) / 100.0,
            volatility: f64::from(strength.volatility) / 1e9,
        }
    }

    type Triple = (i32, u32, u32);
    const KNOWN: &[(Triple, (i32, u32), u8, Triple)] = &[
        ((150_000, 35_000, 60_000_000), (150_000, 35_000), 2, (166_231, 29_032, 59_999_675)),
        ((150_000, 35_000, 60_000_000), (150_000, 35_000), 1, (150_000, 29_032, 59_998_961)),
        ((150_000, 35_000, 60_000_000), (150_000, 35_000), 0, (133_769, 29_032, 59_999_675)),
        ((212_345, 4_567, 58_123_456), (187_654, 12_345), 0, (211_429, 4_653, 58_128_208)),
        ((98_700, 21_000, 123_456_789), (301_234, 6_000), 2, (123_898, 21_109, 123_570_533)),
        ((-12_300, 9_999, 60_000_000), (45_600, 35_000), 1, (-10_752, 9_988, 60_000_433)),
    ];
}
