//! The hall's own keys: made once, at the first start, and kept with the data or in a folder of their own.
//!
//! | file in the data folder | what it is |
//! |---|---|
//! | `keys/log.key` | Ed25519 seed: signs checkpoints of the log and `/api/official` |
//! | `keys/ring.key` | Ed25519 seed: signs doorbell rings |
//! | `keys/operator.key` | secret of the keyed hash that turns an operator token into an operator id |
//! | `keys/retired/` | log keys that were in force before |
//! | `log.origin` | the name of the log |
//!
//! In a folder of their own (`keys.path`), which every node of a hall has, the same files are beside each other:
//! `log.key`, `ring.key`, `operator.key`, `retired/` and `log.origin`.
//!
//! Each holds one line; the folder has mode 0700, the files 0600. A hall that has ever started never makes new
//! ones: with other keys it would be another hall.

mod files;
mod following;
mod succession;

pub(crate) use files::KeyFiles;
pub(crate) use following::follow;
pub(crate) use hall_outbound::doorbell::public_key as ring_public_key;
pub(crate) use succession::{prepare, retired, settle};

use hall_core::{HallKeys, KeyPurpose};
use hall_tools::secret_file::{self, SecretFileError, key_line};
use hall_wire::key::PrivateKey;
use hall_wire::note::{check_origin, next_origin, verifier_key};
use hall_wire::text::{decode_hex, encode_hex};
use std::fmt;
use std::path::{Path, PathBuf};

/// The folder of the secrets in the data folder.
const FOLDER: &str = "keys";
const LOG_KEY: &str = "log.key";
const RING_KEY: &str = "ring.key";
const OPERATOR_KEY: &str = "operator.key";
/// The folder of the keys that were in force before.
const RETIRED: &str = "retired";
/// The file with the name of the log: in the data folder itself, or beside the keys.
const ORIGIN_FILE: &str = "log.origin";

/// What the hall signs and hashes with.
pub(crate) struct HallSecrets {
    /// Signs checkpoints and the official document.
    pub(crate) log: PrivateKey,
    /// Signs doorbell rings.
    pub(crate) ring: PrivateKey,
    /// Turns operator tokens into operator ids.
    pub(crate) operator: [u8; 32],
    /// The name of the log.
    pub(crate) origin: String,
}

impl fmt::Debug for HallSecrets {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "HallSecrets({})", self.origin)
    }
}

/// Why the keys cannot be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum KeysError {
    /// A file is gone though the hall has started before.
    #[error(
        "{} is missing, but this hall has started before: without it, it would be another hall. Put the file back \
         from a backup (a folder made by `hall admin backup`).", path.display()
    )]
    Missing { path: PathBuf },
    /// A file is gone from a folder of keys for a hall that has not started yet.
    #[error(
        "{} is missing, and other files of a hall's keys are there. Put it there too; or empty the folder, and the hall \
         makes its keys when it starts.", path.display()
    )]
    Incomplete { path: PathBuf },
    /// The keys are those of another hall.
    #[error(
        "the keys in {} are not those that the journal names: they are another hall's, or older. Put the right key files \
         there, or name their folder.", folder.display()
    )]
    OtherHall { folder: PathBuf },
    /// A file cannot be read or written, is exposed, or holds something else.
    #[error(transparent)]
    File(#[from] SecretFileError),
    /// The settings name another origin than the data.
    #[error(
        "`log.origin` is set to {configured}, but this hall's log is called {fixed}, and what it has signed carries that \
         name. Remove the setting, or set it to {fixed}."
    )]
    OtherOrigin { configured: String, fixed: String },
}

impl HallSecrets {
    /// Reads the keys of a hall, or makes them if it has never started (`is_new`).
    ///
    /// # Errors
    /// A file is missing, exposed or malformed, or `configured_origin` is not the one that the log has.
    pub(crate) fn load(
        files: &KeyFiles,
        is_new: bool,
        configured_origin: Option<&str>,
        default_origin: &str,
    ) -> Result<Self, KeysError> {
        let makes = is_new && files.may_be_made()?;
        if makes {
            secret_file::create_folder(files.folder())?;
        }
        let load = || {
            Ok::<_, KeysError>(Self {
                log: PrivateKey::from_seed(&secret(&files.published(KeyPurpose::Log), makes)?),
                ring: PrivateKey::from_seed(&secret(&files.published(KeyPurpose::Ring), makes)?),
                operator: secret(&files.operator(), makes)?,
                origin: origin(files.origin(), makes, configured_origin, default_origin)?,
            })
        };
        match load() {
            Err(KeysError::Missing { path }) if is_new => Err(KeysError::Incomplete { path }),
            loaded => loaded,
        }
    }

