//! The four layers of settings, lowest to highest: built-in default, settings file, environment, command line.

use super::keys::{KEYS, Key, find, nearest};
use super::value::{Kind, Value};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The file that is read if there is one and no other was named.
const DEFAULT_FILE: &str = "hall.toml";

/// Why the settings cannot be used. Each names where the fault is and what to do.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SettingsError {
    /// The settings file cannot be read.
    #[error("the settings file {} cannot be read: {error}", path.display())]
    Unreadable { path: PathBuf, error: std::io::Error },
    /// The settings file is no TOML.
    /// The line is not repeated, as it may hold a secret.
    #[error("the settings file {} is not TOML: line {line}: {message}", path.display())]
    NotToml { path: PathBuf, line: usize, message: String },
    /// There is no such setting.
    #[error(
        "{place}: there is no setting `{key}`{}. `hall serve --print-config` lists all",
        nearest.map(|nearest| format!("; the nearest one is `{nearest}`")).unwrap_or_default()
    )]
    Unknown { place: String, key: String, nearest: Option<&'static str> },
    /// The value is not of the right kind or out of range.
    #[error("{place}: `{key}` takes {takes}, not {found}")]
    WrongValue { place: String, key: &'static str, takes: String, found: String },
    /// Not `section.key=value`.
    #[error("--set {name}: write it as section.key=value")]
    NotAnAssignment { name: String },
    /// The values are of the right kinds but cannot be used.
    #[error("{}", problems.join("\n"))]
    Unusable { problems: Vec<String> },
}

/// Where settings come from, besides the built-in defaults.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    /// `--config FILE`.
    pub(crate) file: Option<PathBuf>,
    /// Environment variables whose names begin with `HALL_`.
    pub(crate) environment: Vec<(String, String)>,
    /// `--set section.key=value`, in order.
    pub(crate) assignments: Vec<String>,
}

impl Sources {
    /// The environment of this process. A name or value that is not Unicode is taken with replacement
    /// characters, which no setting accepts.
    pub(crate) fn process_environment() -> Vec<(String, String)> {
        let lossy = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
        let ours = |(name, _): &(String, String)| name.starts_with("HALL_");
        std::env::vars_os().map(|(name, value)| (lossy(name), lossy(value))).filter(ours).collect()
    }
}

/// The value of every setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Values {
    /// In the order of [`KEYS`].
    values: Vec<Value>,
    /// Which of them some layer above the built-in defaults has set, by their place in [`KEYS`].
    chosen: BTreeSet<usize>,
}

impl Default for Values {
    fn default() -> Self {
        Self { values: KEYS.iter().map(Key::default_value).collect(), chosen: BTreeSet::new() }
    }
}

impl Values {
    /// Lays the sources over the defaults.
    pub(crate) fn gather(sources: &Sources) -> Result<Self, SettingsError> {
        let mut values = Self::default();
        match &sources.file {
            Some(file) => values.take_file(file)?,
            None if Path::new(DEFAULT_FILE).exists() => values.take_file(Path::new(DEFAULT_FILE))?,
            None => {}
        }
        values.take_environment(&sources.environment)?;
        values.take_assignments(&sources.assignments)?;
        Ok(values)
    }

    /// The defaults with only these assignments over them, whatever lies around in files and environment.
    pub(crate) fn of_assignments(assignments: &[String]) -> Result<Self, SettingsError> {
        let mut values = Self::default();
        values.take_assignments(assignments)?;
        Ok(values)
    }

    /// The value of a setting by its name in the table.
    pub(crate) fn of(&self, path: &str) -> &Value {
        let value = find(path).and_then(|index| self.values.get(index));
        value.unwrap_or_else(|| panic!("{path} is not in the table of settings"))
    }

    /// The data folder.
    pub(crate) fn data_folder(&self) -> PathBuf {
        let Value::Text(path) = self.of("storage.path") else {
            panic!("storage.path is not a text in the table of settings");
        };
        path.trim().into()
    }

