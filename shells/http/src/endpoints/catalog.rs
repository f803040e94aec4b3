//! The games on offer and their rules.

use super::data;
use crate::endpoint::{Access, Details, Endpoint, Handling, Route, Tool, action};
use crate::errors::ApiCode;
use crate::payload::{CatalogData, GuideData, RulesData};
use crate::response::{Failure, Outcome};
use crate::shell::Shell;
use hall_core::HallSettings;
use hall_games::Game;

pub(super) static CATALOG: Endpoint = Endpoint {
    route: Route::get("catalog", "/api/catalog", Access::Public, "The games on offer."),
    details: |_| Details::answering::<CatalogData>("documents"),
    handling: Handling::Request(|_| Ok(action(|call| async move { catalog(&call.shell).await }))),
    tools: &[],
};

pub(super) static RULES: Endpoint = Endpoint {
    route: Route::get("rules", "/api/rules/{game}", Access::Public, "The rules card of a game."),
    details: |_| Details::answering::<RulesData>("documents").errors(&[ApiCode::GameUnknown]),
    handling: Handling::Request(|sent| {
        let game = sent.param();
        Ok(action(move |call| async move { data(&of_game(&call.shell, &game, RulesData::of)?) }))
    }),
    tools: &[Tool::public(14, "rules")],
};

pub(super) static HOW_TO: Endpoint = Endpoint {
    route: Route::get("howto", "/api/howto/{game}", Access::Public, "How to play a game here."),
    details: |_| Details::answering::<GuideData>("documents").errors(&[ApiCode::GameUnknown]),
    handling: Handling::Request(|sent| {
        let game = sent.param();
        Ok(action(move |call| async move { data(&of_game(&call.shell, &game, GuideData::of)?) }))
    }),
    tools: &[],
};

async fn catalog(shell: &Shell) -> Outcome {
    let catalog = shell
        .engine
        .read(|hall| {
            hall.settings().map(|settings| CatalogData::of(hall.catalog(), settings, &shell.house_agents))
        })
        .await?;
    data(&catalog.ok_or_else(|| Failure::from(ApiCode::Internal))?)
}

/// Answers with `payload` of the game with this id, by the rules of new games.
pub(super) fn of_game<T>(
    shell: &Shell,
    id: &str,
    payload: impl FnOnce(&dyn Game, &HallSettings) -> T,
) -> Result<T, Failure> {
    let found = shell.engine.peek(|hall| (hall.catalog().find(id), hall.settings().cloned()));
    let game = found.0.ok_or_else(|| Failure::from(ApiCode::GameUnknown).in_path())?;
    Ok(payload(game, &found.1.ok_or_else(|| Failure::from(ApiCode::Internal))?))
}
