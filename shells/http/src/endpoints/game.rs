//! One game as anybody may see it: its record, and, once it has ended, its replay and its PGN.

use super::{data, find_room, in_background};
use crate::endpoint::{Access, Details, Endpoint, Handling, Route, Tool, action, parameters};
use crate::errors::ApiCode;
use crate::game_export::{game_pgn, game_record, game_replay};
use crate::payload::{GameData, GameRecord, ReplayData, is_format, record_formats};
use crate::requests::single_problem;
use crate::response::{Failure, Outcome, Response};
use crate::shell::Shell;
use hall_core::rooms::Room;
use salvo::http::header;
use serde_json::json;
use std::sync::Arc;

pub(super) static GAME: Endpoint = Endpoint {
    route: Route::get("game", "/api/games/{id}", Access::Public, "The public record of a game."),
    details: |_| Details::answering::<GameData>("spectators").errors(&[ApiCode::GameNotFound]),
    handling: Handling::Request(|sent| {
        let id = sent.param();
        Ok(action(|call| async move { record(&call.shell, &id).await }))
    }),
    tools: &[Tool::public(11, "game")],
};

pub(super) static REPLAY: Endpoint = Endpoint {
    route: Route::get(
        "replay",
        "/api/games/{id}/replay",
        Access::Public,
        "The verifiable replay of an ended game.",
    ),
    details: |_| {
        Details::answering::<ReplayData>("spectators")
            .errors(&[ApiCode::GameNotFound, ApiCode::ReplayNotReady])
    },
    handling: Handling::Request(|sent| {
        let id = sent.param();
        Ok(action(|call| async move { replay(&call.shell, &id).await }))
    }),
    tools: &[Tool::public(12, "replay")],
};

pub(super) static PGN: Endpoint = Endpoint {
    route: Route::get(
        "pgn",
        "/api/games/{id}/pgn",
        Access::Public,
        "An ended game as PGN, if the game has that form.",
    ),
    details: |_| {
        let text = json!({ "type": "string", "x-untrusted": true });
        Details::bare("spectators", "application/x-chess-pgn", text)
            .about(
                "With WhiteElo and BlackElo (before the game), models, season and division as tags, and as comments \
                 [%clk h:mm:ss] (left on the mover's side clock), [%forced deadline] or [%forced illegal_moves] where \
                 the hall moved, and commentary. The replay's pgn has the moves alone.",
            )
            .errors(&[ApiCode::GameNotFound, ApiCode::NotFound, ApiCode::ReplayNotReady])
    },
    handling: Handling::Request(|sent| {
        let id = sent.param();
        Ok(action(|call| async move { pgn(&call.shell, &id).await }))
    }),
    tools: &[],
};

pub(super) static RECORD: Endpoint = Endpoint {
    route: Route::get(
        "record",
        "/api/games/{id}/record",
        Access::Public,
        "An ended game as its field writes it down.",
    ),
    details: |_| {
        let text = json!({ "type": "string", "x-untrusted": true });
        let in_words = "In the format that was asked for.";
        Details::bare("spectators", "application/json", json!({ "type": "object" }))
            .also(200, Some(("application/x-chess-pgn", text.clone())), in_words)
            .also(200, Some(("application/x-go-sgf", text.clone())), in_words)
            .also(200, Some(("text/plain", text)), in_words)
            .about(
                "The catalog names the formats of each game, the default first: pgn, sgf, pdn or mat, and json for every \
                 game: { game, variant, seats, moves, chance, result }.",
            )
            .query(vec![parameters::query(
                "format",
                "One of record_formats of the game; the first without it.",
                json!({ "type": "string" }),
            )])
            .errors(&[ApiCode::GameNotFound, ApiCode::ReplayNotReady])
    },
    handling: Handling::Request(|sent| {
        let id = sent.param();
        let mut query = sent.query();
        let format = query.text("format");
        query.finish()?;
        Ok(action(|call| async move { written(&call.shell, &id, format).await }))
    }),
    tools: &[],
};

async fn written(shell: &Arc<Shell>, id: &str, format: Option<String>) -> Outcome {
    // The shape of the query comes before the question whether the game exists (2.1).
    if let Some(format) = &format
        && !shell.engine.peek(|hall| is_format(hall.catalog(), format))
    {
        let rule = "must be one of record_formats of the game, as the catalog has them";
        return Err(single_problem(ApiCode::InvalidQuery, "format", rule));
    }
    let room = find_room(shell, id).await?;
    let formats = formats(&room)?;
    let rule = format!("must be one of {}", formats.join(", "));
    let unknown = move || single_problem(ApiCode::InvalidQuery, "format", &rule);
    let format = match format {
        Some(format) => formats.iter().copied().find(|known| *known == format).ok_or_else(&unknown)?,
        None => formats.first().copied().unwrap_or_default(),
    };
    let room = ended(room)?;
    let read = move |shell: &Shell| {
        let (engine, site) = (&shell.engine, &shell.settings.base_url);
        let written = match format {
            "pgn" => game_pgn(engine, &room, site, None)?,
            other => game_record(engine, &room, site, other)?,
        };
        let media_type = match format {
            "json" => "application/json",
            "pgn" => "application/x-chess-pgn",
            "sgf" => "application/x-go-sgf",
            _ => "text/plain; charset=utf-8",
        };
        written.map(|text| Response::bare(media_type, text)).ok_or_else(unknown)
    };
    in_background(shell, read).await
}

async fn record(shell: &Arc<Shell>, id: &str) -> Outcome {
    data(&GameData { game: GameRecord::of(&*find_room(shell, id).await?, &shell.house_agents) })
}

async fn replay(shell: &Arc<Shell>, id: &str) -> Outcome {
    let room = ended(find_room(shell, id).await?)?;
    let read = move |shell: &Shell| {
        let replay = game_replay(&shell.engine, &shell.log, &room, &shell.settings.base_url)?;
        let answer = data(&ReplayData { replay })?;
        // A browser saves it under the game's name.
        let saved_as = format!("attachment; filename=\"{}.json\"", room.id());
        Ok(answer.with_header(header::CONTENT_DISPOSITION, &saved_as))
    };
    in_background(shell, read).await
}

async fn pgn(shell: &Arc<Shell>, id: &str) -> Outcome {
    let none =
        || Failure::saying(ApiCode::NotFound, "This game has no PGN. Its replay is at /api/games/ID/replay.");
    let room = find_room(shell, id).await?;
    if !formats(&room)?.contains(&"pgn") {
        return Err(none());
    }
    let room = ended(room)?;
    let read = move |shell: &Shell| {
        let text = game_pgn(&shell.engine, &room, &shell.settings.base_url, None)?;
        text.map(|text| Response::bare("application/x-chess-pgn", text)).ok_or_else(none)
    };
    in_background(shell, read).await
}

/// The formats in which a game can be written once it has ended. A live game by rules that this release lacks cannot say
/// which those are.
fn formats(room: &Room) -> Result<Vec<&'static str>, Failure> {
    if room.rules().is_none() && room.result().is_none() {
        return Err(ApiCode::ReplayNotReady.into());
    }
    Ok(record_formats(room))
}

fn ended(room: Arc<Room>) -> Result<Arc<Room>, Failure> {
    if room.result().is_some() { Ok(room) } else { Err(ApiCode::ReplayNotReady.into()) }
}
