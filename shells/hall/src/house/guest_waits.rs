//! When a guest has waited so long that an agent of the house joins.

use hall_core::Lobby;
use hall_wire::{Span, Timestamp};
use std::collections::BTreeMap;

/// Remembers since when each lobby has had a waiting guest.
#[derive(Debug)]
pub(super) struct GuestWaits {
    after: Span,
    since: BTreeMap<Lobby, Timestamp>,
}

impl GuestWaits {
    /// Agents of the house join after a guest has waited this long. Until then another guest may come, and two
    /// guests are better matched than a guest and the house.
    pub(super) const fn new(after: Span) -> Self {
        Self { after, since: BTreeMap::new() }
    }

    /// The lobbies to join, of those in which guests wait at `now`. One that was named is named again only after
    /// the same time.
    pub(super) fn due(&mut self, now: Timestamp, waiting: impl IntoIterator<Item = Lobby>) -> Vec<Lobby> {
        let before = std::mem::take(&mut self.since);
        let mut due = Vec::new();
        for lobby in waiting {
            let mut since = before.get(&lobby).copied().unwrap_or(now);
            if now.since(since) >= self.after {
                due.push(lobby);
                since = now;
            }
            self.since.insert(lobby, since);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_core::{Division, GameVariant, Word};

    const START: i64 = 1_800_000_000_000;

    fn lobby(division: Division) -> Lobby {
        let word = |text| Word::parse(text).unwrap();
        Lobby { variant: GameVariant { game: word("chess"), variant: word("standard") }, division }
    }

    #[test]
    fn the_house_joins_an_agent_that_has_waited_and_not_a_new_arrival() {
        let at = |seconds: i64| Timestamp::from_millis(START + seconds * 1_000);
        let (open, pure) = (lobby(Division::Open), lobby(Division::Pure));
        let mut waits = GuestWaits::new(Span::from_secs(10));
        assert_eq!(waits.due(at(0), [open]), []);
        assert_eq!(waits.due(at(9), [open, pure]), []);
        assert_eq!(waits.due(at(10), [open, pure]), [open]);
        assert_eq!(waits.due(at(11), [open, pure]), [], "one has been sent");
        assert_eq!(waits.due(at(19), [pure]), [pure]);
        assert_eq!(waits.due(at(20), [open]), [], "the one who waited has gone, and this is another one");
        assert_eq!(waits.due(at(30), [open]), [open]);
    }

    #[test]
    fn a_house_that_waits_for_nothing_joins_at_once() {
        let mut waits = GuestWaits::new(Span::ZERO);
        let open = lobby(Division::Open);
        assert_eq!(waits.due(Timestamp::from_millis(START), [open]), [open]);
    }
}
