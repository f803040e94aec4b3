//! The one way in which each play is written.
//!
//! A play is described by one part for each checker moved: where it begins, the points at which it hits, and where it
//! ends. A position can be reached by several descriptions, because steps can be taken in another order and by other
//! checkers of the same point. The one with the fewest parts counts, and of these the smallest by bytes.

use super::board::{BAR, Board, OFF, Step, count};
use super::dice::Dice;
use super::plays::{MOST_STEPS, Way};
use core::cmp::Reverse;
use core::fmt::{self, Write};
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

impl fmt::Display for Part {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_point(out, self.from)?;
        for stop in self.stops() {
            out.write_char('/')?;
            write_point(out, stop.point)?;
            if stop.hits {
                out.write_char('*')?;
            }
        }
        Ok(())
    }
}

fn write_point(out: &mut impl Write, point: u8) -> fmt::Result {
    match point {
        BAR => out.write_str("bar"),
        OFF => out.write_str("off"),
        _ => {
            if point >= 10 {
                out.write_char(char::from(b'0' + point / 10))?;
            }
            out.write_char(char::from(b'0' + point % 10))
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

    /// The parts.
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
            let space = if text.len > 0 { " " } else { "" };
            let written = match times {
                1 => write!(text, "{space}{part}"),
                _ => write!(text, "{space}{part}({times})"),
            };
            written.expect("a play is short");
        }
        Notation::parse(text.as_str()).expect("a play is visible ASCII")
    }

    /// The text before equal parts are merged, by which descriptions are compared.
    fn unmerged(&self) -> ShortText {
        let mut text = ShortText::EMPTY;
        for part in self.parts() {
            write!(text, "{part} ").expect("a play is short");
        }
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
            Some(best) => *best != found && found.unmerged().as_str() < best.unmerged().as_str(),
        };
        if is_better {
            self.0 = Some(found);
        }
    }
}

/// Looks for the descriptions of one set of steps of a double.
struct Search<'a> {
    start: &'a Board,
    die: u8,
    /// Sorted from the furthest checker on.
    steps: &'a [Step],
    /// Whether the order is free. It matters only for the question which checker hits.
    any_order: bool,
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
        Self { start, die, steps, any_order: steps.iter().any(|step| step.hits), fewest }
    }

    /// Offers every description that goes on from `text`, which describes the steps of `done` (a bit for each) and has
    /// led to `board`.
    fn run(&self, board: &Board, text: PlayText, done: u8, best: &mut Best) {
        let mut tried = None;
        let mut complete = true;
        for (place, step) in self.steps.iter().enumerate().filter(|(place, _)| done >> place & 1 == 0) {
            complete = false;
            if tried == Some(step.from) || tried.is_some() && !self.any_order {
                continue;
            }
            tried = Some(step.from);
            let Some(now) = board.step(step.from, self.die) else { continue };
            let board = board.after(now);
            let done = done | 1 << place;
            for (place, part) in text.parts().iter().enumerate() {
                if part.to() == step.from {
                    self.run(&board, text.with(now, Some(place)), done, best);
                }
            }
            let begun = text.parts().iter().filter(|part| part.from == step.from).count();
            let is_there = usize::from(count(&self.start.mine, step.from)) > begun;
            if is_there && text.len < self.fewest {
                self.run(&board, text.with(now, None), done, best);
            }
        }
        if complete {
            best.offer(text);
        }
    }
}

/// A text that is being written, kept inline.
struct ShortText {
    bytes: [u8; LONGEST_NOTATION],
    len: usize,
}

impl ShortText {
    const EMPTY: Self = Self { bytes: [0; LONGEST_NOTATION], len: 0 };

    fn as_str(&self) -> &str {
        self.bytes.get(..self.len).and_then(|bytes| core::str::from_utf8(bytes).ok()).unwrap_or("")
    }
}

impl Write for ShortText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len + text.len();
        self.bytes.get_mut(self.len..end).ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}
