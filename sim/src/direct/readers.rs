//! Readers of event streams: some keep up, some read rarely and fall behind, some open a stream and never read it.
//!
//! They follow games as the HTTP shell does for them, over the real feed and the real archive: subscribe, read the
//! past, follow, and resume by the number of the last event. They must not affect the rest of a world: they draw from
//! separate dice, their reads take no time, and nothing that they do is part of the trace.

use super::agenda::Event;
use super::world::World;
use crate::dice::Dice;
use crate::oracles::Observation;
use hall_core::rooms::{RoomChange, RoomFact};
use hall_driver::{EventFeed, Feed};
use hall_wire::{Digest, GameId, Span, Timestamp};
use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

/// Facts that are read from the archive at a time: few, so that some pasts take several.
const FACTS_AT_ONCE: usize = 20;

/// How often a reader reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    /// Every event, immediately.
    Keen,
    /// Now and then.
    Slow,
    /// Never again after the beginning, until the stream has gone with the process that it came from.
    Stuck,
}

const PACES: [Pace; 3] = [Pace::Keen, Pace::Slow, Pace::Stuck];

/// A stream that is open, from the process of the hall with that number.
struct OpenStream {
    start: u64,
    feed: EventFeed,
}

/// A reader that follows one game after the other.
struct Reader {
    pace: Pace,
    game: Option<GameId>,
    /// The last fact of the game that it has read.
    known: u32,
    open: Option<OpenStream>,
    /// Games that it has followed; none twice.
    followed: BTreeSet<GameId>,
}

/// All readers.
pub(super) struct Readers {
    dice: Dice,
    readers: Vec<Reader>,
}

/// What comes out of a stream at one look.
struct Looked {
    facts: Vec<Arc<RoomFact>>,
    /// Whether the reader has fallen behind, or the stream has ended.
    lost: bool,
}

impl Readers {
    /// So many readers, of each pace in turn.
    pub(super) fn new(seed: u64, count: usize) -> Self {
        let reader = |pace| Reader { pace, game: None, known: 0, open: None, followed: BTreeSet::new() };
        let readers = PACES.into_iter().cycle().take(count).map(reader).collect();
        Self { dice: Dice::of(seed, "readers", 0), readers }
    }

    /// How many games are followed in the process with this number.
    pub(super) fn followed(&self, start: u64) -> usize {
        let here = |reader: &&Reader| reader.open.as_ref().is_some_and(|open| open.start == start);
        self.readers.iter().filter(here).filter_map(|reader| reader.game).collect::<BTreeSet<_>>().len()
    }
}

impl World {
    /// Every reader begins to look for a game.
    pub(super) fn plan_readers(&mut self) {
        for place in 0..self.readers.readers.len() {
            let late = self.readers.dice.span(Span::from_secs(1), Span::from_secs(90));
            self.after(late, Event::Read(place));
        }
    }

    /// A reader looks, for a game or at its stream.
    ///
    /// Its next look is planned from the time of this one, not from the clock: where nothing but reading happens the
    /// clock stands still, and readers would look forever.
    pub(super) fn read(&mut self, time: Timestamp, place: usize) {
        self.look_at_stream(place, true);
        let Some(reader) = self.readers.readers.get(place) else { return };
        let (least, most) = match (reader.pace, reader.game) {
            (_, None) | (Pace::Keen, _) => (2, 30),
            (Pace::Slow, _) => (60, 900),
            (Pace::Stuck, _) => (600, 1_800),
        };
        let again = self.readers.dice.span(Span::from_secs(least), Span::from_secs(most));
        self.at(time + again, Event::Read(place));
    }

    /// Readers that keep up read what has just become durable.
    pub(super) fn read_at_once(&mut self) {
        for place in 0..self.readers.readers.len() {
            let keen = |reader: &Reader| {
                reader.pace == Pace::Keen
                    && reader.open.as_ref().is_some_and(|open| open.start == self.report.starts)
            };
            if self.readers.readers.get(place).is_some_and(keen) {
                self.look_at_stream(place, false);
            }
        }
    }

