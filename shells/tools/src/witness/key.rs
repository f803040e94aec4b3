//! The key of a witness: one file with the key and the name under which it cosigns.

use crate::secret_file::{self, SecretFileError, key_line};
use hall_wire::key::PrivateKey;
use hall_wire::note::check_origin;
use hall_wire::text::{decode_hex, encode_hex};
use std::path::{Path, PathBuf};

/// Why a witness has no key.
#[derive(Debug, thiserror::Error)]
pub(super) enum WitnessKeyError {
    /// The file cannot be read or written, or holds something else.
    #[error(transparent)]
    File(#[from] SecretFileError),
    /// The name that was given differs from the one in the key file.
    #[error(
        "{} is the key of a witness called {fixed}, and everything cosigned with it carries that name; remove --name \
         {given}, or make another key.", path.display()
    )]
    OtherName {
        /// The file of the key.
        path: PathBuf,
        /// The name that was given.
        given: String,
        /// The name in the file.
        fixed: String,
    },
}

/// Reads the key in `path` with its name, or makes one that is called `name`, or else `default`. The name is fixed
/// with the key, because clients trust a witness by both.
///
/// # Errors
/// The file is exposed or malformed, or bears another name than the one given.
pub(super) fn witness_key(
    path: &Path,
    name: Option<&str>,
    default: &str,
) -> Result<(PrivateKey, String), WitnessKeyError> {
    let Some(text) = secret_file::read_secret(path)? else {
        let seed = secret_file::new_seed()?;
        let name = name.unwrap_or(default);
        secret_file::write(path, &format!("{}{name}\n", key_line(&encode_hex(&seed))))?;
        return Ok((PrivateKey::from_seed(&seed), name.to_owned()));
    };
    let read = || {
        let (line, rest) = text.split_once('\n')?;
        let (digits, _) = line.split_once(' ')?;
        let seed = decode_hex(digits).filter(|_| key_line(digits).trim_end() == line)?;
        let fixed = rest.strip_suffix('\n').filter(|name| check_origin(name).is_ok())?;
        Some((PrivateKey::from_seed(&seed), fixed.to_owned()))
    };
    let expected = "the key and the name of a witness";
    let (key, fixed) = read().ok_or(SecretFileError::Malformed { path: path.to_owned(), expected })?;
    match name.filter(|name| *name != fixed) {
        None => Ok((key, fixed)),
        Some(given) => {
            Err(WitnessKeyError::OtherName { path: path.to_owned(), given: given.to_owned(), fixed })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_witness_keeps_its_key_and_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("witness.key");
        let (key, name) = witness_key(&path, None, "127.0.0.1:9000").unwrap();
        assert_eq!(name, "127.0.0.1:9000");
        for given in [None, Some("127.0.0.1:9000")] {
            let (again, same) = witness_key(&path, given, "127.0.0.1:9001").unwrap();
            assert_eq!((again.seed(), same.as_str()), (key.seed(), "127.0.0.1:9000"));
        }
        let refused = witness_key(&path, Some("witness.example/w1"), "").unwrap_err().to_string();
        assert!(refused.contains("127.0.0.1:9000"), "{refused}");
        let text = std::fs::read_to_string(&path).unwrap();
        for damaged in [text.replacen(' ', "", 1), text.replace("127", "1 7"), text.trim_end().to_owned()] {
            std::fs::write(&path, damaged).unwrap();
            let refused = witness_key(&path, None, "").unwrap_err();
            let malformed = |error: &SecretFileError| matches!(error, SecretFileError::Malformed { .. });
            assert!(matches!(refused, WitnessKeyError::File(error) if malformed(&error)));
        }
    }
}
