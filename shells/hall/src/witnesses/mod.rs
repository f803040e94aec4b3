//! The witnesses of the hall's log: each new checkpoint is submitted to them, and what they cosign is published with it
//! (decision 8.2).
//!
//! One task a witness, with one request on its way at most, always of the newest checkpoint. Nothing waits for them:
//! neither a move nor the checkpoint itself, which is published at once and gains its cosignatures when they come.
//!
//! Decision: a witness that says it has cosigned more than the log has proves nothing, because its answer carries no
//! checkpoint. It is told loudly, in the log and by the metric `hall_witness_ahead_leaves`, and the hall goes on: else
//! every witness could silence every hall.

mod kept;

pub(crate) use kept::KeptCosignatures;

use crate::settings::WitnessAt;
use hall_driver::Engine;
use hall_http::{LogSigner, WitnessHealth};
use hall_outbound::witness::{Progress, SubmissionOutcome, Trouble, Witness};
use hall_wire::note::key_name;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;

/// Pause after the log could not be read, which the journal tells loudly by itself.
const UNREADABLE: Duration = Duration::from_secs(60);
/// Pause while the key of the newest checkpoint is not here: a node takes a key that another one replaced within seconds.
const KEYLESS: Duration = Duration::from_secs(1);

/// The tasks; they end when this is dropped.
pub(crate) struct Witnesses {
    tasks: Vec<JoinHandle<()>>,
}

impl Drop for Witnesses {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

impl Witnesses {
    /// Begins to submit checkpoints; `health` has one place for each witness, in the same order.
    pub(crate) fn start(
        witnesses: &[WitnessAt],
        engine: &Engine,
        log: &Arc<LogSigner>,
        kept: &Arc<KeptCosignatures>,
        health: &[Arc<WitnessHealth>],
    ) -> Self {
        let task = |(WitnessAt { url, key }, health): (&WitnessAt, &Arc<WitnessHealth>)| {
            let witness = match Witness::system(url.clone(), key.clone()) {
                Ok(witness) => witness,
                // A hall without certificates is like one without a network: it plays, and says what is missing.
                Err(error) => {
                    tracing::error!(%error, witness = key.name(), "a witness cannot be asked");
                    health.failed();
                    return None;
                }
            };
            let company = Company {
                witness,
                engine: engine.clone(),
                log: Arc::clone(log),
                kept: Arc::clone(kept),
                health: Arc::clone(health),
                told: None,
            };
            Some(tokio::spawn(company.keep()))
        };
        Self { tasks: witnesses.iter().zip(health).filter_map(task).collect() }
    }
}

/// One witness that is kept up to date.
struct Company {
    witness: Witness,
    engine: Engine,
    log: Arc<LogSigner>,
    kept: Arc<KeptCosignatures>,
    health: Arc<WitnessHealth>,
    /// The trouble that was logged last, so that a witness that is away is told once.
    told: Option<Trouble>,
}

impl Company {
    async fn keep(mut self) {
        let mut progress = Progress::default();
        loop {
            let size = self.engine.log().newest().map_or(0, |newest| newest.head.size);
            if let Some(pause) = self.submit(&mut progress).await {
                tokio::time::sleep(pause).await;
            } else {
                self.engine.log().grown_beyond(size).await;
            }
        }
    }

    /// Submits the newest checkpoint, and answers how long to wait before the next try; `None` until the log has grown
    /// beyond what was the newest one before.
    async fn submit(&mut self, progress: &mut Progress) -> Option<Duration> {
        let signed = self.engine.log().newest()?;
        let (origin, size) = (key_name(&signed.key), signed.head.size);
        if !progress.wants(origin, size) {
            return None;
        }
        let Some(note) = self.log.own_note(&signed) else { return Some(KEYLESS) };
        let old = progress.old_size(origin, size);
        let proof = match old {
            0 => Ok(Vec::new()),
            old => self.engine.log().consistency(old, size),
        };
        let proof = match proof {
            Ok(proof) => proof,
            Err(error) => {
                tracing::error!(%error, "no proof can be made for a witness");
                return Some(UNREADABLE);
            }
        };
        let answer = self.witness.add_checkpoint(old, &proof, &note).await;
        let newest = self.engine.log().newest().map_or(size, |newest| newest.head.size);
        match progress.answered(old, size, newest, answer) {
            SubmissionOutcome::Cosigned(cosignature) => {
                let key = self.witness.key();
                tracing::debug!(witness = key.name(), size, "a checkpoint is cosigned");
                self.kept.keep(size, key, &cosignature.line);
                self.health.has_cosigned(size);
                self.told = None;
                Some(Duration::ZERO)
            }
            SubmissionOutcome::Again => Some(Duration::ZERO),
            SubmissionOutcome::After(pause, trouble) => {
                self.health.failed();
                self.tell(&trouble);
                Some(pause)
            }
        }
    }

    fn tell(&mut self, trouble: &Trouble) {
        let name = self.witness.key().name();
        if let Trouble::Ahead { has, .. } = trouble {
            self.health.is_ahead(*has);
        }
        if self.told.as_ref() == Some(trouble) {
            return;
        }
        self.told = Some(trouble.clone());
        match trouble {
            Trouble::Ahead { .. } => tracing::error!(
                witness = name,
                "ALARM: the witness {trouble}. If the data folder was put back to an older state, `hall admin \
                 accept-restore` has to begin a new log, and `log.mark_path` would have noticed."
            ),
            Trouble::Fickle | Trouble::Failed(_) => {
                tracing::warn!(witness = name, "the witness {trouble}; the hall will ask again");
            }
        }
    }
}