    fn look_at_stream(&mut self, place: usize, may_open: bool) {
        if self.host.is_none() {
            return;
        }
        if may_open {
            self.choose_game(place);
        }
        let start = self.report.starts;
        let Some(reader) = self.readers.readers.get_mut(place) else { return };
        let Some(game) = reader.game else { return };
        // The connection went with the process.
        let gone = reader.open.take_if(|open| open.start != start).is_some();
        if gone {
            self.report.mark("stream", "resumed_after_restart");
        }
        let Some(reader) = self.readers.readers.get_mut(place) else { return };
        if reader.open.is_none() {
            if may_open {
                self.open_stream(place, game);
            }
            return;
        }
        if reader.pace == Pace::Stuck {
            return self.report.mark("stream", "never_read");
        }
        let looked = reader.open.as_mut().map(|open| look(&mut open.feed));
        let Some(Looked { facts, lost }) = looked else { return };
        for fact in facts {
            self.take_in(place, game, &fact);
        }
        if lost {
            self.report.mark("stream", "fell_behind");
            self.open_stream(place, game);
        } else {
            self.see_idle(place, game);
        }
    }

    /// A reader without a game takes a live one.
    fn choose_game(&mut self, place: usize) {
        let (Some(host), Some(reader)) = (&self.host, self.readers.readers.get_mut(place)) else { return };
        if reader.game.is_some() {
            return;
        }
        let live: Vec<GameId> = host.peek(|hall| {
            let live = hall.rooms().iter().filter(|room| room.result().is_none()).map(|room| room.id());
            live.filter(|game| !reader.followed.contains(game)).collect()
        });
        reader.game = self.readers.dice.pick(&live).copied();
        reader.known = 0;
        reader.followed.extend(reader.game);
    }

    /// Subscribes first, then reads the past from where the reader is, so that nothing is missed in between.
    fn open_stream(&mut self, place: usize, game: GameId) {
        let Some(host) = &self.host else { return };
        let (engine, start) = (host.engine().clone(), self.report.starts);
        let Some(reader) = self.readers.readers.get_mut(place) else { return };
        reader.open = Some(OpenStream { start, feed: engine.subscribe(game) });
        let mut next = reader.known + 1;
        loop {
            let page = self.store.undisturbed(|| engine.archive().room_facts(&game, next, FACTS_AT_ONCE));
            let Ok(page) = page else {
                // The disk is down; the stream breaks off.
                if let Some(reader) = self.readers.readers.get_mut(place) {
                    reader.open = None;
                }
                return;
            };
            let Some(last) = page.last().map(|fact| fact.number) else { break };
            if next > 1 {
                self.report.mark("stream", "past_in_pieces");
            }
            page.iter().for_each(|fact| self.take_in(place, game, fact));
            next = last + 1;
        }
        self.see_idle(place, game);
    }

    /// A fact of the game reaches its reader, unless it is known there.
    fn take_in(&mut self, place: usize, game: GameId, fact: &RoomFact) {
        let Some(reader) = self.readers.readers.get_mut(place) else { return };
        if reader.game != Some(game) || fact.number <= reader.known {
            return;
        }
        reader.known = fact.number;
        let over = matches!(fact.change, RoomChange::Ended { .. });
        if over {
            (reader.game, reader.open) = (None, None);
        }
        if let Some(event) = &fact.event {
            let number = u64::try_from(place).unwrap_or(u64::MAX);
            let leaf = Digest::of(event.leaf.as_bytes());
            self.oracles.see(Observation::Streamed { reader: number, game, seq: event.seq, leaf });
        }
        if over {
            self.report.mark("stream", "to_the_end");
        }
    }

    /// Nothing more comes out of a stream now.
    fn see_idle(&mut self, place: usize, game: GameId) {
        let follows = self.readers.readers.get(place).is_some_and(|reader| reader.game == Some(game));
        if follows {
            let reader = u64::try_from(place).unwrap_or(u64::MAX);
            self.oracles.see(Observation::Drained { reader, game });
        }
    }
}

/// Takes out of a stream what is in it now.
fn look(feed: &mut EventFeed) -> Looked {
    let mut facts = Vec::new();
    let mut cx = Context::from_waker(Waker::noop());
    loop {
        match pin!(feed.next()).poll(&mut cx) {
            Poll::Pending => return Looked { facts, lost: false },
            Poll::Ready(Feed::Event(told)) => facts.push(Arc::clone(&told.fact)),
            Poll::Ready(Feed::Lagged | Feed::Closed) => return Looked { facts, lost: true },
        }
    }
}
