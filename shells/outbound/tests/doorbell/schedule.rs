//! The schedule of attempts, with time and randomness under the test's control.

use hall_outbound::doorbell::{Added, RingKey, RingLimits, RingSchedule, RingStep, Settled};
use hall_wire::{AgentId, GameId, Span, Timestamp};
use std::collections::BTreeMap;
use std::sync::Arc;

const T0: Timestamp = Timestamp::from_millis(1_795_000_000_000);

#[test]
fn a_turn_gets_five_attempts_with_growing_waits() {
    let mut schedule = RingSchedule::new(RingLimits::default());
    add(&mut schedule, key(1, 1, 0), "a", "a.example", 0);
    let mut at = T0;
    for (attempt, wait) in
        [(1, Some(1_000)), (2, Some(4_000)), (3, Some(15_000)), (4, Some(60_000)), (5, None)]
    {
        assert_eq!(schedule.next(at), step(key(1, 1, 0), attempt, "a"));
        assert_eq!(schedule.next(at), RingStep::Wait(None), "one at a time");
        schedule.settle(&key(1, 1, 0), Settled::Failed, at, &mut |most| most);
        let due = wait.map(|wait| at + Span::from_millis(wait));
        assert_eq!(schedule.next(at), RingStep::Wait(due));
        at = due.unwrap_or(at);
    }
    assert_eq!((schedule.turns(), schedule.under_way()), (0, 0));
}

#[test]
fn each_wait_is_drawn_between_nothing_and_its_bound() {
    let mut schedule = RingSchedule::new(RingLimits::default());
    add(&mut schedule, key(1, 1, 0), "a", "a.example", 0);
    schedule.next(T0);
    let mut asked = Vec::new();
    schedule.settle(&key(1, 1, 0), Settled::Failed, T0, &mut |most| {
        asked.push(most);
        0
    });
    assert_eq!(asked, [1_000]);
    assert_eq!(schedule.next(T0), step(key(1, 1, 0), 2, "a"), "at once, if the dice say so");
}

#[test]
fn a_requested_wait_is_granted_up_to_one_minute_but_never_shortens_the_backoff() {
    for (asked, drawn, wait) in [
        (Span::from_secs(10), 0, 10_000),
        (Span::from_secs(10), 1_000, 10_000),
        (Span::from_millis(400), 700, 700),
        (Span::from_secs(0), 1_000, 1_000),
        (Span::from_secs(60), 0, 60_000),
        (Span::from_secs(61), 0, 60_000),
        (Span::from_secs(999_999_999), 1_000, 60_000),
    ] {
        let mut schedule = RingSchedule::new(RingLimits::default());
        add(&mut schedule, key(1, 1, 0), "a", "a.example", 0);
        schedule.next(T0);
        schedule.settle(&key(1, 1, 0), Settled::Later(asked), T0, &mut |_| drawn);
        let due = T0 + Span::from_millis(wait);
        assert_eq!(schedule.next(T0), RingStep::Wait(Some(due)), "{asked:?}");
        assert_eq!(schedule.next(due), step(key(1, 1, 0), 2, "a"));
    }
}

#[test]
fn a_requested_wait_adds_no_attempts() {
    let mut schedule = RingSchedule::new(RingLimits::default());
    add(&mut schedule, key(1, 1, 0), "a", "a.example", 0);
    let mut at = T0;
    for attempt in 1..=5 {
        assert_eq!(schedule.next(at), step(key(1, 1, 0), attempt, "a"));
        schedule.settle(&key(1, 1, 0), Settled::Later(Span::from_secs(1)), at, &mut |_| 0);
        at = at + Span::from_secs(1);
    }
    assert_eq!((schedule.next(at), schedule.turns()), (RingStep::Wait(None), 0));
}

#[test]
fn attempts_made_before_a_restart_are_not_made_again() {
    let mut schedule = RingSchedule::new(RingLimits::default());
    add(&mut schedule, key(1, 1, 0), "a", "a.example", 4);
    assert_eq!(schedule.next(T0), step(key(1, 1, 0), 5, "a"));
    schedule.settle(&key(1, 1, 0), Settled::Failed, T0, &mut |most| most);
    assert_eq!((schedule.next(T0), schedule.turns()), (RingStep::Wait(None), 0));
    assert_eq!(add(&mut schedule, key(1, 1, 0), "a", "a.example", 5), Added::Dropped);
}

