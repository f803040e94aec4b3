//! How often a host may fail to prove that it belongs to an agent. Pure: the caller provides the time.
//!
//! Anybody may register an agent with any address, so many agents together could make the hall contact a stranger
//! again and again. A host that proves itself is not a stranger: its count is reset, so any number of agents can share
//! a host and be verified.
//!
//! Decision: the count is kept for the name and for each address that would be dialled, because any number of names
//! may resolve to one victim. An address may be asked more often, since many names share the addresses of a large
//! provider. Nothing of this is a fact; a restart forgets it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

/// The window in which failures are counted.
const WINDOW: Duration = Duration::from_secs(60 * 60);
/// The most failures of one name in that window.
const PER_NAME: u64 = 5;
/// The most failures of one address in that window; for IPv6, of one /64 network.
const PER_ADDRESS: u64 = 60;
/// The most names and addresses remembered. Beyond that, the one not asked for the longest time is forgotten.
const REMEMBERED: usize = 16_384;

/// The recent failures, by name and address.
#[derive(Debug, Default)]
pub(super) struct Quota {
    asked: BTreeMap<Target, VecDeque<Duration>>,
    /// The same by the last time of each.
    by_last: BTreeSet<(Duration, Target)>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    Name(String),
    Address(IpAddr),
}

impl Target {
    const fn most(&self) -> u64 {
        match self {
            Self::Name(_) => PER_NAME,
            Self::Address(_) => PER_ADDRESS,
        }
    }
}

impl Quota {
    /// Counts one more request to this host at these addresses as a failure, until the host proves itself. `now`
    /// counts from any fixed moment.
    ///
    /// # Errors
    /// There were too many failures; the error is the time until the next request is allowed, and how many are.
    pub(super) fn begin(
        &mut self,
        name: &str,
        addresses: &[IpAddr],
        now: Duration,
    ) -> Result<(), (Duration, u64)> {
        let targets = targets(name, addresses);
        let mut wait = (Duration::ZERO, 0);
        for target in &targets {
            if self.last(target).is_some_and(|last| now >= last + WINDOW) {
                self.forget(target);
            }
            let Some(times) = self.asked.get_mut(target) else { continue };
            while times.front().is_some_and(|asked| now >= *asked + WINDOW) {
                times.pop_front();
            }
            let most = usize::try_from(target.most()).unwrap_or(usize::MAX);
            let first_of_too_many = times.len().checked_sub(most).and_then(|place| times.get(place));
            if let Some(asked) = first_of_too_many {
                wait = wait.max(((*asked + WINDOW).saturating_sub(now), target.most()));
            }
        }
        if wait.0 > Duration::ZERO {
            return Err(wait);
        }
        for target in targets {
            if let Some(last) = self.last(&target) {
                self.by_last.remove(&(last, target.clone()));
            }
            self.by_last.insert((now, target.clone()));
            self.asked.entry(target).or_default().push_back(now);
        }
        while self.asked.len() > REMEMBERED
            && let Some((_, oldest)) = self.by_last.pop_first()
        {
            self.asked.remove(&oldest);
        }
        Ok(())
    }

    /// The host has proven itself from this address. Nothing is known of its other ones, so that only this request does
    /// not count for them.
    pub(super) fn proven(&mut self, name: &str, from: IpAddr, addresses: &[IpAddr]) {
        let proven = targets(name, &[from]);
        for target in targets(name, addresses) {
            if proven.contains(&target) {
                self.forget(&target);
            } else {
                self.take_back(target);
            }
        }
    }

    /// Forgets the last request.
    fn take_back(&mut self, target: Target) {
        let Some(times) = self.asked.get_mut(&target) else { return };
        let (taken, last) = (times.pop_back(), times.back().copied());
        if let Some(taken) = taken {
            self.by_last.remove(&(taken, target.clone()));
        }
        match last {
            Some(last) => drop(self.by_last.insert((last, target))),
            None => drop(self.asked.remove(&target)),
        }
    }

    fn last(&self, target: &Target) -> Option<Duration> {
        self.asked.get(target)?.back().copied()
    }

    fn forget(&mut self, target: &Target) {
        if let Some(last) = self.asked.remove(target).and_then(|times| times.back().copied()) {
            self.by_last.remove(&(last, target.clone()));
        }
    }
}

fn targets(name: &str, addresses: &[IpAddr]) -> Vec<Target> {
    let mut targets = vec![Target::Name(name.to_owned())];
    targets.extend(addresses.iter().map(|address| Target::Address(network(*address))));
    targets.sort();
    targets.dedup();
    targets
}

