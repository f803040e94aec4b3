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

impl BeaconClient {
    /// Begins to fetch what games wait for; nothing where the beacon is off.
    ///
    /// # Errors
    /// The settings are wrong.
    pub(crate) fn start(
        settings: &Beacon,
        engine: &Engine,
        health: &Arc<BeaconHealth>,
    ) -> Result<Self, BeaconFailure> {
        if settings.relays.is_empty() {
            return Ok(Self { task: None });
        }
        let terms = &settings.chain;
        let chain = DrandChain::new(terms.chain_hash, &settings.public_key, terms.genesis, terms.period)?;
        let relays = match Relays::system(settings.relays.clone(), RelayLimits::default()) {
            Ok(relays) => relays,
            // A hall without certificates is like one without a network: it plays, and says what is missing.
            Err(error @ RelaysError::NoRoots(_)) => {
                tracing::error!(%error, "no round of the beacon can be fetched");
                health.be_missed();
                return Ok(Self { task: None });
            }
            Err(error) => return Err(error.into()),
        };
        let health = Arc::clone(health);
        let told = move |report: &RoundReport| match report {
            RoundReport::Verified(round) => health.verified(round.id().round),
            RoundReport::Failed { .. } => health.failed(),
            RoundReport::Unknown(_) => {}
        };
        Ok(Self { task: Some(tokio::spawn(serve_games(engine.clone(), chain, relays, told))) })
    }
}
