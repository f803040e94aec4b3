//! Percentiles, medians and spreads.

use hall_tests::{Value, json};
use std::time::Duration;

/// Latencies of many requests.
#[derive(Clone, Debug, Default)]
pub(crate) struct Latencies(Vec<u32>);

impl Latencies {
    /// Adds one latency.
    pub(crate) fn add(&mut self, latency: Duration) {
        self.0.push(u32::try_from(latency.as_micros()).unwrap_or(u32::MAX));
    }

    /// Adds the latencies of another part of the load.
    pub(crate) fn merge(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// The usual percentiles in microseconds.
    pub(crate) fn summary(mut self) -> Value {
        self.0.sort_unstable();
        let at = |part: f64| {
            let place = (self.0.len().saturating_sub(1)) as f64 * part;
            self.0.get(place.round() as usize).copied().unwrap_or(0)
        };
        json!({ "count": self.0.len(), "p50": at(0.5), "p99": at(0.99), "p999": at(0.999), "max": at(1.0) })
    }
}

/// The median of some figures.
pub(crate) fn median(figures: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = figures.collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// Median, least and most of a figure that every round has.
pub(crate) fn spread(rounds: &[Value], name: &str) -> Value {
    let of_rounds: Vec<f64> = rounds.iter().map(|round| round[name].as_f64().unwrap()).collect();
    let least = of_rounds.iter().copied().fold(f64::INFINITY, f64::min);
    let most = of_rounds.iter().copied().fold(0.0, f64::max);
    json!({ "median": rounded(median(of_rounds.into_iter())), "least": rounded(least), "most": rounded(most) })
}

/// One figure divided by another, with two decimals.
pub(crate) fn ratio(figure: f64, limit: f64) -> f64 {
    (figure / limit * 100.0).round() / 100.0
}

/// A figure with one decimal.
pub(crate) fn rounded(figure: f64) -> f64 {
    (figure * 10.0).round() / 10.0
}
