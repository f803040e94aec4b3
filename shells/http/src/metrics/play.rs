//! Metrics of lobbies and rooms.

use crate::payload::HouseAgents;
use hall_core::{Division, Word};
use hall_driver::{Engine, LOBBY_SECONDS_BUCKETS, PlayCounts};
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct GameLabels {
    game: String,
    division: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct EndLabels {
    game: String,
    division: &'static str,
    reason: String,
}

/// A count as a gauge.
pub(super) fn gauge(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// Writes everything.
pub(super) fn encode(
    engine: &Engine,
    house_agents: &HouseAgents,
    out: &mut DescriptorEncoder<'_>,
) -> fmt::Result {
    let counts = engine.play_counts();
    let offered: Vec<String> =
        engine.peek(|hall| hall.catalog().iter().map(|game| game.describe().id.to_owned()).collect());
    encode_games(&offered, &counts, out)?;
    encode_turns(&offered, &counts, out)?;
    encode_waits(&counts, out)?;
    encode_house_agents(engine, house_agents, out)
}

/// Games of the catalog are listed at 0 too, so that the first one counts as an increase.
fn encode_games(offered: &[String], counts: &PlayCounts, out: &mut DescriptorEncoder<'_>) -> fmt::Result {
    let offered = offered.iter().filter_map(|game| Word::parse(game));
    let offered = offered.flat_map(|game| Division::ALL.iter().map(move |division| (game, *division)));
    // A game that has left the catalog may still be played.
    let kinds: BTreeSet<(Word, Division)> = offered.chain(counts.live.keys().copied()).collect();
    let labels = |(game, division): &(Word, Division)| GameLabels {
        game: game.to_string(),
        division: division.as_str(),
    };
    let value = |counted: &BTreeMap<(Word, Division), u64>, kind| counted.get(kind).copied().unwrap_or(0);
    let mut live = out.encode_descriptor("live_games", "Live games", None, MetricType::Gauge)?;
    for kind in &kinds {
        let count = gauge(value(&counts.live, kind));
        ConstGauge::new(count).encode(live.encode_family(&labels(kind))?)?;
    }
    let mut started = out.encode_descriptor("games_started", "Games started", None, MetricType::Counter)?;
    for kind in &kinds {
        ConstCounter::new(value(&counts.started, kind)).encode(started.encode_family(&labels(kind))?)?;
    }
    let help = "Games ended, by the reason of their result";
    let mut ended = out.encode_descriptor("games_ended", help, None, MetricType::Counter)?;
    for ((game, division, reason), count) in &counts.ended {
        let division = division.as_str();
        let labels = EndLabels { game: game.to_string(), division, reason: reason.clone() };
        ConstCounter::new(*count).encode(ended.encode_family(&labels)?)?;
    }
    Ok(())
}

fn encode_turns(offered: &[String], counts: &PlayCounts, out: &mut DescriptorEncoder<'_>) -> fmt::Result {
    let offered = offered.iter().filter_map(|game| Word::parse(game));
    let games: BTreeSet<Word> = offered.chain(counts.turns.keys().copied()).collect();
    let help = "Turns resolved, forced ones included";
    let mut turns = out.encode_descriptor("turns", help, None, MetricType::Counter)?;
    for game in games {
        let count = counts.turns.get(&game).copied().unwrap_or(0);
        ConstCounter::new(count).encode(turns.encode_family(&[("game", game.as_str())])?)?;
    }
    let mut strikes = out.encode_descriptor("strikes", "Strikes, by cause", None, MetricType::Counter)?;
    for (cause, count) in
        [("deadline", counts.deadline_strikes), ("illegal_moves", counts.illegal_move_strikes)]
    {
        ConstCounter::new(count).encode(strikes.encode_family(&[("cause", cause)])?)?;
    }
    let help = "Illegal moves counted against their players";
    ConstCounter::new(counts.illegal_attempts).encode(out.encode_descriptor(
        "illegal_attempts",
        help,
        None,
        MetricType::Counter,
    )?)
}

fn encode_waits(counts: &PlayCounts, out: &mut DescriptorEncoder<'_>) -> fmt::Result {
    let waits = &counts.lobby_waits;
    let bounds = LOBBY_SECONDS_BUCKETS.iter().copied().chain([f64::INFINITY]);
    let buckets: Vec<(f64, u64)> = bounds.zip(waits.buckets).collect();
    let sum = Duration::from_millis(waits.sum_millis).as_secs_f64();
    out.encode_descriptor(
        "lobby_wait_seconds",
        "Time from a lobby join to the game",
        None,
        MetricType::Histogram,
    )?
    .encode_histogram::<NoLabelSet>(sum, waits.count, &buckets, None)
}

fn encode_house_agents(
    engine: &Engine,
    house_agents: &HouseAgents,
    out: &mut DescriptorEncoder<'_>,
) -> fmt::Result {
    let seats = engine
        .peek(|hall| house_agents.iter().map(|agent| hall.desk().live_games(agent).count()).sum::<usize>());
    let help = "Seats of live games that the house's own agents hold";
    let seats = i64::try_from(seats).unwrap_or(i64::MAX);
    ConstGauge::new(seats).encode(out.encode_descriptor("house_seats", help, None, MetricType::Gauge)?)
}
