//! Reading typed fields out of JSON, with the place of what is wrong.

use core::fmt;
use hall_wire::json::{Map, Value};
use hall_wire::{Digest, Player, Timestamp};

/// A field that has not the form it must have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::replay) struct ShapeProblem {
    field: String,
    rule: &'static str,
}

impl fmt::Display for ShapeProblem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.field, self.rule)
    }
}

pub(super) type Shaped<T> = Result<T, ShapeProblem>;

/// A value and where it stands.
#[derive(Clone, Copy)]
pub(super) struct Node<'v, 'p> {
    value: &'v Value,
    step: Step,
    up: Option<&'p Node<'v, 'p>>,
}

#[derive(Clone, Copy)]
enum Step {
    Member(&'static str),
    Element(usize),
}

/// An object whose members are read one by one.
pub(super) struct Object<'v, 'p> {
    node: &'p Node<'v, 'p>,
    members: &'v Map<String, Value>,
}

impl<'v, 'p> Node<'v, 'p> {
    pub(super) const fn top(value: &'v Value) -> Self {
        Self { value, step: Step::Member("the replay"), up: None }
    }

    pub(super) const fn value(&self) -> &'v Value {
        self.value
    }

    pub(super) fn problem(&self, rule: &'static str) -> ShapeProblem {
        ShapeProblem { field: self.to_string(), rule }
    }

    /// The object that stands here. Members that are not among `known` are named in `unknown`.
    pub(super) fn object(&'p self, known: &[&str], unknown: &mut Vec<String>) -> Shaped<Object<'v, 'p>> {
        let members = self.value.as_object().ok_or_else(|| self.problem("must be an object"))?;
        let others = members.keys().filter(|name| !known.contains(&name.as_str()));
        unknown.extend(others.map(|name| format!("{self}.{name}")));
        Ok(Object { node: self, members })
    }

    /// The elements of the array that stands here.
    pub(super) fn elements(&'p self) -> Shaped<impl Iterator<Item = Node<'v, 'p>>> {
        let items = self.value.as_array().ok_or_else(|| self.problem("must be an array"))?;
        Ok(items.iter().enumerate().map(|(place, value)| Node {
            value,
            step: Step::Element(place),
            up: Some(self),
        }))
    }

    /// Every element of the array that stands here, read by `read`.
    pub(super) fn list<T>(&'p self, mut read: impl FnMut(&Node<'v, 'p>) -> Shaped<T>) -> Shaped<Vec<T>> {
        self.elements()?.map(|element| read(&element)).collect()
    }

    /// Itself, or `None` if null stands here.
    pub(super) fn optional(self) -> Option<Self> {
        (!self.value.is_null()).then_some(self)
    }

    pub(super) fn text(&self) -> Shaped<&'v str> {
        self.value.as_str().ok_or_else(|| self.problem("must be a string"))
    }

    pub(super) fn boolean(&self) -> Shaped<bool> {
        self.value.as_bool().ok_or_else(|| self.problem("must be true or false"))
    }

    pub(super) fn number(&self) -> Shaped<u64> {
        self.value.as_u64().ok_or_else(|| self.problem("must be a whole number, not negative"))
    }

    pub(super) fn small(&self) -> Shaped<u32> {
        u32::try_from(self.number()?).map_err(|_| self.problem("must be below 2^32"))
    }

    /// The string that stands here, as `parse` reads it.
    pub(super) fn parsed<T>(&self, rule: &'static str, parse: impl Fn(&str) -> Option<T>) -> Shaped<T> {
        parse(self.text()?).ok_or_else(|| self.problem(rule))
    }

    pub(super) fn digest(&self) -> Shaped<Digest> {
        self.parsed("must be 64 lowercase hexadecimal digits", Digest::parse)
    }

    pub(super) fn time(&self) -> Shaped<Timestamp> {
        self.parsed("must be a time in UTC with milliseconds", Timestamp::parse)
    }

    pub(super) fn player(&self) -> Shaped<Player> {
        self.parsed("must be a player", Player::parse)
    }
}

impl<'v, 'p> Object<'v, 'p> {
    /// The member of this name, null included.
    pub(super) fn member(&self, name: &'static str) -> Shaped<Node<'v, 'p>> {
        let node = |value| Node { value, step: Step::Member(name), up: Some(self.node) };
        self.members
            .get(name)
            .map(node)
            .ok_or_else(|| ShapeProblem { field: format!("{}.{name}", self.node), rule: "is missing" })
    }

    /// The member of this name, `None` if it is null.
    pub(super) fn optional(&self, name: &'static str) -> Shaped<Option<Node<'v, 'p>>> {
        Ok(self.member(name)?.optional())
    }

    /// The member of this name, `None` if it is not there.
    pub(super) fn if_there(&self, name: &'static str) -> Option<Node<'v, 'p>> {
        self.member(name).ok()
    }
}

impl fmt::Display for Node<'_, '_> {
    /// The path from the top: `moves[3].body`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.up, self.step) {
            (None, Step::Member(name)) => out.write_str(name),
            (None, Step::Element(_)) => Ok(()),
            (Some(up), Step::Element(place)) => write!(out, "{up}[{place}]"),
            (Some(up), Step::Member(name)) if up.up.is_none() => out.write_str(name),
            (Some(up), Step::Member(name)) => write!(out, "{up}.{name}"),
        }
    }
}
