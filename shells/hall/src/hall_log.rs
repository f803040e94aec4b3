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
use std::time::Duration;

/// How often to look whether the journal's end is confirmed.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

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
    /// backup says, and `held` the record with which the journal ended when this process opened it.
    ///
    /// # Errors
    /// A key, the log or the mark cannot be read.
    pub(crate) fn prepare(
        settings: &Settings,
        data: &Path,
        secrets: &HallSecrets,
        engine: &Engine,
        backup: Option<&str>,
        held: u64,
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
            side.heed_mark(path, engine, held)?;
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
    fn heed_mark(&mut self, path: &Path, engine: &Engine, held: u64) -> Result<(), StartFailure> {
        let log = engine.log();
        let mark = CheckpointMark::at(path);
        let marked = mark.read()?;
        let mut standing = standing(marked.as_ref(), engine)?;
        if matches!(standing, Standing::RolledBack(_)) && engine.durable_seq() < held {
            // A node begins with what the last leader knew to be durable; the mark may be of what it wrote after that.
            tracing::info!("the log is compared with its mark once a leader has confirmed the journal's end");
            while engine.durable_seq() < held {
                std::thread::sleep(POLL_INTERVAL);
            }
            standing = self::standing(marked.as_ref(), engine)?;
        }
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
                raise(&mark, None, engine)?;
            }
            Standing::Continues => raise(&mark, marked.as_ref(), engine)?,
        }
        self.marked_origin = marked.map(|marked| marked.origin);
        log.store_before_publishing(Box::new(mark)).map_err(StartFailure::MarkThread)
    }
}

/// Compares the log with what was marked of it.
fn standing(marked: Option<&Checkpoint>, engine: &Engine) -> Result<Standing, StartFailure> {
    let log = engine.log();
    let keys = log.keys(KeyPurpose::Log)?;
    let names: Vec<String> = keys.iter().map(|key| key_name(key).to_owned()).collect();
    Ok(judge(marked, &names, engine.peek(Hall::leaf_count), log).map_err(MarkError::from)?)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::OsEntropy;
    use crate::settings::Values;
    use hall_driver::{Committed, Driven, FollowOptions, Follower, ManualClock, StartOptions};
    use hall_journal::{Journal, MemoryJournal};
    use hall_wire::{Span, Timestamp};

    #[test]
    fn a_node_that_begins_before_the_marked_checkpoint_signs_once_the_journals_end_is_confirmed() {
        let folder = tempfile::tempdir().unwrap();
        let mark_path = folder.path().join("hall.mark");
        let marks = format!("log.mark_path={}", mark_path.display());
        let settings = Settings::of(&Values::of_assignments(&[marks]).unwrap()).unwrap();
        let secrets =
            HallSecrets::load(&KeyFiles::of(None, folder.path()), true, None, "hall.example").unwrap();
        let journal = MemoryJournal::new();
        let reader = journal.reader();
        let clock = Arc::new(ManualClock::new(Timestamp::from_millis(1_795_211_400_000)));
        let options = StartOptions {
            catalog: hall_games::CATALOG,
            settings: settings.hall.clone(),
            keys: secrets.public(),
            journal: Box::new(journal),
            clock: Arc::<ManualClock>::clone(&clock),
            entropy: Box::new(OsEntropy),
            reserve_bytes: 0,
            snapshot_every: 0,
            signing: true,
        };
        let mut leader = Driven::open(options, None).unwrap();
        let mark = CheckpointMark::at(&mark_path);
        leader.engine().log().store_before_publishing(Box::new(mark.clone())).unwrap();
        while mark.read().unwrap().is_none() {
            clock.advance(Span::from_secs(1));
            leader.step().unwrap();
        }
        let held = leader.engine().durable_seq();
        let mut follower = Follower::open(FollowOptions {
            catalog: hall_games::CATALOG,
            reader: Arc::clone(&reader),
            until: Some(0),
            clock: Arc::<ManualClock>::clone(&clock),
            signing: false,
        })
        .unwrap();
        let engine = follower.engine();
        let behind = standing(mark.read().unwrap().as_ref(), &engine);
        assert!(matches!(behind, Ok(Standing::RolledBack(_))));
        std::thread::scope(|scope| {
            let preparing = scope
                .spawn(|| HallLog::prepare(&settings, folder.path(), &secrets, &engine, None, held).unwrap());
            let records: Vec<_> = (1..=held).map(|seq| reader.record(seq).unwrap().unwrap()).collect();
            let head = records.last().unwrap().head();
            let records = records.into_iter().map(|record| record.bytes).collect();
            follower.apply(&Committed { first: 1, records, head }).unwrap();
            assert_eq!(preparing.join().unwrap().unsigned_because, None);
        });
        assert!(engine.is_signing());
    }
}
