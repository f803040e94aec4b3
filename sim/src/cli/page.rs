//! What a command says: lines for people as they come, or one JSON object at the end.

use serde_json::{Map, Value};

/// A page in one of two forms.
pub(super) struct Page {
    /// The object so far, if it is one.
    members: Option<Map<String, Value>>,
}

impl Page {
    /// An empty one.
    pub(super) fn new(json: bool) -> Self {
        Self { members: json.then(Map::new) }
    }

    /// A line for people that the object has elsewhere.
    pub(super) fn say(&self, line: &str) {
        if self.members.is_none() {
            say!("{line}");
        }
    }

    /// A member of the object that people read elsewhere.
    pub(super) fn put(&mut self, name: &str, value: impl Into<Value>) {
        if let Some(members) = &mut self.members {
            members.insert(name.to_owned(), value.into());
        }
    }

    /// The same in both forms.
    pub(super) fn tell(&mut self, name: &str, line: &str, value: impl Into<Value>) {
        self.say(line);
        self.put(name, value);
    }

    /// Prints the object, if it is one.
    pub(super) fn end(self) {
        if let Some(members) = self.members {
            say!("{}", Value::Object(members));
        }
    }
}
