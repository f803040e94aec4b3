//! Every position that a roll can lead to.

use super::board::{BAR, Board, Step};
use super::dice::Dice;
use alloc::vec::Vec;

/// A double is played four times.
pub(super) const MOST_STEPS: usize = 4;

/// A way to play a roll: the steps in the order played, and where they lead.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    steps: [Step; MOST_STEPS],
    len: u8,
    pub(super) after: Board,
}

impl Way {
    fn none(board: Board) -> Self {
        Self { steps: [Step { from: 0, to: 0, hits: false }; MOST_STEPS], len: 0, after: board }
    }

    fn with(mut self, step: Step) -> Self {
        if let Some(place) = self.steps.get_mut(usize::from(self.len)) {
            *place = step;
            self.len += 1;
            self.after = self.after.after(step);
        }
        self
    }

    pub(super) fn steps(&self) -> &[Step] {
        self.steps.get(..usize::from(self.len)).unwrap_or(&[])
    }
}

/// The ways to play `dice`, sorted by the position that they lead to; empty where nothing can be played.
///
/// As many dice as possible must be played; if only one of two can be, the higher must be if it can. Two different
/// dice are tried in every order, since a description may depend on the order. Of a double each set of steps is given
/// once, the furthest checkers first: whatever order is possible, this one is, because points do not become blocked
/// during a turn, and a checker may be borne off in it as soon as in any other.
pub(super) fn ways(board: &Board, dice: Dice) -> Vec<Way> {
    let mut ways = Vec::new();
    let begin = Way::none(*board);
    if dice.is_double() {
        let mut most = 1;
        descend(&begin, BAR, dice.high, &mut most, &mut ways);
    } else {
        for way in onward(&begin, BAR, dice.high) {
            ways.extend(onward(&way, BAR, dice.low));
        }
        for way in onward(&begin, BAR, dice.low) {
            ways.extend(onward(&way, BAR, dice.high).filter(|way| !is_same_in_turn(board, way, dice)));
        }
        for die in [dice.high, dice.low] {
            if ways.is_empty() {
                ways.extend(onward(&begin, BAR, die));
            }
        }
    }
    ways.sort_unstable_by_key(|way| way.after);
    ways
}

/// Every way that goes on with one step by `die` from `highest` or a lower point.
fn onward(way: &Way, highest: u8, die: u8) -> impl Iterator<Item = Way> {
    let way = *way;
    let origins =
        way.after.mine.occupied().map(|(point, _)| point).filter(move |point| (1..=highest).contains(point));
    origins.filter_map(move |from| way.after.step(from, die)).map(move |step| way.with(step))
}

/// Whether a way with the lower die first would be described alike with the higher die first: two checkers that do not
/// come to the same point, in steps that are possible in either order.
fn is_same_in_turn(board: &Board, way: &Way, dice: Dice) -> bool {
    let [first, second] = *way.steps() else { return false };
    first.to != second.from
        && first.to != second.to
        && board.step(second.from, dice.high) == Some(second)
        && board.after(second).step(first.from, dice.low) == Some(first)
}

/// Collects the ways with the most steps, `most` so far, none of them from above `highest`.
fn descend(way: &Way, highest: u8, die: u8, most: &mut u8, ways: &mut Vec<Way>) {
    if way.len > *most {
        *most = way.len;
        ways.clear();
    }
    if way.len == *most {
        ways.push(*way);
    }
    if way.steps().len() < MOST_STEPS {
        for longer in onward(way, highest, die) {
            let from = longer.steps().last().map_or(highest, |step| step.from);
            descend(&longer, from, die, most, ways);
        }
    }
}
