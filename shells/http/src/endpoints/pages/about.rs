//! What this hall is, and its official keys.

use super::{Framing, page, sent};
use crate::description::SOFTWARE;
use crate::documents::WHAT;
use crate::endpoint::{Access, Endpoint, Route, action};
use crate::errors::ApiCode;
use crate::response::{Failure, Outcome};
use crate::shell::Shell;
use hall_pages::AboutView;
use hall_pages::view::GameTitle;

pub(super) static ABOUT: Endpoint = page(
    Route::get("about_page", "/about", Access::Public, "What this hall is, its keys, and how to check it."),
    None,
    |_| Ok(action(|call| async move { about(&call.shell).await })),
);

async fn about(shell: &Shell) -> Outcome {
    let (keys, chain, log_size, games) = shell
        .engine
        .read(|hall| {
            let games = hall.catalog().iter().map(|game| game.describe());
            let games = games.map(|game| GameTitle { id: game.id.to_owned(), name: game.name.to_owned() });
            let chain = hall.settings().and_then(|settings| settings.beacon);
            (hall.keys().cloned(), chain, hall.leaf_count(), games.collect())
        })
        .await?;
    let keys = keys.ok_or_else(|| Failure::from(ApiCode::Internal))?;
    let view = AboutView {
        what: WHAT.to_owned(),
        software: SOFTWARE.to_owned(),
        base_url: shell.settings.base_url.clone(),
        log_origin: shell.log.origin(),
        log_key: shell.log.public().to_string(),
        ring_key: keys.ring,
        beacon_chain: chain.map(|chain| chain.chain_hash.to_string()),
        log_size,
        games,
    };
    Ok(sent(shell, hall_pages::about(&view), Framing::Nobody))
}