#[test]
fn a_turn_that_is_over_is_not_retried_and_a_newer_turn_ends_an_older_one() {
    let mut schedule = RingSchedule::new(RingLimits::default());
    add(&mut schedule, key(1, 1, 0), "a", "a.example", 0);
    schedule.next(T0);
    schedule.settle(&key(1, 1, 0), Settled::Over, T0, &mut |most| most);
    assert_eq!(schedule.turns(), 0);
    add(&mut schedule, key(1, 1, 2), "a", "a.example", 0);
    schedule.next(T0);
    schedule.settle(&key(1, 1, 2), Settled::Failed, T0, &mut |most| most);
    add(&mut schedule, key(1, 1, 4), "a", "a.example", 0);
    assert_eq!(schedule.turns(), 1);
    assert_eq!(schedule.next(T0), step(key(1, 1, 4), 1, "a"));
    add(&mut schedule, key(1, 1, 6), "a", "a.example", 0);
    schedule.settle(&key(1, 1, 4), Settled::Failed, T0, &mut |_| panic!("there is no further attempt"));
    assert_eq!((schedule.next(T0), schedule.turns()), (step(key(1, 1, 6), 1, "a"), 1));
}

#[test]
fn at_most_one_attempt_for_an_endpoint_and_four_for_a_host_are_under_way() {
    let mut schedule = RingSchedule::new(RingLimits::default());
    for game in 1..=3 {
        add(&mut schedule, key(1, game, 0), "same", "a.example", 0);
    }
    for agent in 2..=8 {
        add(&mut schedule, key(agent, 1, 0), &format!("url{agent}"), "a.example", 0);
    }
    add(&mut schedule, key(9, 1, 0), "elsewhere", "b.example", 0);
    let first = all_steps(&mut schedule, T0);
    let at = |url: &str| first.iter().filter(|(_, known)| known == url).count();
    assert_eq!((first.len(), at("same"), at("elsewhere")), (5, 1, 1));
    schedule.settle(&key(1, 1, 0), Settled::Over, T0, &mut |most| most);
    assert_eq!(all_steps(&mut schedule, T0), [(key(1, 2, 0), "same".to_owned())], "the longest due first");
}

#[test]
fn turns_beyond_the_limits_per_host_and_in_total_are_dropped() {
    let limits = RingLimits { turns: 5, turns_per_host: 3, ..RingLimits::default() };
    let mut schedule = RingSchedule::new(limits);
    let mut added = Vec::new();
    for agent in 1..=4 {
        added.push(add(&mut schedule, key(agent, 1, 0), &format!("a{agent}"), "a.example", 0));
    }
    for agent in 5..=7 {
        added.push(add(&mut schedule, key(agent, 1, 0), "b", "b.example", 0));
    }
    let dropped: Vec<usize> = added
        .iter()
        .enumerate()
        .filter(|(_, added)| **added == Added::Dropped)
        .map(|(place, _)| place)
        .collect();
    assert_eq!(dropped, [3, 6]);
    assert_eq!(add(&mut schedule, key(1, 1, 0), "a1", "a.example", 0), Added::Known);
}

#[test]
fn an_agent_that_has_moved_is_rung_at_its_new_address() {
    let mut schedule = RingSchedule::new(RingLimits::default());
    add(&mut schedule, key(1, 1, 0), "old", "a.example", 0);
    schedule.next(T0);
    let moved = Settled::Moved { url: "new".into(), host: "b.example".into() };
    schedule.settle(&key(1, 1, 0), moved, T0, &mut |most| most);
    assert_eq!(schedule.next(T0), step(key(1, 1, 0), 1, "new"));
}

