//! Plays as people write them, also those that are not in the wire notation: in capitals, with 25 and 0 for the bar and
//! off, hyphens or commas, without marks for hits, step by step, or in another order.

use super::board::{BAR, Board, Half, OFF};
use super::play_text::PlayText;
use super::plays::{MOST_STEPS, Way};
use alloc::vec::Vec;

/// What a text says of a play.
pub(super) struct Reading {
    /// How many checkers more or fewer there are at each place of the player.
    change: [i8; 26],
    /// Bits of the points that the text marks with a hit.
    hits: u32,
}

impl Reading {
    /// Reads parts with at least two places each.
    pub(super) fn of(text: &str) -> Option<Self> {
        let mut reading = Self { change: [0; 26], hits: 0 };
        for word in text.split([' ', ',', ';']).filter(|word| !word.is_empty()) {
            reading.read_part(word)?;
        }
        Some(reading)
    }

    /// Whether a text says that nothing can be played.
    pub(super) fn says_pass(text: &str) -> bool {
        [super::position::PASS, "no move", "cannot move"].iter().any(|word| text.eq_ignore_ascii_case(word))
    }

    fn read_part(&mut self, word: &str) -> Option<()> {
        let (way, times) = without_repetition(word)?;
        let mut places = way.split(['/', '-']);
        let from = place(places.next()?)?;
        let mut to = None;
        for written in places {
            let point = place(written.trim_end_matches('*'))?;
            if written.ends_with('*') {
                self.hits |= 1 << point;
            }
            to = Some(point);
        }
        for _ in 0..times {
            self.add(from, -1)?;
            self.add(to?, 1)?;
        }
        Some(())
    }

    fn add(&mut self, point: u8, checkers: i8) -> Option<()> {
        let change = self.change.get_mut(usize::from(point))?;
        *change = change.checked_add(checkers)?;
        Some(())
    }

    /// Those of `ways` that move the player's checkers as the text says; `ways` are sorted by their result, and so
    /// are these.
    pub(super) fn fitting(&self, before: &Board, ways: &[Way]) -> Vec<Way> {
        let wanted = (OFF..=BAR).zip(self.change).try_fold(Half::NONE, |half, (place, change)| {
            half.with(place, before.mine.count(place).checked_add_signed(change)?)
        });
        ways.iter().filter(|way| Some(way.after.mine) == wanted).copied().collect()
    }

    /// Whether it marks any hit.
    pub(super) fn names_hits(&self) -> bool {
        self.hits != 0
    }

    /// Whether it marks hits at the points at which `play` hits.
    pub(super) fn hits_as(&self, play: &PlayText) -> bool {
        let stops = play.parts().iter().flat_map(|part| part.stops());
        stops.filter(|stop| stop.hits).fold(0, |hits, stop| hits | 1 << stop.point) == self.hits
    }
}

/// A part without the `(n)` behind it, and the n.
fn without_repetition(word: &str) -> Option<(&str, usize)> {
    let Some((way, times)) = word.strip_suffix(')').and_then(|word| word.split_once('(')) else {
        return Some((word, 1));
    };
    let times = times.parse().ok().filter(|times| (1..=MOST_STEPS).contains(times))?;
    Some((way, times))
}

/// A point by its number or as a word.
fn place(word: &str) -> Option<u8> {
    if word.eq_ignore_ascii_case("bar") {
        return Some(BAR);
    }
    if word.eq_ignore_ascii_case("off") {
        return Some(OFF);
    }
    let is_number = word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
    word.parse().ok().filter(|point| is_number && *point <= BAR)
}
