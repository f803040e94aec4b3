//! Ended games in the order of their end, one after the other in one answer.
//!
//! The games of an answer are determined when it begins. Each is read, off the threads that serve requests, when the
//! client has taken the one before. So a slow client costs only its permit, and [`EXPORT_TIMEOUT`] bounds for how long.

use super::in_background_with;
use crate::endpoint::{Access, Details, Endpoint, Handling, Route, action, parameters};
use crate::errors::ApiCode;
use crate::game_export::{ExportError, ReplayLine, game_pgn, game_replay};
use crate::payload::ReplayRecord;
use crate::payload::schema::{Components, Schema as _};
use crate::replay_log::keep_proven;
use crate::requests::{EXPORTED_GAMES, GAME_RULE, PageRequest, Query, TIME_RULE};
use crate::response::{Content, Failure, Outcome, Response};
use crate::shell::Shell;
use crate::streams::StreamPermit;
use bytes::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt as _};
use hall_core::Word;
use hall_core::rate::ClientKey;
use hall_driver::{EndKey, EndOrder, EndRange, Ended};
use hall_wire::Timestamp;
use salvo::http::HeaderName;
use serde_json::json;
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

pub(super) static EXPORT_GAMES: Endpoint = Endpoint {
    route: Route::get(
        "export_games",
        "/api/export/games",
        Access::Public,
        "Ended games in the order of their end, as PGN or as replays.",
    ),
    details: |_| {
        let limit = EXPORTED_GAMES.schema();
        let line = json!({
            "type": "object",
            "properties": {
                "cursor": { "type": "string", "description": "Names this game for the parameter cursor." },
                "ended_at": { "type": "string", "format": "date-time" },
                "replay": ReplayRecord::schema(&mut Components::new()),
            },
            "required": ["cursor", "ended_at", "replay"],
        });
        let pgn = json!({ "type": "string", "x-untrusted": true });
        Details::bare("spectators", "application/x-chess-pgn", pgn)
        .about(
            "The game that ended first comes first. While there may be more games an answer has the header X-Svc-Next-Cursor: \
             ask again with it as cursor until an answer has none. With game, an answer before the end may have no game. Each \
             game carries its cursor, too (the tag ExportCursor, or the member cursor of its line). Games that end later always \
             come later: to bring a copy up to date, begin with the cursor that you saw last, in a header or of a game. An \
             answer that breaks off is incomplete: continue after the last game received. It breaks off after ten minutes, and \
             where a game cannot be read. One export at a time for each address.",
        )
        .query(vec![
            parameters::query("format", "How the games are written.", json!({ "type": "string", "enum": ["pgn", "replay"], "default": "pgn" })),
            parameters::text_query("game", "Only games of this game id."),
            parameters::query("since", "Only games that ended at this time or later.", json!({ "type": "string", "format": "date-time" })),
            parameters::query("cursor", "Only games that ended after the game with this cursor.", json!({ "type": "string" })),
            parameters::query("limit", "How many games are looked at.", limit),
        ])
        .also(
            200,
            Some(("application/x-ndjson", line)),
            "With format=replay: a line of JSON for each game. While the hall signs its log, a game follows when its replay has \
             its proof, about a second after its end.",
        )
        .errors(&[ApiCode::Unavailable])
    },
    handling: Handling::Request(|sent| {
        let asked = read(sent.query())?;
        Ok(action(move |call| async move { games(&call.shell, asked, call.client, call.head).await }))
    }),
    tools: &[],
};

/// How exported games are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExportFormat {
    /// Annotated PGN, one game after the other.
    Pgn,
    /// NDJSON, a replay in each line.
    Replay,
}

impl ExportFormat {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "pgn" => Some(Self::Pgn),
            "replay" => Some(Self::Replay),
            _ => None,
        }
    }
}

