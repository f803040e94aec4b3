//! Notation and rules against a slow second form of them: fifteen checkers that are told apart, every order of play,
//! every choice between equal checkers.

use super::{Board, Dice, Side, in_play, notations};
use crate::backgammon::board::Half;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use proptest::prelude::*;

/// One checker: where it began, where it is, and what is written of it.
#[derive(Clone)]
struct Checker {
    from: u8,
    now: u8,
    /// All its stops, with a star behind those at which it hit.
    stops: Vec<String>,
    /// How many had moved before it did; none if it has not moved.
    turn: Option<usize>,
}

/// All that the search has found: the most dice played, and what was written of each result.
#[derive(Default)]
struct Found {
    most: usize,
    written: BTreeMap<(Vec<u8>, BTreeSet<u8>), (usize, String)>,
    /// The dice that can be played alone.
    alone: BTreeSet<u8>,
}

fn reference(board: &Board, dice: Dice) -> Vec<String> {
    let mut checkers = Vec::new();
    for point in 1..=25 {
        let one = Checker { from: point, now: point, stops: Vec::new(), turn: None };
        checkers.extend((0..board.mine.count(point)).map(|_| one.clone()));
    }
    let orders: &[&[u8]] = match dice {
        Dice { high, low } if high == low => &[&[high; 4]],
        Dice { high, low } => &[&[high, low], &[low, high]],
    };
    let mut found = Found::default();
    for order in orders {
        play_on(board, order, 0, &checkers, &BTreeSet::new(), &mut found);
    }
    if found.most == 1 && !dice.is_double() && found.alone.contains(&dice.high) {
        found.written.clear();
        play_on(board, &[dice.high], 0, &checkers, &BTreeSet::new(), &mut found);
    }
    let merged: BTreeSet<String> = found.written.values().map(|(_, text)| merged(text)).collect();
    assert_eq!(merged.len(), found.written.len(), "every result has a text of its own");
    if found.most == 0 { Vec::from(["pass".to_string()]) } else { merged.into_iter().collect() }
}

fn play_on(
    board: &Board,
    dice: &[u8],
    played: usize,
    checkers: &[Checker],
    hit: &BTreeSet<u8>,
    found: &mut Found,
) {
    if played > found.most {
        found.most = played;
        found.written.clear();
    }
    if played == found.most && played > 0 {
        let mut now: Vec<u8> = checkers.iter().map(|checker| checker.now).collect();
        now.sort_unstable();
        let text = written(checkers);
        let best = found.written.entry((now, hit.clone())).or_insert_with(|| text.clone());
        *best = best.clone().min(text);
    }
    let Some(die) = dice.get(played).copied() else { return };
    for (place, checker) in checkers.iter().enumerate() {
        let of_bar = checkers.iter().any(|other| other.now == 25);
        let furthest = checkers.iter().map(|other| other.now).max().unwrap_or(0);
        // Checkers that have not moved are the same to the eye.
        let is_double_work = checker.turn.is_none()
            && checkers[..place].iter().any(|other| other.turn.is_none() && other.now == checker.now);
        if checker.now == 0 || of_bar && checker.now != 25 || is_double_work {
            continue;
        }
        let to = i16::from(checker.now) - i16::from(die);
        if to < 0 && checker.now < furthest || to <= 0 && furthest > 6 {
            continue;
        }
        let to = u8::try_from(to.max(0)).unwrap();
        let defenders = if to == 0 || hit.contains(&to) { 0 } else { board.theirs.count(25 - to) };
        if defenders > 1 {
            continue;
        }
        let mut next = checkers.to_vec();
        let mut hit = hit.clone();
        let star = if defenders == 1 { "*" } else { "" };
        if defenders == 1 {
            hit.insert(to);
        }
        let turns = checkers.iter().filter(|other| other.turn.is_some()).count();
        next[place].now = to;
        next[place].stops.push(format!("{to}{star}"));
        next[place].turn = checker.turn.or(Some(turns));
        if played == 0 {
            found.alone.insert(die);
        }
        play_on(board, dice, played + 1, &next, &hit, found);
    }
}

/// How many parts, and the text before equal parts are merged.
fn written(checkers: &[Checker]) -> (usize, String) {
    let mut moved: Vec<&Checker> = checkers.iter().filter(|checker| checker.turn.is_some()).collect();
    moved.sort_by_key(|checker| checker.turn);
    moved.sort_by_key(|checker| (25 - checker.from, 25 - checker.now));
    let parts: Vec<String> = moved
        .iter()
        .map(|checker| {
            let (last, between) = checker.stops.split_last().unwrap();
            let hits = between.iter().filter(|stop| stop.ends_with('*')).cloned();
            let from = if checker.from == 25 { "bar".to_string() } else { checker.from.to_string() };
            let last = if last == "0" { "off".to_string() } else { last.clone() };
            [from].into_iter().chain(hits).chain([last]).collect::<Vec<_>>().join("/")
        })
        .collect();
    (parts.len(), parts.join(" "))
}

fn merged(text: &str) -> String {
    let parts: Vec<&str> = text.split(' ').collect();
    let runs = parts.chunk_by(|one, other| one == other).map(|run| match run.len() {
        1 => run[0].to_string(),
        times => format!("{}({times})", run[0]),
    });
    runs.collect::<Vec<_>>().join(" ")
}

/// Boards with single checkers of the other side all over, so that hits are frequent.
fn boards() -> impl Strategy<Value = Board> {
    let mine = prop_oneof![
        prop::collection::vec(1..=25_u8, 1..=6),
        prop::collection::vec(1..=9_u8, 1..=7),
        prop::collection::vec(prop::sample::select(&[25_u8, 24, 18, 12, 6, 4, 2][..]), 1..=7),
    ];
    (mine, prop::collection::vec((1..=24_u8, 1..=2_u8), 0..=7), any::<bool>()).prop_map(
        |(mine, theirs, single)| {
            let mut my = [0; 26];
            mine.iter().for_each(|point| my[usize::from(*point)] += 1);
            let mut other = [0; 26];
            for (point, checkers) in theirs {
                if my[usize::from(25 - point)] == 0 && other.iter().sum::<u8>() < 14 {
                    other[usize::from(point)] = if single { 1 } else { checkers };
                }
            }
            let whole = |checkers: [u8; 26]| {
                let places: Vec<(u8, u8)> =
                    (0..26).zip(checkers).filter(|(_, checkers)| *checkers > 0).collect();
                Half::of(&places).unwrap()
            };
            Board { mine: whole(my), theirs: whole(other) }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_result_is_written_as_the_page_of_rules_says(board in boards(), high in 1..=6_u8, low in 1..=6_u8) {
        for (one, other) in [(high, low), (high, high)] {
            let dice = Dice::of(one, other).unwrap();
            let position = in_play(board, Side::P0, &dice.to_string());
            prop_assert_eq!(notations(&position), reference(&board, dice), "{} {:?}", dice, board);
        }
    }
}
