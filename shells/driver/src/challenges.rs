//! The challenges of a hall in one process or in several: issued anywhere, spent where the hall is led.

use crate::queue::Unavailable;
use hall_core::challenge::{self, ChallengeBook, ChallengeProblem, SpendProblem};
use hall_wire::message::Challenge;
use hall_wire::{Digest, Handle, Span, Timestamp};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{mpsc, oneshot};

/// Whether this process still has the right to lead: as long as it has, nobody else does.
pub type Right = Arc<dyn Fn() -> bool + Send + Sync>;

/// Why a challenge is not issued, recognised or spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChallengeRefused {
    /// It is not valid.
    Invalid(ChallengeProblem),
    /// The leader's memory for spent challenges is full.
    Full,
    /// No process leads, or it cannot be reached. Whether the challenge was spent is not known; nothing else was done.
    Unavailable(Unavailable),
}

impl From<SpendProblem> for ChallengeRefused {
    fn from(problem: SpendProblem) -> Self {
        match problem {
            SpendProblem::Refused(why) => Self::Invalid(why),
            SpendProblem::Full => Self::Full,
        }
    }
}

/// The serial number of a [`Spend`] of nothing, which only asks how far the hall is durable.
pub const ASKING: u64 = u64::MAX;

/// A challenge that a follower asks the leader to spend.
#[derive(Debug)]
pub struct Spend {
    /// The stamp of the request.
    pub at: Timestamp,
    /// Its serial number, or [`ASKING`].
    pub serial: u64,
    /// When it was issued.
    pub issued: Timestamp,
    /// Where the outcome goes: the record that the hall is durable up to at the leader.
    pub outcome: oneshot::Sender<Result<u64, ChallengeRefused>>,
}

/// A time in which the same process leads, or this one reaches no other. What was recognised in one is not spent in another:
/// the next leader does not know what was spent before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term(u64);

/// A challenge that was recognised, and when it was.
#[derive(Clone, Copy, Debug)]
pub struct Recognised {
    term: Term,
    challenge: challenge::Recognised,
}

/// Issues challenges, and spends them once in the whole hall.
pub struct Challenges {
    validity: Span,
    current: Mutex<CurrentTerm>,
}

/// The present term, and where challenges are spent in it.
struct CurrentTerm {
    term: Term,
    spends_at: SpendLocation,
}

impl CurrentTerm {
    const fn by(spends_at: SpendLocation) -> Self {
        Self { term: Term(0), spends_at }
    }

    fn change(&mut self, spends_at: SpendLocation) -> Term {
        *self = Self { term: Term(self.term.0 + 1), spends_at };
        self.term
    }

    /// Whether this process leads in this term, and has the right to at this moment.
    fn confirm(&self, asked: Term) -> Result<(), ChallengeRefused> {
        match &self.spends_at {
            SpendLocation::Here { right, .. } if self.term == asked && right() => Ok(()),
            SpendLocation::Here { .. } | SpendLocation::Elsewhere { .. } | SpendLocation::Nowhere => {
                Err(ChallengeRefused::Unavailable(Unavailable::NoLeader))
            }
        }
    }
}

/// Where challenges are spent.
enum SpendLocation {
    /// Here, as long as this process has the right.
    Here { book: ChallengeBook, right: Right },
    /// At the leader, which gave its secret.
    Elsewhere { book: ChallengeBook, spends: mpsc::UnboundedSender<Spend> },
    /// Nowhere now.
    Nowhere,
}

impl SpendLocation {
    /// The challenges that count now. A leader that others may have replaced knows none.
    fn book(&mut self) -> Result<&mut ChallengeBook, Unavailable> {
        match self {
            Self::Here { book, right } if right() => Ok(book),
            Self::Elsewhere { book, .. } => Ok(book),
            Self::Here { .. } | Self::Nowhere => Err(Unavailable::NoLeader),
        }
    }
}

