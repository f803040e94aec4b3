//! The randomness beacon of a running hall: rounds that games wait for are fetched, verified and handed to the core.

use crate::settings::Beacon;
use hall_core::rooms::BeaconTerms;
use hall_core::{Caller, Command, Reply};
use hall_driver::Engine;
use hall_http::BeaconHealth;
use hall_outbound::beacon::{
    Chain, ChainError, Limits, Relays, RelaysError, Report, RoundId, Schedule, VerifiedRound, run,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

/// How often the games are asked which rounds they wait for. A round is due three seconds after its game began.
const LOOK: Duration = Duration::from_millis(250);
/// Verified rounds on their way to the core; those that do not fit are told again.
const WAITING: usize = 64;

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

/// The tasks that fetch rounds; they end when this is dropped.
pub(crate) struct BeaconClient {
    tasks: Vec<JoinHandle<()>>,
}

impl Drop for BeaconClient {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
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
            return Ok(Self { tasks: Vec::new() });
        }
        let terms = &settings.chain;
        let chain = Chain::new(terms.chain_hash, &settings.public_key, terms.genesis, terms.period)?;
        let relays = match Relays::system(settings.relays.clone(), Limits::default()) {
            Ok(relays) => relays,
            // A hall without certificates is like one without a network: it plays, and says what is missing.
            Err(error @ RelaysError::NoRoots(_)) => {
                tracing::error!(%error, "no round of the beacon can be fetched");
                health.be_missing();
                return Ok(Self { tasks: Vec::new() });
            }
            Err(error) => return Err(error.into()),
        };
        let (want, wanted) = watch::channel(BTreeSet::new());
        let (hand_over, arriving) = mpsc::channel(WAITING);
        let health = Arc::clone(health);
        let tell = move |report| match report {
            Report::Verified(round) => {
                health.verified(round.id().round);
                // What does not fit is told again for as long as it is wanted.
                let _ = hand_over.try_send(round);
            }
            Report::Failed { .. } => health.failed(),
            Report::Unknown(_) => {}
        };
        let clock = engine.clone();
        let fetching = run(Schedule::new([chain]), relays, move || clock.now(), wanted, tell);
        let tasks = vec![
            tokio::spawn(look(engine.clone(), want)),
            tokio::spawn(fetching),
            tokio::spawn(hand_to_games(engine.clone(), arriving)),
        ];
        Ok(Self { tasks })
    }
}

/// Tells again and again which rounds games wait for.
async fn look(engine: Engine, want: watch::Sender<BTreeSet<RoundId>>) {
    let round_of = |terms: BeaconTerms| RoundId { chain_hash: terms.chain_hash, round: terms.round };
    loop {
        let wanted: BTreeSet<RoundId> =
            engine.peek(|hall| hall.rooms().awaited_rounds().map(round_of).collect());
        want.send_if_modified(|known| {
            let changed = *known != wanted;
            if changed {
                *known = wanted;
            }
            changed
        });
        tokio::time::sleep(LOOK).await;
    }
}

/// Hands verified rounds to the games that wait for them.
async fn hand_to_games(engine: Engine, mut arriving: mpsc::Receiver<VerifiedRound>) {
    while let Some(round) = arriving.recv().await {
        let mut after = None;
        loop {
            let command = Command::ReceiveBeacon {
                chain_hash: round.id().chain_hash,
                round: round.id().round,
                randomness: round.randomness(),
                signature: round.signature().to_owned(),
                after,
            };
            match engine.submit(engine.arrive(), Caller::Hall, command).await {
                Ok(Ok(Reply::Continued { after: Some(last) })) => after = Some(last),
                // What is refused now, because the disk is full, is told again while games wait.
                Ok(_) | Err(_) => break,
            }
        }
    }
}