#[test]
fn an_agent_that_has_moved_where_there_is_no_room_is_not_lost_unnoticed() {
    let limits = RingLimits { turns_per_host: 1, ..RingLimits::default() };
    for (other, has_room) in [("a.example", true), ("b.example", false)] {
        let mut schedule = RingSchedule::new(limits);
        add(&mut schedule, key(1, 1, 0), "old", "c.example", 0);
        schedule.next(T0);
        add(&mut schedule, key(2, 1, 0), "other", other, 0);
        let moved = Settled::Moved { url: "new".into(), host: "b.example".into() };
        let without_room = schedule.settle(&key(1, 1, 0), moved, T0, &mut |most| most);
        assert_eq!(without_room, (!has_room).then_some(key(1, 1, 0)), "{other}");
    }
}

#[test]
fn endpoints_that_failed_never_take_the_places_of_those_that_answer() {
    let limits = RingLimits::default();
    let mut schedule = RingSchedule::new(limits);
    let endpoint = |agent: u16| (format!("https://h{agent}/"), format!("h{agent}"));
    let turn = |agent: u16, turn_index: u32| RingKey { turn_index, ..wide_key(agent) };
    for agent in 0..1_000 {
        let (url, host) = endpoint(agent);
        add(&mut schedule, turn(agent, 0), &url, &host, 0);
    }
    // Each of them fails once, and is known as doubtful then.
    loop {
        let steps = all_steps(&mut schedule, T0);
        if steps.is_empty() {
            break;
        }
        for (key, _) in steps {
            schedule.settle(&key, Settled::Failed, T0, &mut |most| most);
        }
    }
    for agent in 0..1_000 {
        let (url, host) = endpoint(agent);
        add(&mut schedule, turn(agent, 2), &url, &host, 0);
    }
    assert_eq!(all_steps(&mut schedule, T0).len(), limits.under_way_doubtful, "they have their share");
    // Later than all of them, and rung immediately.
    for agent in 1_000..1_020 {
        let (url, host) = endpoint(agent);
        add(&mut schedule, turn(agent, 0), &url, &host, 0);
    }
    let steps = all_steps(&mut schedule, T0);
    assert_eq!(steps.len(), 20);
    assert!(steps.iter().all(|(key, _)| *key >= turn(1_000, 0)), "{steps:?}");
}

/// Two hundred turns a second; dead endpoints are silent for five seconds, the others answer in twenty milliseconds.
/// Every dead endpoint is known once it has failed, and until then the limits bound how many are rung.
#[test]
fn live_endpoints_are_rung_at_once_when_the_dead_half_of_a_thousand_is_known() {
    let mut schedule = RingSchedule::new(RingLimits::default());
    let mut under_way: BTreeMap<(Timestamp, RingKey), bool> = BTreeMap::new();
    let mut due: BTreeMap<RingKey, Timestamp> = BTreeMap::new();
    let (mut longest, mut rung) = (Span::default(), 0);
    for tick in 0..6_000_u16 {
        let now = T0 + Span::from_millis(u64::from(tick) * 10);
        for place in 0..2 {
            let agent = (tick * 2 + place) % 1_000;
            let turn = RingKey { turn_index: u32::from(tick), ..wide_key(agent) };
            schedule.add(turn, &format!("u{agent}").into(), &format!("h{}", agent / 4).into(), 0, now);
            due.insert(turn, now);
        }
        while let Some(((until, key), is_dead)) = under_way.first_key_value().map(|(key, dead)| (*key, *dead))
            && until <= now
        {
            under_way.remove(&(until, key));
            let settled = if is_dead { Settled::Failed } else { Settled::Answered };
            schedule.settle(&key, settled, now, &mut |most| most);
        }
        while let RingStep::Attempt { key, attempt, .. } = schedule.next(now) {
            let is_dead = key.agent.as_bytes()[1] % 2 == 0;
            let takes = Span::from_millis(if is_dead { 5_000 } else { 20 });
            under_way.insert((now + takes, key), is_dead);
            if !is_dead && attempt == 1 && tick >= 2_000 {
                longest = longest.max(now.since(due[&key]));
                rung += 1;
            }
        }
    }
    assert!(rung > 3_900, "{rung}");
    assert!(longest <= Span::from_millis(100), "{longest:?}");
}

