//! The hall's own keys: made once, at the first start, and kept with the data.
//!
//! | file in the data folder | what it is |
//! |---|---|
//! | `keys/log.key` | Ed25519 seed: signs checkpoints of the log and `/api/official` |
//! | `keys/ring.key` | Ed25519 seed: signs doorbell rings |
//! | `keys/operator.key` | secret of the keyed hash that turns an operator token into an operator id |
//! | `keys/retired/` | log keys that were in force before |
//! | `log.origin` | the name of the log |
//!
//! Each holds one line; the folder has mode 0700, the files 0600. A hall that has ever started never makes new
//! ones: with other keys it would be another hall.

mod public;
mod succession;

pub(crate) use public::ring_public_key;
pub(crate) use succession::{prepare, retired, settle};

use hall_core::HallKeys;
use hall_tools::secret_file::{self, SecretFileError, key_line};
use hall_wire::key::PrivateKey;
use hall_wire::note::{check_origin, verifier_key};
use hall_wire::text::{decode_hex, encode_hex};
use std::fmt;
use std::path::{Path, PathBuf};

/// The folder of the secrets in the data folder.
const FOLDER: &str = "keys";
const LOG_KEY: &str = "log.key";
const RING_KEY: &str = "ring.key";
const OPERATOR_KEY: &str = "operator.key";
/// The file with the name of the log, in the data folder itself.
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
    /// A file cannot be read or written, is exposed, or holds something else.
    #[error(transparent)]
    File(#[from] SecretFileError),
    /// The settings name another origin than the data.
    #[error(
        "`log.origin` is set to {configured}, but this hall's log has been called {fixed} since its first start, and \
         everything signed since then carries that name. Remove the setting, or set it to {fixed}."
    )]
    OtherOrigin { configured: String, fixed: String },
}

impl HallSecrets {
    /// Reads the keys of the hall in `data`, or makes them if it has never started (`is_new`).
    ///
    /// # Errors
    /// A file is missing, exposed or malformed, or `configured_origin` is not the one that the log has.
    pub(crate) fn load(
        data: &Path,
        is_new: bool,
        configured_origin: Option<&str>,
        default_origin: &str,
    ) -> Result<Self, KeysError> {
        let folder = data.join(FOLDER);
        secret_file::create_folder(&folder)?;
        let secret = |name: &str| secret(&folder.join(name), is_new);
        let secrets = Self {
            log: PrivateKey::from_seed(&secret(LOG_KEY)?),
            ring: PrivateKey::from_seed(&secret(RING_KEY)?),
            operator: secret(OPERATOR_KEY)?,
            origin: origin(&data.join(ORIGIN_FILE), is_new, configured_origin, default_origin)?,
        };
        Ok(secrets)
    }

    /// The public halves, as they stand in the log.
    pub(crate) fn public(&self) -> HallKeys {
        HallKeys {
            log: verifier_key(&self.origin, &self.log.public()),
            ring: ring_public_key(&self.ring.public()),
        }
    }
}

