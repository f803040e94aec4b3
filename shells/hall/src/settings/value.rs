//! One setting: its kind, its value, and how the value is written in each layer.

use std::fmt;
use toml::Value as Toml;

/// What a setting may hold.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// Any text.
    Text,
    /// A text that is shown nowhere.
    Secret,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A whole number from the first to the second, both included.
    Integer(i64, i64),
    /// Yes or no.
    Switch,
    /// A list of texts.
    Texts,
    /// A list of whole numbers from the first to the second.
    Integers(i64, i64),
}

/// A text that is shown nowhere; empty for none.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Secret(String);

impl Secret {
    /// The text, for the one who uses it. `None` if it is not set.
    pub(crate) fn expose(&self) -> Option<&str> {
        Some(self.0.trim()).filter(|text| !text.is_empty())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(if self.expose().is_some() { "Secret(set)" } else { "Secret(empty)" })
    }
}

/// A value of one of the kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// A text or word.
    Text(String),
    /// A text that is shown nowhere.
    Secret(Secret),
    /// A whole number.
    Integer(i64),
    /// Yes or no.
    Switch(bool),
    /// A list of texts.
    Texts(Vec<String>),
    /// A list of whole numbers.
    Integers(Vec<i64>),
}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text | Self::Secret => out.write_str("a text"),
            Self::Word(among) => write!(out, "one of {}", among.join(", ")),
            Self::Integer(min, i64::MAX) => write!(out, "a whole number of at least {min}"),
            Self::Integer(min, max) => write!(out, "a whole number from {min} to {max}"),
            Self::Switch => out.write_str("true or false"),
            Self::Texts => out.write_str("a list of texts"),
            Self::Integers(min, max) => write!(out, "a list of whole numbers from {min} to {max}"),
        }
    }
}

impl Kind {
    /// Reads a value from a settings file; `None` if it is not of this kind.
    pub(crate) fn read_toml(self, value: &Toml) -> Option<Value> {
        match (self, value) {
            (Self::Text, Toml::String(text)) => Some(Value::Text(text.clone())),
            (Self::Secret, Toml::String(text)) => Some(Value::Secret(Secret(text.clone()))),
            (Self::Word(among), Toml::String(text)) => {
                among.contains(&text.as_str()).then(|| Value::Text(text.clone()))
            }
            (Self::Integer(min, max), Toml::Integer(number)) => {
                (min..=max).contains(number).then_some(Value::Integer(*number))
            }
            (Self::Switch, Toml::Boolean(switch)) => Some(Value::Switch(*switch)),
            (Self::Texts, Toml::Array(items)) => {
                let texts = items.iter().map(|item| item.as_str().map(str::to_owned));
                texts.collect::<Option<_>>().map(Value::Texts)
            }
            (Self::Integers(min, max), Toml::Array(items)) => {
                let numbers = items.iter().map(|item| item.as_integer().filter(|n| (min..=max).contains(n)));
                numbers.collect::<Option<_>>().map(Value::Integers)
            }
            (
                Self::Text
                | Self::Secret
                | Self::Word(_)
                | Self::Integer(..)
                | Self::Switch
                | Self::Texts
                | Self::Integers(..),
                _,
            ) => None,
        }
    }

    /// Reads a value from the environment or the command line; `None` if it is not of this kind. Lists are
    /// separated by commas, and nothing at all is the empty list.
    pub(crate) fn read_text(self, text: &str) -> Option<Value> {
        let toml = match self {
            Self::Text | Self::Secret | Self::Word(_) => Toml::String(text.to_owned()),
            Self::Integer(..) => Toml::Integer(text.trim().parse().ok()?),
            Self::Switch => Toml::Boolean(text.trim().parse().ok()?),
            Self::Texts => Toml::Array(items(text).map(|item| Toml::String(item.to_owned())).collect()),
            Self::Integers(..) => {
                let numbers = items(text).map(|item| item.parse().ok().map(Toml::Integer));
                Toml::Array(numbers.collect::<Option<_>>()?)
            }
        };
        self.read_toml(&toml)
    }
}

fn items(text: &str) -> impl Iterator<Item = &str> {
    let count = if text.trim().is_empty() { 0 } else { usize::MAX };
    text.split(',').map(str::trim).take(count)
}

impl Value {
    /// The value as it is written in a settings file. A secret is written as if it were not set.
    pub(crate) fn to_toml(&self) -> Toml {
        match self {
            Self::Text(text) => Toml::String(text.clone()),
            Self::Secret(_) => Toml::String(String::new()),
            Self::Integer(number) => Toml::Integer(*number),
            Self::Switch(switch) => Toml::Boolean(*switch),
            Self::Texts(items) => Toml::Array(items.iter().cloned().map(Toml::String).collect()),
            Self::Integers(items) => Toml::Array(items.iter().copied().map(Toml::Integer).collect()),
        }
    }
}
