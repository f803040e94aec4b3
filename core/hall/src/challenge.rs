//! Challenges: issued without memory, spent at most once.
//!
//! A challenge is 32 bytes: a serial number, the time of issue, and a truncated HMAC-SHA256 over both and the handle,
//! under a secret that is made anew at each start of the hall. Whatever does not carry a right code was not issued by
//! this hall since its start for this handle. Issuing therefore costs no memory, regardless of the number of requests.
//! Spending one sets one bit. Bits live in pages, and a page is dropped only once everything spent in it has expired:
//! when the bound on pages is reached, nothing more can be spent until then.
//!
//! A hall on several machines has one secret as well, which the leader has made: each process issues under a number of
//! its own, and the leader alone spends.
//!
//! The book is not made of facts. A restart forgets it together with its secret, so nothing issued before is
//! ever accepted again (specification 2.5 and 5.3).

use crate::limits;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use core::fmt;
use hall_wire::message::Challenge;
use hall_wire::{Handle, Span, Timestamp};
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

/// Bytes of a page: one bit for each of 4,096 serial numbers.
const PAGE_BYTES: usize = 512;
const PAGE_SERIALS: u64 = 4_096;

/// The bits of a serial number that a process counts with; above them stands the number of the process.
const COUNTED_BITS: u32 = 48;

/// What a page costs with its allocation and its place in the map.
const PAGE_COST: usize = PAGE_BYTES + 64;

/// How long after its stamp a request may be checked and still be judged by its exact stamp. An older request is
/// judged as if it were exactly this old.
///
/// Decision: 10 s, several times what a request may spend in the hall. Pages are kept for that much longer.
const LATE: Span = Span::from_secs(10);

/// Pages that one process can fill.
const PAGES_OF_A_PROCESS: u64 = (1 << COUNTED_BITS) / PAGE_SERIALS;

/// How far the clocks of two processes of one hall may differ. A follower's clock is behind the leader's by the time that a
/// message takes; a challenge that was issued by one may be used at another at once.
const SKEW: Span = Span::from_secs(5);

/// Why a challenge is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ChallengeProblem {
    /// Not issued by this hall since its start for this handle.
    Unknown,
    /// Older than its validity. Checked before `Spent`.
    Expired,
    /// Accepted before.
    Spent,
}

/// Why a challenge was not spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpendProblem {
    /// It is not valid.
    Refused(ChallengeProblem),
    /// It is valid, but the memory for spent challenges is full. Nothing changed; it can be spent once older ones have
    /// expired.
    Full,
}

/// Issues challenges and remembers which were spent.
pub struct ChallengeBook {
    keyed: Hmac<Sha256>,
    validity: Span,
    capacity: usize,
    next_serial: u64,
    /// How much later than a request its challenge may have been issued by another clock.
    skew: Span,
    /// The latest time seen.
    latest: Timestamp,
    pages: BTreeMap<u64, Page>,
}

/// The spent ones among 4,096 consecutive serial numbers.
struct Page {
    spent: Box<[u8; PAGE_BYTES]>,
    /// When the last of them has expired.
    expires: Timestamp,
}

/// A challenge that was issued by the book that recognised it, for the handle that it was shown with. Spending it
/// checks again that it is still valid and unspent.
#[derive(Clone, Copy, Debug)]
pub struct Recognised(Issued);

impl Recognised {
    /// What the process that spends has to be told of a challenge that another one has recognised: its serial number, and
    /// when it was issued.
    #[must_use]
    pub const fn parts(self) -> (u64, Timestamp) {
        (self.0.serial, self.0.at)
    }

    /// A challenge that another process with the same secret has recognised.
    #[must_use]
    pub const fn elsewhere(serial: u64, at: Timestamp) -> Self {
        Self(Issued { serial, at })
    }
}

/// The contents of a challenge whose code is right.
#[derive(Clone, Copy, Debug)]
struct Issued {
    serial: u64,
    at: Timestamp,
}

impl ChallengeBook {
    /// A book for one run of the hall. `secret` must never have been used before.
    #[must_use]
    pub fn new(secret: &[u8; 32], validity: Span) -> Self {
        Self::with_capacity(secret, validity, limits::SPENT_CHALLENGE_BYTES)
    }

    /// A book whose pages take at most `capacity` bytes.
    ///
    /// # Panics
    /// Never: HMAC takes keys of any length.
    #[must_use]
    pub fn with_capacity(secret: &[u8; 32], validity: Span, capacity: usize) -> Self {
        let keyed = Hmac::<Sha256>::new_from_slice(secret).expect("HMAC takes keys of any length");
        Self {
            keyed,
            validity,
            capacity,
            next_serial: 0,
            skew: Span::from_millis(0),
            latest: Timestamp::default(),
            pages: BTreeMap::new(),
        }
    }

    /// A book of one of several processes that have this secret in common. `process` is its number among them.
    #[must_use]
    pub fn shared(secret: &[u8; 32], validity: Span, process: u16) -> Self {
        let next_serial = u64::from(process) << COUNTED_BITS;
        Self { next_serial, skew: SKEW, ..Self::new(secret, validity) }
    }

    /// Issues a challenge to `handle`, which need not be registered.
    pub fn issue(&mut self, at: Timestamp, handle: &Handle) -> Challenge {
        // Times of issue never fall from one serial to the next, so pages expire in their order.
        self.latest = self.latest.max(at);
        let issued = Issued { serial: self.next_serial, at: self.latest };
        self.next_serial += 1;
        let code = self.code(issued, handle).finalize().into_bytes();
        let mut bytes = [0; 32];
        let parts =
            issued.serial.to_be_bytes().into_iter().chain(issued.at.as_millis().to_be_bytes()).chain(code);
        bytes.iter_mut().zip(parts).for_each(|(to, from)| *to = from);
        Challenge::from_bytes(bytes)
    }

