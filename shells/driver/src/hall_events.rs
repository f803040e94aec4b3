//! What happens in the hall as a whole: games that begin and end, ratings that change. The newest are kept in memory for
//! readers that come back; nothing of it is state.
//!
//! The writer adds an event where it releases a game's own, so an event is durable when anybody can see it. Readers take
//! events from what is kept and wait for the next; none of them can delay the writer.

use crate::tables::FactPlace;
use crate::watched::Watched;
use hall_core::rooms::RoomChange;
use hall_core::{DeskFact, Fact};
use hall_wire::{GameId, Timestamp};
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Events that are kept.
const MOST_KEPT: usize = 1_000;

/// The position of an event among all events of the hall: where its fact stands in the journal. Later events have greater
/// ids, on every node and across restarts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HallEventId(FactPlace);

impl HallEventId {
    /// Reads what `Display` writes; `None` if the text is no id.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (record, index) = text.split_once('-')?;
        let id = Self(FactPlace { record: record.parse().ok()?, index: index.parse().ok()? });
        (id.to_string() == text).then_some(id)
    }

    /// The id behind everything in a record and before everything in the next.
    const fn behind(record: u64) -> Self {
        Self(FactPlace { record, index: u32::MAX })
    }
}

impl fmt::Display for HallEventId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}-{}", self.0.record, self.0.index)
    }
}

/// What happened to a game, as the whole hall hears of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HallEventKind {
    /// It began.
    GameStarted,
    /// It is over.
    GameEnded,
    /// It changed ratings, and with them a leaderboard.
    RatingsChanged,
}

/// An event of the hall.
#[derive(Debug)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub struct HallEvent {
    /// Its position.
    pub id: HallEventId,
    pub at: Timestamp,
    pub kind: HallEventKind,
    pub game: GameId,
    /// The text of it, once somebody has read it.
    written: OnceLock<Arc<[u8]>>,
}

impl HallEvent {
    fn of(fact: &Fact, place: FactPlace) -> Option<Self> {
        let (at, kind, game) = match fact {
            Fact::Room(fact) if matches!(fact.change, RoomChange::Started(_)) => {
                (fact.at, HallEventKind::GameStarted, fact.game)
            }
            Fact::Room(fact) if matches!(fact.change, RoomChange::Ended { .. }) => {
                (fact.at, HallEventKind::GameEnded, fact.game)
            }
            Fact::Desk(DeskFact::GameRated { at, game, .. }) => (*at, HallEventKind::RatingsChanged, *game),
            Fact::Room(_) | Fact::Desk(_) | Fact::Governance(_) | Fact::Doorbell(_) | Fact::Hall(_) => {
                return None;
            }
        };
        Some(Self { id: HallEventId(place), at, kind, game, written: OnceLock::new() })
    }

    /// Its text in bytes, if a reader has written it.
    #[must_use]
    pub fn known(&self) -> Option<Arc<[u8]>> {
        self.written.get().cloned()
    }

    /// The text of the event in bytes, which the first reader writes for all.
    pub fn written(&self, write: impl FnOnce() -> String) -> Arc<[u8]> {
        Arc::clone(self.written.get_or_init(|| write().into_bytes().into()))
    }
}

/// The events among the facts of a record.
pub(crate) fn events(record: u64, facts: &[Fact]) -> impl Iterator<Item = Arc<HallEvent>> {
    (0..)
        .zip(facts)
        .filter_map(move |(index, fact)| HallEvent::of(fact, FactPlace { record, index }).map(Arc::new))
}

/// The newest events of the hall.
#[derive(Debug)]
pub(crate) struct HallEvents {
    kept: Mutex<EventBuffer>,
    /// The newest id, for those who wait.
    newest: Watched<HallEventId>,
}

#[derive(Debug)]
struct EventBuffer {
    /// Ascending.
    events: VecDeque<Arc<HallEvent>>,
    /// Everything up to this id is forgotten.
    forgotten: HallEventId,
}

/// Events behind an id.
#[derive(Clone, Debug)]
pub struct HallNews {
    /// The events, ascending.
    pub events: Vec<Arc<HallEvent>>,
    /// Whether none is missing between the id and the first of them: older ones are forgotten.
    pub complete: bool,
    /// The id from which to go on: that of the last of them, or behind everything that there is.
    pub next: HallEventId,
}

