//! The loop that fetches wanted rounds: it connects the schedule, the relays, a clock and the consumers of rounds.

use super::chain::{RoundId, VerifiedRound};
use super::relays::{FetchError, Relays};
use super::schedule::{RoundSchedule, RoundStep};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use hall_wire::Timestamp;
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::sync::watch::Receiver;
use tokio::time::sleep;

/// How often the clock is checked while something waits for a time. The clock may differ from the runtime's timers: it
/// may be slewed, and a machine may be suspended.
const CLOCK_POLL_INTERVAL: Duration = Duration::from_secs(1);
/// The number of failures in a row from which a missing round is worth a warning. With fewer, the relays may only be a
/// little late.
const WARN_FROM: u32 = 3;

/// An event of the loop.
#[derive(Clone, Debug)]
pub enum RoundReport {
    /// A wanted round, verified. It is repeated every 5 s for as long as it is wanted, so a recipient that cannot take
    /// it may drop it.
    Verified(VerifiedRound),
    /// No relay had a round that was due. It is tried again if it is still wanted.
    Failed {
        /// The number of failures in a row; 0 if the round is no longer wanted.
        failures: u32,
        /// What each relay did.
        error: FetchError,
    },
    /// A round is wanted of a chain that the schedule does not know. It is not fetched. Reported once for each.
    Unknown(RoundId),
}

/// Fetches wanted rounds until the other end of `wanted` is dropped.
///
/// `now` is the clock by which rounds are due; nothing else is asked for the time but tokio's timers. `tell` must not
/// block. Requests that are under way when this future is dropped are given up.
pub async fn run(
    mut schedule: RoundSchedule,
    relays: Relays,
    now: impl Fn() -> Timestamp,
    mut wanted: Receiver<BTreeSet<RoundId>>,
    mut tell: impl FnMut(RoundReport),
) {
    let mut fetches = FuturesUnordered::new();
    let mut outage = Outage::default();
    schedule.want(&wanted.borrow_and_update(), now());
    loop {
        let wake = loop {
            match schedule.next(now()) {
                RoundStep::Deliver(round) => tell(RoundReport::Verified(round)),
                RoundStep::Unknown(id) => {
                    tracing::warn!("{id} is wanted, and the chain is not the one in the settings");
                    tell(RoundReport::Unknown(id));
                }
                RoundStep::Fetch { chain, round } => {
                    let relays = relays.clone();
                    fetches.push(async move { relays.fetch(&chain, round).await });
                }
                RoundStep::Wait(until) => break until,
            }
        };
        let pause = wake.map_or(CLOCK_POLL_INTERVAL, |until| pause(until, now()));
        // Polled in source order, not at random.
        tokio::select! {
            biased;
            changed = wanted.changed() => match changed {
                Ok(()) => schedule.want(&wanted.borrow_and_update(), now()),
                Err(_) => return,
            },
            Some(fetched) = fetches.next() => match fetched {
                Ok(round) => {
                    if outage.ends() {
                        tracing::info!("the beacon is back: {} is verified", round.id());
                    } else {
                        tracing::debug!("{} is verified", round.id());
                    }
                    schedule.verified(round, now());
                }
                Err(error) => {
                    let failures = schedule.failed(&error.id, now());
                    if outage.is_noticed(failures) {
                        tracing::warn!(failures, "the beacon is away; its rounds are asked for until it is back: {error}");
                    } else {
                        tracing::debug!(failures, "{error}");
                    }
                    tell(RoundReport::Failed { failures, error });
                }
            },
            () = sleep(pause), if wake.is_some() => {}
        }
    }
}

/// An outage causes one warning, however many rounds are missed in it, and its end is logged.
#[derive(Debug, Default)]
struct Outage {
    is_told: bool,
}

impl Outage {
    /// Records a round with so many failures in a row. Returns whether to warn.
    const fn is_noticed(&mut self, failures: u32) -> bool {
        let is_new = failures >= WARN_FROM && !self.is_told;
        self.is_told |= is_new;
        is_new
    }

    /// Records a verified round. Returns whether that ends an outage that caused a warning.
    const fn ends(&mut self) -> bool {
        std::mem::replace(&mut self.is_told, false)
    }
}

/// How long to wait until the clock shows `until`, or until it is to be checked again.
fn pause(until: Timestamp, now: Timestamp) -> Duration {
    Duration::from_millis(until.since(now).as_millis().max(1)).min(CLOCK_POLL_INTERVAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outage_and_its_end_are_each_logged_once() {
        let mut outage = Outage::default();
        let warned: Vec<bool> = (1..=5).map(|failures| outage.is_noticed(failures)).collect();
        assert_eq!(warned, [false, false, true, false, false]);
        assert!(!outage.is_noticed(3), "another round of the same outage");
        assert_eq!((outage.ends(), outage.ends()), (true, false));
        assert!(outage.is_noticed(3), "the next outage");
    }
}
