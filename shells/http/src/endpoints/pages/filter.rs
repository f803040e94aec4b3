//! What forms of pages send and offer. A form sends every field, so an empty one is not set.

use crate::requests::Query;
use crate::response::Failure;
use crate::shell::Shell;
use hall_core::Hall;
use hall_pages::view::GameTitle;

/// A parameter that is set, as it was written.
pub(super) fn written(query: &mut Query, name: &str) -> String {
    query.text(name).unwrap_or_default()
}

/// A parameter that is set, parsed; `rule` states the requirement in words.
pub(super) fn set<T>(
    query: &mut Query,
    name: &str,
    rule: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Option<T> {
    let value =
        query.parsed(name, rule, |text| if text.is_empty() { Some(None) } else { read(text).map(Some) });
    value.flatten()
}

/// What forms offer to choose from.
pub(super) struct Choices {
    pub(super) titles: Vec<GameTitle>,
    pub(super) variants: Vec<String>,
    /// The newest first.
    pub(super) seasons: Vec<String>,
}

impl Choices {
    pub(super) async fn of(shell: &Shell) -> Result<Self, Failure> {
        Ok(shell.engine.read(Self::in_hall).await?)
    }

    fn in_hall(hall: &Hall) -> Self {
        let games = || hall.catalog().iter().map(|game| game.describe());
        let titles = games().map(|game| GameTitle { id: game.id.to_owned(), name: game.name.to_owned() });
        let variants = games().flat_map(|game| game.variant_ids().map(str::to_owned).collect::<Vec<_>>());
        let mut variants: Vec<String> = variants.collect();
        variants.sort();
        variants.dedup();
        let seasons = hall.desk().seasons().rev().map(|season| season.id.to_string());
        Self { titles: titles.collect(), variants, seasons: seasons.collect() }
    }
}
