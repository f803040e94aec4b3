//! Ended games in the order of their end.

use super::context::AdminContext;
use super::items::ItemSink;
use super::lines::Refused;
use super::request::GameFormat;
use hall_core::rooms::Room;
use hall_driver::{EndKey, EndOrder, EndRange};
use hall_http::{ReplayLine, game_pgn, game_replay, keep_proven};
use hall_wire::Timestamp;
use serde_json::{Value, json};

/// Games listed at once.
const PAGE: usize = 256;

/// What `--since` asks for: a time, or the cursor of a game.
pub(super) fn range_of(since: Option<&str>) -> Result<EndRange, Refused> {
    let Some(text) = since else { return Ok(EndRange::default()) };
    if let Some(after) = EndKey::parse(text) {
        return Ok(EndRange { after: Some(after), ..EndRange::default() });
    }
    let since = Timestamp::parse(text).ok_or_else(|| {
        Refused::bad_request(format!(
            "{text:?} is neither a time such as 2026-11-20T21:50:00.000Z nor the cursor of an earlier export."
        ))
    })?;
    Ok(EndRange { since: Some(since), ..EndRange::default() })
}

/// Sends the games that ended in `range`, in the lines of `GET /api/export/games`, and tells the cursor of the last one.
pub(super) fn export(
    context: &AdminContext,
    format: GameFormat,
    mut range: EndRange,
    sink: &ItemSink,
) -> Result<Value, Refused> {
    let archive = context.engine.archive();
    let (mut written, mut without_pgn) = (0_u64, 0_u64);
    loop {
        let mut ends = archive.ends(range, EndOrder::OldestFirst, PAGE).map_err(damaged)?;
        if format == GameFormat::Replay {
            keep_proven(&context.engine, &mut ends).map_err(damaged)?;
        }
        let Some(last) = ends.last() else { break };
        range.after = Some(last.key);
        for end in ends {
            let Some(room) = archive.ended_room(&end.game).map_err(damaged)? else { continue };
            match item(context, &room, format, end.key)? {
                Some(item) => {
                    sink.item(item)?;
                    written += 1;
                }
                None => without_pgn += 1,
            }
        }
    }
    let cursor = range.after.map(|key| key.to_string());
    Ok(json!({ "games": written, "games_without_pgn": without_pgn, "cursor": cursor }))
}

/// One game as it is written; `None` if it has no such form.
fn item(
    context: &AdminContext,
    room: &Room,
    format: GameFormat,
    key: EndKey,
) -> Result<Option<Value>, Refused> {
    let (engine, site) = (&context.engine, context.base_url.as_str());
    match format {
        GameFormat::Pgn => {
            let pgn = game_pgn(engine, room, site, Some(key)).map_err(damaged)?;
            Ok(pgn.map(Value::String))
        }
        GameFormat::Replay => {
            let replay = game_replay(engine, &context.log.signer, room, site).map_err(damaged)?;
            let line = serde_json::to_value(ReplayLine::of(key, replay));
            line.map(Some).map_err(|error| Refused::new("INTERNAL", error.to_string()))
        }
    }
}

fn damaged(error: impl std::fmt::Display) -> Refused {
    Refused::new("DAMAGED", error.to_string())
}