impl HallEvents {
    /// Of a hall that is at this record.
    pub(crate) fn new(record: u64) -> Self {
        let forgotten = HallEventId::behind(record);
        Self {
            kept: Mutex::new(EventBuffer { events: VecDeque::new(), forgotten }),
            newest: Watched::new(forgotten),
        }
    }

    pub(crate) fn publish(&self, event: Arc<HallEvent>) {
        let id = event.id;
        {
            let mut kept = self.lock();
            if kept.events.len() == MOST_KEPT
                && let Some(oldest) = kept.events.pop_front()
            {
                kept.forgotten = oldest.id;
            }
            kept.events.push_back(event);
        }
        self.newest.change(|newest| *newest = id);
    }

    /// At most `limit` events behind an id, or from the oldest that is kept.
    pub(crate) fn since(&self, since: Option<HallEventId>, limit: usize) -> HallNews {
        let kept = self.lock();
        let from = since.unwrap_or(kept.forgotten);
        let first = kept.events.partition_point(|event| event.id <= from);
        let events: Vec<_> = kept.events.iter().skip(first).take(limit).cloned().collect();
        let newest = kept.events.back().map_or(kept.forgotten, |event| event.id);
        let next = events.last().map_or_else(|| newest.max(from), |event| event.id);
        HallNews { events, complete: from >= kept.forgotten, next }
    }

    /// Waits until there is an event behind this id.
    pub(crate) async fn behind(&self, id: HallEventId) {
        self.newest.until(|newest| *newest > id).await;
    }

    fn lock(&self) -> MutexGuard<'_, EventBuffer> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(record: u64, index: u32) -> Arc<HallEvent> {
        Arc::new(HallEvent {
            id: HallEventId(FactPlace { record, index }),
            at: Timestamp::from_millis(1),
            kind: HallEventKind::GameStarted,
            game: GameId::from_bytes([1; 16]),
            written: OnceLock::new(),
        })
    }

    fn ids(news: &HallNews) -> String {
        let ids: Vec<String> = news.events.iter().map(|event| event.id.to_string()).collect();
        format!(
            "{} next {} {}",
            ids.join(" "),
            news.next,
            if news.complete { "complete" } else { "with a gap" }
        )
    }

    #[test]
    fn a_reader_goes_on_behind_the_last_event_that_it_has_seen() {
        let hall = HallEvents::new(7);
        [(8, 0), (8, 3), (12, 1)].into_iter().for_each(|(record, index)| hall.publish(event(record, index)));
        let since = |text: Option<&str>, limit| {
            ids(&hall.since(text.map(|text| HallEventId::parse(text).unwrap()), limit))
        };
        assert_eq!(since(None, 9), "8-0 8-3 12-1 next 12-1 complete");
        assert_eq!(since(Some("8-0"), 1), "8-3 next 8-3 complete");
        assert_eq!(since(Some("12-1"), 9), " next 12-1 complete");
        assert_eq!(since(Some("5-0"), 1), "8-0 next 8-0 with a gap");
        assert_eq!(ids(&HallEvents::new(7).since(None, 9)), format!(" next 7-{} complete", u32::MAX));
    }

    #[test]
    fn only_the_newest_events_are_kept_and_the_gap_is_told() {
        let hall = HallEvents::new(0);
        (1..=1_005).for_each(|record| hall.publish(event(record, 0)));
        let news = hall.since(HallEventId::parse("5-0"), 2);
        assert_eq!(ids(&news), "6-0 7-0 next 7-0 complete");
        assert!(!hall.since(HallEventId::parse("4-0"), 1).complete);
        assert_eq!(hall.since(None, 9_999).events.len(), MOST_KEPT);
    }

    #[tokio::test]
    async fn who_waits_is_woken_by_the_next_event() {
        let hall = Arc::new(HallEvents::new(3));
        let from = hall.since(None, 1).next;
        let waiting = tokio::spawn({
            let hall = Arc::clone(&hall);
            async move { hall.behind(from).await }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        hall.publish(event(4, 0));
        waiting.await.unwrap();
    }

    #[test]
    fn only_the_written_form_of_an_id_is_accepted_and_its_text_is_written_once() {
        for text in ["", "1", "1-", "01-2", "1-2-3", "1-4294967296", "-1-2"] {
            assert_eq!(HallEventId::parse(text), None, "{text:?}");
        }
        let event = event(1, 2);
        assert_eq!(&*event.written(|| "first".to_owned()), b"first");
        assert_eq!(&*event.written(|| unreachable!("it is written already")), b"first");
    }
}