impl Challenges {
    /// For a hall in one process. `run_secret` must never have been used before.
    #[must_use]
    pub fn of_run(run_secret: &[u8; 32], validity: Span) -> Self {
        let secret = Digest::of_parts(&[b"challenges", run_secret]);
        let book = ChallengeBook::new(secret.as_bytes(), validity);
        Self {
            validity,
            current: Mutex::new(CurrentTerm::by(SpendLocation::Here { book, right: Arc::new(|| true) })),
        }
    }

    /// For one of several processes, before it leads or has a leader.
    #[must_use]
    pub fn unled(validity: Span) -> Self {
        Self { validity, current: Mutex::new(CurrentTerm::by(SpendLocation::Nowhere)) }
    }

    /// This process leads from now on; what others have issued before is unknown. `secret` must never have been used before.
    pub fn lead(&self, secret: &[u8; 32], right: Right) -> Term {
        let book = ChallengeBook::shared(secret, self.validity, 0);
        self.lock().change(SpendLocation::Here { book, right })
    }

    /// Another process leads, which gave this one a number, not 0. Returns what it is to be asked to spend.
    pub fn follow(&self, secret: &[u8; 32], process: u16) -> mpsc::UnboundedReceiver<Spend> {
        let (spends, asked) = mpsc::unbounded_channel();
        let book = ChallengeBook::shared(secret, self.validity, process);
        self.lock().change(SpendLocation::Elsewhere { book, spends });
        asked
    }

    /// No process leads that could be reached.
    pub fn lose_leader(&self) {
        self.lock().change(SpendLocation::Nowhere);
    }

    /// Issues a challenge to a handle, and says when it expires.
    ///
    /// # Errors
    /// Nobody leads.
    pub fn issue(
        &self,
        now: impl FnOnce() -> Timestamp,
        handle: &Handle,
    ) -> Result<(Challenge, Timestamp), Unavailable> {
        let mut current = self.lock();
        let book = current.spends_at.book()?;
        // Read under the lock, so that a challenge is never issued later than the clock shows.
        let now = now();
        let challenge = book.issue(now, handle);
        Ok((challenge, book.expiry(now)))
    }

    /// Whether a request stamped `at` may use a challenge, as far as it is known here.
    ///
    /// # Errors
    /// It may not, or nobody leads.
    pub fn recognise(
        &self,
        at: Timestamp,
        handle: &Handle,
        challenge: &Challenge,
    ) -> Result<Recognised, ChallengeRefused> {
        let mut current = self.lock();
        let term = current.term;
        let book = current.spends_at.book().map_err(ChallengeRefused::Unavailable)?;
        let challenge = book.recognise(at, handle, challenge).map_err(ChallengeRefused::Invalid)?;
        Ok(Recognised { term, challenge })
    }

    /// Spends a challenge. Of any number of requests racing on one, at any process, exactly one succeeds. What this process
    /// shows from then on must contain the record that is returned, so that a signed read is linearizable.
    ///
    /// # Errors
    /// It was spent before, has expired, was recognised under another leader, or nobody could spend it.
    pub async fn spend(
        &self,
        at: Timestamp,
        Recognised { term, challenge }: Recognised,
    ) -> Result<u64, ChallengeRefused> {
        let outcome = {
            let mut current = self.lock();
            let is_other = current.term != term;
            match &mut current.spends_at {
                SpendLocation::Nowhere => return Err(ChallengeRefused::Unavailable(Unavailable::NoLeader)),
                SpendLocation::Here { right, .. } if !right() => {
                    return Err(ChallengeRefused::Unavailable(Unavailable::NoLeader));
                }
                SpendLocation::Here { .. } | SpendLocation::Elsewhere { .. } if is_other => {
                    return Err(ChallengeRefused::Invalid(ChallengeProblem::Unknown));
                }
                // The right was asked for before the spending, which is before the reading: at this moment nobody else led.
                SpendLocation::Here { book, .. } => {
                    book.spend_recognised(at, challenge)?;
                    return Ok(0);
                }
                SpendLocation::Elsewhere { spends, .. } => {
                    let (sender, outcome) = oneshot::channel();
                    let (serial, issued) = challenge.parts();
                    let lost = |_| ChallengeRefused::Unavailable(Unavailable::NoLeader);
                    spends.send(Spend { at, serial, issued, outcome: sender }).map_err(lost)?;
                    outcome
                }
            }
        };
        outcome.await.unwrap_or(Err(ChallengeRefused::Unavailable(Unavailable::NoLeader)))
    }

