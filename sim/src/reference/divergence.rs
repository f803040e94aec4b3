//! Where two values differ, in words.

use hall_core::{Decision, Effect};
use std::fmt::{self, Debug, Display};

/// The first difference between the hall and the reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// The path of the difference, from the whole to the part.
    pub place: String,
    /// What the specification requires.
    pub expected: String,
    /// What the hall did or has.
    pub found: String,
}

impl Display for Divergence {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: expected {}, found {}", self.place, self.expected, self.found)
    }
}

impl std::error::Error for Divergence {}

impl Divergence {
    /// A free choice of the hall that breaks a rule.
    pub(super) fn chosen(complaint: String) -> Self {
        Self { place: "a free choice".into(), expected: "one that the rules allow".into(), found: complaint }
    }
}

/// Compares two decisions.
pub(super) fn between(expected: &Decision, found: &Decision) -> Result<(), Divergence> {
    same("the answer", &expected.answer, &found.answer)?;
    for (place, pair) in expected.facts.iter().zip(&found.facts).enumerate() {
        if pair.0 != pair.1 {
            same(format_args!("fact {}", place + 1), pair.0, pair.1)?;
        }
    }
    let rest = expected.facts.len().min(found.facts.len());
    same("more facts", &expected.facts.get(rest), &found.facts.get(rest))?;
    // The order of effects does not matter.
    let count = |of: &[Effect], effect: &Effect| of.iter().filter(|other| *other == effect).count();
    let as_often = |effect: &Effect| count(&expected.effects, effect) == count(&found.effects, effect);
    let as_many = expected.effects.len() == found.effects.len();
    if as_many && (expected.effects == found.effects || expected.effects.iter().all(as_often)) {
        return Ok(());
    }
    let sorted = |effects: &[Effect]| {
        let mut printed: Vec<(String, &Effect)> =
            effects.iter().map(|effect| (format!("{effect:?}"), effect)).collect();
        printed.sort_by(|one, two| one.0.cmp(&two.0));
        printed.into_iter().map(|(_, effect)| effect.clone()).collect::<Vec<_>>()
    };
    same("the effects", &sorted(&expected.effects), &sorted(&found.effects))
}

/// Compares two values of which both can be printed.
pub(super) fn same<T: Debug + PartialEq + ?Sized>(
    what: impl Display,
    expected: &T,
    found: &T,
) -> Result<(), Divergence> {
    if expected == found {
        return Ok(());
    }
    let (expected, found) = (format!("{expected:#?}"), format!("{found:#?}"));
    Err(first_difference(&what.to_string(), &expected, &found))
}

/// A part of something: written out only where it differs, for there are many in each step.
#[derive(Clone, Copy)]
pub(super) struct Part<'a>(pub(super) &'a str, pub(super) &'a dyn Display);

impl Display for Part<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} of {}", self.0, self.1)
    }
}

/// The first line in which two printed values differ, with the names of what it lies in. Where that line only opens
/// something, all of it is told.
fn first_difference(what: &str, expected: &str, found: &str) -> Divergence {
    let mut around: Vec<(usize, &str)> = Vec::new();
    let (mut lines, mut others) = (expected.lines(), found.lines());
    loop {
        let (line_on, other_on) = (lines.clone(), others.clone());
        let Some(line) = lines.next() else { break };
        let other = others.next().unwrap_or("nothing");
        let depth = depth_of(line);
        around.retain(|(outer, _)| *outer < depth);
        if line != other {
            let names: Vec<&str> = around.iter().map(|(_, name)| *name).collect();
            let place =
                if names.is_empty() { what.to_owned() } else { format!("{what}: {}", names.join(" ")) };
            return Divergence { place, expected: whole(line_on), found: whole(other_on) };
        }
        around.push((depth, line.trim().trim_end_matches(OPENING)));
    }
    let is_more = others.clone().next().is_some();
    let found = if is_more { whole(others) } else { "something that prints alike".to_owned() };
    Divergence { place: what.to_owned(), expected: "no more".to_owned(), found }
}

/// What a printed line ends with that opens something.
const OPENING: [char; 4] = ['{', '[', '(', ' '];

/// The most letters of a value that are shown.
const MOST_LETTERS: usize = 400;

fn depth_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The value that the first of these lines begins, in one line.
fn whole<'a>(mut lines: impl Iterator<Item = &'a str>) -> String {
    let Some(first) = lines.next() else { return "nothing".to_owned() };
    let mut text = first.trim().to_owned();
    if text.ends_with(OPENING) {
        for line in lines {
            text.push(' ');
            text.push_str(line.trim());
            if depth_of(line) <= depth_of(first) {
                break;
            }
        }
    }
    let text = text.trim_end_matches(',');
    match text.char_indices().nth(MOST_LETTERS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_core::{Rejection, Reply, RoomReply};
    use hall_wire::{Digest, Notation};

    fn taken(notation: Option<&str>) -> Result<Reply, Rejection> {
        let notation = notation.map(|text| Notation::parse(text).unwrap());
        Ok(Reply::Room(RoomReply::MoveTaken {
            turn_index: 7,
            notation,
            state_hash: Some(Digest::of(b"")),
            result: None,
        }))
    }

    #[test]
    fn a_value_on_one_side_only_is_shown_whole() {
        let divergence = same("the answer", &taken(None), &taken(Some("e2e4"))).unwrap_err();
        assert_eq!(
            divergence.to_string(),
            "the answer: Ok Room MoveTaken: expected notation: None, found notation: Some( e2e4, )"
        );
        let divergence = same("the answer", &Err(Rejection::HandleTaken), &taken(None)).unwrap_err();
        assert_eq!(divergence.expected, "Err( HandleTaken, )");
        assert!(
            divergence.found.starts_with("Ok( Room( MoveTaken { turn_index: 7, notation: None,"),
            "{divergence}"
        );
        assert!(divergence.found.ends_with("}, ), )"), "{divergence}");
    }

    #[test]
    fn a_longer_list_is_shown_with_its_extra_items() {
        let divergence = same("the list", &vec![1], &vec![1, 2]).unwrap_err();
        assert_eq!((divergence.expected.as_str(), divergence.found.as_str()), ("]", "2"));
    }
}