/// What counts as one address: itself, or its /64 network.
pub(super) const fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn address(text: &str) -> [IpAddr; 1] {
        [text.parse().unwrap()]
    }

    /// What `begin` says at that second.
    fn ask(quota: &mut Quota, name: &str, addresses: &[IpAddr], second: u64) -> Result<(), Duration> {
        quota.begin(name, addresses, SECOND * u32::try_from(second).unwrap()).map_err(|(wait, _)| wait)
    }

    #[test]
    fn a_name_that_does_not_prove_itself_is_asked_five_times_an_hour() {
        let (mut quota, there) = (Quota::default(), address("192.0.2.1"));
        for second in 0..5 {
            assert_eq!(ask(&mut quota, "a.example", &there, second), Ok(()));
        }
        assert_eq!(ask(&mut quota, "a.example", &there, 5), Err(SECOND * 3_595));
        assert_eq!(ask(&mut quota, "b.example", &there, 5), Ok(()), "another name at the same address");
        assert_eq!(ask(&mut quota, "a.example", &there, 3_599), Err(SECOND));
        assert_eq!(ask(&mut quota, "a.example", &there, 3_600), Ok(()), "the first one counts no more");
        assert_eq!(ask(&mut quota, "a.example", &there, 3_600), Err(SECOND));
    }

    #[test]
    fn names_that_share_one_address_are_asked_sixty_times_in_all() {
        for (one, other) in [("192.0.2.1", "192.0.2.1"), ("2001:db8::1", "2001:db8::ffff:1")] {
            let mut quota = Quota::default();
            for number in 0..60 {
                let name = format!("n{number}.example");
                assert_eq!(ask(&mut quota, &name, &address(one), number), Ok(()), "{name}");
            }
            assert_eq!(ask(&mut quota, "more.example", &address(other), 60), Err(SECOND * 3_540));
            assert_eq!(ask(&mut quota, "more.example", &address("198.51.100.1"), 60), Ok(()));
        }
    }

    #[test]
    fn a_refused_request_does_not_count() {
        let (mut quota, there) = (Quota::default(), address("192.0.2.1"));
        for _ in 0..200 {
            let _ = ask(&mut quota, "a.example", &there, 0);
        }
        for number in 0..55 {
            assert_eq!(ask(&mut quota, &format!("n{number}.example"), &there, 0), Ok(()));
        }
    }

    #[test]
    fn a_host_that_proves_itself_may_be_asked_for_any_number_of_agents() {
        let (mut quota, there) = (Quota::default(), address("192.0.2.1"));
        for _ in 0..1_000 {
            assert_eq!(ask(&mut quota, "a.example", &there, 0), Ok(()));
            quota.proven("a.example", there[0], &there);
        }
        assert!(quota.asked.is_empty() && quota.by_last.is_empty(), "nothing is left of it");
    }

    #[test]
    fn a_host_with_two_addresses_is_proven_by_either_and_older_failures_of_the_other_one_stay() {
        let mut quota = Quota::default();
        let both: Vec<IpAddr> = ["192.0.2.1", "192.0.2.2"].map(|text| text.parse().unwrap()).into();
        for second in 0..200 {
            assert_eq!(ask(&mut quota, "a.example", &both, second), Ok(()));
            quota.proven("a.example", both[0], &both);
        }
        assert!(quota.asked.is_empty() && quota.by_last.is_empty());
        for number in 0..59 {
            assert_eq!(ask(&mut quota, &format!("n{number}.example"), &both[1..], 200), Ok(()));
        }
        assert_eq!(ask(&mut quota, "a.example", &both, 201), Ok(()));
        quota.proven("a.example", both[0], &both);
        assert_eq!(ask(&mut quota, "b.example", &both[1..], 202), Ok(()), "the sixtieth");
        assert!(ask(&mut quota, "c.example", &both[1..], 203).is_err());
    }

    #[test]
    fn memory_is_bounded_and_the_oldest_entries_are_forgotten_first() {
        let mut quota = Quota::default();
        for number in 0..20_000_u64 {
            let name = format!("n{number}.example");
            assert_eq!(ask(&mut quota, &name, &[], number / 100), Ok(()));
            assert!(quota.asked.len() <= REMEMBERED && quota.by_last.len() == quota.asked.len());
        }
        let known = |name: &str| quota.asked.contains_key(&Target::Name(name.to_owned()));
        assert_eq!([known("n0.example"), known("n19999.example")], [false, true]);
    }
}