    /// Reads or makes the keys of a hall whose journal names `known`, if it names any: completes a replacement that was
    /// interrupted, and checks the keys.
    ///
    /// # Errors
    /// Those of [`Self::load`], and [`KeysError::OtherHall`].
    pub(crate) fn load_known(
        files: &KeyFiles,
        data: &Path,
        known: Option<&HallKeys>,
        is_new: bool,
        configured_origin: Option<&str>,
        default_origin: &str,
    ) -> Result<Self, KeysError> {
        if let Some(known) = known {
            settle(files, data, known)?;
        }
        let secrets = Self::load(files, is_new, configured_origin, default_origin)?;
        if let Some(known) = known {
            secrets.check(known, files)?;
        }
        Ok(secrets)
    }

    /// Checks that these are the keys that a journal names.
    ///
    /// # Errors
    /// [`KeysError::OtherHall`] if they are not.
    pub(crate) fn check(&self, known: &HallKeys, files: &KeyFiles) -> Result<(), KeysError> {
        if self.public() == *known {
            return Ok(());
        }
        Err(KeysError::OtherHall { folder: files.folder().to_owned() })
    }

    /// The public halves, as they stand in the log.
    pub(crate) fn public(&self) -> HallKeys {
        HallKeys {
            log: verifier_key(&self.origin, &self.log.public()),
            ring: ring_public_key(&self.ring.public()),
        }
    }
}

/// Copies the keys and the name of the log.
pub(crate) fn copy(from: &KeyFiles, to: &KeyFiles) -> Result<(), KeysError> {
    secret_file::create_folder(to.folder())?;
    for file in [
        |files: &KeyFiles| files.published(KeyPurpose::Log),
        |files: &KeyFiles| files.published(KeyPurpose::Ring),
        KeyFiles::operator,
    ] {
        let path = file(from);
        let text = secret_file::read_secret(&path)?.ok_or(KeysError::Missing { path })?;
        secret_file::write(&file(to), &text)?;
    }
    succession::copy_retired(from, to)?;
    let path = from.origin().to_owned();
    let text = secret_file::read(&path)?.ok_or(KeysError::Missing { path })?;
    Ok(secret_file::write(to.origin(), &text)?)
}

/// Reads 32 secret bytes, or makes them.
fn secret(path: &Path, is_new: bool) -> Result<[u8; 32], KeysError> {
    let Some(bytes) = read_secret_bytes(path)? else {
        if !is_new {
            return Err(KeysError::Missing { path: path.to_owned() });
        }
        let bytes = secret_file::new_seed()?;
        secret_file::write(path, &key_line(&encode_hex(&bytes)))?;
        return Ok(bytes);
    };
    Ok(bytes)
}

/// Reads a key file; `None` if there is none.
fn read_secret_key(path: &Path) -> Result<Option<PrivateKey>, KeysError> {
    Ok(read_secret_bytes(path)?.map(|seed| PrivateKey::from_seed(&seed)))
}

fn read_secret_bytes(path: &Path) -> Result<Option<[u8; 32]>, KeysError> {
    let Some(text) = secret_file::read_secret(path)? else { return Ok(None) };
    let (digits, _) = text.split_once(' ').unwrap_or((&text, ""));
    decode_hex(digits)
        .filter(|_| key_line(digits) == text)
        .map(Some)
        .ok_or(SecretFileError::Malformed {
            path: path.to_owned(),
            expected: "the key that was written there",
        })
        .map_err(KeysError::from)
}

/// The name that a log had before backups continued in its place (decision 8.3).
pub(crate) fn first_name(origin: &str) -> &str {
    // Behind what is not numbered yet stands the first number.
    let is_numbered = next_origin(origin) != format!("{origin}/2");
    origin.rsplit_once('/').filter(|_| is_numbered).map_or(origin, |(first, _)| first)
}