/// Which ended games are exported.
#[derive(Clone, Copy, Debug)]
struct ExportRequest {
    format: ExportFormat,
    /// A game id; one that is not in the catalog has no games.
    game: Option<Word>,
    since: Option<Timestamp>,
    page: PageRequest<EndKey>,
}

fn read(mut query: Query) -> Result<ExportRequest, Failure> {
    let format = query.parsed("format", "must be pgn or replay", ExportFormat::parse);
    let game = query.parsed("game", GAME_RULE, Word::parse);
    let since = query.parsed("since", TIME_RULE, Timestamp::parse);
    let limit = query.limit_of(EXPORTED_GAMES);
    let cursor = query.parsed("cursor", "must be the cursor of an exported game", EndKey::parse);
    query.finish()?;
    let format = format.unwrap_or(ExportFormat::Pgn);
    Ok(ExportRequest { format, game, since, page: PageRequest { limit, cursor } })
}

/// The header with the cursor of the last game that was examined for an answer, from which the next request continues.
/// Without it there was no further game. Clients stop by this: an answer without a game is no end if games are filtered.
const NEXT_CURSOR: HeaderName = HeaderName::from_static("x-svc-next-cursor");

/// How long an export may take, because permits are few and a slow client holds one. The client continues by cursor.
const EXPORT_TIMEOUT: Duration = Duration::from_secs(600);

async fn games(shell: &Arc<Shell>, asked: ExportRequest, client: ClientKey, head: bool) -> Outcome {
    let ExportRequest { format, game, since, page } = asked;
    let range = EndRange { after: page.cursor, since, ..EndRange::default() };
    let permit = if head { None } else { Some(shell.exports.open(client)?) };
    let read = move |shell: &Shell| {
        let mut ends = shell.engine.archive().ends(range, EndOrder::OldestFirst, page.limit)?;
        if format == ExportFormat::Replay {
            // A copy that is continued by cursor would never get the proof of a game that it has.
            keep_proven(&shell.engine, &mut ends)?;
        }
        Ok(ends)
    };
    let ends = in_background_with(shell, &shell.long_reads, read).await?;
    let is_last = ends.len() < page.limit;
    let next = ends.last().map(|end| end.key).filter(|_| !is_last);
    let content_type = match format {
        ExportFormat::Pgn => "application/x-chess-pgn",
        ExportFormat::Replay => "application/x-ndjson",
    };
    let body = if let Some(permit) = permit {
        let shell = Arc::clone(shell);
        let read = move |end| item(&shell, end, format, game);
        Content::Stream(Export::new(ends, read, permit).into_stream())
    } else {
        Content::Empty
    };
    let answer = Response { content_type, body, ..Response::bare(content_type, Bytes::new()) };
    Ok(match next {
        Some(next) => answer.with_header(NEXT_CURSOR, &next.to_string()),
        None => answer,
    })
}

/// An answer that is being read.
struct Export<R> {
    ends: VecDeque<Ended>,
    /// Reads one game; returns `None` if it is left out.
    read: Arc<R>,
    /// When it is cut off.
    until: Instant,
    _permit: StreamPermit,
}

impl<R> Export<R>
where
    R: Fn(Ended) -> Result<Option<Bytes>, ExportError> + Send + Sync + 'static,
{
    fn new(ends: Vec<Ended>, read: R, permit: StreamPermit) -> Self {
        Self {
            ends: ends.into(),
            read: Arc::new(read),
            until: Instant::now() + EXPORT_TIMEOUT,
            _permit: permit,
        }
    }

    fn into_stream(self) -> BoxStream<'static, io::Result<Bytes>> {
        let games = stream::unfold(self, |mut export| async move {
            let item = export.next().await?;
            if item.is_err() {
                export.ends.clear();
            }
            Some((item, export))
        });
        games.boxed()
    }

    /// The next game; `None` at the end. An error aborts the answer. Its head has already named the last game as the
    /// cursor, so if the answer ended normally the client would miss the games that were not sent.
    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        while let Some(end) = self.ends.pop_front() {
            if Instant::now() >= self.until {
                return Some(Err(io::ErrorKind::TimedOut.into()));
            }
            let read = Arc::clone(&self.read);
            let read = hall_driver::in_background(move || read(end)).await;
            match read.map_err(io::Error::other).and_then(|read| read.map_err(io::Error::other)) {
                Ok(Some(item)) => return Some(Ok(item)),
                Ok(None) => {}
                Err(error) => {
                    tracing::error!(%error, game = %end.game, "a game cannot be exported");
                    return Some(Err(error));
                }
            }
        }
        None
    }
}

