//! Spectator events: as a list, and as a stream that follows a live game.
//!
//! A stream is pulled by its reader's connection and buffers at most one chunk. A reader that falls behind the game is
//! dropped and resumes by id; it never delays anything else.

use super::{find_room, in_background_with};
use crate::endpoint::{Access, Details, Endpoint, Handling, Route, action, parameters};
use crate::errors::ApiCode;
use crate::negotiation::Accepts;
use crate::payload::{EventElement, EventsData};
use crate::requests::LISTED_EVENTS;
use crate::response::{Content, Failure, Outcome, Response};
use crate::settings::limits;
use crate::shell::Shell;
use crate::streams::StreamPermit;
use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use hall_core::Withheld;
use hall_core::rate::ClientKey;
use hall_core::rooms::{Room, RoomChange, RoomFact};
use hall_driver::{EventFeed, Feed, StopSignal};
use hall_wire::GameId;
use salvo::http::{StatusCode, header};
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt::Display;
use std::io;
use std::sync::Arc;

pub(super) static EVENTS: Endpoint = Endpoint {
    route: Route::get(
        "events",
        "/api/games/{id}/events",
        Access::Public,
        "Spectator events, as a list or as a stream.",
    ),
    details: |_| {
        let since = json!({ "type": "integer", "minimum": 0, "default": 0 });
        let limit = LISTED_EVENTS.schema();
        Details::answering::<EventsData>("spectators")
        .about(
            "With Accept: text/event-stream the events come as a stream of unnamed events with id = seq and an \
             element of events as data; Last-Event-ID resumes. The stream ends after game_ended.",
        )
        .query(vec![
            parameters::query("since", "Only events with a greater seq.", since),
            parameters::query("limit", "How many events.", limit),
        ])
        .also(200, Some(("text/event-stream", streamed_event())), "The events as they happen.")
        .also(204, None, "The game has ended, and the stream was requested at or past its last event.")
        .errors(&[ApiCode::GameNotFound])
    },
    handling: Handling::Request(|sent| {
        let id = sent.param();
        let mut query = sent.query();
        let since = query.number("since", 0, u64::from(u32::MAX)).and_then(|since| u32::try_from(since).ok());
        let limit = query.limit_of(LISTED_EVENTS);
        query.finish()?;
        let asked = EventsRequest { id, since, limit };
        Ok(action(|call| async move {
            if call.accepts.event_stream {
                stream(&call.shell, asked, call.accepts, call.client, call.head).await
            } else {
                list(&call.shell, asked).await
            }
        }))
    }),
    tools: &[],
};

/// Which events are listed or streamed.
#[derive(Clone, Debug)]
struct EventsRequest {
    id: String,
    since: Option<u32>,
    limit: usize,
}

/// One event of a stream, as OpenAPI before 3.2 describes streams: by their elements.
fn streamed_event() -> Value {
    json!({
        "type": "object",
        "properties": {
            "id": { "type": "string", "pattern": "^[1-9][0-9]*$", "description": "Its seq." },
            "data": {
                "type": "string",
                "contentMediaType": "application/json",
                "contentSchema": { "$ref": "#/components/schemas/Event" },
            },
        },
        "required": ["id", "data"],
    })
}

pub(super) const EVENT_STREAM: &str = "text/event-stream; charset=utf-8";

/// The first bytes of a stream, so that its reader knows immediately that it is open.
pub(super) const OPENING: &[u8] = b": open\n\n";
/// Sent to keep a stream open while nothing happens.
pub(super) const HEARTBEAT: &[u8] = b": still here\n\n";

async fn list(shell: &Arc<Shell>, asked: EventsRequest) -> Outcome {
    let room = find_room(shell, &asked.id).await?;
    let since = asked.since.unwrap_or(0);
    let mut recorded = RecordedFacts::of(&room, since);
    let is_empty = recorded.is_empty();
    let mut read = move |shell: &Shell| {
        let mut events = Vec::new();
        while events.len() < asked.limit
            && let Some(facts) = recorded.next(shell)?
        {
            let told = facts.iter().filter_map(EventElement::of).filter(|event| event.seq > since);
            events.extend(told.take(asked.limit - events.len()));
        }
        let (last_seq, live) = (room.last_seq(), room.result().is_none());
        let answer = Response::data(&EventsData { game_id: room.id(), since, events, last_seq, live });
        Ok(answer.with_header(header::VARY, "Accept"))
    };
    // What most of those hear who ask again and again.
    if is_empty { read(shell) } else { in_background_with(shell, &shell.short_reads, read).await }
}