/// Reads the name of the log, or fixes it.
fn origin(path: &Path, is_new: bool, configured: Option<&str>, default: &str) -> Result<String, KeysError> {
    let known = secret_file::read(path)?.map(|text| text.trim_end().to_owned());
    match (known, configured) {
        (Some(fixed), Some(configured))
            if ![fixed.as_str(), first_name(&fixed)].contains(&configured) && !is_new =>
        {
            Err(KeysError::OtherOrigin { configured: configured.to_owned(), fixed })
        }
        // Before the journal's first record nothing carries the name, so a start that failed leaves it open.
        (Some(fixed), _) if !is_new => match check_origin(&fixed) {
            Ok(()) => Ok(fixed),
            Err(expected) => Err(SecretFileError::Malformed { path: path.to_owned(), expected }.into()),
        },
        (None, _) if !is_new => Err(KeysError::Missing { path: path.to_owned() }),
        (_, configured) => {
            let origin = configured.unwrap_or(default);
            secret_file::write(path, &format!("{origin}\n"))?;
            Ok(origin.to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    fn in_data(data: &tempfile::TempDir) -> KeyFiles {
        KeyFiles::in_data(data.path())
    }

    #[test]
    fn keys_are_made_once_and_are_the_same_at_every_later_start() {
        let data = tempfile::tempdir().unwrap();
        let first = HallSecrets::load(&in_data(&data), true, None, "hall.example").unwrap();
        for is_new in [true, false] {
            let again = HallSecrets::load(&in_data(&data), is_new, None, "hall.example").unwrap();
            assert_eq!(again.public(), first.public());
            assert_eq!(again.operator, first.operator);
        }
        let other = tempfile::tempdir().unwrap();
        let other = HallSecrets::load(&in_data(&other), true, None, "hall.example").unwrap();
        assert_ne!(other.public(), first.public());
        assert_ne!(other.operator, first.operator);
        assert_ne!(first.log.seed(), first.ring.seed());
    }

    #[test]
    fn only_the_owner_can_read_the_secrets() {
        let data = tempfile::tempdir().unwrap();
        HallSecrets::load(&in_data(&data), true, None, "hall.example").unwrap();
        let mode = |name: &str| data.path().join(name).metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode("keys"), 0o700);
        for name in ["keys/log.key", "keys/ring.key", "keys/operator.key"] {
            assert_eq!(mode(name), 0o600, "{name}");
            let path = data.path().join(name);
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
            let refused =
                HallSecrets::load(&in_data(&data), false, None, "hall.example").unwrap_err().to_string();
            assert!(refused.contains("chmod 600"), "{refused}");
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        }
    }

    #[test]
    fn a_hall_that_has_started_never_makes_a_new_key() {
        for name in ["keys/log.key", "keys/ring.key", "keys/operator.key", "log.origin"] {
            let data = tempfile::tempdir().unwrap();
            HallSecrets::load(&in_data(&data), true, None, "hall.example").unwrap();
            std::fs::remove_file(data.path().join(name)).unwrap();
            let refused = HallSecrets::load(&in_data(&data), false, None, "hall.example").unwrap_err();
            assert!(matches!(refused, KeysError::Missing { .. }), "{name}: {refused}");
            assert!(!data.path().join(name).exists(), "{name}");
        }
    }

    #[test]
    fn a_file_that_holds_something_else_is_refused() {
        for (name, text) in [("keys/log.key", "abc"), ("keys/operator.key", ""), ("log.origin", "two words")]
        {
            let data = tempfile::tempdir().unwrap();
            HallSecrets::load(&in_data(&data), true, None, "hall.example").unwrap();
            std::fs::write(data.path().join(name), text).unwrap();
            let refused = HallSecrets::load(&in_data(&data), false, None, "hall.example").unwrap_err();
            assert!(
                matches!(refused, KeysError::File(SecretFileError::Malformed { .. })),
                "{name}: {refused}"
            );
        }
    }

    #[test]
    fn a_changed_digit_of_a_key_is_noticed() {
        for name in ["keys/log.key", "keys/ring.key", "keys/operator.key"] {
            let data = tempfile::tempdir().unwrap();
            HallSecrets::load(&in_data(&data), true, None, "hall.example").unwrap();
            let path = data.path().join(name);
            let written = std::fs::read(&path).unwrap();
            for place in 0..written.len() {
                let mut changed = written.clone();
                changed[place] = if changed[place] == b'1' { b'3' } else { b'1' };
                std::fs::write(&path, changed).unwrap();
                let refused = HallSecrets::load(&in_data(&data), false, None, "hall.example").unwrap_err();
                assert!(
                    matches!(refused, KeysError::File(SecretFileError::Malformed { .. })),
                    "{name}, byte {place}: {refused}"
                );
            }
        }
    }

    #[test]
    fn the_origin_is_fixed_with_the_first_record() {
        let data = tempfile::tempdir().unwrap();
        let load = |is_new, configured| {
            HallSecrets::load(&in_data(&data), is_new, configured, "127.0.0.1:8080")
                .map(|secrets| secrets.origin)
        };
        assert_eq!(load(true, None).unwrap(), "127.0.0.1:8080");
        assert_eq!(
            load(true, Some("hall.example")).unwrap(),
            "hall.example",
            "nothing was written under the first"
        );
        assert_eq!(load(false, None).unwrap(), "hall.example");
        assert_eq!(load(false, Some("hall.example")).unwrap(), "hall.example");
        let refused = load(false, Some("other.example")).unwrap_err().to_string();
        assert!(refused.contains("hall.example") && refused.contains("other.example"), "{refused}");
        let restored = |name: &str| std::fs::write(in_data(&data).origin(), name).unwrap();
        restored("hall.example/2\n");
        assert_eq!(
            load(false, Some("hall.example")).unwrap(),
            "hall.example/2",
            "a backup continues in its place"
        );
        assert_eq!(load(false, Some("hall.example/2")).unwrap(), "hall.example/2");
        assert!(load(false, Some("hall.example/3")).is_err());
        restored("hall.example/x\n");
        assert!(load(false, Some("hall.example")).is_err());
    }

    #[test]
    fn a_copy_has_the_keys_of_the_same_hall() {
        let (data, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let first = HallSecrets::load(&in_data(&data), true, Some("hall.example"), "").unwrap();
        copy(&in_data(&data), &in_data(&to)).unwrap();
        let second = HallSecrets::load(&in_data(&to), false, None, "elsewhere").unwrap();
        assert_eq!(second.public(), first.public());
        assert_eq!(second.operator, first.operator);
    }

    const NAMES: [&str; 4] = ["log.key", "ring.key", "operator.key", "log.origin"];

    #[test]
    fn a_folder_of_their_own_holds_all_files_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/keys");
        let files = KeyFiles::of(Some(&path), Path::new("/nowhere"));
        let first = HallSecrets::load(&files, true, Some("hall.example"), "").unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o700);
        for name in NAMES {
            assert_eq!(mode(&path.join(name)), 0o600, "{name}");
        }
        let again = HallSecrets::load(&files, false, None, "elsewhere").unwrap();
        assert_eq!((again.public(), again.operator), (first.public(), first.operator));
        std::fs::set_permissions(path.join("ring.key"), std::fs::Permissions::from_mode(0o640)).unwrap();
        let refused = HallSecrets::load(&files, false, None, "").unwrap_err().to_string();
        assert!(refused.contains("chmod 600"), "{refused}");
    }

    #[test]
    fn prepared_keys_are_used_by_a_new_hall_and_never_completed_by_it() {
        let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let files = KeyFiles::in_folder(folder.path());
        let first = HallSecrets::load(&in_data(&data), true, Some("hall.example"), "").unwrap();
        copy(&in_data(&data), &files).unwrap();
        let second = HallSecrets::load(&files, true, None, "elsewhere").unwrap();
        assert_eq!((second.public(), second.operator), (first.public(), first.operator));
        for name in NAMES {
            let path = folder.path().join(name);
            let text = std::fs::read_to_string(&path).unwrap();
            std::fs::remove_file(&path).unwrap();
            let refused = HallSecrets::load(&files, true, None, "").unwrap_err();
            assert!(matches!(refused, KeysError::Incomplete { .. }), "{name}: {refused}");
            assert!(!path.exists(), "{name}");
            secret_file::write(&path, &text).unwrap();
        }
        assert_eq!(HallSecrets::load(&files, true, None, "").unwrap().public(), first.public());
    }

    #[test]
    fn the_keys_of_another_hall_are_refused() {
        let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let load = |folder: &tempfile::TempDir| {
            HallSecrets::load(&KeyFiles::in_folder(folder.path()), true, Some("hall.example"), "").unwrap()
        };
        let (first, second) = (load(&one), load(&other));
        let files = KeyFiles::in_folder(other.path());
        let refused = second.check(&first.public(), &files).unwrap_err().to_string();
        assert!(refused.contains("another hall's") && refused.contains(&other.path().display().to_string()));
        second.check(&second.public(), &files).unwrap();
    }
}