    /// Whether any layer sets it, even to its default.
    pub(crate) fn is_chosen(&self, path: &str) -> bool {
        find(path).is_some_and(|index| self.chosen.contains(&index))
    }

    /// Every setting with its value.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static Key, &Value)> {
        KEYS.iter().zip(&self.values)
    }

    fn take_file(&mut self, path: &Path) -> Result<(), SettingsError> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| SettingsError::Unreadable { path: path.to_owned(), error })?;
        let table = text.parse::<toml::Table>().map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            SettingsError::NotToml { path: path.to_owned(), line, message: error.message().to_owned() }
        })?;
        self.take_table(&path.display().to_string(), "", &table)
    }

    fn take_table(&mut self, place: &str, section: &str, table: &toml::Table) -> Result<(), SettingsError> {
        for (name, value) in table {
            let path = if section.is_empty() { name.clone() } else { format!("{section}.{name}") };
            match (find(&path), value) {
                (Some(index), value) => {
                    self.put(place, index, |key| key.kind.read_toml(value), || value.to_string())?;
                }
                // In a section that does not exist, the first setting is told: it says better what was meant.
                (None, toml::Value::Table(inner)) if is_section(&path) || !inner.is_empty() => {
                    self.take_table(place, &path, inner)?;
                }
                (None, _) => return Err(unknown(place, &path)),
            }
        }
        Ok(())
    }

    /// Decision: variables without a double underscore are nobody's setting and are left to others, unless they
    /// are a setting's name with single ones: the operator probably meant to set it.
    fn take_environment(&mut self, variables: &[(String, String)]) -> Result<(), SettingsError> {
        for (name, value) in variables {
            let rest = name.strip_prefix("HALL_").unwrap_or(name);
            if rest.contains("__") {
                let path = rest.replace("__", ".").to_ascii_lowercase();
                self.take_text(&format!("environment variable {name}"), &path, value)?;
                continue;
            }
            let meant = KEYS.iter().find(|key| key.environment_name().replace("__", "_") == *name);
            if let Some(key) = meant {
                let place = format!("environment variable {name} (it is written {})", key.environment_name());
                return Err(unknown(&place, &rest.to_ascii_lowercase()));
            }
        }
        Ok(())
    }

    fn take_assignments(&mut self, assignments: &[String]) -> Result<(), SettingsError> {
        for text in assignments {
            let Some((path, value)) = text.split_once('=') else {
                // What follows the name may be a secret.
                let is_name = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
                let name = text.split(|letter| !is_name(letter)).next().unwrap_or_default();
                return Err(SettingsError::NotAnAssignment { name: name.to_owned() });
            };
            self.take_text("--set", path.trim(), value)?;
        }
        Ok(())
    }

    fn take_text(&mut self, place: &str, path: &str, text: &str) -> Result<(), SettingsError> {
        let Some(index) = find(path) else { return Err(unknown(place, path)) };
        self.put(place, index, |key| key.kind.read_text(text), || format!("\"{text}\""))
    }

    fn put(
        &mut self,
        place: &str,
        index: usize,
        read: impl FnOnce(&Key) -> Option<Value>,
        found: impl FnOnce() -> String,
    ) -> Result<(), SettingsError> {
        if let (Some(key), Some(slot)) = (KEYS.get(index), self.values.get_mut(index)) {
            *slot = read(key).ok_or_else(|| SettingsError::WrongValue {
                place: place.to_owned(),
                key: key.path,
                takes: key.kind.to_string(),
                found: if matches!(key.kind, Kind::Secret) { "what is there".to_owned() } else { found() },
            })?;
            self.chosen.insert(index);
        }
        Ok(())
    }
}

fn is_section(path: &str) -> bool {
    KEYS.iter().any(|key| key.path.strip_prefix(path).is_some_and(|rest| rest.starts_with('.')))
}

fn unknown(place: &str, path: &str) -> SettingsError {
    SettingsError::Unknown { place: place.to_owned(), key: path.to_owned(), nearest: nearest(path) }
}
