//! The files of keys, which nobody but their owner may read.

use super::KeysError;
use crate::whole_file;
use std::fs::DirBuilder;
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::Path;

/// Creates a folder for its owner alone; it may exist.
pub(super) fn create_folder(path: &Path) -> Result<(), KeysError> {
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(io(path))
}

/// Puts a file of mode 0600 in place.
pub(super) fn write(path: &Path, text: &str) -> Result<(), KeysError> {
    whole_file::put(path, text.as_bytes()).map_err(io(path))
}

/// Reads a file; `None` if there is none.
pub(super) fn read(path: &Path) -> Result<Option<String>, KeysError> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(io(path)(error)),
    }
}

/// Reads a file that nobody but its owner may read; `None` if there is none.
pub(super) fn read_secret(path: &Path) -> Result<Option<String>, KeysError> {
    let mode = match path.metadata() {
        Ok(metadata) => metadata.permissions().mode() & 0o777,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io(path)(error)),
    };
    if mode & 0o077 != 0 {
        return Err(KeysError::Exposed { path: path.to_owned(), mode });
    }
    read(path)
}

fn io(path: &Path) -> impl FnOnce(std::io::Error) -> KeysError {
    let path = path.to_owned();
    move |error| KeysError::Io { path, error }
}
