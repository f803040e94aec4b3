//! How one key of the hall follows another, so that a crash at any moment leaves one that fits the journal.
//!
//! A new key is written beside the old one, the journal names it, and then the files follow ([`settle`]): the old
//! log key is kept in `keys/retired/`, because notes that it signed are signed again whenever they are asked for.
//! What a crash has left half done is settled by the next start, which knows from the journal which key holds. The
//! same goes for another name of the log, which a restored backup takes.

use super::{KeyFiles, KeysError, read_secret_key, ring_public_key};
use crate::backup_mark;
use hall_core::{HallKeys, KeyPurpose};
use hall_tools::secret_file::{self, SecretFileError, key_line};
use hall_wire::Digest;
use hall_wire::key::PrivateKey;
use hall_wire::note::{key_name, verifier_key};
use hall_wire::text::encode_hex;
use std::path::{Path, PathBuf};

/// Makes the key that is to follow, and puts it beside the present one.
///
/// # Errors
/// The file cannot be written, or there is no randomness.
pub(crate) fn prepare(files: &KeyFiles, purpose: KeyPurpose) -> Result<PrivateKey, KeysError> {
    let seed = secret_file::new_seed()?;
    secret_file::write(&files.next(purpose), &key_line(&encode_hex(&seed)))?;
    Ok(PrivateKey::from_seed(&seed))
}

/// Brings the files to what the journal says: `known` are the keys that hold, and `data` is the data folder.
///
/// # Errors
/// A file cannot be read or written.
pub(crate) fn settle(files: &KeyFiles, data: &Path, known: &HallKeys) -> Result<(), KeysError> {
    let name = key_name(&known.log);
    follow(files, KeyPurpose::Log, |key| verifier_key(name, &key.public()) == known.log)?;
    follow(files, KeyPurpose::Ring, |key| ring_public_key(&key.public()) == known.ring)?;
    let path = files.origin().to_owned();
    let present = read_secret_key(&files.published(KeyPurpose::Log))?;
    let fits = present.is_some_and(|key| verifier_key(name, &key.public()) == known.log);
    if fits && secret_file::read(&path)?.is_some_and(|origin| origin.trim_end() != name) {
        // The mark goes first: while the name is the old one, this is done again.
        backup_mark::remove(data).map_err(|error| SecretFileError::Io { path: path.clone(), error })?;
        secret_file::write(&path, &format!("{name}\n"))?;
    }
    Ok(())
}

/// The log keys that were in force before.
///
/// # Errors
/// A file is exposed or malformed.
pub(crate) fn retired(files: &KeyFiles) -> Result<Vec<PrivateKey>, KeysError> {
    retired_files(files)?.iter().filter_map(|path| read_secret_key(path).transpose()).collect()
}

/// Copies the retired keys.
pub(super) fn copy_retired(from: &KeyFiles, to: &KeyFiles) -> Result<(), KeysError> {
    for path in retired_files(from)? {
        let (Some(name), Some(text)) = (path.file_name(), secret_file::read_secret(&path)?) else { continue };
        let folder = to.retired();
        secret_file::create_folder(&folder)?;
        secret_file::write(&folder.join(name), &text)?;
    }
    Ok(())
}

/// The key that was to follow takes its place, if it is the one that holds; else it was never published, and goes.
fn follow(
    files: &KeyFiles,
    purpose: KeyPurpose,
    holds: impl Fn(&PrivateKey) -> bool,
) -> Result<(), KeysError> {
    let waiting = files.next(purpose);
    let Some(key) = read_secret_key(&waiting)? else { return Ok(()) };
    let io = |error| KeysError::from(SecretFileError::Io { path: waiting.clone(), error });
    if !holds(&key) {
        return std::fs::remove_file(&waiting).map_err(io);
    }
    let place = files.published(purpose);
    if let (KeyPurpose::Log, Some(text)) = (purpose, secret_file::read_secret(&place)?) {
        let folder = files.retired();
        secret_file::create_folder(&folder)?;
        let check = Digest::of(text.as_bytes()).to_hex();
        let name = format!("log-{}.key", check.get(..8).unwrap_or_default());
        secret_file::write(&folder.join(name), &text)?;
    }
    std::fs::rename(&waiting, &place).map_err(io)
}

fn retired_files(files: &KeyFiles) -> Result<Vec<PathBuf>, KeysError> {
    let folder = files.retired();
    let io = |error| KeysError::from(SecretFileError::Io { path: folder.clone(), error });
    match std::fs::read_dir(&folder) {
        Ok(entries) => {
            let mut paths: Vec<PathBuf> =
                entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>().map_err(io)?;
            paths.retain(|path| path.extension().is_some_and(|kind| kind == "key"));
            paths.sort();
            Ok(paths)
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(io(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::HallSecrets;
    use super::*;

    fn hall() -> (tempfile::TempDir, HallSecrets) {
        let data = tempfile::tempdir().unwrap();
        let secrets = HallSecrets::load(&files(&data), true, Some("hall.example"), "").unwrap();
        (data, secrets)
    }

    fn files(data: &tempfile::TempDir) -> KeyFiles {
        KeyFiles::in_data(data.path())
    }

    fn loaded(data: &tempfile::TempDir) -> HallSecrets {
        HallSecrets::load(&files(data), false, None, "").unwrap()
    }

    #[test]
    fn a_prepared_key_that_the_journal_names_takes_effect_and_the_old_log_key_is_kept() {
        let (data, first) = hall();
        let log = prepare(&files(&data), KeyPurpose::Log).unwrap();
        let ring = prepare(&files(&data), KeyPurpose::Ring).unwrap();
        let known = HallKeys {
            log: verifier_key("hall.example", &log.public()),
            ring: ring_public_key(&ring.public()),
        };
        assert_eq!(loaded(&data).public(), first.public(), "nothing changes before the journal says so");
        for _ in 0..2 {
            settle(&files(&data), data.path(), &known).unwrap();
            assert_eq!(loaded(&data).public(), known);
            let retired: Vec<_> = retired(&files(&data)).unwrap().iter().map(PrivateKey::public).collect();
            assert_eq!(retired, [first.log.public()]);
        }
        let to = tempfile::tempdir().unwrap();
        super::super::copy(&files(&data), &files(&to)).unwrap();
        assert_eq!(retired(&files(&to)).unwrap().len(), 1, "a backup has it too");
    }

    #[test]
    fn a_prepared_key_that_the_journal_does_not_name_is_deleted() {
        let (data, first) = hall();
        prepare(&files(&data), KeyPurpose::Log).unwrap();
        settle(&files(&data), data.path(), &first.public()).unwrap();
        assert!(!files(&data).next(KeyPurpose::Log).exists());
        assert_eq!(loaded(&data).public(), first.public());
    }

    #[test]
    fn the_log_takes_its_name_from_the_journal_and_the_folder_loses_its_backup_mark() {
        let (data, first) = hall();
        backup_mark::write(data.path(), 7, hall_wire::Timestamp::from_millis(0)).unwrap();
        settle(&files(&data), data.path(), &first.public()).unwrap();
        assert!(backup_mark::read(data.path()).unwrap().is_some(), "the restore was not accepted yet");
        let known = HallKeys { log: verifier_key("hall.example/2", &first.log.public()), ..first.public() };
        settle(&files(&data), data.path(), &known).unwrap();
        assert_eq!(loaded(&data).origin, "hall.example/2");
        assert_eq!(loaded(&data).public(), known);
        assert!(backup_mark::read(data.path()).unwrap().is_none());
    }
}
