//! Where two values differ, in words.

use hall_core::{Decision, Effect};
use std::fmt::{self, Debug, Display};

/// The first difference between the hall and the reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// What differs, from the whole to the part.
    pub place: String,
    /// What the specification asks for.
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
    // In which order shells are told is nobody's business.
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

/// The first line in which two printed values differ, with the names of what it lies in.
fn first_difference(what: &str, expected: &str, found: &str) -> Divergence {
    let mut around: Vec<(usize, String)> = Vec::new();
    let mut others = found.lines();
    for line in expected.lines() {
        let other = others.next().unwrap_or("nothing");
        let depth = line.len() - line.trim_start().len();
        around.retain(|(outer, _)| *outer < depth);
        if line != other {
            let names: Vec<&str> = around.iter().map(|(_, name)| name.as_str()).collect();
            let place =
                if names.is_empty() { what.to_owned() } else { format!("{what}: {}", names.join(" ")) };
            return Divergence { place, expected: clean(line), found: clean(other) };
        }
        around.push((depth, line.trim().trim_end_matches(['{', '[', '(', ' ']).to_owned()));
    }
    let found = others.next().map_or_else(|| "something that prints alike".to_owned(), clean);
    Divergence { place: what.to_owned(), expected: "no more".to_owned(), found }
}

fn clean(line: &str) -> String {
    line.trim().trim_end_matches(',').to_owned()
}