async fn stream(
    shell: &Arc<Shell>,
    asked: EventsRequest,
    accepts: Accepts,
    client: ClientKey,
    head: bool,
) -> Outcome {
    let last_event = accepts.last_event.as_deref().and_then(seq_of);
    let since = last_event.or(asked.since).unwrap_or(0);
    // Subscribed before the recorded facts are read, so that no event is missed in between. An ended game has nothing
    // to follow.
    let known = GameId::parse(&asked.id);
    let live = known.filter(|game| {
        shell.engine.peek(|hall| hall.rooms().find(game).is_some_and(|room| room.result().is_none()))
    });
    let feed = live.map(|game| shell.engine.subscribe(game));
    let room = find_room(shell, &asked.id).await?;
    let ended = room.result().is_some();
    if ended && since >= room.last_seq() {
        // This tells an EventSource not to reconnect.
        return Ok(Response::empty(StatusCode::NO_CONTENT));
    }
    let body = if head {
        Content::Empty
    } else {
        let permit = shell.streams.open(client)?;
        let state = EventStream {
            shell: Arc::clone(shell),
            recorded: RecordedFacts::of(&room, since),
            since,
            feed,
            stopping: shell.engine.stopping(),
            opened: false,
            over: false,
            _permit: permit,
        };
        Content::Events(state.into_stream())
    };
    let answer = Response { content_type: EVENT_STREAM, body, ..Response::empty(StatusCode::OK) };
    Ok(answer.cached("no-store").with_header(header::VARY, "Accept"))
}

/// The sequence number in the id of an event. No event has a number that is too large, so it is past the last one.
fn seq_of(id: &str) -> Option<u32> {
    let is_number = !id.is_empty() && id.bytes().all(|digit| digit.is_ascii_digit());
    is_number.then(|| id.parse().unwrap_or(u32::MAX))
}

/// The facts of a game that were durable when its room was read, fetched from disk page by page.
#[derive(Clone, Copy)]
struct RecordedFacts {
    game: GameId,
    next: u32,
    last: u32,
}

impl RecordedFacts {
    /// An event's number among the facts is never below its seq, so facts up to `since` are skipped without being
    /// read.
    fn of(room: &Room, since: u32) -> Self {
        Self { game: room.id(), next: since.saturating_add(1), last: room.fact_count() }
    }

    const fn is_empty(&self) -> bool {
        self.next > self.last
    }

    /// The next facts; `None` when there are no more.
    fn next(&mut self, shell: &Shell) -> Result<Option<Vec<RoomFact>>, Failure> {
        if self.is_empty() {
            return Ok(None);
        }
        let mut facts = shell.engine.archive().room_facts(&self.game, self.next, limits::FACTS_AT_ONCE)?;
        facts.retain(|fact| fact.number <= self.last);
        match facts.last() {
            Some(fact) => {
                self.next = fact.number + 1;
                Ok(Some(facts))
            }
            None => Ok(None),
        }
    }
}

/// A stream that is being read, chunk by chunk.
pub(super) trait Chunks: Send + Sized + 'static {
    /// The next bytes to send; `None` at the end of the stream.
    fn next_chunk(&mut self) -> impl Future<Output = Option<io::Result<Bytes>>> + Send;

    /// All of them, as the body of an answer.
    fn into_stream(self) -> BoxStream<'static, io::Result<Bytes>> {
        stream::unfold(self, |mut following| async move { Some((following.next_chunk().await?, following)) })
            .boxed()
    }
}

/// A stream that is being read.
struct EventStream {
    shell: Arc<Shell>,
    recorded: RecordedFacts,
    since: u32,
    feed: Option<EventFeed>,
    stopping: StopSignal,
    opened: bool,
    over: bool,
    _permit: StreamPermit,
}

