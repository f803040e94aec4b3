//! Settings: built-in defaults, then `hall.toml` or `--config FILE`, then the environment, then `--set`.
//!
//! [`keys`] is the table of all there are, [`layers`] lays the sources over one another, [`typed`] checks the
//! values and shapes them, [`mod@print`] writes them back.

mod keys;
mod layers;
mod log;
mod print;
#[cfg(test)]
mod tests;
mod typed;
mod value;

pub(crate) use layers::{SettingsError, Sources, Values};
pub(crate) use log::WitnessAt;
pub(crate) use print::as_toml;
pub(crate) use typed::{Beacon, Cluster, Doorbell, Settings, Storage, StorageEngine};

use std::path::PathBuf;

/// The arguments by which every command finds its settings.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct SettingsArgs {
    /// Read settings from this file instead of hall.toml in the current folder
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Set one setting, such as --set server.listen=0.0.0.0:8080; repeatable; lists are separated by commas
    #[arg(long = "set", value_name = "SECTION.KEY=VALUE")]
    pub(crate) set: Vec<String>,
}

impl SettingsArgs {
    /// These arguments with those of an inner command after them: the inner file wins, and what is set later wins.
    pub(crate) fn with(mut self, inner: Self) -> Self {
        self.set.extend(inner.set);
        Self { config: inner.config.or(self.config), set: self.set }
    }

    /// The values in effect.
    pub(crate) fn gather(&self) -> Result<Values, SettingsError> {
        Values::gather(&Sources {
            file: self.config.clone(),
            environment: Sources::process_environment(),
            assignments: self.set.clone(),
        })
    }

    /// The data folder alone, whatever else these settings lack to serve a hall.
    pub(crate) fn data_folder(&self) -> Result<PathBuf, SettingsError> {
        Ok(self.gather()?.data_folder())
    }

    /// The settings in effect.
    pub(crate) fn load(&self) -> Result<Settings, SettingsError> {
        Settings::of(&self.gather()?)
    }
}