    /// Spends a challenge for a follower that this process leads since it began `term`. The caller adds the record that the hall
    /// is durable up to, read after this.
    ///
    /// # Errors
    /// As [`Challenges::spend`]; also if this process does not lead in that term any more.
    pub fn spend_for_follower(
        &self,
        term: Term,
        at: Timestamp,
        serial: u64,
        issued: Timestamp,
    ) -> Result<(), ChallengeRefused> {
        let mut current = self.lock();
        current.confirm(term)?;
        let book = current.spends_at.book().map_err(ChallengeRefused::Unavailable)?;
        Ok(book.spend_recognised(at, challenge::Recognised::elsewhere(serial, issued))?)
    }

    /// Whether this process leads in this term, and has the right to at this moment.
    ///
    /// # Errors
    /// It does not.
    pub fn confirm_right(&self, term: Term) -> Result<(), ChallengeRefused> {
        self.lock().confirm(term)
    }

    /// How far the hall is durable at the leader: what this process shows must contain that record before it says of
    /// something that there is none.
    ///
    /// # Errors
    /// No leader can be asked.
    pub async fn ask_leader(&self) -> Result<u64, ChallengeRefused> {
        let outcome = match &self.lock().spends_at {
            SpendLocation::Here { right, .. } if right() => return Ok(0),
            SpendLocation::Here { .. } | SpendLocation::Nowhere => {
                return Err(ChallengeRefused::Unavailable(Unavailable::NoLeader));
            }
            SpendLocation::Elsewhere { spends, .. } => {
                let (sender, outcome) = oneshot::channel();
                let spend = Spend {
                    at: Timestamp::default(),
                    serial: ASKING,
                    issued: Timestamp::default(),
                    outcome: sender,
                };
                let lost = |_| ChallengeRefused::Unavailable(Unavailable::NoLeader);
                spends.send(spend).map_err(lost)?;
                outcome
            }
        };
        outcome.await.unwrap_or(Err(ChallengeRefused::Unavailable(Unavailable::NoLeader)))
    }

    fn lock(&self) -> MutexGuard<'_, CurrentTerm> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALIDITY: Span = Span::from_secs(300);

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[tokio::test]
    async fn a_challenge_is_spent_once_over_all_processes() {
        let (leader, follower) = (Challenges::unled(VALIDITY), Challenges::unled(VALIDITY));
        let ada = Handle::parse("ada").unwrap();
        assert_eq!(leader.issue(|| at(1), &ada), Err(Unavailable::NoLeader));
        let term = leader.lead(&[7; 32], Arc::new(|| true));
        let mut asked = follower.follow(&[7; 32], 1);
        let (challenge, expires) = follower.issue(|| at(1), &ada).unwrap();
        assert_eq!(expires, at(300_001));
        let answering = async {
            for _ in 0..2 {
                let Spend { at, serial, issued, outcome } = asked.recv().await.unwrap();
                let spent = leader.spend_for_follower(term, at, serial, issued);
                outcome.send(spent.map(|()| 42)).unwrap();
            }
        };
        let asking = async {
            let recognised = follower.recognise(at(5), &ada, &challenge).unwrap();
            let first = follower.spend(at(5), recognised).await;
            (first, follower.spend(at(5), recognised).await)
        };
        let ((), (first, second)) = tokio::join!(answering, asking);
        let spent = ChallengeRefused::Invalid(ChallengeProblem::Spent);
        assert_eq!((first, second), (Ok(42), Err(spent)));
        let here = leader.recognise(at(6), &ada, &challenge);
        assert_eq!(here.err(), Some(spent), "the leader itself knows it, too");
    }

