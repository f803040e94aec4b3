//! Glicko-2 as Glickman's paper has it, in plain floating point (DECISIONS 10).
#![expect(clippy::float_arithmetic, reason = "this is the one place of the reference that computes ratings")]

use hall_core::desk::Rating;

/// Points of the old scale in one unit of the new.
const SCALE: f64 = 173.7178;
const TAU: f64 = 0.5;
const TOLERANCE: f64 = 0.000_001;

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

/// The rating after one game, which is one rating period. `told` is what the hall says: of two neighbouring
/// integers it may choose where the exact value lies within a hundred-thousandth of the middle between them,
/// because the last bit of a logarithm differs from library to library. Nothing else is tolerated.
pub(super) fn after(
    own: &Rating,
    other: &Rating,
    half_points: u8,
    strikes: u8,
    told: Option<&Rating>,
) -> Rating {
    let next = period(Strength::of(own), Strength::of(other), f64::from(half_points) / 2.0);
    let rating = rounded((next.mu * SCALE + 1500.0) * 100.0, told.map(|told| f64::from(told.rating)));
    let rd = rounded(next.phi * SCALE * 100.0, told.map(|told| f64::from(told.rd)));
    let volatility = rounded(next.sigma * 1e9, told.map(|told| f64::from(told.volatility)));
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

fn period(own: Strength, other: Strength, score: f64) -> Strength {
    let g = 1.0 / (1.0 + 3.0 * other.phi.powi(2) / std::f64::consts::PI.powi(2)).sqrt();
    let expected = 1.0 / (1.0 + (-g * (own.mu - other.mu)).exp());
    let variance = 1.0 / (g.powi(2) * expected * (1.0 - expected));
    let delta = variance * g * (score - expected);
    let sigma = volatility(own, variance, delta);
    let widened = (own.phi.powi(2) + sigma.powi(2)).sqrt();
    let phi = 1.0 / (1.0 / widened.powi(2) + 1.0 / variance).sqrt();
    Strength { mu: own.mu + phi.powi(2) * g * (score - expected), phi, sigma }
}

/// Step 5 of the paper: the Illinois algorithm.
fn volatility(own: Strength, variance: f64, delta: f64) -> f64 {
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
        if at_c * at_b <= 0.0 {
            (a, at_a) = (b, at_b);
        } else {
            at_a /= 2.0;
        }
        (b, at_b) = (c, at_c);
    }
    (a / 2.0).exp()
}