impl Chunks for EventStream {
    async fn next_chunk(&mut self) -> Option<io::Result<Bytes>> {
        if !self.opened {
            self.opened = true;
            return Some(Ok(Bytes::from_static(OPENING)));
        }
        if self.over {
            return None;
        }
        loop {
            match self.read_on().await {
                Ok(Some(facts)) => {
                    let chunk = self.tell(&facts);
                    if !chunk.is_empty() {
                        return Some(Ok(chunk));
                    }
                }
                Ok(None) => break,
                Err(failure) => {
                    self.over = true;
                    return Some(Err(io::Error::other(failure.code.as_str())));
                }
            }
        }
        self.follow().await.map(Ok)
    }
}

impl EventStream {
    /// The next recorded facts, read in the background: the permits of streams bound how many read.
    async fn read_on(&mut self) -> Result<Option<Vec<RoomFact>>, Failure> {
        if self.recorded.is_empty() {
            return Ok(None);
        }
        let (mut recorded, shell) = (self.recorded, Arc::clone(&self.shell));
        let read = hall_driver::in_background(move || recorded.next(&shell).map(|facts| (recorded, facts)));
        let (recorded, facts) = read.await.unwrap_or_else(|_| Err(ApiCode::Internal.into()))?;
        self.recorded = recorded;
        Ok(facts)
    }

    /// Waits for what happens next in the game.
    async fn follow(&mut self) -> Option<Bytes> {
        let feed = self.feed.as_mut()?;
        loop {
            let told = tokio::select! {
                biased;
                () = self.stopping.wait() => return None,
                news = feed.next() => match news {
                    Feed::Event(told) => told,
                    // Too far behind: the reader reconnects with the id of the last event that it has seen.
                    Feed::Lagged | Feed::Closed => return None,
                },
                () = tokio::time::sleep(limits::HEARTBEAT) => return Some(Bytes::from_static(HEARTBEAT)),
            };
            let fact = &told.fact;
            if fact.number <= self.recorded.last {
                continue;
            }
            self.recorded.last = fact.number;
            self.recorded.next = fact.number + 1;
            self.over |= ends_game(fact);
            if fact.event.as_ref().is_some_and(|event| event.seq > self.since) {
                return Some(if is_withheld(&self.shell, fact) {
                    let mut fact = RoomFact::clone(fact);
                    fact.event.iter_mut().for_each(|event| event.commentary = None);
                    written(&fact).into()
                } else {
                    Bytes::from_owner(told.written(written))
                });
            }
            if self.over {
                return Some(Bytes::new());
            }
        }
    }

    /// The events among `facts`.
    fn tell(&mut self, facts: &[RoomFact]) -> Bytes {
        self.over |= facts.iter().any(ends_game);
        let is_new = |fact: &&RoomFact| fact.event.as_ref().is_some_and(|event| event.seq > self.since);
        facts.iter().filter(is_new).map(written).collect::<String>().into()
    }
}

/// Whether the operator withholds what is said in this event. What was recorded comes without it; what is new may belong to a
/// turn whose words were withheld while it went on.
fn is_withheld(shell: &Shell, fact: &RoomFact) -> bool {
    let speaks = fact.event.as_ref().is_some_and(|event| event.commentary.is_some());
    let Some(resolution) = fact.change.resolution().filter(|_| speaks) else { return false };
    let turn = Withheld::Turn { game: fact.game, turn_index: resolution.turn_index };
    shell.engine.peek(|hall| hall.desk().is_withheld(&turn))
}

const fn ends_game(fact: &RoomFact) -> bool {
    matches!(fact.change, RoomChange::Ended { .. })
}

/// The event of a fact as a stream sends it, or nothing.
fn written(fact: &RoomFact) -> String {
    EventElement::of(fact).map_or_else(String::new, |event| framed(&event.seq, &event))
}

/// An event as a stream sends it: unnamed, so that `onmessage` receives it.
pub(super) fn framed(id: &dyn Display, event: &impl Serialize) -> String {
    match serde_json::to_string(event) {
        Ok(json) => format!("id: {id}\ndata: {json}\n\n"),
        Err(error) => {
            tracing::error!(%error, "an event cannot be written");
            String::new()
        }
    }
}
