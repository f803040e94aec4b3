//! The one way in which each play is written.
//!
//! A play is described by one part for each checker moved: where it begins, the points at which it hits, and where it
//! ends. A position can be reached by several descriptions, because steps can be taken in another order and by other
//! checkers of the same point. The one with the fewest parts counts, and of these the smallest by bytes.

use super::board::{BAR, Board, OFF, Step};
use super::dice::Dice;
use super::plays::{MOST_STEPS, Way};
use core::cmp::Reverse;
use hall_wire::{LONGEST_NOTATION, Notation};

/// Where a checker stops, and whether it hits there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stop {
    pub(super) point: u8,
    pub(super) hits: bool,
}

/// The way of one checker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) from: u8,
    stops: [Stop; MOST_STEPS],
    len: usize,
}

/// The parts of a play; while it is being found in the order in which their checkers began to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PlayText {
    parts: [Part; MOST_STEPS],
    len: usize,
}

impl Part {
    const NONE: Self = Self { from: OFF, stops: [Stop { point: OFF, hits: false }; MOST_STEPS], len: 0 };

    /// The points that are written: those at which the checker hits, and the last.
    pub(super) fn stops(&self) -> &[Stop] {
        self.stops.get(..self.len).unwrap_or(&[])
    }

    /// Where the checker is in the end.
    pub(super) fn to(&self) -> u8 {
        self.stops().last().map_or(self.from, |stop| stop.point)
    }

    /// The checker goes on; where it did not hit it has only passed.
    fn go_on(&mut self, step: Step) {
        if self.stops().last().is_some_and(|last| !last.hits) {
            self.len -= 1;
        }
        if let Some(place) = self.stops.get_mut(self.len) {
            *place = Stop { point: step.to, hits: step.hits };
            self.len += 1;
        }
    }
}

impl PlayText {
    const NONE: Self = Self { parts: [Part::NONE; MOST_STEPS], len: 0 };

    /// Of all descriptions of the position that `ways` lead to from `board` the one that counts.
    pub(super) fn of(board: &Board, dice: Dice, ways: &[Way]) -> Option<Self> {
        let mut best = Best(None);
        for way in ways {
            if dice.is_double() {
                Search::new(board, dice.high, way.steps()).run(board, Self::NONE, 0, &mut best);
            } else {
                best.offer(Self::in_order(way.steps()));
            }
        }
        best.0
    }

    /// Describes two steps of different length: if the second goes on from where the first ends, it is the same checker.
    fn in_order(steps: &[Step]) -> Self {
        steps.iter().fold(Self::NONE, |text, step| {
            let same = text.parts().iter().position(|part| part.to() == step.from);
            text.with(*step, same)
        })
    }

    /// The same with one more step, by the checker of this part or by one that has not moved yet.
    fn with(mut self, step: Step, part: Option<usize>) -> Self {
        let place = part.unwrap_or(self.len);
        if let Some(part) = self.parts.get_mut(place) {
            if place == self.len {
                *part = Part { from: step.from, ..Part::NONE };
                self.len += 1;
            }
            part.go_on(step);
        }
        self
    }

    pub(super) fn parts(&self) -> &[Part] {
        self.parts.get(..self.len).unwrap_or(&[])
    }

    /// The parts as they are written: by where they begin, then by where they end, the furthest first. Of two that do
    /// both alike the one that began to move first stays first.
    fn sorted(mut self) -> Self {
        if let Some(parts) = self.parts.get_mut(..self.len) {
            parts.sort_by_key(|part| Reverse((part.from, part.to())));
        }
        self
    }

    /// The parts with how often each stands there in a row.
    pub(super) fn merged(&self) -> impl Iterator<Item = (&Part, usize)> {
        let runs = self.parts().chunk_by(|one, other| one == other);
        runs.filter_map(|run| Some((run.first()?, run.len())))
    }

    /// How it is written on the wire.
    pub(super) fn notation(&self) -> Notation {
        let mut text = ShortText::EMPTY;
        for (part, times) in self.merged() {
            text.push_part(part);
            if let Ok(times @ 2..) = u8::try_from(times) {
                text.push(b"(");
                text.push_number(times);
                text.push(b")");
            }
        }
        Notation::parse(text.as_str()).expect("a play is visible ASCII")
    }

    /// The text before equal parts are merged, by which descriptions are compared.
    fn unmerged(&self) -> ShortText {
        let mut text = ShortText::EMPTY;
        self.parts().iter().for_each(|part| text.push_part(part));
        text
    }
}

/// The best description so far.
struct Best(Option<PlayText>);

