//! Ended games in the order of their end, one after the other in one answer.
//!
//! Which games an answer has is settled when it begins; each is read, away from the threads that serve requests, when
//! its reader has taken the one before. So a slow reader costs nothing, and few readers at once cost little.

use crate::answer::{Answer, Content, Failure, Outcome};
use crate::game_export::{ExportError, game_pgn, game_replay};
use crate::payload::ReplayRecord;
use crate::requests::{ExportFormat, ExportRequest};
use crate::shell::Shell;
use crate::streams::StreamPlace;
use bytes::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt as _};
use hall_core::Word;
use hall_core::rate::ClientKey;
use hall_driver::{EndKey, EndOrder, EndRange, Ended};
use hall_wire::Timestamp;
use salvo::http::HeaderName;
use serde::Serialize;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;

/// Names the cursor of the last game that was looked at for an answer: where the next one goes on.
const NEXT_CURSOR: HeaderName = HeaderName::from_static("x-svc-next-cursor");

/// A line of an export of replays.
#[derive(Serialize)]
struct ReplayLine {
    cursor: String,
    ended_at: Timestamp,
    replay: ReplayRecord,
}

pub(super) fn games(shell: &Arc<Shell>, asked: ExportRequest, client: ClientKey, head: bool) -> Outcome {
    let ExportRequest { format, game, since, page } = asked;
    let range = EndRange { after: page.cursor, since, ..EndRange::default() };
    let ends = shell.engine.archive().ends(range, EndOrder::OldestFirst, page.limit)?;
    let next = ends.last().map(|end| end.key).or(page.cursor);
    let content_type = match format {
        ExportFormat::Pgn => "application/x-chess-pgn",
        ExportFormat::Replay => "application/x-ndjson",
    };
    let body = if head {
        Content::Empty
    } else {
        let place = shell.exports.open(client)?;
        let export = Export { shell: Arc::clone(shell), ends: ends.into(), format, game, _place: place };
        Content::Stream(export.into_stream())
    };
    let answer = Answer { content_type, body, ..Answer::bare(content_type, Bytes::new()) };
    Ok(match next {
        Some(next) => answer.with_header(NEXT_CURSOR, &next.to_string()),
        None => answer,
    })
}

/// An answer that is being read.
struct Export {
    shell: Arc<Shell>,
    ends: VecDeque<Ended>,
    format: ExportFormat,
    game: Option<Word>,
    _place: StreamPlace,
}

impl Export {
    fn into_stream(self) -> BoxStream<'static, Result<Bytes, Infallible>> {
        let games = stream::unfold(self, |mut export| async move {
            let item = export.next().await?;
            Some((Ok(item), export))
        });
        games.boxed()
    }

    /// The next game; `None` at the end, and where a game cannot be read: the reader sees that its cursor is not the
    /// last one, and asks again.
    async fn next(&mut self) -> Option<Bytes> {
        while let Some(end) = self.ends.pop_front() {
            let (shell, format, game) = (Arc::clone(&self.shell), self.format, self.game);
            let read = tokio::task::spawn_blocking(move || item(&shell, end, format, game)).await;
            match read {
                Ok(Ok(Some(item))) => return Some(item),
                Ok(Ok(None)) => {}
                Ok(Err(error)) => {
                    tracing::error!(%error, game = %end.game, "a game cannot be exported");
                    return None;
                }
                Err(_) => return None,
            }
        }
        None
    }
}

/// A game as it is written; `None` if it is not among those asked for, or has no such form.
fn item(
    shell: &Shell,
    end: Ended,
    format: ExportFormat,
    game: Option<Word>,
) -> Result<Option<Bytes>, ExportError> {
    let Some(room) = shell.engine.archive().ended_room(&end.game)? else { return Ok(None) };
    if game.is_some_and(|game| room.board().game != game) {
        return Ok(None);
    }
    let site = &shell.settings.base_url;
    match format {
        ExportFormat::Pgn => {
            let pgn = game_pgn(&shell.engine, &room, site, Some(end.key))?;
            Ok(pgn.map(|pgn| format!("{pgn}\n").into()))
        }
        ExportFormat::Replay => {
            let replay = game_replay(&shell.engine, &shell.log, &room, site)?;
            let line = line(end.key, replay);
            Ok(Some(line.into()))
        }
    }
}

fn line(key: EndKey, replay: ReplayRecord) -> Vec<u8> {
    let line = ReplayLine { cursor: key.to_string(), ended_at: key.ended_at(), replay };
    let mut line = serde_json::to_vec(&line).expect("a replay is made of plain values");
    line.push(b'\n');
    line
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Archive(error) => error.into(),
            ExportError::Log(error) => error.into(),
            ExportError::Facts => crate::documents::ApiCode::Internal.into(),
        }
    }
}
