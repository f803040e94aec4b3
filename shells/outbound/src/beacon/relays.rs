//! All relays together: which is asked first, which next, and when to give up.

use super::answer::{self, MAX_BYTES};
use super::chain::{DrandChain, RoundId, UnverifiedRound, VerifiedRound};
use super::relay::{RelayError, address_of};
use crate::base_url::BaseUrl;
use crate::exchange::{self, Exchange, Failure};
use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use http_body_util::Full;
use hyper::header::{ACCEPT, USER_AGENT};
use hyper::{Request, StatusCode};
use hyper_util::client::legacy::connect::Connect;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

/// The most relays.
const MAX_RELAYS: usize = 16;
/// The most fetches at the same time; others wait.
pub(super) const MAX_FETCHES: usize = 4;
/// The user agent: some relays refuse requests without one.
const AGENT: &str = concat!("hall-outbound/", env!("CARGO_PKG_VERSION"));

/// How long to wait for relays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelayLimits {
    /// After this time without an answer, the next relay is asked as well.
    pub hedge: Duration,
    /// How long one fetch may take in total, including the wait for a permit.
    pub total: Duration,
}

impl Default for RelayLimits {
    /// The next relay after 500 ms, and 5 s in all.
    fn default() -> Self {
        Self { hedge: Duration::from_millis(500), total: Duration::from_secs(5) }
    }
}

/// Why relays cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RelaysError {
    /// None or too many.
    #[error("a beacon has 1 to {MAX_RELAYS} relays")]
    Number,
    /// A relay is reached over TLS, and there is nothing to check its certificate by.
    #[error("no root certificates to check relays by ({0}); install ca-certificates")]
    NoRoots(String),
}

/// No relay had the round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchError {
    /// Which round.
    pub id: RoundId,
    /// The failure of each relay, in the order in which they are listed.
    pub relays: Vec<(BaseUrl, RelayError)>,
}

/// The relays of a hall. Clones share connections and what was learned about the relays.
#[derive(Clone)]
pub struct Relays(Arc<Inner>);

struct Inner {
    urls: Vec<BaseUrl>,
    /// Relays whose last answer was false; each causes one warning until it answers correctly.
    untrue: Mutex<BTreeSet<usize>>,
    limits: RelayLimits,
    exchange: Box<dyn Exchange>,
    /// The relay that answered last. It is asked first.
    last_good: AtomicUsize,
    turns: Semaphore,
}

impl Relays {
    /// Relays over this machine's network, with its root certificates if one of them needs TLS. No proxy is taken
    /// from the environment.
    ///
    /// # Errors
    /// If there are none or too many, or root certificates are needed and missing.
    pub fn system(urls: Vec<BaseUrl>, limits: RelayLimits) -> Result<Self, RelaysError> {
        if urls.iter().any(BaseUrl::is_https) {
            let connector = exchange::system().map_err(|error| RelaysError::NoRoots(error.to_string()))?;
            Self::over(urls, limits, connector)
        } else {
            Self::over(urls, limits, exchange::system_plain())
        }
    }

    /// Relays over connections that `connector` makes, for simulators.
    ///
    /// # Errors
    /// If there are none or too many.
    pub fn over<C: Connect + Clone + Send + Sync + 'static>(
        urls: Vec<BaseUrl>,
        limits: RelayLimits,
        connector: C,
    ) -> Result<Self, RelaysError> {
        if !(1..=MAX_RELAYS).contains(&urls.len()) {
            return Err(RelaysError::Number);
        }
        Ok(Self(Arc::new(Inner {
            urls,
            untrue: Mutex::default(),
            limits,
            exchange: Box::new(exchange::over(connector)),
            last_good: AtomicUsize::new(0),
            turns: Semaphore::new(MAX_FETCHES),
        })))
    }

    /// Fetches a round and verifies it.
    ///
    /// The relay that answered last is asked first, then the others as listed: the next one immediately when one has
    /// failed, or in parallel when one has not answered for [`RelayLimits::hedge`]. The first answer that verifies is
    /// taken; the other requests are given up.
    ///
    /// # Errors
    /// The failure of each relay, if none provided the round within [`RelayLimits::total`].
    pub async fn fetch(&self, chain: &DrandChain, round: u64) -> Result<VerifiedRound, FetchError> {
        let mut outcomes = vec![RelayError::NotAsked; self.0.urls.len()];
        let race = self.0.race(chain, round, &mut outcomes);
        if let Ok(Some(round)) = timeout(self.0.limits.total, race).await {
            return Ok(round);
        }
        let relays = self.0.urls.iter().cloned().zip(outcomes).collect();
        Err(FetchError { id: chain.round(round), relays })
    }
}

