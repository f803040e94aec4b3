//! A folder that is there only when all is in it: it is written under another name beside its place, and gets its own at
//! the end.

use std::fs::File;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

/// Why a folder cannot be written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NewFolderError {
    /// Something is there.
    #[error("{} exists and is not empty", .0.display())]
    Taken(PathBuf),
    /// So is what it would be called until it is complete.
    #[error("{} exists: another copy is running, or one was interrupted. If none is running, remove it", .0.display())]
    Unfinished(PathBuf),
    /// The path ends in no name.
    #[error("{} is not a valid folder name", .0.display())]
    Nameless(PathBuf),
    /// The operating system refused.
    #[error("{}: {error}", path.display())]
    Io { path: PathBuf, error: Error },
}

/// Lets `fill` write everything into a folder that then gets the name `to`.
///
/// # Errors
/// `to` is not empty, or writing fails. Then `to` is as it was.
pub(crate) fn write<T, E: From<NewFolderError>>(
    to: &Path,
    fill: impl FnOnce(&Path) -> Result<T, E>,
) -> Result<T, E> {
    if !is_free(to).map_err(named(to))? {
        return Err(NewFolderError::Taken(to.to_owned()).into());
    }
    let temporary = temporary(to)?;
    if temporary.try_exists().map_err(named(&temporary))? {
        return Err(NewFolderError::Unfinished(temporary).into());
    }
    let written = fill(&temporary).and_then(|done| {
        put_in_place(&temporary, to).map_err(named(to))?;
        Ok(done)
    });
    if written.is_err()
        && let Err(error) = std::fs::remove_dir_all(&temporary)
        && error.kind() != ErrorKind::NotFound
    {
        tracing::warn!(%error, path = %temporary.display(), "the unfinished copy cannot be removed");
    }
    written
}

fn put_in_place(temporary: &Path, to: &Path) -> std::io::Result<()> {
    File::open(temporary)?.sync_all()?;
    std::fs::rename(temporary, to)?;
    File::open(parent(to))?.sync_all()
}

/// Whether a folder is absent or empty.
fn is_free(folder: &Path) -> std::io::Result<bool> {
    match std::fs::read_dir(folder) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error),
    }
}

/// The name under which it is written.
fn temporary(to: &Path) -> Result<PathBuf, NewFolderError> {
    let name = to.file_name().ok_or_else(|| NewFolderError::Nameless(to.to_owned()))?;
    Ok(parent(to).join(format!(".{}.copying", name.to_string_lossy())))
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn named(path: &Path) -> impl FnOnce(Error) -> NewFolderError {
    let path = path.to_owned();
    move |error| NewFolderError::Io { path, error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_written_beside_its_place() {
        for (to, expected) in [
            ("hall", "./.hall.copying"),
            ("/var/lib/hall", "/var/lib/.hall.copying"),
            ("/var/lib/hall/", "/var/lib/.hall.copying"),
        ] {
            assert_eq!(temporary(Path::new(to)).ok(), Some(PathBuf::from(expected)), "{to}");
        }
        assert!(temporary(Path::new("/")).is_err() && temporary(Path::new("..")).is_err());
    }
}
