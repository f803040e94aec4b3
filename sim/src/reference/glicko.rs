//! Glicko-2 as Glickman's paper has it, in plain floating point (decision 10).
#![expect(clippy::float_arithmetic, reason = "this is the one place of the reference that computes ratings")]

use hall_core::desk::Rating;

/// Points of the old scale in one unit of the new.
const SCALE: f64 = 173.7178;
const TAU: f64 = 0.5;
const TOLERANCE: f64 = 0.000_001;
/// Values of the paper's function this small are rounding: libraries disagree on their sign.
const ROUNDING: f64 = 1e-13;

/// A rating on the paper's scale.
#[derive(Clone, Copy)]
struct Strength {
    mu: f64,
    phi: f64,
    sigma: f64,
}

impl Strength {
    fn of(rating: &Rating) -> Self {
        Self {
            mu: (f64::from(rating.rating) / 100.0 - 1500.0) / SCALE,
            phi: f64::from(rating.rd) / 100.0 / SCALE,
            sigma: f64::from(rating.volatility) / 1e9,
        }
    }
}

/// The rating after one game, which is one rating period: the others with the score against each in half points (`met`,
/// in seat order), and that of the whole game. `told` is what the hall says: of two neighbouring
/// integers it may choose where the exact value lies within a hundred-thousandth of the middle between them,
/// because the last bit of a logarithm differs from library to library, and where that bit decides at which of two
/// steps the search for the volatility ends, it may choose the step. Nothing else is tolerated.
pub(super) fn after(
    own: &Rating,
    met: &[(Rating, u8)],
    half_points: u8,
    strikes: u8,
    told: Option<&Rating>,
) -> Rating {
    let met: Vec<(Strength, f64)> =
        met.iter().map(|(other, score)| (Strength::of(other), f64::from(*score) / 2.0)).collect();
    let [next, also] = period(Strength::of(own), &met);
    let rating = rounded((next.mu * SCALE + 1500.0) * 100.0, told.map(|told| f64::from(told.rating)));
    let rd = rounded(next.phi * SCALE * 100.0, told.map(|told| f64::from(told.rd)));
    let [volatility, other_step] =
        [next, also].map(|next| rounded(next.sigma * 1e9, told.map(|told| f64::from(told.volatility))));
    let volatility = if told.is_some_and(|told| i64::from(told.volatility) == other_step) {
        other_step
    } else {
        volatility
    };
    Rating {
        rating: i32::try_from(rating).unwrap_or(i32::MAX),
        rd: u32::try_from(rd).unwrap_or(u32::MAX),
        volatility: u32::try_from(volatility).unwrap_or(u32::MAX),
        games_played: own.games_played + 1,
        wins: own.wins + u32::from(half_points == 2),
        draws: own.draws + u32::from(half_points == 1),
        losses: own.losses + u32::from(half_points == 0),
        strikes: own.strikes + u32::from(strikes),
    }
}

/// The nearest integer, half away from zero.
#[expect(clippy::as_conversions, clippy::cast_possible_truncation, reason = "the value is rounded and small")]
fn rounded(exact: f64, told: Option<f64>) -> i64 {
    told.filter(|told| (exact - told).abs() <= 0.500_01).unwrap_or(exact.round()) as i64
}

/// After one period; twice where rounding decides at which of two steps the search for the volatility ends. However many
/// it has met, the period weighs as one game: both sums are divided by their number.
fn period(own: Strength, met: &[(Strength, f64)]) -> [Strength; 2] {
    let mut sums = (0.0, 0.0);
    for (other, score) in met {
        let g = 1.0 / (1.0 + 3.0 * other.phi.powi(2) / std::f64::consts::PI.powi(2)).sqrt();
        let expected = 1.0 / (1.0 + (-g * (own.mu - other.mu)).exp());
        sums.0 += g.powi(2) * expected * (1.0 - expected);
        sums.1 += g * (score - expected);
    }
    let games = u32::try_from(met.len()).map_or(1.0, f64::from);
    let (variance, surprise) = (games / sums.0, sums.1 / games);
    let delta = variance * surprise;
    volatility(own, variance, delta).map(|sigma| {
        let widened = (own.phi.powi(2) + sigma.powi(2)).sqrt();
        let phi = 1.0 / (1.0 / widened.powi(2) + 1.0 / variance).sqrt();
        Strength { mu: own.mu + phi.powi(2) * surprise, phi, sigma }
    })
}

/// Step 5 of the paper: the Illinois algorithm. The second result is where it may end as well: the same but where a
/// step meets the root so well that nothing but rounding says on which side of it the step lies.
fn volatility(own: Strength, variance: f64, delta: f64) -> [f64; 2] {
    let start = own.sigma.powi(2).ln();
    let f = |x: f64| {
        let spread = own.phi.powi(2) + variance + x.exp();
        x.exp() * (delta.powi(2) - spread) / (2.0 * spread.powi(2)) - (x - start) / TAU.powi(2)
    };
    let mut a = start;
    let mut b = if delta.powi(2) > own.phi.powi(2) + variance {
        (delta.powi(2) - own.phi.powi(2) - variance).ln()
    } else {
        let mut k = 1.0;
        while f(start - k * TAU) < 0.0 {
            k += 1.0;
        }
        start - k * TAU
    };
    let (mut at_a, mut at_b) = (f(a), f(b));
    while (b - a).abs() > TOLERANCE {
        let c = a + (a - b) * at_a / (at_b - at_a);
        let at_c = f(c);
        if at_c.abs() < ROUNDING && (c - b).abs() <= TOLERANCE {
            return [(c / 2.0).exp(), (b / 2.0).exp()];
        }
        if at_c * at_b <= 0.0 {
            (a, at_a) = (b, at_b);
        } else {
            at_a /= 2.0;
        }
        (b, at_b) = (c, at_c);
    }
    [(a / 2.0).exp(); 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Found by swarm seed 711464: the last step meets the root to the last bit, and the step before it rounds to
    /// the integer below.
    #[test]
    fn both_neighbours_are_accepted_where_rounding_decides_the_last_step() {
        let own = strength(187_772, 9_927, 59_971_819);
        let other = strength(190_407, 11_512, 59_986_908);
        let judged = |volatility| {
            let told = strength(190_462, 9_638, volatility);
            after(&own, &[(other, 2)], 2, 0, Some(&told)).volatility
        };
        assert_eq!(judged(59_972_026), 59_972_026);
        assert_eq!(judged(59_972_027), 59_972_027);
        assert_ne!(judged(59_972_025), 59_972_025);
        assert_ne!(judged(59_972_028), 59_972_028);
    }

    #[test]
    fn only_one_integer_is_accepted_where_the_steps_are_clear() {
        let new = strength(150_000, 35_000, 60_000_000);
        for volatility in [59_999_674, 59_999_676] {
            let told = strength(166_231, 29_032, volatility);
            assert_eq!(after(&new, &[(new, 2)], 2, 0, Some(&told)).volatility, 59_999_675);
        }
    }

    fn strength(rating: i32, rd: u32, volatility: u32) -> Rating {
        Rating { rating, rd, volatility, games_played: 0, wins: 0, draws: 0, losses: 0, strikes: 0 }
    }
}
