//! The rules of a game.

use super::{Framing, page, sent};
use crate::endpoint::{Access, Endpoint, Route, action};
use crate::endpoints::catalog::{self as counterpart, of_game};
use crate::payload::RulesData;
use crate::response::Outcome;
use crate::shell::Shell;
use hall_core::HallSettings;
use hall_games::{Game, STANDARD};
use hall_pages::RulesView;
use hall_pages::view::GameTitle;
use hall_wire::Span;

pub(super) static RULES: Endpoint = page(
    Route::get("rules_page", "/rules/{game}", Access::Public, "The rules of a game."),
    Some(&counterpart::RULES),
    |sent| {
        let game = sent.param();
        Ok(action(move |call| async move { rules(&call.shell, &game) }))
    },
);

fn rules(shell: &Shell, game: &str) -> Outcome {
    let view = of_game(shell, game, view)?;
    Ok(sent(shell, hall_pages::rules(&view), Framing::Nobody))
}

fn view(game: &dyn Game, settings: &HallSettings) -> RulesView {
    let (described, data) = (game.describe(), RulesData::of(game, settings));
    let seats = described.players.min;
    let roles = (0..usize::from(seats)).map(|seat| described.player_names.get(seat).copied()).collect();
    let players = match (described.players.min, described.players.max) {
        (min, max) if min == max => min.to_string(),
        (min, max) => format!("{min} to {max}"),
    };
    let facts = [
        Some(("Players", players)),
        Some(("Information", described.information.to_owned())),
        Some(("Chance", described.randomness.to_owned())),
        described.points.map(|points| ("A point is", points.to_owned())),
        Some(("Moves are written", described.notation.to_owned())),
        Some(("At a missed deadline", described.default_action.to_owned())),
    ];
    RulesView {
        game: GameTitle { id: described.id.to_owned(), name: described.name.to_owned() },
        version: described.ruleset_version.to_owned(),
        picture: game.open(STANDARD, seats).ok().map(|position| (position.picture(false), roles)),
        facts: facts.into_iter().flatten().collect(),
        move_time: Span::from_millis(data.move_ms),
        side_time: data.side_ms.map(Span::from_millis),
        variants: described.variants.iter().map(|it| (it.id.to_owned(), it.summary.to_owned())).collect(),
        card: data.rules_card.0.clone(),
        guide: data.how_to_play.0.clone(),
    }
}
