//! What can be seen of a game: pictures as data, and rendered (decision 13.10).

use super::{data, find_room, in_background};
use crate::endpoint::{Access, Details, Endpoint, Handling, Route, action, parameters};
use crate::errors::ApiCode;
use crate::game_export::{ExportError, game_facts};
use crate::payload::{PicturesData, TurnPicture};
use crate::requests::{PICTURES as LISTED, single_problem};
use crate::response::{Outcome, Response};
use crate::shell::Shell;
use hall_core::rooms::{Room, pictures as pictures_of};
use hall_games::Picture;
use hall_pages::svg;
use serde_json::json;
use std::ops::Range;
use std::sync::Arc;

pub(super) static PICTURES: Endpoint = Endpoint {
    route: Route::get(
        "pictures",
        "/api/games/{id}/pictures",
        Access::Public,
        "What could be seen at the beginning of each turn, as data.",
    ),
    details: |_| {
        Details::answering::<PicturesData>("spectators")
            .about(
                "Of an ended game everything is revealed; of a live one only what is public is shown. A renderer that draws \
                 these pictures draws every game.",
            )
            .query(vec![
                parameters::query(
                    "since",
                    "The first turn.",
                    json!({ "type": "integer", "minimum": 0, "maximum": u32::MAX, "default": 0 }),
                ),
                parameters::query("limit", "How many turns.", LISTED.schema()),
            ])
            .errors(&[ApiCode::GameNotFound])
    },
    handling: Handling::Request(|sent| {
        let id = sent.param();
        let mut query = sent.query();
        let since = query.number("since", 0, u64::from(u32::MAX)).unwrap_or(0);
        let limit = query.limit_of(LISTED);
        query.finish()?;
        let since = u32::try_from(since).unwrap_or(u32::MAX);
        let end = since.saturating_add(u32::try_from(limit).unwrap_or(u32::MAX));
        Ok(action(move |call| async move { pictures(&call.shell, &id, since..end).await }))
    }),
    tools: &[],
};

pub(super) static SVG: Endpoint = Endpoint {
    route: Route::get("svg", "/api/games/{id}/svg", Access::Public, "A picture of a game, drawn."),
    details: |_| {
        Details::bare("spectators", "image/svg+xml", json!({ "type": "string", "x-untrusted": true }))
            .about("One image without scripts and without references to anything outside it.")
            .query(vec![parameters::query(
                "turn",
                "The turn at whose beginning the game is shown; the last one without it.",
                json!({ "type": "integer", "minimum": 0, "maximum": u32::MAX }),
            )])
            .errors(&[ApiCode::GameNotFound])
    },
    handling: Handling::Request(|sent| {
        let id = sent.param();
        let mut query = sent.query();
        let turn = query.number("turn", 0, u64::from(u32::MAX));
        query.finish()?;
        let turn = turn.map(|turn| u32::try_from(turn).unwrap_or(u32::MAX));
        Ok(action(move |call| async move { rendered(&call.shell, &id, turn).await }))
    }),
    tools: &[],
};

async fn pictures(shell: &Arc<Shell>, id: &str, turns: Range<u32>) -> Outcome {
    let room = find_room(shell, id).await?;
    let read = move |shell: &Shell| {
        let pictures = seen(shell, &room, turns)?;
        data(&PicturesData {
            game_id: room.id(),
            pictures: pictures
                .into_iter()
                .map(|(turn_index, picture)| TurnPicture { turn_index, picture })
                .collect(),
            live: room.result().is_none(),
        })
    };
    in_background(shell, read).await
}

async fn rendered(shell: &Arc<Shell>, id: &str, turn: Option<u32>) -> Outcome {
    let room = find_room(shell, id).await?;
    let read = move |shell: &Shell| {
        let last = room.turn_index();
        let turn = turn.unwrap_or(last);
        let picture = seen(shell, &room, turn..turn.saturating_add(1))?.pop();
        let Some((_, picture)) = picture else {
            let rule = format!("must be an integer from 0 to {last}");
            return Err(single_problem(ApiCode::InvalidQuery, "turn", &rule));
        };
        let title = format!("{} {}, turn {turn}", room.variant().game, room.id());
        Ok(Response::bare("image/svg+xml", svg::image(&picture, &image_seats(&room), &title)))
    };
    in_background(shell, read).await
}

/// The players of a game as its images name them.
pub(super) fn image_seats(room: &Room) -> Vec<svg::Seat> {
    let names = room.rules().map_or(&[][..], |rules| rules.describe().player_names);
    let roles = names.iter().copied().map(Some).chain(core::iter::repeat(None));
    let seats = room.seats().iter().zip(roles);
    seats.map(|(seat, role)| svg::Seat { handle: seat.seat.handle.to_string(), role }).collect()
}

pub(super) fn seen(
    shell: &Shell,
    room: &Room,
    turns: Range<u32>,
) -> Result<Vec<(u32, Picture)>, ExportError> {
    let facts = game_facts(shell.engine.archive(), room)?;
    let catalog = shell.engine.peek(|hall| *hall.catalog());
    Ok(pictures_of(&facts, &catalog, room.result().is_some(), turns))
}