    /// When a challenge issued at `at` ceases to be valid.
    #[must_use]
    pub fn expiry(&self, at: Timestamp) -> Timestamp {
        at + self.validity
    }

    /// Whether a request stamped `at` may use `challenge` for `handle`. Valid while issue <= `at` < issue +
    /// validity.
    ///
    /// # Errors
    /// Why it may not.
    pub fn check(
        &self,
        at: Timestamp,
        handle: &Handle,
        challenge: &Challenge,
    ) -> Result<(), ChallengeProblem> {
        self.recognise(at, handle, challenge).map(|_| ())
    }

    /// Like [`Self::check`], for a caller that is about to spend the challenge: the code, which is the expensive part,
    /// is computed only once.
    ///
    /// # Errors
    /// Why it may not be used.
    pub fn recognise(
        &self,
        at: Timestamp,
        handle: &Handle,
        challenge: &Challenge,
    ) -> Result<Recognised, ChallengeProblem> {
        let (issued, code) = read(challenge);
        // The comparison takes constant time.
        if self.code(issued, handle).verify_truncated_left(code).is_err() {
            return Err(ChallengeProblem::Unknown);
        }
        self.judge(at, issued).map(|()| Recognised(issued))
    }

    /// Spends `challenge`. Of any number of calls for the same challenge, exactly one succeeds.
    ///
    /// # Errors
    /// The challenge is no longer valid, or no more can be remembered. Nothing was spent.
    pub fn spend(
        &mut self,
        at: Timestamp,
        handle: &Handle,
        challenge: &Challenge,
    ) -> Result<(), SpendProblem> {
        let recognised = self.recognise(at, handle, challenge).map_err(SpendProblem::Refused)?;
        self.spend_recognised(at, recognised)
    }

    /// Spends a challenge that this book has recognised. Of any number of calls for the same challenge, exactly one
    /// succeeds.
    ///
    /// # Errors
    /// The challenge is no longer valid, or no more can be remembered. Nothing was spent.
    pub fn spend_recognised(
        &mut self,
        at: Timestamp,
        Recognised(issued): Recognised,
    ) -> Result<(), SpendProblem> {
        self.judge(at, issued).map_err(SpendProblem::Refused)?;
        self.latest = self.latest.max(at);
        self.forget_expired();
        let number = issued.serial / PAGE_SERIALS;
        if !self.pages.contains_key(&number) && self.bytes() + PAGE_COST > self.capacity {
            return Err(SpendProblem::Full);
        }
        let page = self
            .pages
            .entry(number)
            .or_insert_with(|| Page { spent: Box::new([0; PAGE_BYTES]), expires: Timestamp::default() });
        page.expires = page.expires.max(issued.at + self.validity);
        let (byte, mask) = place(issued.serial);
        if let Some(byte) = page.spent.get_mut(byte) {
            *byte |= mask;
        }
        Ok(())
    }

    /// Bytes that the memory of spent challenges takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.pages.len() * PAGE_COST
    }

    /// Whether a challenge of this book is valid now.
    fn judge(&self, at: Timestamp, issued: Issued) -> Result<(), ChallengeProblem> {
        if at + self.skew < issued.at {
            return Err(ChallengeProblem::Unknown);
        }
        // A page that was dropped held only what is expired by this time, so nothing spent can look unspent.
        let at = at.max(self.horizon());
        if at >= issued.at + self.validity {
            return Err(ChallengeProblem::Expired);
        }
        let (byte, mask) = place(issued.serial);
        let page = self.pages.get(&(issued.serial / PAGE_SERIALS));
        let spent = page.and_then(|page| page.spent.get(byte)).is_some_and(|byte| byte & mask != 0);
        if spent { Err(ChallengeProblem::Spent) } else { Ok(()) }
    }

    fn code(&self, issued: Issued, handle: &Handle) -> Hmac<Sha256> {
        let mut code = self.keyed.clone();
        code.update(&issued.serial.to_be_bytes());
        code.update(&issued.at.as_millis().to_be_bytes());
        code.update(handle.as_str().as_bytes());
        code
    }

    fn horizon(&self) -> Timestamp {
        self.latest - LATE
    }

    fn forget_expired(&mut self) {
        let horizon = self.horizon();
        let mut from = 0;
        // The pages of each process expire in their order.
        while let Some((&number, page)) = self.pages.range(from..).next() {
            if page.expires <= horizon {
                self.pages.remove(&number);
                from = number;
            } else {
                from = (number | (PAGES_OF_A_PROCESS - 1)) + 1;
            }
        }
    }
}

impl fmt::Debug for ChallengeBook {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "ChallengeBook({} issued, {} bytes)", self.next_serial, self.bytes())
    }
}

/// The unverified contents of a challenge, and the code that must match them.
fn read(challenge: &Challenge) -> (Issued, &[u8]) {
    let (serial, rest) = challenge.as_bytes().split_first_chunk::<8>().unwrap_or((&[0; 8], &[]));
    let (at, code) = rest.split_first_chunk::<8>().unwrap_or((&[0; 8], &[]));
    let at = Timestamp::from_millis(i64::from_be_bytes(*at));
    (Issued { serial: u64::from_be_bytes(*serial), at }, code)
}

/// Byte and bit of a serial number within its page.
fn place(serial: u64) -> (usize, u8) {
    let bit = serial % PAGE_SERIALS;
    (usize::try_from(bit / 8).unwrap_or(usize::MAX), 1 << (bit % 8))
}

#[cfg(test)]
mod tests;