/// A game in the requested format; `None` if it was not asked for or has no such format.
fn item(
    shell: &Shell,
    end: Ended,
    format: ExportFormat,
    game: Option<Word>,
) -> Result<Option<Bytes>, ExportError> {
    let archive = shell.engine.archive();
    if let Some(game) = game
        && archive.ended_outline(&end.game)?.is_none_or(|room| room.variant().game != game)
    {
        return Ok(None);
    }
    let Some(room) = archive.ended_room(&end.game)? else { return Ok(None) };
    let site = &shell.settings.base_url;
    match format {
        ExportFormat::Pgn => {
            let pgn = game_pgn(&shell.engine, &room, site, Some(end.key))?;
            Ok(pgn.map(|pgn| format!("{pgn}\n").into()))
        }
        ExportFormat::Replay => {
            let replay = game_replay(&shell.engine, &shell.log, &room, site)?;
            Ok(Some(line(&ReplayLine::of(end.key, replay)).into()))
        }
    }
}

fn line(line: &ReplayLine) -> Vec<u8> {
    let mut line = serde_json::to_vec(line).expect("a replay is made of plain values");
    line.push(b'\n');
    line
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Archive(error) => error.into(),
            ExportError::Log(error) => error.into(),
            ExportError::Facts => ApiCode::Internal.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::streams::Streams;
    use hall_wire::GameId;
    use std::net::IpAddr;

    /// An export of games 1 to 4.
    fn export<R>(read: R) -> BoxStream<'static, io::Result<Bytes>>
    where
        R: Fn(u8) -> Result<Option<Bytes>, ExportError> + Send + Sync + 'static,
    {
        let permit = Streams::of_exports().open(ClientKey::of(IpAddr::from([192, 0, 2, 1]))).ok().unwrap();
        let end = |number: u8| Ended {
            key: EndKey::parse(&format!("{number}-{number}-0")).unwrap(),
            game: GameId::from_bytes([number; 16]),
        };
        let read = move |end: Ended| read(end.game.as_bytes()[0]);
        Export::new((1..=4).map(end).collect(), read, permit).into_stream()
    }

    fn text(number: u8) -> Option<Bytes> {
        Some(number.to_string().into())
    }

    #[tokio::test]
    async fn an_export_stops_at_an_unreadable_game_and_omits_a_game_without_that_form() {
        for panics in [false, true] {
            let mut games = export(move |number| match number {
                2 => Ok(None),
                3 if panics => panic!("a panic that this test makes"),
                3 => Err(ExportError::Facts),
                _ => Ok(text(number)),
            });
            assert_eq!(games.next().await.unwrap().ok(), text(1), "{panics}");
            assert!(games.next().await.unwrap().is_err(), "{panics}");
            assert!(games.next().await.is_none(), "nothing comes behind it: {panics}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_export_stops_when_it_takes_too_long() {
        let mut games = export(|number| Ok(text(number)));
        tokio::time::advance(EXPORT_TIMEOUT - Duration::from_millis(1)).await;
        assert_eq!(games.next().await.unwrap().ok(), text(1));
        tokio::time::advance(Duration::from_millis(1)).await;
        assert_eq!(games.next().await.unwrap().unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(games.next().await.is_none());
    }
}
