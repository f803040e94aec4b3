//! A copy in a data folder. It is written under another name beside its place, and gets its own when all is there.

use super::check::{Checked, check};
use super::keys::MovingKeys;
use super::original::Original;
use crate::backup_mark;
use crate::keys::{self, KeyFiles};
use crate::place::{Place, Problem};
use crate::storage::every_table;
use crate::witnesses::KeptCosignatures;
use hall_journal::{Copied, FjallJournal, Journal as _, Options, write_folder};
use std::fs::File;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

/// Writes the copy to `to`.
///
/// # Errors
/// `to` is not empty, something is damaged, or writing fails. Then `to` is as it was.
pub(super) fn write(
    original: &Original,
    from: &Place,
    to: &Path,
    keys: &MovingKeys,
) -> Result<(Copied, Checked), Problem> {
    if !is_free(to).map_err(named(to))? {
        return Err(Problem::refused(format!("{} exists and is not empty", to.display())));
    }
    let temporary = temporary(to)?;
    if temporary.try_exists().map_err(named(&temporary))? {
        return Err(Problem::refused(format!(
            "{} is there: another copy runs, or one broke off. If none runs, remove it",
            temporary.display()
        )));
    }
    let written = fill(original, from, &temporary, keys).and_then(|done| {
        original.check()?;
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

/// Writes everything. The keys come last: without them, nothing starts there.
fn fill(
    original: &Original,
    from: &Place,
    folder: &Path,
    keys: &MovingKeys,
) -> Result<(Copied, Checked), Problem> {
    let copied = write_folder(folder, original.reader(), &every_table())?;
    let journal = FjallJournal::open_existing(folder, &Options::default())?;
    let checked = check(&*journal.reader(), &copied)?;
    Box::new(journal).close()?;
    if let Place::Folder(data) = from {
        KeptCosignatures::of(data).copy(folder).map_err(named(folder))?;
        backup_mark::copy(data, folder).map_err(named(folder))?;
    }
    if let Some(files) = &keys.files {
        keys::copy(files, &KeyFiles::in_data(folder))?;
    }
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(named(folder))?;
    Ok((copied, checked))
}

fn put_in_place(temporary: &Path, to: &Path) -> std::io::Result<()> {
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

/// The name under which the copy is written.
fn temporary(to: &Path) -> Result<PathBuf, Problem> {
    let name = to
        .file_name()
        .ok_or_else(|| Problem::unreadable(format!("{} is no name for a new folder", to.display())))?;
    Ok(parent(to).join(format!(".{}.copying", name.to_string_lossy())))
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// For `map_err`: the path that the operating system refused.
fn named(path: &Path) -> impl FnOnce(Error) -> Problem {
    let path = path.display().to_string();
    move |error| Problem::unreadable(format!("{path}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_written_beside_its_place() {
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
