//! Small plots as inline SVG: lines over games or turns, with a band of uncertainty, and bars.
//!
//! Colours come from the style sheet, so that they follow the theme. What a plot shows also stands in words beside it or in
//! its title, which a screen reader reads.

use core::fmt::Write as _;
use maud::{Markup, PreEscaped, html};

/// The size of a plot, in its own units.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 180.0;
/// Room for the numbers at the left, and below.
const LEFT: f64 = 74.0;
const BELOW: f64 = 22.0;
const MARGIN: f64 = 8.0;

/// A line of a plot.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    /// The class of its colour: `first` to `fourth`.
    pub(crate) class: &'static str,
    /// What it shows; `None` where there is one line only.
    pub(crate) label: Option<String>,
    /// Its values, from left to right, at these places.
    pub(crate) points: Vec<(f64, f64)>,
    /// How far up and down the truth may lie, for each point; empty where that is known.
    pub(crate) reach: Vec<f64>,
}

/// Where values lie in a plot.
struct Scale {
    x: (f64, f64),
    y: (f64, f64),
}

impl Scale {
    fn of(series: &[Series], from_zero: bool) -> Option<Self> {
        let all = || series.iter().flat_map(|series| series.points.iter());
        let reached = series.iter().flat_map(|series| {
            let reach = |index: usize| series.reach.get(index).copied().unwrap_or(0.0);
            series
                .points
                .iter()
                .enumerate()
                .flat_map(move |(index, (_, y))| [y - reach(index), y + reach(index)])
        });
        let bounds = |values: &mut dyn Iterator<Item = f64>| {
            values.fold(None, |found: Option<(f64, f64)>, value| {
                Some(found.map_or((value, value), |(low, high)| (low.min(value), high.max(value))))
            })
        };
        let x = bounds(&mut all().map(|(x, _)| *x))?;
        let (low, high) = bounds(&mut { reached })?;
        let y = if from_zero { (0.0, high.max(1e-9)) } else { (low, high) };
        Some(Self { x, y: rounded(y) })
    }

    fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let part =
            |value: f64, (low, high): (f64, f64)| if high > low { (value - low) / (high - low) } else { 0.5 };
        (
            LEFT + part(x, self.x) * (WIDTH - LEFT - MARGIN),
            HEIGHT - BELOW - part(y, self.y) * (HEIGHT - BELOW - MARGIN),
        )
    }
}

/// The next round numbers around a range.
fn rounded((low, high): (f64, f64)) -> (f64, f64) {
    let step = step_of(high - low);
    ((low / step).floor() * step, (high / step).ceil() * step)
}

/// A step of 1, 2 or 5 times a power of ten that divides a range into about four.
fn step_of(range: f64) -> f64 {
    let rough = (range / 4.0).max(1e-6);
    let power = 10_f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    steps.into_iter().find(|step| *step >= rough).unwrap_or(power * 10.0)
}

/// The numbers that stand at the left of a range.
fn ticks((low, high): (f64, f64)) -> Vec<f64> {
    let step = step_of(high - low);
    let mut ticks = Vec::new();
    let mut tick = low;
    while tick <= high + step / 1e3 && ticks.len() < 8 {
        ticks.push(tick);
        tick += step;
    }
    ticks
}

fn path(points: impl Iterator<Item = (f64, f64)>) -> String {
    points.fold(String::new(), |mut path, (x, y)| {
        let _ = write!(path, "{x:.1},{y:.1} ");
        path
    })
}

/// Lines over a common axis; nothing where there is no point. `value` writes a number at the left, `axis` says what the
/// places are.
pub(crate) fn lines(
    title: &str,
    axis: &str,
    series: &[Series],
    from_zero: bool,
    value: impl Fn(f64) -> String,
) -> Markup {
    let Some(scale) = Scale::of(series, from_zero) else { return html! {} };
    let rendered = html! {
        @for tick in ticks(scale.y) {
            @let (_, y) = scale.at((scale.x.0, tick));
            line.grid x1=(LEFT) x2=(WIDTH - MARGIN) y1=(format!("{y:.1}")) y2=(format!("{y:.1}")) {}
            text x=(LEFT - 6.0) y=(format!("{:.1}", y + 4.0)) text-anchor="end" { (value(tick)) }
        }
        @for series in series {
            @if !series.reach.is_empty() {
                @let edge = |sign: f64| series.points.iter().zip(&series.reach).map(move |((x, y), reach)| (*x, y + sign * reach));
                @let around: Vec<_> = edge(1.0).chain(edge(-1.0).collect::<Vec<_>>().into_iter().rev()).collect();
                polygon.band points=(path(around.into_iter().map(|point| scale.at(point)))) {}
            }
            @if let [only] = series.points.as_slice() {
                @let (x, y) = scale.at(*only);
                circle class=(series.class) cx=(format!("{x:.1}")) cy=(format!("{y:.1}")) r="4" {}
            } @else {
                polyline class=(series.class) points=(path(series.points.iter().map(|point| scale.at(*point)))) {}
            }
        }
        text x=(WIDTH - MARGIN) y=(HEIGHT - 5.0) text-anchor="end" { (axis) }
    };
    let legend: Vec<(&str, &str)> =
        series.iter().filter_map(|series| Some((series.class, series.label.as_deref()?))).collect();
    figure(title, &rendered, &legend)
}