impl Best {
    fn offer(&mut self, found: PlayText) {
        let found = found.sorted();
        let is_better = match &self.0 {
            None => true,
            Some(best) if best.len != found.len => found.len < best.len,
            Some(best) => *best != found && found.unmerged().as_bytes() < best.unmerged().as_bytes(),
        };
        if is_better {
            self.0 = Some(found);
        }
    }
}

/// Looks for the descriptions of one set of steps of a double.
///
/// Checkers whose points differ by a multiple of the die share a track; those of different tracks never meet. On a track
/// where no two checkers come to a point where one of them hits, the order of the steps does not matter, and the one from
/// the furthest checker on leaves every choice between equal checkers. On the others every order is tried.
struct Search<'a> {
    start: &'a Board,
    die: u8,
    /// Sorted from the furthest checker on.
    steps: &'a [Step],
    /// The tracks on which the order matters: a bit for each remainder.
    contested: u8,
    /// The fewest parts that the steps can be told in: each checker that comes to a point goes on if one leaves it.
    fewest: usize,
}

impl<'a> Search<'a> {
    fn new(start: &'a Board, die: u8, steps: &'a [Step]) -> Self {
        let goes_on = |place: usize, step: &Step| {
            let earlier = |end: fn(&Step) -> u8| {
                steps.iter().take(place).filter(|other| end(other) == step.from).count()
            };
            earlier(|other| other.to) > earlier(|other| other.from)
        };
        let fewest = (0..).zip(steps).filter(|(place, step)| !goes_on(*place, step)).count();
        let is_shared = |step: &&Step| steps.iter().filter(|other| other.from == step.from).count() > 1;
        let contested = steps.iter().filter(|step| step.hits).filter(is_shared);
        let contested = contested.fold(0, |tracks, step| tracks | 1 << (step.from % die));
        Self { start, die, steps, contested, fewest }
    }

    fn is_contested(&self, step: &Step) -> bool {
        self.contested >> (step.from % self.die) & 1 == 1
    }

    /// Offers every description that goes on from `text`, which describes the steps of `done` (a bit for each) and has
    /// led to `board`.
    fn run(&self, board: &Board, text: PlayText, done: u8, best: &mut Best) {
        let mut last_tried = None;
        for (place, step) in self.steps.iter().enumerate().filter(|(place, _)| done >> place & 1 == 0) {
            if last_tried != Some(step.from) {
                self.go_on(board, text, step, done | 1 << place, best);
            }
            if last_tried.is_none() && !self.is_contested(step) {
                return;
            }
            last_tried = Some(step.from);
        }
        if last_tried.is_none() {
            best.offer(text);
        }
    }

    /// Goes on with `step`, which makes the steps of `done` complete, by each checker that can take it.
    fn go_on(&self, board: &Board, text: PlayText, step: &Step, done: u8, best: &mut Best) {
        let Some(now) = board.step(step.from, self.die) else { return };
        let board = board.after(now);
        for (place, part) in text.parts().iter().enumerate().filter(|(_, part)| part.to() == step.from) {
            // Of equal parts any one will do, unless the order in which they began will tell who hits.
            if self.is_contested(step) || !text.parts().iter().take(place).any(|other| other == part) {
                self.run(&board, text.with(now, Some(place)), done, best);
            }
        }
        let begun = text.parts().iter().filter(|part| part.from == step.from).count();
        if text.len < self.fewest && usize::from(self.start.mine.count(step.from)) > begun {
            self.run(&board, text.with(now, None), done, best);
        }
    }
}

/// A text that is being written, kept inline. A play of four steps is shorter than the longest notation.
struct ShortText {
    bytes: [u8; LONGEST_NOTATION],
    len: usize,
}

impl ShortText {
    const EMPTY: Self = Self { bytes: [0; LONGEST_NOTATION], len: 0 };

    fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or(&[])
    }

    fn as_str(&self) -> &str {
        core::str::from_utf8(self.as_bytes()).unwrap_or("")
    }

    fn push(&mut self, bytes: &[u8]) {
        let end = self.len + bytes.len();
        if let Some(place) = self.bytes.get_mut(self.len..end) {
            place.copy_from_slice(bytes);
            self.len = end;
        }
    }

    /// A part, behind a space unless it is the first.
    fn push_part(&mut self, part: &Part) {
        if self.len > 0 {
            self.push(b" ");
        }
        self.push_point(part.from);
        for stop in part.stops() {
            self.push(b"/");
            self.push_point(stop.point);
            if stop.hits {
                self.push(b"*");
            }
        }
    }

    fn push_point(&mut self, point: u8) {
        match point {
            BAR => self.push(b"bar"),
            OFF => self.push(b"off"),
            _ => self.push_number(point),
        }
    }

    fn push_number(&mut self, number: u8) {
        let digits = [b'0' + number / 10, b'0' + number % 10];
        self.push(if number < 10 { &digits[1..] } else { &digits });
    }
}
