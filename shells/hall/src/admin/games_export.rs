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

/// What `--since` asks for: a day, which begins at midnight in UTC, a time, or the cursor of a game.
pub(super) fn range_of(since: Option<&str>) -> Result<EndRange, Refused> {
    let Some(text) = since else { return Ok(EndRange::default()) };
    // A cursor begins with milliseconds since 1970. Four digits are a year: `2026-11-30` is never a cursor.
    let is_dated = text.split('-').next().is_some_and(|first| first.len() == 4);
    if let Some(after) = EndKey::parse(text).filter(|_| !is_dated) {
        return Ok(EndRange { after: Some(after), ..EndRange::default() });
    }
    let midnight = || Timestamp::parse(&format!("{text}T00:00:00.000Z"));
    let since = Timestamp::parse(text).or_else(midnight).ok_or_else(|| {
        Refused::bad_request(format!(
            "{text:?} is neither a day such as 2026-11-20, nor a time such as 2026-11-20T21:50:00.000Z, nor the cursor of an \
             earlier export."
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_its_first_moment_and_no_cursor() {
        for (text, moment) in [
            ("2026-11-30", "2026-11-30T00:00:00.000Z"),
            ("2027-01-01", "2027-01-01T00:00:00.000Z"),
            ("2099-12-31", "2099-12-31T00:00:00.000Z"),
            ("2026-11-20T21:50:00.000Z", "2026-11-20T21:50:00.000Z"),
        ] {
            let range = range_of(Some(text)).unwrap();
            assert_eq!((range.since, range.after), (Timestamp::parse(moment), None), "{text}");
        }
    }

    #[test]
    fn a_cursor_is_told_from_a_day_and_nonsense_is_refused() {
        let cursor = "1795211400000-12-3";
        let range = range_of(Some(cursor)).unwrap();
        assert_eq!((range.since, range.after), (None, EndKey::parse(cursor)));
        for text in ["2026-13-10", "2026-11-31", "2026-12-3", "2026-11", "yesterday", ""] {
            assert_eq!(range_of(Some(text)).unwrap_err().code, "BAD_REQUEST", "{text}");
        }
    }
}
