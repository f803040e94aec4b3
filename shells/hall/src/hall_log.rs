//! The log of a running hall: its keys, its witnesses, and its mark on another volume.

use crate::checkpoint_mark::{CheckpointMark, MarkError, Standing, judge};
use crate::keys::{self, HallSecrets, KeyFiles};
use crate::settings::Settings;
use crate::start_failure::StartFailure;
use crate::witnesses::{KeptCosignatures, Witnesses};
use hall_core::{Hall, KeyPurpose};
use hall_driver::Engine;
use hall_http::{LogSigner, WitnessHealth};
use hall_verify::note::Checkpoint;
use hall_wire::note::{key_name, verifier_key};
use std::path::Path;
use std::sync::Arc;

/// The log's keys, witnesses and mark.
pub(crate) struct HallLog {
    /// The log's keys; the notes that they sign bear what witnesses gave.
    pub(crate) signer: Arc<LogSigner>,
    /// What witnesses gave.
    pub(crate) cosignatures: Arc<KeptCosignatures>,
    /// How they are, in the order of the settings.
    pub(crate) witnesses: Vec<Arc<WitnessHealth>>,
    /// Why the hall signed nothing when it started; in words.
    pub(crate) unsigned_because: Option<String>,
    /// The name of the log in the mark, when the hall started.
    pub(crate) marked_origin: Option<String>,
}

impl HallLog {
    /// Makes it ready before anybody is answered, and lets the hall sign if it may: `backup` is what the mark of a
    /// backup says.
    ///
    /// # Errors
    /// A key, the log or the mark cannot be read.
    pub(crate) fn prepare(
        settings: &Settings,
        data: &Path,
        secrets: &HallSecrets,
        engine: &Engine,
        backup: Option<&str>,
    ) -> Result<Self, StartFailure> {
        let cosignatures = Arc::new(KeptCosignatures::of(data));
        let files = KeyFiles::of(settings.keys_path.as_deref(), data);
        let signer =
            log_signer(&files, secrets, engine)?.cosigned(Arc::<KeptCosignatures>::clone(&cosignatures));
        let name = |witness: &crate::settings::WitnessAt| witness.key.name().to_owned();
        let witnesses =
            settings.log.witnesses.iter().map(|witness| Arc::new(WitnessHealth::new(name(witness))));
        let mut side = Self {
            signer: Arc::new(signer),
            cosignatures,
            witnesses: witnesses.collect(),
            unsigned_because: backup.map(|made| format!("the data folder is a backup, {made}")),
            marked_origin: None,
        };
        if let Some(path) = &settings.log.mark_path {
            side.heed_mark(path, engine)?;
        }
        match &side.unsigned_because {
            None => engine.begin_signing(),
            Some(why) => tracing::warn!(
                "{why}. What happened after that is not in it. The hall plays, and signs no checkpoints before \
                 `hall admin accept-restore`"
            ),
        }
        Ok(side)
    }

    /// Begins to submit checkpoints to the witnesses.
    pub(crate) fn witness(&self, settings: &Settings, engine: &Engine) -> Witnesses {
        Witnesses::start(&settings.log.witnesses, engine, &self.signer, &self.cosignatures, &self.witnesses)
    }

    /// Compares the log with its mark, and from now on marks every checkpoint before it is published.
    fn heed_mark(&mut self, path: &Path, engine: &Engine) -> Result<(), StartFailure> {
        let log = engine.log();
        let mark = CheckpointMark::at(path);
        let marked = mark.read()?;
        let keys = log.keys(KeyPurpose::Log)?;
        let names: Vec<String> = keys.iter().map(|key| key_name(key).to_owned()).collect();
        let standing =
            judge(marked.as_ref(), &names, engine.peek(Hall::leaf_count), log).map_err(MarkError::from)?;
        match standing {
            Standing::RolledBack(why) => {
                self.unsigned_because = Some(format!(
                    "the mark {} says that {why}: the data folder is an older one, or another hall's",
                    path.display()
                ));
            }
            Standing::Unmarked => {
                if log.newest().is_some() {
                    tracing::warn!(
                        mark = %path.display(),
                        "there is no mark of the newest checkpoint, though the log has checkpoints; one is made. If the \
                         volume is not mounted, stop the hall and mount it"
                    );
                }
                mark.check_folder()?;
                raise(&mark, None, engine)?;
            }
            Standing::Continues => raise(&mark, marked.as_ref(), engine)?,
        }
        self.marked_origin = marked.map(|marked| marked.origin);
        log.keep_before_publishing(Box::new(mark)).map_err(StartFailure::MarkThread)
    }
}

/// Marks the checkpoint that is published first, unless that or a later one of the same log is marked already.
fn raise(mark: &CheckpointMark, marked: Option<&Checkpoint>, engine: &Engine) -> Result<(), MarkError> {
    let Some(newest) = engine.log().newest() else { return Ok(()) };
    let origin = key_name(&newest.key);
    let known = marked.is_some_and(|marked| marked.origin != origin || marked.size >= newest.head.size);
    if known { Ok(()) } else { mark.write(&newest) }
}

/// The log's keys: the present one, and those under which older checkpoints were signed.
fn log_signer(files: &KeyFiles, secrets: &HallSecrets, engine: &Engine) -> Result<LogSigner, StartFailure> {
    let mut signer = LogSigner::new(&secrets.origin, secrets.log.clone());
    let mut own = keys::retired(files)?;
    own.push(secrets.log.clone());
    for published in engine.log().keys(KeyPurpose::Log)? {
        let name = key_name(&published);
        let holder = own.iter().find(|key| verifier_key(name, &key.public()) == published);
        match holder {
            Some(key) if published != signer.public() => signer = signer.and_before(name, key.clone()),
            Some(_) => {}
            None => tracing::warn!(
                published,
                "an old log key is gone: the checkpoints that it signed cannot be served"
            ),
        }
    }
    Ok(signer)
}
