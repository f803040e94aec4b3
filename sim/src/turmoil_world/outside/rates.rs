//! Requests of each client, counted beside the hall: nobody has more than the limit (V4), and nobody who keeps under it
//! is refused (H2).
//!
//! Only what came and went over the network is known: the hall counted a request at some time between its departure
//! and the answer. So what is counted here is at most, and at least, what the hall can have counted.

use super::HallMoment;
use hall_wire::Span;
#[cfg(test)]
use hall_wire::Timestamp;
use std::collections::{BTreeMap, VecDeque};

/// The window of the limit.
const WINDOW: Span = Span::from_secs(60);
/// For how long a request may count at most: its own second and the seconds of the window are whole ones.
const COUNTS: Span = Span::from_secs(62);
/// How long a request may be on its way over a link with faults.
const ON_ITS_WAY: Span = Span::from_secs(130);

/// Requests by client.
#[derive(Debug, Default)]
pub(in super::super) struct Rates {
    clients: BTreeMap<String, VecDeque<CountedRequest>>,
    next: u64,
}

#[derive(Clone, Copy, Debug)]
struct CountedRequest {
    number: u64,
    sent: HallMoment,
    /// Whether it passed; none before its answer has come.
    passed: Option<bool>,
}

/// What an answer to a counted request was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RateVerdict {
    /// As it must be.
    Right,
    /// Refused, as it must be.
    Refused,
    /// More passed than may.
    TooMany(usize),
    /// Refused, although so few were sent.
    TooFew(usize),
}

impl Rates {
    /// A client sends a request that counts; its number.
    pub(super) fn sent(&mut self, client: &str, sent: HallMoment) -> u64 {
        self.next += 1;
        let number = self.next;
        let own = self.clients.entry(client.to_owned()).or_default();
        while own.front().is_some_and(|first| first.sent.at + COUNTS + ON_ITS_WAY < sent.at) {
            own.pop_front();
        }
        own.push_back(CountedRequest { number, sent, passed: None });
        number
    }

    /// The answer to it has come: `limit` requests pass in a minute.
    pub(super) fn told(
        &mut self,
        client: &str,
        number: u64,
        (passed, told): (bool, HallMoment),
        limit: usize,
        faulty: bool,
    ) -> RateVerdict {
        let Some(own) = self.clients.get_mut(client) else { return RateVerdict::Right };
        let Some(this) = own.iter_mut().find(|counted| counted.number == number) else {
            return RateVerdict::Right;
        };
        this.passed = Some(passed);
        let sent = this.sent;
        if passed {
            // All of these were sent and answered within one window, by one process.
            let within = |counted: &&CountedRequest| {
                counted.passed == Some(true)
                    && counted.sent.start == told.start
                    && counted.sent.at + WINDOW >= told.at
            };
            let count = own.iter().filter(within).count();
            return if count > limit { RateVerdict::TooMany(count) } else { RateVerdict::Right };
        }
        let longest = if faulty { COUNTS + ON_ITS_WAY } else { COUNTS };
        let before = |counted: &&CountedRequest| {
            counted.number != number && counted.passed != Some(false) && counted.sent.at + longest >= sent.at
        };
        let count = own.iter().filter(before).count();
        if count < limit { RateVerdict::TooFew(count) } else { RateVerdict::Refused }
    }
}

impl HallMoment {
    /// A moment of the first process.
    #[cfg(test)]
    pub(super) fn first(millis: i64) -> Self {
        Self { start: 1, at: Timestamp::from_millis(millis), is_writable: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The verdicts on requests of one client, with a limit of 3: when each was sent and answered, and whether it passed.
    fn verdicts(requests: &[(i64, i64, bool)]) -> Vec<RateVerdict> {
        let mut rates = Rates::default();
        let told = requests.iter().map(|(sent, told, passed)| {
            let number = rates.sent("ada", HallMoment::first(*sent));
            rates.told("ada", number, (*passed, HallMoment::first(*told)), 3, false)
        });
        told.collect()
    }

    #[test]
    fn a_fourth_request_within_a_minute_that_passes_is_reported() {
        let three = [(0, 10, true), (20, 30, true), (40, 50, true)];
        assert_eq!(verdicts(&three), [RateVerdict::Right; 3]);
        let fourth = |request| verdicts(&[three.as_slice(), &[request]].concat()).pop();
        assert_eq!(fourth((60, 70, false)), Some(RateVerdict::Refused));
        assert_eq!(fourth((59_000, 60_000, true)), Some(RateVerdict::TooMany(4)));
        assert_eq!(fourth((59_000, 60_001, true)), Some(RateVerdict::Right), "the first may count no more");
    }

    #[test]
    fn a_refusal_of_a_client_that_keeps_under_the_limit_is_reported() {
        assert_eq!(verdicts(&[(0, 10, false)]), [RateVerdict::TooFew(0)]);
        let two = [(0, 10, true), (20, 30, true), (40, 50, false)];
        assert_eq!(verdicts(&two).pop(), Some(RateVerdict::TooFew(2)));
        let late = [(0, 10, true), (20, 30, true), (40, 50, true), (62_001, 62_002, false)];
        assert_eq!(verdicts(&late).pop(), Some(RateVerdict::TooFew(2)), "the first counts no more");
    }

    #[test]
    fn each_client_has_its_own_count() {
        let mut rates = Rates::default();
        for client in ["ada", "bob"] {
            for at in 0..3 {
                let number = rates.sent(client, HallMoment::first(at));
                let told = rates.told(client, number, (true, HallMoment::first(at + 1)), 3, false);
                assert_eq!(told, RateVerdict::Right);
            }
        }
    }
}
