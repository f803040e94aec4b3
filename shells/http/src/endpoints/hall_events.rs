//! What happens in the hall as a whole, as a list and as a stream: games that begin and end, ratings that change.
//!
//! The newest events are in memory. A reader that was away for longer is told so, and reads the lists anew.

use super::events::{Chunks, EVENT_STREAM, HEARTBEAT, OPENING, framed};
use super::{archived_outline, data, in_background_with};
use crate::endpoint::{Access, Details, Endpoint, Handling, Route, action, parameters};
use crate::errors::ApiCode;
use crate::negotiation::Accepts;
use crate::payload::{HallEventElement, HallEventsData};
use crate::requests::LISTED_EVENTS;
use crate::response::{Content, Failure, Outcome, Response};
use crate::settings::limits;
use crate::shell::Shell;
use crate::streams::StreamPermit;
use bytes::Bytes;
use hall_core::rate::ClientKey;
use hall_core::rooms::Room;
use hall_driver::{HallEvent, HallEventId, HallEventKind, StopSignal};
use salvo::http::{StatusCode, header};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

pub(super) static HALL_EVENTS: Endpoint = Endpoint {
    route: Route::get(
        "hall_events",
        "/api/events",
        Access::Public,
        "What happens in the hall, as a list or as a stream: games that begin and end, ratings that change.",
    ),
    details: |_| {
        let since = json!({ "type": "string", "pattern": "^[0-9]+-[0-9]+$" });
        let limit = LISTED_EVENTS.schema();
        Details::answering::<HallEventsData>("spectators")
            .about(
                "The hall keeps the newest 1,000 in memory, and forgets them when it restarts; complete says whether some are \
                 missing behind since. With Accept: text/event-stream the events come as a stream of unnamed events; \
                 Last-Event-ID resumes, without it the stream begins now. An event named gap says that some are missing.",
            )
            .query(vec![
                parameters::query("since", "Only events behind this id; without it, all that are known.", since),
                parameters::query("limit", "How many events.", limit),
            ])
            .also(200, Some(("text/event-stream", streamed_event())), "The events as they happen.")
    },
    handling: Handling::Request(|sent| {
        let mut query = sent.query();
        let since = query.parsed("since", "must be the id of an event or a next", HallEventId::parse);
        let limit = query.limit_of(LISTED_EVENTS);
        query.finish()?;
        Ok(action(move |call| async move {
            if call.accepts.event_stream {
                stream(&call.shell, since, call.accepts, call.client, call.head)
            } else {
                list(&call.shell, since, limit).await
            }
        }))
    }),
    tools: &[],
};

/// One event of the stream.
fn streamed_event() -> Value {
    json!({
        "type": "object",
        "properties": {
            "id": { "type": "string", "pattern": "^[0-9]+-[0-9]+$", "description": "Its id." },
            "data": {
                "type": "string",
                "contentMediaType": "application/json",
                "contentSchema": { "$ref": "#/components/schemas/HallEvent" },
            },
        },
        "required": ["id", "data"],
    })
}

/// Events taken from memory at a time.
const AT_ONCE: usize = 64;

/// Tells the reader of a stream that events are missing.
const GAP: &[u8] = b"event: gap\ndata: {}\n\n";

async fn list(shell: &Arc<Shell>, since: Option<HallEventId>, limit: usize) -> Outcome {
    let news = shell.engine.hall_events(since, limit);
    let in_memory = rooms_of(shell, &news.events).await?;
    let is_empty = news.events.is_empty();
    let read = move |shell: &Shell| {
        let events = news.events.iter().zip(in_memory).map(|(event, room)| element(shell, event, room));
        let events = events.collect::<Result<Vec<_>, _>>()?;
        let answer = data(&HallEventsData { events, next: news.next.to_string(), complete: news.complete })?;
        Ok(answer.with_header(header::VARY, "Accept"))
    };
    // What most of those hear who ask again and again.
    if is_empty { read(shell) } else { in_background_with(shell, &shell.news, read).await }
}