impl Inner {
    /// Asks one relay after the other until one has the round. `outcomes` receives the result of each.
    async fn race(
        &self,
        chain: &DrandChain,
        round: u64,
        outcomes: &mut [RelayError],
    ) -> Option<VerifiedRound> {
        let _turn = self.turns.acquire().await.ok()?;
        let mut others = self.order().into_iter();
        let mut asked = FuturesUnordered::new();
        loop {
            if let Some((number, url)) = others.next() {
                note(outcomes, number, RelayError::Slow);
                asked.push(async move { (number, url, self.ask(url, chain, round).await) });
            }
            // Polled in source order, not at random: an answer that has arrived takes precedence over a timer.
            tokio::select! {
                biased;
                answer = asked.next() => match answer {
                    Some((number, _, Ok(verified))) => {
                        self.last_good.store(number, Ordering::Relaxed);
                        self.untrue.lock().unwrap_or_else(PoisonError::into_inner).remove(&number);
                        return Some(verified);
                    }
                    Some((number, url, Err(error))) => {
                        if error.is_untrue()
                            && self.untrue.lock().unwrap_or_else(PoisonError::into_inner).insert(number)
                        {
                            tracing::warn!(relay = %url, round, "a relay of the beacon {error}");
                        }
                        note(outcomes, number, error);
                    }
                    None => return None,
                },
                () = sleep(self.limits.hedge), if others.len() > 0 => {}
            }
        }
    }

    /// All relays with their numbers, the one that answered last first.
    fn order(&self) -> Vec<(usize, &BaseUrl)> {
        let first = self.last_good.load(Ordering::Relaxed);
        let mut order: Vec<_> = self.urls.iter().enumerate().collect();
        order.sort_by_key(|(number, _)| *number != first);
        order
    }

    async fn ask(&self, url: &BaseUrl, chain: &DrandChain, round: u64) -> Result<VerifiedRound, RelayError> {
        let request = Request::get(address_of(url, &chain.round(round)))
            .header(ACCEPT, "application/json")
            .header(USER_AGENT, AGENT)
            .body(Full::<Bytes>::default())
            .map_err(|error| RelayError::Unreachable(error.to_string()))?;
        let answer = self.exchange.exchange(request, MAX_BYTES).await?;
        if answer.status.is_redirection() {
            return Err(RelayError::Redirect(answer.status.as_u16()));
        }
        if answer.status != StatusCode::OK {
            return Err(RelayError::Status(answer.status.as_u16()));
        }
        let signature = answer::signature(&answer.body, round)?;
        Ok(check(chain.clone(), round, signature).await?)
    }
}

fn note(outcomes: &mut [RelayError], number: usize, outcome: RelayError) {
    if let Some(place) = outcomes.get_mut(number) {
        *place = outcome;
    }
}

/// Verifies a signature in the background.
async fn check(chain: DrandChain, round: u64, signature: String) -> Result<VerifiedRound, UnverifiedRound> {
    match hall_driver::in_background(move || chain.verify(round, &signature)).await {
        Ok(checked) => checked,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime is shutting down; nothing waits for the result.
            Err(_) => std::future::pending().await,
        },
    }
}

impl From<Failure> for RelayError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Unreachable(why) => Self::Unreachable(why),
            Failure::Broken(why) => Self::Broken(why),
            Failure::TooLarge => Self::TooLarge,
        }
    }
}

impl fmt::Display for FetchError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "no relay had {}: ", self.id)?;
        for (number, (url, error)) in self.relays.iter().enumerate() {
            let separator = if number == 0 { "" } else { "; " };
            write!(out, "{separator}{url} {error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for FetchError {}

impl fmt::Debug for Relays {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Relays").field(&self.0.urls).finish()
    }
}
