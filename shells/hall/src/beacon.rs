//! The randomness beacon of a running hall: rounds that games wait for are fetched, verified and handed to the core.

use crate::settings::Beacon;
use hall_driver::Engine;
use hall_http::BeaconHealth;
use hall_outbound::beacon::{
    ChainError, DrandChain, RelayLimits, Relays, RelaysError, RoundReport, serve_games,
};
use std::sync::Arc;
use tokio::task::JoinHandle;

/// Why no rounds can be fetched.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BeaconFailure {
    /// The chain's settings do not fit together.
    #[error("`beacon.public_key`: {0}")]
    Chain(#[from] ChainError),
    /// The relays cannot be used.
    #[error("`beacon.relays`: {0}")]
    Relays(#[from] RelaysError),
}

/// The task that fetches rounds; it ends when this is dropped.
pub(crate) struct BeaconClient {
    /// `None` where no round can be fetched.
    task: Option<JoinHandle<()>>,
}

impl Drop for BeaconClient {
    fn drop(&mut self) {
        self.task.iter().for_each(JoinHandle::abort);
    }
}

/// The chain and the relays that rounds come from; none where no round can be fetched.
pub(crate) struct BeaconSource(Option<(DrandChain, Relays)>);

impl BeaconSource {
    /// What the settings name; nothing where the beacon is off.
    ///
    /// # Errors
    /// The settings are wrong.
    pub(crate) fn of(settings: &Beacon, health: &BeaconHealth) -> Result<Self, BeaconFailure> {
        if settings.relays.is_empty() {
            return Ok(Self(None));
        }
        let terms = &settings.chain;
        let chain = DrandChain::new(terms.chain_hash, &settings.public_key, terms.genesis, terms.period)?;
        match Relays::system(settings.relays.clone(), RelayLimits::default()) {
            Ok(relays) => Ok(Self(Some((chain, relays)))),
            // A hall without certificates is like one without a network: it plays, and says what is missing.
            Err(error @ RelaysError::NoRoots(_)) => {
                tracing::error!(%error, "no round of the beacon can be fetched");
                health.be_missed();
                Ok(Self(None))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Begins to fetch what games wait for.
    pub(crate) fn fetch(&self, engine: &Engine, health: &Arc<BeaconHealth>) -> BeaconClient {
        let Some((chain, relays)) = self.0.clone() else { return BeaconClient { task: None } };
        let health = Arc::clone(health);
        let told = move |report: &RoundReport| match report {
            RoundReport::Verified(round) => health.verified(round.id().round),
            RoundReport::Failed { .. } => health.failed(),
            RoundReport::Unknown(_) => {}
        };
        BeaconClient { task: Some(tokio::spawn(serve_games(engine.clone(), chain, relays, told))) }
    }
}
