//! The files of keys, which nobody but their owner may read.

use crate::atomic_file;
use hall_wire::Digest;
use std::fs::DirBuilder;
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// Why a secret cannot be read or stored.
#[derive(Debug, thiserror::Error)]
pub enum SecretFileError {
    /// Others may read a secret.
    #[error("{} can be read by others (mode {mode:o}); run: chmod 600 {}", path.display(), path.display())]
    Exposed {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// A file holds something else.
    #[error("{} does not hold {expected}. Put the file back from a backup.", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What it should hold.
        expected: &'static str,
    },
    /// The operating system refused.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// The operating system has no randomness to make a key of.
    #[error("the operating system gives no randomness to make keys of: {0}")]
    Randomness(getrandom::Error),
}

/// Creates a folder for its owner alone; it may exist.
///
/// # Errors
/// The operating system refuses.
pub fn create_folder(path: &Path) -> Result<(), SecretFileError> {
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(io(path))
}

/// Puts a file of mode 0600 in place.
///
/// # Errors
/// The operating system refuses.
pub fn write(path: &Path, text: &str) -> Result<(), SecretFileError> {
    atomic_file::replace(path, text.as_bytes()).map_err(io(path))
}

/// Reads a file; `None` if there is none.
///
/// # Errors
/// The operating system refuses.
pub fn read(path: &Path) -> Result<Option<String>, SecretFileError> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(io(path)(error)),
    }
}

/// Reads a file that only its owner may read; `None` if there is none.
///
/// # Errors
/// Others may read it, or the operating system refuses.
pub fn read_secret(path: &Path) -> Result<Option<String>, SecretFileError> {
    let mode = match path.metadata() {
        Ok(metadata) => metadata.permissions().mode() & 0o777,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io(path)(error)),
    };
    if mode & 0o077 != 0 {
        return Err(SecretFileError::Exposed { path: path.to_owned(), mode });
    }
    read(path)
}

/// 32 bytes for a new key.
///
/// # Errors
/// The operating system has no randomness.
pub fn new_seed() -> Result<[u8; 32], SecretFileError> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(SecretFileError::Randomness)?;
    Ok(seed)
}

/// The line that a key file holds: the key and the first eight digits of a hash of it. Any 32 bytes are a key, so
/// without the hash a changed digit would silently make this another hall.
#[must_use]
pub fn key_line(digits: &str) -> String {
    let check = Digest::of(format!("svc.keyfile.v1:{digits}").as_bytes()).to_hex();
    format!("{digits} {}\n", check.get(..8).unwrap_or_default())
}

fn io(path: &Path) -> impl FnOnce(std::io::Error) -> SecretFileError {
    let path = path.to_owned();
    move |error| SecretFileError::Io { path, error }
}