/// Copies the keys and the origin of the hall in `data` into the backup in `to`.
pub(crate) fn copy(data: &Path, to: &Path) -> Result<(), KeysError> {
    secret_file::create_folder(&to.join(FOLDER))?;
    for name in [LOG_KEY, RING_KEY, OPERATOR_KEY].map(|name| Path::new(FOLDER).join(name)) {
        let text = secret_file::read_secret(&data.join(&name))?
            .ok_or_else(|| KeysError::Missing { path: data.join(&name) })?;
        secret_file::write(&to.join(&name), &text)?;
    }
    succession::copy_retired(data, to)?;
    let path = data.join(ORIGIN_FILE);
    let text = secret_file::read(&path)?.ok_or(KeysError::Missing { path })?;
    Ok(secret_file::write(&to.join(ORIGIN_FILE), &text)?)
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

/// Reads the name of the log, or fixes it.
fn origin(path: &Path, is_new: bool, configured: Option<&str>, default: &str) -> Result<String, KeysError> {
    let known = secret_file::read(path)?.map(|text| text.trim_end().to_owned());
    match (known, configured) {
        (Some(fixed), Some(configured)) if fixed != configured && !is_new => {
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

    #[test]
    fn keys_are_made_once_and_are_the_same_at_every_later_start() {
        let data = tempfile::tempdir().unwrap();
        let first = HallSecrets::load(data.path(), true, None, "hall.example").unwrap();
        for is_new in [true, false] {
            let again = HallSecrets::load(data.path(), is_new, None, "hall.example").unwrap();
            assert_eq!(again.public(), first.public());
            assert_eq!(again.operator, first.operator);
        }
        let other = tempfile::tempdir().unwrap();
        let other = HallSecrets::load(other.path(), true, None, "hall.example").unwrap();
        assert_ne!(other.public(), first.public());
        assert_ne!(other.operator, first.operator);
        assert_ne!(first.log.seed(), first.ring.seed());
    }

    #[test]
    fn only_the_owner_can_read_the_secrets() {
        let data = tempfile::tempdir().unwrap();
        HallSecrets::load(data.path(), true, None, "hall.example").unwrap();
        let mode = |name: &str| data.path().join(name).metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode("keys"), 0o700);
        for name in ["keys/log.key", "keys/ring.key", "keys/operator.key"] {
            assert_eq!(mode(name), 0o600, "{name}");
            let path = data.path().join(name);
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
            let refused =
                HallSecrets::load(data.path(), false, None, "hall.example").unwrap_err().to_string();
            assert!(refused.contains("chmod 600"), "{refused}");
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        }
    }

    #[test]
    fn a_hall_that_has_started_never_makes_a_new_key() {
        for name in ["keys/log.key", "keys/ring.key", "keys/operator.key", "log.origin"] {
            let data = tempfile::tempdir().unwrap();
            HallSecrets::load(data.path(), true, None, "hall.example").unwrap();
            std::fs::remove_file(data.path().join(name)).unwrap();
            let refused = HallSecrets::load(data.path(), false, None, "hall.example").unwrap_err();
            assert!(matches!(refused, KeysError::Missing { .. }), "{name}: {refused}");
            assert!(!data.path().join(name).exists(), "{name}");
        }
    }

    #[test]
    fn a_file_that_holds_something_else_is_refused() {
        for (name, text) in [("keys/log.key", "abc"), ("keys/operator.key", ""), ("log.origin", "two words")]
        {
            let data = tempfile::tempdir().unwrap();
            HallSecrets::load(data.path(), true, None, "hall.example").unwrap();
            std::fs::write(data.path().join(name), text).unwrap();
            let refused = HallSecrets::load(data.path(), false, None, "hall.example").unwrap_err();
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
            HallSecrets::load(data.path(), true, None, "hall.example").unwrap();
            let path = data.path().join(name);
            let written = std::fs::read(&path).unwrap();
            for place in 0..written.len() {
                let mut changed = written.clone();
                changed[place] = if changed[place] == b'1' { b'3' } else { b'1' };
                std::fs::write(&path, changed).unwrap();
                let refused = HallSecrets::load(data.path(), false, None, "hall.example").unwrap_err();
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
            HallSecrets::load(data.path(), is_new, configured, "127.0.0.1:8080").map(|secrets| secrets.origin)
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
    }

    #[test]
    fn a_copy_has_the_keys_of_the_same_hall() {
        let (data, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let first = HallSecrets::load(data.path(), true, Some("hall.example"), "").unwrap();
        copy(data.path(), to.path()).unwrap();
        let second = HallSecrets::load(to.path(), false, None, "elsewhere").unwrap();
        assert_eq!(second.public(), first.public());
        assert_eq!(second.operator, first.operator);
    }
}