/// How often each value occurs: bars with their labels below.
pub(crate) fn bars(title: &str, bars: &[(String, u64)]) -> Markup {
    let most = bars.iter().map(|(_, count)| *count).max().unwrap_or(0);
    if most == 0 {
        return html! {};
    }
    let float = |number: u64| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
    let width = (WIDTH - 2.0 * MARGIN) / float(u64::try_from(bars.len()).unwrap_or(1)).max(1.0);
    let body = html! {
        @for (index, (label, count)) in bars.iter().enumerate() {
            @let x = MARGIN + float(u64::try_from(index).unwrap_or(0)) * width;
            @let height = float(*count) / float(most) * (HEIGHT - BELOW - 24.0);
            @let y = HEIGHT - BELOW - height;
            rect.first x=(format!("{:.1}", x + 1.0)) y=(format!("{y:.1}")) width=(format!("{:.1}", width - 2.0)) height=(format!("{height:.1}")) {}
            @if *count > 0 { text x=(format!("{:.1}", x + width / 2.0)) y=(format!("{:.1}", y - 4.0)) text-anchor="middle" { (count) } }
            text x=(format!("{:.1}", x + width / 2.0)) y=(HEIGHT - 6.0) text-anchor="middle" { (label) }
        }
    };
    figure(title, &body, &[])
}

/// A plot with the names of its lines below it, each with the class of its colour.
fn figure(title: &str, body: &Markup, legend: &[(&str, &str)]) -> Markup {
    html! {
        figure.plot {
            svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(title) { (PreEscaped(body.0.as_str())) }
            @if !legend.is_empty() {
                figcaption.legend { @for (class, name) in legend { span class=(class) { (name) } } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(points: &[(f64, f64)], reach: &[f64]) -> Series {
        Series { class: "first", label: None, points: points.to_vec(), reach: reach.to_vec() }
    }

    #[test]
    fn the_numbers_at_the_left_are_round_and_enclose_all_values() {
        for (range, expected) in [
            ((1_432.0, 1_711.0), vec![1_400.0, 1_500.0, 1_600.0, 1_700.0, 1_800.0]),
            ((0.0, 10.0), vec![0.0, 5.0, 10.0]),
            ((0.0, 0.9), vec![0.0, 0.5, 1.0]),
        ] {
            assert_eq!(ticks(rounded(range)), expected, "{range:?}");
        }
    }

    #[test]
    fn a_plot_of_one_value_or_of_equal_values_stays_inside_its_box() {
        for points in [vec![(3.0, 1_500.0)], vec![(0.0, 7.0), (1.0, 7.0)]] {
            let scale = Scale::of(&[series(&points, &[])], false).unwrap();
            for point in &points {
                let (x, y) = scale.at(*point);
                assert!((LEFT..=WIDTH).contains(&x) && (0.0..=HEIGHT).contains(&y), "{x} {y}");
            }
        }
        assert!(lines("t", "x", &[], true, |value| value.to_string()).0.is_empty());
    }

    #[test]
    fn the_band_encloses_the_line() {
        let plot = lines("t", "x", &[series(&[(0.0, 10.0), (1.0, 20.0)], &[5.0, 5.0])], false, |value| {
            value.to_string()
        })
        .0;
        assert!(plot.contains("polygon") && plot.contains("polyline"), "{plot}");
        let scale = Scale::of(&[series(&[(0.0, 10.0), (1.0, 20.0)], &[5.0, 5.0])], false).unwrap();
        assert!(scale.y.0 <= 5.0 && scale.y.1 >= 25.0);
    }

    #[test]
    fn bars_are_as_high_as_their_counts() {
        let plot = bars("t", &[("a".to_owned(), 4), ("b".to_owned(), 2), ("c".to_owned(), 0)]).0;
        let heights: Vec<f64> = plot
            .split(" height=\"")
            .skip(1)
            .map(|rest| rest.split('"').next().unwrap().parse().unwrap())
            .collect();
        assert_eq!(heights.len(), 3);
        assert!((heights[0] - 2.0 * heights[1]).abs() < 0.2 && heights[2] < 0.1, "{heights:?}");
        assert!(bars("t", &[("a".to_owned(), 0)]).0.is_empty());
    }
}
