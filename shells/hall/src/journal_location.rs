//! Where a journal is, as the command line names it: `fjall:FOLDER` or `postgres:CONNECTION STRING`.

use crate::settings::{Storage, StorageEngine};
use std::fmt;
use std::path::PathBuf;

/// Where a journal is. [`fmt::Display`] shows nothing that is secret.
#[derive(Clone, Debug)]
pub(crate) enum JournalLocation {
    /// In a data folder.
    Folder(PathBuf),
    /// In a database.
    Database(Box<hall_postgres::Settings>),
}

impl JournalLocation {
    /// Where the settings have it.
    pub(crate) fn of(storage: &Storage) -> Self {
        match &storage.engine {
            StorageEngine::Fjall => Self::Folder(storage.path.clone()),
            StorageEngine::Postgres(database) => Self::Database(database.clone()),
        }
    }

    /// Reads `fjall:FOLDER` or `postgres:CONNECTION STRING`, and the URL of a database as it is. `None` for a text that
    /// names no engine.
    ///
    /// # Errors
    /// What is wrong with it; nothing of a connection string is repeated.
    pub(crate) fn parse(text: &str) -> Option<Result<Self, String>> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Some(Self::database(text));
        }
        match text.split_once(':') {
            Some(("fjall", "")) => Some(Err("fjall: needs the name of a folder behind it".to_owned())),
            Some(("fjall", folder)) => Some(Ok(Self::Folder(folder.into()))),
            Some(("postgres", connection)) => Some(Self::database(connection)),
            Some(_) | None => None,
        }
    }

    fn database(connection: &str) -> Result<Self, String> {
        let settings = hall_postgres::Settings::parse(connection).map_err(|error| error.to_string())?;
        Ok(Self::Database(Box::new(settings)))
    }
}

impl fmt::Display for JournalLocation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path) => write!(out, "{}", path.display()),
            Self::Database(settings) => write!(out, "{settings}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_is_an_engine_and_where_it_has_its_journal() {
        let shown =
            |text| JournalLocation::parse(text).map(|location| location.map(|location| location.to_string()));
        let database = "database games, schema hall at db.example:5432";
        for (text, location) in [
            ("fjall:/var/lib/hall", Some("/var/lib/hall")),
            ("fjall:a:b", Some("a:b")),
            ("postgres:host=db.example dbname=games user=hall", Some(database)),
            ("postgres:postgres://hall:hunter2@db.example/games", Some(database)),
            ("postgres://hall:hunter2@db.example/games", Some(database)),
            ("/var/lib/hall", None),
            ("postgres", None),
            ("mysql:x", None),
        ] {
            assert_eq!(shown(text), location.map(|location| Ok(location.to_owned())), "{text}");
        }
        for wrong in ["fjall:", "postgres:", "postgres:dbname=hunter2", "postgres://hall:hunter2@/games"] {
            let error = JournalLocation::parse(wrong).unwrap().unwrap_err();
            assert!(!error.contains("hunter2"), "{error}");
        }
    }
}