#[test]
fn an_endpoint_that_answers_is_no_longer_doubtful() {
    let limits = RingLimits { under_way_doubtful: 1, ..RingLimits::default() };
    for (settled, under_way) in [(Settled::Answered, 2), (Settled::Over, 1), (Settled::Failed, 1)] {
        let mut schedule = RingSchedule::new(limits);
        for name in ["a", "b"] {
            let agent = if name == "a" { 1 } else { 2 };
            for (turn_index, settled) in [(0, Settled::Failed), (2, settled.clone())] {
                add(&mut schedule, key(agent, 1, turn_index), name, name, 0);
                assert_eq!(schedule.next(T0), step(key(agent, 1, turn_index), 1, name));
                schedule.settle(&key(agent, 1, turn_index), settled, T0, &mut |most| most);
            }
            add(&mut schedule, key(agent, 1, 4), name, name, 0);
            assert_eq!(schedule.next(T0), step(key(agent, 1, 4), 1, name));
            schedule.settle(&key(agent, 1, 4), settled.clone(), T0, &mut |most| most);
        }
        for (agent, name) in [(1, "a"), (2, "b")] {
            add(&mut schedule, key(agent, 1, 6), name, name, 0);
        }
        assert_eq!(all_steps(&mut schedule, T0).len(), under_way, "{settled:?}");
    }
}

/// An answer that comes late holds its place as long as none: who gives one has a share of the places only, until it is quick.
#[test]
fn an_endpoint_that_answers_slowly_is_in_doubt_until_it_answers_quickly() {
    for (takes, under_way) in [(Span::from_millis(4_900), 1), (Span::from_millis(1_000), 2)] {
        let mut schedule = RingSchedule::new(RingLimits { under_way_doubtful: 1, ..RingLimits::default() });
        let later = T0 + takes;
        for (agent, name) in [(1, "a"), (2, "b")] {
            add(&mut schedule, key(agent, 1, 0), name, name, 0);
            assert_eq!(schedule.next(T0), step(key(agent, 1, 0), 1, name));
            schedule.settle(&key(agent, 1, 0), Settled::Answered, later, &mut |most| most);
        }
        for (agent, name) in [(1, "a"), (2, "b")] {
            add(&mut schedule, key(agent, 1, 2), name, name, 0);
        }
        let steps = all_steps(&mut schedule, later);
        assert_eq!(steps.len(), under_way, "{takes:?}");
        for (key, _) in steps {
            schedule.settle(&key, Settled::Answered, later, &mut |most| most);
        }
        assert_eq!(
            all_steps(&mut schedule, later).len(),
            2 - under_way,
            "who was quick gives way to the next"
        );
    }
}

#[test]
fn as_many_endpoints_are_known_to_be_in_doubt_as_there_may_be_turns_and_the_newest_of_them() {
    let limits = RingLimits { turns: 3, under_way_doubtful: 1, ..RingLimits::default() };
    let mut schedule = RingSchedule::new(limits);
    for agent in 0..10 {
        let name = format!("h{agent}");
        add(&mut schedule, wide_key(agent), &name, &name, 0);
        assert_eq!(all_steps(&mut schedule, T0).len(), 1);
        let later = T0 + Span::from_millis(u64::from(agent));
        schedule.settle(&wide_key(agent), Settled::Failed, later, &mut |most| most);
        schedule.forget(&wide_key(agent));
    }
    let again = |agent: u16| RingKey { turn_index: 2, ..wide_key(agent) };
    for agent in [9, 8, 0] {
        let name = format!("h{agent}");
        add(&mut schedule, again(agent), &name, &name, 0);
    }
    let begun: Vec<_> = all_steps(&mut schedule, T0).into_iter().map(|(key, _)| key).collect();
    assert_eq!(begun, [again(0), again(8)], "one of those in doubt, and the one that was forgotten long ago");
}