/// The games of these events, as far as they are in memory.
async fn rooms_of(shell: &Shell, events: &[Arc<HallEvent>]) -> Result<Vec<Option<Arc<Room>>>, Failure> {
    let found = shell
        .engine
        .read(|hall| events.iter().map(|event| hall.rooms().find(&event.game).cloned()).collect());
    Ok(found.await?)
}

/// `room` is the game of the event, if it is in memory.
fn element(shell: &Shell, event: &HallEvent, room: Option<Arc<Room>>) -> Result<HallEventElement, Failure> {
    let room = room.map_or_else(|| archived_outline(shell, &event.game), Ok)?;
    let rated = match event.kind {
        HallEventKind::RatingsChanged => shell.engine.archive().rated_game(&event.game)?,
        HallEventKind::GameStarted | HallEventKind::GameEnded => None,
    };
    Ok(HallEventElement::of(event, &room, rated.as_ref()))
}

fn stream(
    shell: &Arc<Shell>,
    since: Option<HallEventId>,
    accepts: Accepts,
    client: ClientKey,
    head: bool,
) -> Outcome {
    let last_event = accepts.last_event.as_deref().and_then(HallEventId::parse);
    let since = last_event.or(since);
    let body = if head {
        Content::Empty
    } else {
        let state = HallStream {
            next: since.unwrap_or_else(|| shell.engine.hall_events(None, usize::MAX).next),
            waiting: VecDeque::new(),
            is_open: false,
            stopping: shell.engine.stopping(),
            _permit: shell.streams.open(client)?,
            shell: Arc::clone(shell),
        };
        Content::Events(state.into_stream())
    };
    let answer = Response { content_type: EVENT_STREAM, body, ..Response::empty(StatusCode::OK) };
    Ok(answer.cached("no-store").with_header(header::VARY, "Accept"))
}

/// A stream that is being read.
struct HallStream {
    shell: Arc<Shell>,
    /// Everything up to this id was taken.
    next: HallEventId,
    /// Taken and not sent yet.
    waiting: VecDeque<Arc<HallEvent>>,
    is_open: bool,
    stopping: StopSignal,
    _permit: StreamPermit,
}

impl Chunks for HallStream {
    async fn next_chunk(&mut self) -> Option<io::Result<Bytes>> {
        if !std::mem::replace(&mut self.is_open, true) {
            return Some(Ok(Bytes::from_static(OPENING)));
        }
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return Some(self.written(&event).await);
            }
            let news = self.shell.engine.hall_events(Some(self.next), AT_ONCE);
            self.next = news.next;
            self.waiting.extend(news.events);
            if !news.complete {
                return Some(Ok(Bytes::from_static(GAP)));
            }
            if self.waiting.is_empty() {
                tokio::select! {
                    biased;
                    () = self.stopping.wait() => return None,
                    () = self.shell.engine.hall_event_behind(self.next) => {}
                    () = tokio::time::sleep(limits::HEARTBEAT) => return Some(Ok(Bytes::from_static(HEARTBEAT))),
                }
            }
        }
    }
}

impl HallStream {
    async fn element(&self, event: &Arc<HallEvent>) -> Result<HallEventElement, Failure> {
        let room = rooms_of(&self.shell, std::slice::from_ref(event)).await?.pop().flatten();
        if room.is_some() && event.kind != HallEventKind::RatingsChanged {
            return element(&self.shell, event, room);
        }
        // In the background: the permits of streams bound how many read.
        let (event, shell) = (Arc::clone(event), Arc::clone(&self.shell));
        let read = hall_driver::in_background(move || element(&shell, &event, room));
        read.await.unwrap_or_else(|_| Err(ApiCode::Internal.into()))
    }

    async fn written(&self, event: &Arc<HallEvent>) -> io::Result<Bytes> {
        let element = match event.known() {
            Some(written) => return Ok(Bytes::from_owner(written)),
            None => self.element(event).await,
        };
        let element = element.map_err(|failure| io::Error::other(failure.code.as_str()))?;
        Ok(Bytes::from_owner(event.written(|| framed(&event.id, &element))))
    }
}