    #[tokio::test]
    async fn nothing_is_spent_without_the_right_to_lead() {
        let (ada, right) = (Handle::parse("ada").unwrap(), Arc::new(Mutex::new(true)));
        let challenges = Challenges::unled(VALIDITY);
        let asked = Arc::clone(&right);
        challenges.lead(&[7; 32], Arc::new(move || *asked.lock().unwrap()));
        let (challenge, _) = challenges.issue(|| at(1), &ada).unwrap();
        let recognised = challenges.recognise(at(2), &ada, &challenge).unwrap();
        *right.lock().unwrap() = false;
        let refused = ChallengeRefused::Unavailable(Unavailable::NoLeader);
        assert_eq!(challenges.spend(at(2), recognised).await, Err(refused));
        assert_eq!(challenges.issue(|| at(2), &ada), Err(Unavailable::NoLeader));
        assert_eq!(challenges.recognise(at(2), &ada, &challenge).err(), Some(refused));
        assert_eq!(challenges.ask_leader().await, Err(refused), "nothing is said not to be there");
        *right.lock().unwrap() = true;
        assert_eq!(challenges.spend(at(2), recognised).await, Ok(0));
    }

    #[tokio::test]
    async fn what_was_recognised_under_one_leader_is_not_spent_under_the_next() {
        type Way = (&'static str, fn(&Challenges, u8));
        let ada = Handle::parse("ada").unwrap();
        let challenges = Challenges::unled(VALIDITY);
        let ways: [Way; 2] = [
            ("leads", |challenges, secret| {
                let _ = challenges.lead(&[secret; 32], Arc::new(|| true));
            }),
            ("follows", |challenges, secret| {
                let _ = challenges.follow(&[secret; 32], 1);
            }),
        ];
        for (before, begin) in ways {
            for (after, change) in ways {
                begin(&challenges, 7);
                let (challenge, _) = challenges.issue(|| at(1), &ada).unwrap();
                let recognised = challenges.recognise(at(2), &ada, &challenge).unwrap();
                challenges.lose_leader();
                change(&challenges, 8);
                let unknown = ChallengeRefused::Invalid(ChallengeProblem::Unknown);
                assert_eq!(challenges.spend(at(3), recognised).await, Err(unknown), "{before}, then {after}");
            }
        }
    }

    #[test]
    fn what_a_follower_asks_of_one_term_is_not_spent_in_the_next() {
        let leader = Challenges::unled(VALIDITY);
        let first = leader.lead(&[7; 32], Arc::new(|| true));
        assert_eq!(leader.spend_for_follower(first, at(2), 1, at(1)), Ok(()));
        leader.lose_leader();
        let second = leader.lead(&[8; 32], Arc::new(|| true));
        let refused = ChallengeRefused::Unavailable(Unavailable::NoLeader);
        assert_eq!(leader.spend_for_follower(first, at(2), 1, at(1)), Err(refused));
        assert_eq!((leader.confirm_right(first), leader.confirm_right(second)), (Err(refused), Ok(())));
    }

    #[tokio::test]
    async fn a_spend_that_the_leader_did_not_answer_is_refused() {
        let follower = Challenges::unled(VALIDITY);
        let ada = Handle::parse("ada").unwrap();
        let asked = follower.follow(&[7; 32], 1);
        let (challenge, _) = follower.issue(|| at(1), &ada).unwrap();
        let recognised = follower.recognise(at(2), &ada, &challenge).unwrap();
        drop(asked);
        let refused = ChallengeRefused::Unavailable(Unavailable::NoLeader);
        assert_eq!(follower.spend(at(2), recognised).await, Err(refused));
        follower.lose_leader();
        assert_eq!(follower.recognise(at(2), &ada, &challenge).err(), Some(refused));
    }
}