#[test]
fn a_free_place_is_not_reserved_for_a_turn_that_is_over() {
    let mut schedule = RingSchedule::new(RingLimits { under_way_doubtful: 1, ..RingLimits::default() });
    let named = [(1, "a"), (2, "b"), (3, "c")];
    for (agent, name) in named {
        add(&mut schedule, key(agent, 1, 0), name, name, 0);
        assert_eq!(schedule.next(T0), step(key(agent, 1, 0), 1, name));
        schedule.settle(&key(agent, 1, 0), Settled::Failed, T0, &mut |most| most);
    }
    for (agent, name) in named {
        add(&mut schedule, key(agent, 1, 2), name, name, 0);
    }
    assert_eq!(all_steps(&mut schedule, T0), [(key(1, 1, 2), "a".to_owned())]);
    schedule.settle(&key(1, 1, 2), Settled::Failed, T0, &mut |most| most);
    schedule.forget(&key(2, 1, 2));
    assert_eq!(all_steps(&mut schedule, T0), [(key(3, 1, 2), "c".to_owned())]);
}

/// A thousand dead endpoints at a hundred hosts, and an endless supply of turns: nothing grows.
#[test]
fn a_thousand_dead_endpoints_stay_within_every_bound() {
    let limits = RingLimits::default();
    let mut schedule = RingSchedule::new(limits);
    let mut under_way: BTreeMap<RingKey, (String, Timestamp)> = BTreeMap::new();
    let mut attempts: BTreeMap<RingKey, u8> = BTreeMap::new();
    let mut dice = 1_u64;
    let mut draw = move |most: u64| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (dice >> 33) % (most + 1)
    };
    for second in 0..600_u64 {
        let now = T0 + Span::from_secs(second);
        for agent in 0..1_000_u16 {
            if draw(299) == 0 {
                let turn = RingKey { turn_index: u32::try_from(second).unwrap(), ..wide_key(agent) };
                add(
                    &mut schedule,
                    turn,
                    &format!("https://h{}/{agent}", agent % 100),
                    &format!("h{}", agent % 100),
                    0,
                );
            }
        }
        let done: Vec<RingKey> =
            under_way.iter().filter(|(_, (_, end))| *end <= now).map(|(key, _)| *key).collect();
        for key in done {
            under_way.remove(&key);
            schedule.settle(&key, Settled::Failed, now, &mut draw);
        }
        while let RingStep::Attempt { key, attempt, url } = schedule.next(now) {
            let count = attempts.entry(key).or_default();
            *count += 1;
            assert_eq!(*count, attempt, "attempts are numbered");
            assert!(attempt <= 5);
            assert!(under_way.values().all(|(known, _)| *known != *url), "one for an endpoint");
            under_way.insert(key, (url.to_string(), now + Span::from_secs(5)));
        }
        assert!(schedule.turns() <= limits.turns);
        assert!(under_way.len() <= limits.under_way && under_way.len() == schedule.under_way());
        for host in 0..100 {
            let host = format!("https://h{host}/");
            assert!(under_way.values().filter(|(url, _)| url.starts_with(&host)).count() <= 4);
        }
    }
    assert!(attempts.values().any(|count| *count > 1), "some are tried again");
}

fn key(agent: u8, game: u8, turn_index: u32) -> RingKey {
    RingKey { agent: AgentId::from_bytes([agent; 16]), game: GameId::from_bytes([game; 16]), turn_index }
}

fn wide_key(agent: u16) -> RingKey {
    let mut bytes = [0; 16];
    bytes[..2].copy_from_slice(&agent.to_be_bytes());
    RingKey { agent: AgentId::from_bytes(bytes), game: GameId::from_bytes([1; 16]), turn_index: 0 }
}

fn add(schedule: &mut RingSchedule, key: RingKey, url: &str, host: &str, attempts: u8) -> Added {
    schedule.add(key, &Arc::from(url), &Arc::from(host), attempts, T0)
}

fn step(key: RingKey, attempt: u8, url: &str) -> RingStep {
    RingStep::Attempt { key, attempt, url: url.into() }
}

fn all_steps(schedule: &mut RingSchedule, now: Timestamp) -> Vec<(RingKey, String)> {
    let mut steps = Vec::new();
    while let RingStep::Attempt { key, url, .. } = schedule.next(now) {
        steps.push((key, url.to_string()));
    }
    steps
}
