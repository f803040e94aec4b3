//! What the benchmark says of whole worlds.

use hall_sim::bench::{complete_games, real_time};
use hall_wire::Span;

#[test]
fn a_turmoil_world_is_measured_by_its_time_and_by_its_games() {
    let measured = real_time(4, Span::from_secs(5));
    assert_eq!((measured.goal, measured.percent), (Some(100), Some(measured.value)), "{measured}");
    assert!(measured.note.starts_with("4 agents over HTTP, "), "{measured}");
    let measured = complete_games(4);
    assert_eq!((measured.value, measured.goal, measured.not_clean.len()), (2, Some(2), 0), "{measured}");
}
