//! The rules of a game.

use super::{Framing, content, page, part, sent};
use crate::endpoint::{Access, Endpoint, Route, action};
use crate::endpoints::catalog::{self as counterpart, of_game};
use crate::errors::ApiCode;
use crate::payload::RulesData;
use crate::requests::single_problem;
use crate::response::Outcome;
use crate::rules_pages::{RulesPage, RulesPages};
use crate::shell::Shell;
use bytes::Bytes;
use hall_core::HallSettings;
use hall_games::{Game, Picture, STANDARD, ShownExample};
use hall_pages::svg;
use hall_pages::view::GameTitle;
use hall_pages::{ExampleView, RulesView};
use hall_wire::Span;
use std::iter;
use std::sync::Arc;

pub(super) static RULES: Endpoint = page(
    Route::get("rules_page", "/rules/{game}", Access::Public, "The rules of a game."),
    Some(&counterpart::RULES),
    |sent| {
        let game = sent.param();
        Ok(action(move |call| async move { rules(&call.shell, &game) }))
    },
);

/// The rules of a game, with the clocks of `settings`, which never change while the hall runs.
fn made(pages: &RulesPages, game: &dyn Game, settings: &HallSettings) -> Arc<RulesPage> {
    pages.of(game.describe().ruleset_version, || RulesPage {
        html: hall_pages::rules(&view(game, settings)).into(),
        pictures: pictures(game),
    })
}

fn rules(shell: &Shell, game: &str) -> Outcome {
    let page = of_game(shell, game, |game, settings| made(&shell.rules_pages, game, settings))?;
    Ok(sent(shell, page.html.clone(), Framing::Nobody))
}

/// The position of an example, or what a move makes of it.
pub(super) static PICTURE: Endpoint = part(
    Route::get(
        "rules_picture",
        "/rules/{game}/picture",
        Access::Public,
        "A picture of an example in the rules of a game.",
    ),
    |sent| {
        let game = sent.param();
        let mut query = sent.query();
        let mut number =
            |name| query.number(name, 0, 1_000).and_then(|number| usize::try_from(number).ok()).unwrap_or(0);
        let (example, shown) = (number("example"), number("move"));
        query.finish()?;
        Ok(action(move |call| async move { rendered(&call.shell, &game, example, shown) }))
    },
);

/// The move is counted from 1; without one the position before it is drawn.
fn rendered(shell: &Shell, game: &str, example: usize, shown: usize) -> Outcome {
    let page = of_game(shell, game, |game, settings| made(&shell.rules_pages, game, settings))?;
    let image = page.pictures.get(example).and_then(|pictures| pictures.get(shown)?.clone());
    let image = image.ok_or_else(|| {
        single_problem(
            ApiCode::InvalidQuery,
            "example",
            "must be an example of this game, with a picture of this move",
        )
    })?;
    Ok(content(shell, "image/svg+xml", image).cached("public, max-age=3600"))
}

fn pictures(game: &dyn Game) -> Vec<Vec<Option<Bytes>>> {
    let described = game.describe();
    let of_example = |example: ShownExample| {
        let rendered = |picture: Picture| {
            let seats = picture_seats(described.player_names, described.players.min.max(seats_in(&picture)));
            svg::figure(&picture, &seats, example.topic).into()
        };
        let after = example.moves.into_iter().map(|it| it.after);
        iter::once(Some(example.before)).chain(after).map(|picture| picture.map(rendered)).collect()
    };
    game.examples().into_iter().map(of_example).collect()
}

/// How many players are to be seen in a picture.
fn seats_in(picture: &Picture) -> u8 {
    let held = picture.hands.iter().map(|hand| hand.player);
    let counted = picture.counters.iter().map(|counter| counter.player);
    let last = held.chain(counted).flatten().map(|player| player.index()).max();
    last.and_then(|last| u8::try_from(last + 1).ok()).unwrap_or(0)
}

fn picture_seats(names: &[&'static str], seats: u8) -> Vec<svg::Seat> {
    let named = |seat: u8| {
        let role = names.get(usize::from(seat)).copied();
        svg::Seat { handle: role.map_or_else(|| format!("player {}", seat + 1), str::to_owned), role }
    };
    (0..seats).map(named).collect()
}

fn examples(game: &dyn Game) -> Vec<ExampleView> {
    let id = game.describe().id;
    let address =
        |example: usize, shown: usize| format!("/rules/{id}/picture?example={example}&move={shown}");
    let view = |(number, example): (usize, ShownExample)| {
        let moves = example.moves.iter().zip(1..);
        ExampleView {
            topic: example.topic,
            picture: address(number, 0),
            refused: example.refused,
            moves: moves
                .map(|(it, shown)| (it.notation, it.note, it.after.as_ref().map(|_| address(number, shown))))
                .collect(),
        }
    };
    game.examples().into_iter().enumerate().map(view).collect()
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
        described.points.map(|points| ("A point is", points.unit.to_owned())),
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
        examples: examples(game),
        card: game.rules_card(),
        guide: game.how_to(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_games::CATALOG;

    #[test]
    fn the_rules_of_a_game_are_made_once() {
        let (pages, settings) = (RulesPages::default(), HallSettings::default());
        let of = |id: &str| made(&pages, CATALOG.find(id).unwrap(), &settings);
        let [first, second] = [of("chess"), of("chess")];
        assert_eq!(first.html.as_ptr(), second.html.as_ptr());
        let picture = |page: &RulesPage| page.pictures[0][0].as_ref().unwrap().as_ptr();
        assert_eq!(picture(&first), picture(&second));
        assert_ne!(of("hex").html, first.html);
    }
}
